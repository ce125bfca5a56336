"""Makes the missing golden records: records of whole games that every later version must read unchanged.

A golden record is made once and kept. This script refuses to overwrite one: if a test says that one no longer
verifies, the code is wrong, not the record. A new one is a new entry in `golden_records.py`; the script prints its row for
the table in `tests/golden/README.md`.
"""

import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from golden_records import RECORDS, Golden, Lapse, Last
from mergemaker_engine.actions import Action, Buy, Place, StopPlay
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import ChooseOffer, ChooseReply
from mergemaker_engine.game import Game
from mergemaker_engine.playout import declares_end
from mergemaker_engine.record.commitments import WITHHELD, DealMode, commitment, joint_seed, seat_commitment
from mergemaker_engine.record.lines import AnsweredBy, Ending, Header, Incident, Parent, PlayIncident, Promise, Status
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_engine.record.verifying import Verified, verify
from mergemaker_engine.rules import Rules, preset

GOLDEN: Final = Path(__file__).resolve().parent.parent.parent / "tests" / "golden"
STARTED: Final = "2026-11-18T12:00:00Z"
SOFTWARE: Final = "mergemaker 0.1.0"
MODEST_OFFERS: Final = 60


def _bytes_of(*words: object) -> bytes:
    """Bytes that look random and are always the same."""
    return hashlib.sha256("/".join(map(str, ("golden", *words))).encode("ascii")).digest()


class Maker:
    """Plays one golden game and writes it down."""

    def __init__(self, golden: Golden) -> None:
        self._golden = golden
        self._owner = golden.fork_of or golden.name
        self._scribe = Scribe()
        self._asked: Counter[int] = Counter()
        self._at_ms = 0
        self._chances = Chances(_bytes_of(golden.name, "answers", golden.chances), "play")
        self._server_seed = _bytes_of(self._owner, "server seed", golden.chances)
        self._nonce = _bytes_of(self._owner, "nonce")
        self._commitment = commitment(self._owner, self._nonce, self._server_seed)
        revealing = set(range(golden.seats)) - golden.withheld - golden.aloof
        self._parts = [_bytes_of(self._owner, "part", seat) for seat in range(golden.seats)]
        self._revealed = [part if seat in revealing else None for seat, part in enumerate(self._parts)]

    def lines(self) -> Iterator[bytes]:
        """The record, line by line."""
        golden = self._golden
        parent = _lines_of(golden.fork_of) if golden.fork_of else []
        yield self._header(parent)
        for seat in range(golden.seats):
            if seat not in golden.aloof:
                yield self._scribe.incident(Incident(what="joined", seat=seat, run={"at_ms": 10 * seat}))
        seed = self._seed()
        game = Game(self._rules(), golden.seats, Deal.from_seed(seed))
        yield self._deal(game)
        if parent:
            yield from self._repeated(game, parent)
        while game.decision is not None and self._scribe.decisions != golden.answers_max:
            yield from self._decision(game)
        if golden.last is Last.VOIDED:
            yield self._scribe.incident(Incident(what=PlayIncident.VOIDED, why="by its operator"))
        hidden = Secrets(seed) if golden.mode is DealMode.PLAIN else Secrets(seed, self._server_seed, self._nonce)
        statuses = [golden.statuses.get(seat, Status.FINISHED) for seat in range(golden.seats)]
        yield self._scribe.end(game, hidden, statuses, voided=golden.last is Last.VOIDED)

    def _rules(self) -> Rules:
        return preset(self._golden.rules).with_knobs(self._golden.knobs)

    def _header(self, parent: Sequence[bytes]) -> bytes:
        golden = self._golden
        origin = None
        if golden.fork_of:
            origin = Parent(golden.fork_of, golden.fork_at, _hash_of_decision(parent, golden.fork_at - 1))
        return self._scribe.header(
            Header(
                rules=self._rules(),
                seats=golden.seats,
                mode=golden.mode,
                clock=golden.clock,
                match=golden.name,
                bots=tuple(f"bot {seat + 1}" for seat in range(golden.seats)),
                promise=None if golden.mode is DealMode.PLAIN else Promise(self._owner, self._commitment),
                parent=origin,
                software=SOFTWARE,
                started=STARTED,
            )
        )

    def _seed(self) -> bytes:
        if self._golden.mode is DealMode.JOINT:
            return joint_seed(self._server_seed, [WITHHELD if part is None else part for part in self._revealed])
        return self._server_seed

    def _deal(self, game: Game) -> bytes:
        if self._golden.mode is not DealMode.JOINT:
            return self._scribe.deal(game)
        committed = [
            None if seat in self._golden.aloof else seat_commitment(self._commitment, seat, part)
            for seat, part in enumerate(self._parts)
        ]
        return self._scribe.deal(game, committed, self._revealed)

    def _repeated(self, game: Game, parent: Sequence[bytes]) -> Iterator[bytes]:
        away: set[int] = set()
        for step in read_record(parent).steps():
            for incident in step.incidents if step.number < self._golden.fork_at else ():
                if incident.of_play and incident.seat is not None:
                    away.add(incident.seat)
                    yield self._scribe.incident(incident)
            if step.number == self._golden.fork_at:
                break
            game.apply(step.answer)
            yield self._scribe.line(step.line)
        for seat in sorted(away):
            yield self._scribe.incident(Incident(what=PlayIncident.PLAYS_AGAIN, seat=seat))

    def _decision(self, game: Game) -> Iterator[bytes]:
        decision = game.decision
        assert decision is not None
        answers = game.legal()
        by, answer = AnsweredBy.AUTOMATIC, answers[0]
        if len(answers) > 1 or isinstance(decision, ChooseReply):
            self._asked[decision.seat] += 1
            lapse = self._lapse(decision.seat)
            if lapse is None:
                by, answer = AnsweredBy.BOT, self._chosen(game)
            else:
                by = lapse.by
                if lapse.first == self._asked[decision.seat]:
                    yield from map(self._scribe.incident, lapse.told)
        game.apply(answer)
        note = self._golden.notes.get(self._scribe.decisions + 1)
        yield self._scribe.decision(decision, answer, by, game, note, self._times(by))

    def _lapse(self, seat: int) -> Lapse | None:
        number = self._asked[seat]
        return next((each for each in self._golden.lapses if each.seat == seat and each.first <= number <= each.last), None)

    def _times(self, by: AnsweredBy) -> dict[str, object]:
        if not self._golden.timed:
            return {}
        used_ms = 0 if by is AnsweredBy.AUTOMATIC else 2 + self._chances.below(300)
        self._at_ms += used_ms + 1
        return {"at_ms": self._at_ms, "used_ms": used_ms}

    def _chosen(self, game: Game) -> Action:
        """A random answer, with the end declared as wanted, and few, modest offers."""
        answers: Sequence[Action] = game.legal()
        if isinstance(game.decision, ChooseOffer):
            among = min(MODEST_OFFERS, len(answers)) if self._chances.below(4) == 0 else 1
            return answers[self._chances.below(among)]
        declaring = [action for action in answers if declares_end(action)]
        wanted = [action for action in declaring if _way(action) is self._golden.last]
        others = [action for action in answers if action not in declaring]
        pool = wanted or others or declaring
        return pool[self._chances.below(len(pool))]


def _way(action: Action) -> Last | None:
    match action:
        case StopPlay():
            return Last.STOP
        case Place(declare=True):
            return Last.TILE
        case Buy(declare=True):
            return Last.PURCHASE
        case _:
            return None


def _path_of(name: str) -> Path:
    return GOLDEN / f"{name}.jsonl.gz"


def _lines_of(name: str) -> list[bytes]:
    """The lines of an existing golden record."""
    return gzip.decompress(_path_of(name).read_bytes()).splitlines(keepends=True)


def _game_hash(line: bytes) -> str:
    found: str = json.loads(line)["game"]
    return found


def _hash_of_decision(lines: Sequence[bytes], number: int) -> str:
    """The `game` hash of the line of a decision."""
    return next(_game_hash(line) for line in lines if line.startswith(b'{"kind":"decision","n":%d,' % number))


def make(golden: Golden) -> None:
    """Makes a record, checks that it verifies and ends as wanted, and writes it unless it exists."""
    text = b"".join(Maker(golden).lines())
    found = verify([text], with_audit=True)
    way = _ending(found)
    if way is not golden.last:
        raise SystemExit(f"{golden.name} was to be {golden.last}, and is {way}: give it another name, and so other chances")
    # No time and no name inside: equal records are equal files. The mode "x" refuses an existing file.
    with _path_of(golden.name).open("xb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(text)
    rules = "other knobs" if golden.knobs else golden.rules
    final = _game_hash(text.splitlines()[-1])
    print(f"| {golden.name} | {rules} | {golden.seats} | {golden.mode} | {way} | {golden.shows} | `{final}` |")


def _ending(found: Verified) -> Last | None:
    """How a record's game ended."""
    end = found.record.end
    assert end is not None
    if end.why is not Ending.DECLARED:
        return Last(str(end.why))
    texts = [line.answer for line in found.record.decisions]
    last = next(text for text in reversed(texts) if text == "stop" or text.endswith(" end"))
    if last == "stop":
        return Last.STOP
    return Last.PURCHASE if last.startswith("buy") else Last.TILE


def main() -> int:
    """Makes what is missing; with names, these alone, and refuses a name that exists already."""
    named = sys.argv[1:]
    unknown = set(named) - {golden.name for golden in RECORDS}
    if unknown:
        raise SystemExit(f"make_golden.py makes {', '.join(golden.name for golden in RECORDS)}, not {', '.join(sorted(unknown))}")
    for golden in RECORDS:
        if _path_of(golden.name).exists():
            if golden.name in named:
                raise SystemExit(f"{golden.name} is there, and golden records are never made again: where it fails, fix the code")
        elif golden.name in named or not named:
            make(golden)
    return 0


if __name__ == "__main__":
    sys.exit(main())
