"""Everything that answers to requests are made of, in one place."""

import ipaddress
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.rpc.front import Front
from starlette.requests import Request

from mergemaker_web.server.audience import Audience
from mergemaker_web.server.catalogue import Catalogue
from mergemaker_web.server.guests import Buckets, Doorman
from mergemaker_web.server.live import Followed, Hall
from mergemaker_web.server.pages import Position, Site
from mergemaker_web.server.port import RefereePort
from mergemaker_web.server.records import Released
from mergemaker_web.server.tournaments import NoTournaments, TournamentBook

_IPV6_BITS: Final = 64
FILES_PER_PAGE: Final = 50
"""More than the scripts and styles of any page."""
_LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class House:
    """What the handlers of requests need."""

    settings: Settings
    software: str
    delay_ms: int
    """How much later live matches are shown."""
    catalogue: Catalogue
    hall: Hall
    audience: Audience
    released: Released
    site: Site
    doorman: Doorman
    buckets: Buckets
    file_buckets: Buckets
    """Of the pages' own files, of which one page wants up to `FILES_PER_PAGE`."""
    tournaments: TournamentBook

    @classmethod
    def of(cls, settings: Settings, front: Front, software: str, tournaments: TournamentBook | None = None) -> "House":
        """The house of a referee with these settings."""
        web = settings.web
        delay_ms = max(web.delay_ms, settings.spectating_delay_ms)
        port = RefereePort(front)
        catalogue = Catalogue(port, delay_ms)
        audience = Audience(web.spectators_max, web.spectators_per_address_max)
        return cls(
            settings=settings,
            software=software,
            delay_ms=delay_ms,
            catalogue=catalogue,
            hall=Hall(port, delay_ms, partial(_heard, catalogue, audience)),
            audience=audience,
            released=Released(),
            site=Site(prefix=web.prefix, address=web.address, has_tournaments=tournaments is not None),
            doorman=Doorman(web.password_hash),
            buckets=Buckets(web.requests_per_s_max),
            file_buckets=Buckets(web.requests_per_s_max * FILES_PER_PAGE),
            tournaments=tournaments or NoTournaments(),
        )

    def address_of(self, request: Request) -> str:
        """The client's address, for limits; of IPv6 its network, because one client has all of that."""
        address = request.client.host if request.client is not None else ""
        if self.settings.web.behind_proxy:
            named = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
            address = named or address
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return address[:_IPV6_BITS]
        if found.version == 6:
            return str(ipaddress.ip_network(f"{found}/{_IPV6_BITS}", strict=False))
        return str(found)

    async def position(self, match: str, *, is_released: bool) -> Position | None:
        """How a match stands as everybody may know it; None before the deal."""
        if is_released:
            return await self.released.last_position(match, await self.catalogue.record(match))
        followed = await self.hall.follow(match)
        game = followed.game
        if game is None or not (followed.events or followed.view is not None):
            return None
        return Position(game.view(), followed.bots, game.last_tile)


def _heard(catalogue: Catalogue, audience: Audience, followed: Followed) -> None:
    if followed.ended is not None:
        catalogue.ended_for_all(followed.match)
    audience.tell(followed)
