"""A running match in the browser of this machine: the pages of its referee, at a pace that can be followed."""

import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

import trio
from mergemaker_processes.texts import harmless
from mergemaker_referee.beside import Beside
from mergemaker_referee.configuration.settings import Address, Settings, WebSettings
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.rpc.front import Front
from mergemaker_referee.serving import software_text
from mergemaker_table.outputs import Output, Publish
from mergemaker_web.server.listening import Served, serving_pages

from mergemaker_tools.play.audience import Teller
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.replaying.browsing import has_display
from mergemaker_tools.screen import complain

FIRST_LOOK_S: Final = 20.0
"""How long a match waits for the browser that was opened for it."""
ANY_PORT: Final = Address("127.0.0.1", 0)


class WebShow(Teller):
    """Shows one match in the browser while it is played, and afterwards until Ctrl-C."""

    def __init__(self, plan: MatchPlan, stay_s: float, *, verbose: bool, with_board: bool) -> None:
        super().__init__(plan, verbose=verbose, with_board=with_board)
        self._stay_s: Final = stay_s
        self._served: Served | None = None
        self._is_opened = False
        self._address = ""
        self._asked = trio.Event()
        self._goes_on = trio.Event()

    def beside(self, settings: Settings) -> Beside:
        """Serves the pages of the match's referee on the loopback."""

        @asynccontextmanager
        async def served(front: Front) -> AsyncIterator[None]:
            web = replace(settings, web=WebSettings(listen=ANY_PORT))
            async with serving_pages(web, front, software_text()) as self._served:
                yield

        return served

    def begin(self, match: HostedMatch) -> None:
        """Opens the page of a match, or says where it is."""
        super().begin(match)
        assert self._served is not None, "matches are made while pages are served"
        self._address = f"{self._served.address}match/{match.id}"
        self.note(f"the match is at {self._address}")
        self._is_opened = has_display() and webbrowser.open(self._address)
        match.pace = self._waited_for

    async def look_on(self) -> None:
        """Lets the match go on, step by step; the first one waits for the browser."""
        assert self._served is not None, "games are played while pages are served"
        is_first = self._is_opened
        try:
            while True:
                await self._asked.wait()
                self._asked = trio.Event()
                if is_first:
                    is_first = False
                    with trio.move_on_after(FIRST_LOOK_S):
                        await self._served.watched.wait()
                await trio.sleep(self._stay_s)
                self._goes_on.set()
        finally:
            self._goes_on.set()

    async def linger(self) -> None:
        """Keeps the page after the end."""
        complain(f"the match stays at {harmless(self._address)} until Ctrl-C")
        await trio.sleep_forever()

    def _waited_for(self, _match: HostedMatch, outputs: Sequence[Output]) -> trio.Event | None:
        if not any(type(output) is Publish for output in outputs):
            return None
        self._goes_on = trio.Event()
        self._asked.set()
        return self._goes_on
