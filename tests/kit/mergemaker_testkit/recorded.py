"""Records of whole matches, made in a few milliseconds; and records with one error and correct chains.

The players answer at random, and the arguments decide everything: equal ones give equal bytes.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, TypeAlias, TypeVar

from mergemaker_engine.actions import Action
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import ChooseReply
from mergemaker_engine.defaults import default_answer
from mergemaker_engine.game import Game
from mergemaker_engine.playout import draw_answer
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.commitments import WITHHELD, DealMode, commitment, joint_seed, seat_commitment
from mergemaker_engine.record.lines import (
    AnsweredBy,
    DealLine,
    DecisionLine,
    EndLine,
    Header,
    Incident,
    Line,
    Promise,
    Status,
)
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_engine.rules import Rules

MATCH: Final = "m-1"
NONCE: Final = bytes(range(32))
VOIDED: Final = Incident(what="voided", why="by its operator")
_LineT = TypeVar("_LineT", bound=Line)


@dataclass(frozen=True, slots=True)
class Setting:
    """The content of a match's first two lines and its last one."""

    header: Header
    deal: DealLine
    secrets: Secrets


def seat_parts(seed: bytes, seats: int) -> list[bytes]:
    """Each seat's part of the seed, in joint mode."""
    return [hashlib.sha256(seed + bytes([seat])).digest() for seat in range(seats)]


def setting(
    rules: Rules,
    seats: int,
    seed: bytes,
    mode: DealMode = DealMode.SERVER,
    withheld: Iterable[int] = (),
    clock: Mapping[str, object] | None = None,
) -> Setting:
    """A match's set-up; `seed` is the server's. The seats in `withheld` do not reveal their part."""
    promised = commitment(MATCH, NONCE, seed)
    parts = seat_parts(seed, seats)
    committed: tuple[bytes | None, ...] = ()
    revealed: tuple[bytes | None, ...] = ()
    secrets = Secrets(seed) if mode is DealMode.PLAIN else Secrets(seed, seed, NONCE)
    if mode is DealMode.JOINT:
        committed = tuple(seat_commitment(promised, seat, part) for seat, part in enumerate(parts))
        revealed = tuple(None if seat in withheld else part for seat, part in enumerate(parts))
        counted = [WITHHELD if part is None else part for part in revealed]
        secrets = Secrets(joint_seed(seed, counted), seed, NONCE)
    header = Header(
        rules=rules,
        seats=seats,
        mode=mode,
        clock=clock or {},
        match=MATCH,
        bots=tuple(f"random {seat}" for seat in range(seats)),
        promise=None if mode is DealMode.PLAIN else Promise(MATCH, promised),
        software="mergemaker",
        started="2026-11-18T15:38:32Z",
    )
    return Setting(header, DealLine(digest="", seat_commitments=committed, contributions=revealed), secrets)


def by_of(game: Game) -> AnsweredBy:
    """The open question's answerer, if nobody is at fault: a bot, or nobody if only one answer is possible."""
    single = len(game.legal()) == 1 and not isinstance(game.decision, ChooseReply)
    return AnsweredBy.AUTOMATIC if single else AnsweredBy.BOT


def written_decision(scribe: Scribe, game: Game, answer: Action, note: str | None = None) -> bytes:
    """Applies an answer to a game, and returns the line that records it."""
    decision = game.decision
    assert decision is not None, "the game is over"
    by = by_of(game)
    game.apply(answer)
    return scribe.decision(decision, answer, by, game, note, {"at_ms": 1_000 * scribe.decisions, "used_ms": 12})


def recorded_match(
    rules: Rules,
    seats: int,
    seed: bytes,
    mode: DealMode = DealMode.SERVER,
    note: str | None = None,
    withheld: Sequence[int] = (),
    decisions: int | None = None,
    *,
    by_default: bool = False,
) -> list[bytes]:
    """The lines of a match, each with its LF; it is voided after `decisions` of them, if that is given.

    `by_default` lets the bots answer what the referee would take for them.
    """
    return list(_recorded(rules, seats, seed, mode, note, tuple(withheld), decisions, by_default=by_default))


@lru_cache(maxsize=64)
def _recorded(
    rules: Rules,
    seats: int,
    seed: bytes,
    mode: DealMode,
    note: str | None,
    withheld: tuple[int, ...],
    decisions: int | None,
    *,
    by_default: bool,
) -> tuple[bytes, ...]:
    made = setting(rules, seats, seed, mode, withheld)
    game = Game(rules, seats, Deal.from_seed(made.secrets.seed))
    scribe = Scribe()
    lines = [
        scribe.header(made.header),
        scribe.deal(game, made.deal.seat_commitments, made.deal.contributions),
    ]
    stream = Chances(seed, "play")
    while game.decision is not None and scribe.decisions != decisions:
        answer = default_answer(game)[1] if by_default else draw_answer(game, stream)
        lines.append(written_decision(scribe, game, answer, note))
    if decisions is not None:
        lines.append(scribe.incident(VOIDED))
    statuses = [Status.FINISHED] * seats
    lines.append(scribe.end(game, made.secrets, statuses, voided=decisions is not None))
    return tuple(lines)


def opened(texts: Iterable[bytes]) -> list[Line]:
    """Lines as values."""
    chains = Chains()
    return [chains.open(text.removesuffix(b"\n")) for text in texts]


def sealed(lines: Iterable[Line]) -> list[bytes]:
    """Values as lines, chained anew: in this record, only the content can be wrong."""
    chains = Chains()
    return [chains.seal(line) for line in lines]


def of_kind(line: Line, kind: type[_LineT]) -> _LineT:
    """A line, which must be of this kind."""
    assert isinstance(line, kind), line
    return line


Parts: TypeAlias = tuple[dict[str, Any], dict[str, Any]]


def parts_in(text: bytes) -> Parts:
    """The two parts of a line as plain data, read with JSON alone."""
    members = json.loads(text)
    del members["game"], members["line"]
    run = members.pop("run")
    return members, run


def forged(parts: Iterable[Parts]) -> list[bytes]:
    """Lines from any plain data, chained by a second implementation of the chain."""
    lines: list[bytes] = []
    game = sealed_by = bytes(16)
    for told, run in parts:
        cut = 32 if told.get("kind") == "end" else 16
        text = _json(told)[:-1]
        if told.get("kind") != "incident" or "what" in told:
            game = hashlib.sha256(game + text).digest()[:cut]
        text += b',"game":"'[not told :] + _hash_text(game) + b'","run":' + _json(run)
        sealed_by = hashlib.sha256(sealed_by + text).digest()[:cut]
        lines.append(text + b',"line":"' + _hash_text(sealed_by) + b'"}\n')
    return lines


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _hash_text(digest: bytes) -> bytes:
    return base64.urlsafe_b64encode(digest).rstrip(b"=")


def game_hash_before(lines: Sequence[Line], decision: int) -> str:
    """The hash `game` of a record before one of its decisions, as the header of its fork gives it."""
    chains = Chains()
    for line in lines:
        if isinstance(line, DecisionLine) and line.number == decision:
            break
        chains.seal(line)
    return hash_text(chains.game)


def renamed(lines: Iterable[Line], match: str, nonce: bytes = NONCE) -> list[Line]:
    """The same match under another id, with a promise of its own."""
    header, *rest = lines
    assert isinstance(header, Header)
    end = of_kind(rest[-1], EndLine)
    if header.mode is DealMode.PLAIN:
        return [replace(header, match=match), *rest]
    promise = Promise(match, commitment(match, nonce, end.server_seed or b""))
    return [replace(header, match=match, promise=promise), *rest[:-1], replace(end, nonce=nonce)]


def with_wrong_result(texts: Iterable[bytes]) -> bytes:
    """A record whose end adds $100 to everybody's result."""
    lines = opened(texts)
    end = of_kind(lines[-1], EndLine)
    assert end.cash is not None
    lines[-1] = replace(end, cash=tuple(cash + 100 for cash in end.cash))
    return b"".join(sealed(lines))
