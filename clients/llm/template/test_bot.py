"""Tests of the bot: whole matches in memory, with the stand-in for a model."""

import sys
import unittest
from pathlib import Path

from bot import SETTINGS
from mergemaker_client.language_model import CommandModel, LanguageModelBot, bot_from_file
from mergemaker_client.testing import play_match

STAND_IN = CommandModel([sys.executable, "stand_in.py"], Path(__file__).parent)


class PlaysTest(unittest.TestCase):
    """The bot plays to the end, and its reasons are in the record."""

    def test_the_settings_can_be_read(self) -> None:
        """The file that says which model plays is valid."""
        self.assertIsInstance(bot_from_file(SETTINGS), LanguageModelBot)

    def test_it_plays_a_whole_match(self) -> None:
        """Plays against another bot. Every reply can be used."""
        played = play_match([lambda: LanguageModelBot(STAND_IN), "greedy"], seed=1)
        self.assertEqual([standing.status for standing in played.result.standings], ["finished"] * 2)
        notes = [line.note for line in played.record.decisions if line.seat == 0 and line.note]
        self.assertIn("I am only a stand-in", notes[0])


if __name__ == "__main__":
    unittest.main()
