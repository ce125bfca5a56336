"""Writing a record: the text of each line, while a match is played."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import Decision
from mergemaker_engine.errors import RecordError
from mergemaker_engine.game import Game
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.digest import Digester, turn_texts
from mergemaker_engine.record.lines import (
    DEFAULTS,
    NO_TERMS,
    AnsweredBy,
    DealLine,
    DecisionLine,
    Ending,
    EndLine,
    Header,
    Incident,
    Line,
    Status,
)
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.receipts import Receipt, receipt_of
from mergemaker_engine.rules import Rules
from mergemaker_engine.values import dataclass
from mergemaker_engine.wording import action_text, question_text

_RULES_KEPT_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class Secrets:
    """What a record reveals only at its end. `repr` leaves it out, so that no error or log shows it by accident."""

    seed: bytes = field(repr=False)
    """The seed of the deal."""
    server_seed: bytes | None = field(default=None, repr=False)
    """None in plain mode, like the nonce."""
    nonce: bytes | None = field(default=None, repr=False)


@lru_cache(maxsize=_RULES_KEPT_MAX)
def _texts_of(chain_names: tuple[str, ...]) -> dict[int, str]:  # noqa: ARG001 - what they depend on
    """By code: the texts of actions, as far as they were needed."""
    return {}


def _said(answer: Action, rules: Rules) -> str:
    """An action's text."""
    code: int | None = getattr(answer, "code", None)
    if code is None:  # offers and replies have none
        return action_text(answer, rules)
    texts = _texts_of(rules.chain_names)
    said = texts.get(code)
    if said is None:
        said = texts[code] = action_text(answer, rules)
    return said


class Scribe:
    """Makes the lines of one record, in order: `header`, `deal`, then `decision` and `incident`, and `end`."""

    __slots__ = ("_chains", "_digester", "_faults", "_number")

    def __init__(self) -> None:
        self._chains = Chains()
        self._digester = Digester()
        self._number = 0
        self._faults: list[Counter[str]] = []

    @classmethod
    def resumed(cls, record: Record) -> "Scribe":
        """A scribe that continues an unfinished record after its last line."""
        scribe = cls()
        scribe._chains = record.chains.copy()
        scribe._faults = [Counter() for _ in range(record.header.seats)]
        for line in record.decisions:
            scribe._count(line.number, line.seat, line.by)
        return scribe

    @property
    def game_hash(self) -> str:
        """The hash `game` after the last line."""
        return hash_text(self._chains.game)

    def receipt(self, match: str) -> Receipt:
        """What to keep of the record of a match, after its last line."""
        return receipt_of(match, self._chains)

    @property
    def decisions(self) -> int:
        """The number of decisions written."""
        return self._number

    def header(self, header: Header) -> bytes:
        """The first line."""
        return self.line(header)

    def line(self, line: Line) -> bytes:
        """A line from its value, such as a line that a fork repeats."""
        written = self._chains.seal(line)
        if isinstance(line, Header):
            self._faults = [Counter() for _ in range(line.seats)]
        elif isinstance(line, DecisionLine):
            self._count(line.number, line.seat, line.by)
        return written

    def deal(
        self,
        game: Game,
        seat_commitments: Sequence[bytes | None] = (),
        contributions: Sequence[bytes | None] = (),
    ) -> bytes:
        """The deal's line, from the game before its first decision."""
        digest = self._digester.digest(game)
        return self._chains.seal(
            DealLine(digest=digest, seat_commitments=tuple(seat_commitments), contributions=tuple(contributions))
        )

    def decision(
        self,
        decision: Decision,
        answer: Action,
        by: AnsweredBy,
        after: Game,
        note: str | None = None,
        run: Mapping[str, object] = NO_TERMS,
    ) -> bytes:
        """A decision's line; `after` is the game after the answer."""
        number, seat, tables = self._number + 1, decision.seat, after.tables
        texts = turn_texts(tables).get(id(decision))
        asked = texts[0] if texts else question_text(decision, tables.rules)
        said = _said(answer, tables.rules)
        digest = self._digester.digest(after)
        # Nearly all lines are written without making a value first.
        usual = self._chains.seal_usual(number, seat, asked, said, by, digest, run) if note is None else None
        if usual is None:
            return self.line(
                DecisionLine(number=number, seat=seat, asked=asked, answer=said, by=by, digest=digest, note=note, run=run)
            )
        self._count(number, seat, by)
        return usual

    def _count(self, number: int, seat: int, by: AnsweredBy) -> None:
        self._number = number
        if by in DEFAULTS:
            self._faults[seat][str(by)] += 1

    def incident(self, incident: Incident) -> bytes:
        """An incident's line."""
        return self._chains.seal(incident)

    def end(
        self,
        game: Game,
        secrets: Secrets,
        statuses: Sequence[Status],
        run: Mapping[str, object] = NO_TERMS,
        *,
        voided: bool = False,
    ) -> bytes:
        """The last line."""
        result = None if voided else game.result
        if not voided and result is None:
            raise RecordError("not-over", "a match ends when its game is over, or when it is voided", "END-3")
        return self._chains.seal(
            EndLine(
                why=Ending(str(result.reason)) if result else Ending.VOIDED,
                cash=result.cash if result else None,
                places=result.places if result else None,
                statuses=tuple(statuses),
                faults=tuple(dict(found) for found in self._faults),
                seed=secrets.seed,
                server_seed=secrets.server_seed,
                nonce=secrets.nonce,
                run=run,
            )
        )
