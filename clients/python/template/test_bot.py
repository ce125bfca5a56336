"""Tests of the bot: whole matches in memory, without a network and without waiting."""

import unittest

from bot import MyBot
from mergemaker_client.testing import play_match


class PlaysTest(unittest.TestCase):
    """The bot plays to the end, and none of its answers is refused."""

    def test_it_plays_whole_matches(self) -> None:
        """Plays at a table of three, a few times."""
        for seed in range(3):
            with self.subTest(seed=seed):
                played = play_match([MyBot, "random", "greedy"], seed=seed)
                self.assertEqual([standing.status for standing in played.result.standings], ["finished"] * 3)


if __name__ == "__main__":
    unittest.main()
