"""Calls a bot, sync or async, where there is no network and nothing else to wait for."""

import asyncio
from types import TracebackType
from typing import Self

from mergemaker_engine.actions import Action

from mergemaker_client.bot import AnyBot, AsyncBot, settled
from mergemaker_client.turn import Turn


class Caller:
    """Calls bots one after the other. Waits for async bots, in an event loop that is opened when it is needed."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def answer(self, bot: AnyBot, turn: Turn) -> tuple[Action, str]:
        """The bot's answer as an action, and its note; raises whatever the bot raises."""
        if not isinstance(bot, AsyncBot):
            return settled(turn, bot.answer(turn))
        if self._runner is None:
            self._runner = asyncio.Runner()
        return settled(turn, self._runner.run(_awaited(bot, turn)))

    def close(self) -> None:
        """Closes the event loop, if there is one."""
        if self._runner is not None:
            self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


async def _awaited(bot: AsyncBot, turn: Turn) -> object:
    return await bot.answer(turn)
