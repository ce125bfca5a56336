"""Settings, seats and matches as one process describes them to the other."""

import json
import pickle
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Self

from mergemaker_table.join_terms import JoinTerms, MissingSeats
from mergemaker_table.run_members import RequestKey, request_in

from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.operator_calls import summary_of
from mergemaker_referee.processes.frames import as_json
from mergemaker_referee.records.secrets_file import SeatKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What a process that plays is started with."""

    number: int
    """From 1."""
    settings: Settings
    software: str
    folders: tuple[Path, ...]
    """Of records: its own first, then those of processes that are no more."""

    def data(self) -> bytes:
        """As bytes, for the same program on the same machine."""
        settings = replace(self.settings, bots=dict(self.settings.bots), own_clocks=dict(self.settings.own_clocks))
        return pickle.dumps(replace(self, settings=settings))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedSeat:
    """A seat that a bot takes, and what the match needs to know of its session."""

    match: str
    seat: int
    seen: int
    trace: str
    version: str
    wants_events_at_once: bool
    round_trip_ns: int

    def data(self) -> bytes:
        """As bytes."""
        return as_json(asdict(self))

    @classmethod
    def read(cls, data: bytes) -> Self:
        """From bytes."""
        return cls(**json.loads(data))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncedMatch:
    """A match as the process that seats its bots knows it."""

    match: str
    created: str
    record: Path
    keys: tuple[SeatKey, ...]
    joining: JoinTerms
    recovery_grace_ms: int
    is_without_clock: bool
    waits_to_join: bool
    is_shown_again: bool
    is_taken_up: bool
    request: RequestKey | None
    summary: bytes
    """Its MatchSummary, for lists while its process is not there."""

    @classmethod
    def of(cls, match: HostedMatch, keys: Sequence[SeatKey], *, is_taken_up: bool) -> Self:
        """A match of this process."""
        return cls(
            match=match.id,
            created=match.created,
            record=match.record,
            keys=tuple(keys),
            joining=match.joining,
            recovery_grace_ms=match.recovery_grace_ms,
            is_without_clock=match.is_without_clock,
            waits_to_join=match.waits_to_join,
            is_shown_again=match.is_shown_again,
            is_taken_up=is_taken_up,
            request=request_in(match.table.setup.more),
            summary=summary_of(match).SerializeToString(),
        )

    def data(self) -> bytes:
        """As bytes."""
        joining = self.joining
        begins = None if joining.begins is None else joining.begins.isoformat()
        document = {
            **{name: getattr(self, name) for name in ("match", "created", "recovery_grace_ms", *_MARKS)},
            "record": str(self.record),
            "keys": [[key.bot, key.token_hash, key.version] for key in self.keys],
            "joining": [begins, joining.wait_ms_max, joining.missing],
            "summary": self.summary.hex(),
            "request": None if self.request is None else [self.request.key, self.request.digest],
        }
        return as_json(document)

    @classmethod
    def read(cls, data: bytes) -> Self:
        """From bytes."""
        document = json.loads(data)
        begins, wait_ms_max, missing = document.pop("joining")
        request = document.pop("request")
        return cls(
            **document
            | {
                "record": Path(document["record"]),
                "summary": bytes.fromhex(document["summary"]),
                "keys": tuple(SeatKey(bot=bot, token_hash=hashed, version=version) for bot, hashed, version in document["keys"]),
                "joining": JoinTerms(
                    begins=None if begins is None else datetime.fromisoformat(begins),
                    wait_ms_max=wait_ms_max,
                    missing=MissingSeats(missing),
                ),
                "request": None if request is None else RequestKey(*request),
            }
        )


_MARKS = ("is_without_clock", "waits_to_join", "is_shown_again", "is_taken_up")
