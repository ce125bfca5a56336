"""A bot with async methods: for bots that wait for something, here for a thought on another thread."""

import asyncio

from mergemaker_client import Answer, AsyncBot, TileTurn, run


def largest_chain(turn: TileTurn) -> Answer:
    """Places the tile that makes the largest chain; among equal ones, the lowest."""
    return max(turn.tiles, key=lambda tile: tile.effect.size).action if turn.tiles else turn.default


class ThoughtfulBot(AsyncBot):
    """Lets others work while it thinks."""

    async def choose_tile(self, turn: TileTurn) -> Answer:
        """Thinks on another thread, so that heartbeats and other matches go on."""
        return await asyncio.to_thread(largest_chain, turn)


if __name__ == "__main__":
    run(ThoughtfulBot)
