"""The two hash chains: `game` covers what every run of the same play repeats, `line` covers every byte.

    game hash of a line = SHA-256( game hash before it ‖ the line's text before the member "game" )
    line hash of a line = SHA-256( line hash before it ‖ the line's text before the member "line" )

Hashes are cut to 16 bytes, except those of the end line. Both chains start from 16 zero bytes. An incident of the run
alone does not change the game hash.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import decoded, encoded, hash_text, written
from mergemaker_engine.record.digest import DIGEST_BYTES
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, EndLine, Header, Incident, Line
from mergemaker_engine.record.plain import line_of, parts_of
from mergemaker_engine.record.splitting import check_length
from mergemaker_engine.record.usual_line import read_usual, usual_game_text, usual_run_text
from mergemaker_engine.shown import shown

_TAIL: Final = ["game", "run", "line"]
_START: Final = bytes(DIGEST_BYTES)


def _hashed(before: bytes, text: bytes, kind: type[Line]) -> bytes:
    digest = sha256(before + text).digest()
    return digest if kind is EndLine else digest[:DIGEST_BYTES]


class Chains:
    """Both chains after the lines that were written or read so far."""

    __slots__ = ("_seats", "game", "line", "lines")

    def __init__(self) -> None:
        self.game = _START
        self.line = _START
        self.lines = 0
        """The number of lines."""
        self._seats: int | None = None

    def copy(self) -> "Chains":
        """Independent chains in the same state."""
        twin = Chains()
        twin.game, twin.line, twin.lines, twin._seats = self.game, self.line, self.lines, self._seats
        return twin

    def seal(self, line: Line) -> bytes:
        """The text of the next line, with both hashes and the LF at its end. A refused line does not change the chains."""
        if isinstance(line, DecisionLine) and line.note is None:
            usual = self.seal_usual(line.number, line.seat, line.asked, line.answer, line.by, line.digest, line.run)
            if usual is not None:
                return usual
        game_part, run = parts_of(line)
        # A line must be readable, whatever it holds.
        line_of(game_part, run, self._seats)
        game_text = encoded(game_part)[:-1].encode()
        whole = self._append(type(line), game_text, self._game_hash(line, game_text), run)
        if type(line) is Header:
            self._seats = line.seats
        return whole

    def seal_usual(
        self, number: int, seat: int, asked: str, answer: str, by: AnsweredBy, digest: str, run: Mapping[str, object]
    ) -> bytes | None:
        """The same for a decision without a note, from its members; None if it needs the general checks of `seal`."""
        text = usual_game_text(number, seat, asked, answer, by, digest)
        if text is None or self._seats is None or seat >= self._seats or "note" in run:
            return None
        game_text = text.encode()
        return self._append(DecisionLine, game_text, _hashed(self.game, game_text, DecisionLine), run)

    def _append(self, kind: type[Line], game_text: bytes, game: bytes, run: Mapping[str, object]) -> bytes:
        run_text = usual_run_text(run) or encoded(dict(run), within=1)
        text = game_text + f',"game":"{hash_text(game)}","run":{run_text}'.encode()
        sealed = _hashed(self.line, text, kind)
        whole = text + f',"line":"{hash_text(sealed)}"}}'.encode()
        check_length(whole, self.lines + 1)
        self.game, self.line = game, sealed
        self.lines += 1
        return whole + b"\n"

    def open(self, text: bytes) -> Line:
        """The next line, from its text without the LF. Both hashes are checked."""
        line, game_text, line_text, game_said, line_said = read_usual(text, self._seats) or self._read(text)
        game = self._game_hash(line, game_text)
        sealed = _hashed(self.line, line_text, type(line))
        if game_said != hash_text(game):
            raise RecordError("game-chain", f"the hash 'game' of this line is {hash_text(game)}, not {shown(game_said)}")
        if line_said != hash_text(sealed):
            raise RecordError("line-chain", f"the hash 'line' of this line is {hash_text(sealed)}, not {shown(line_said)}")
        if type(line) is Header:
            self._seats = line.seats
        self.game, self.line = game, sealed
        self.lines += 1
        return line

    def _read(self, text: bytes) -> tuple[Line, bytes, bytes, object, object]:
        """A line, its texts before `game` and before `line`, and the values of these two."""
        members = decoded(text)
        if list(members)[-3:] != _TAIL:
            raise RecordError("bad-tail", "a line ends with the members game, run and line, in this order")
        game_said, run, line_said = (members.pop(name) for name in _TAIL)
        if not isinstance(run, dict):
            raise RecordError("bad-member", f"'run' is an object, not {shown(run)}")
        line = line_of(members, run, self._seats)
        game_text = written(parts_of(line)[0])[:-1].encode()
        if not text.startswith(game_text + b',"game":'):
            raise RecordError("not-canonical", "the members of a line stand in the order of the format's tables")
        # The member `line` is the last one of a canonical text, so its length says where it begins.
        return line, game_text, text[: -len(written({"line": line_said}).encode())], game_said, line_said

    def _game_hash(self, line: Line, text: bytes) -> bytes:
        """The hash `game` of the next line; `text` is the line's text before that member."""
        if type(line) is Incident and not line.of_play:
            return self.game
        return _hashed(self.game, text, type(line))
