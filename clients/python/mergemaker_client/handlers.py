"""A bot's handlers, one for each kind of decision.

Made by tools/project/generate_sdks.py from the .proto files. Do not edit it.
"""

from mergemaker_client.answer import Answer
from mergemaker_client.turn import Turn


class Handlers:
    """What a bot answers, by the kind of decision. A method that you do not write takes the default."""

    def choose_tile(self, turn: Turn) -> Answer:
        """Place a tile."""
        return turn.default

    def choose_founded(self, turn: Turn) -> Answer:
        """Name the founded chain."""
        return turn.default

    def choose_survivor(self, turn: Turn) -> Answer:
        """Name the survivor of a merger of equals."""
        return turn.default

    def choose_acquired(self, turn: Turn) -> Answer:
        """Name the chain that is settled next."""
        return turn.default

    def choose_disposal(self, turn: Turn) -> Answer:
        """Keep, sell and trade shares of an acquired chain."""
        return turn.default

    def choose_purchase(self, turn: Turn) -> Answer:
        """Buy shares, or none."""
        return turn.default

    def choose_exchange(self, turn: Turn) -> Answer:
        """Exchange dead tiles, or keep them."""
        return turn.default

    def choose_power(self, turn: Turn) -> Answer:
        """Use a special power, or none."""
        return turn.default

    def choose_pair_trade(self, turn: Turn) -> Answer:
        """Trade two shares for one with the market."""
        return turn.default

    def choose_offer(self, turn: Turn) -> Answer:
        """Offer a trade to another player."""
        return turn.default

    def choose_reply(self, turn: Turn) -> Answer:
        """Accept or decline a trade."""
        return turn.default


class AsyncHandlers:
    """What an async bot answers, by the kind of decision. A method that you do not write takes the default."""

    async def choose_tile(self, turn: Turn) -> Answer:
        """Place a tile."""
        return turn.default

    async def choose_founded(self, turn: Turn) -> Answer:
        """Name the founded chain."""
        return turn.default

    async def choose_survivor(self, turn: Turn) -> Answer:
        """Name the survivor of a merger of equals."""
        return turn.default

    async def choose_acquired(self, turn: Turn) -> Answer:
        """Name the chain that is settled next."""
        return turn.default

    async def choose_disposal(self, turn: Turn) -> Answer:
        """Keep, sell and trade shares of an acquired chain."""
        return turn.default

    async def choose_purchase(self, turn: Turn) -> Answer:
        """Buy shares, or none."""
        return turn.default

    async def choose_exchange(self, turn: Turn) -> Answer:
        """Exchange dead tiles, or keep them."""
        return turn.default

    async def choose_power(self, turn: Turn) -> Answer:
        """Use a special power, or none."""
        return turn.default

    async def choose_pair_trade(self, turn: Turn) -> Answer:
        """Trade two shares for one with the market."""
        return turn.default

    async def choose_offer(self, turn: Turn) -> Answer:
        """Offer a trade to another player."""
        return turn.default

    async def choose_reply(self, turn: Turn) -> Answer:
        """Accept or decline a trade."""
        return turn.default
