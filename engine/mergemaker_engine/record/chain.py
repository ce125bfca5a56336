"""The two chains: `game` over what every run of the same play repeats, `line` over every byte.

    game hash of a line = SHA-256( game hash before it ‖ the line's text before the member "game" )
    line hash of a line = SHA-256( line hash before it ‖ the line's text before the member "line" )

cut to 16 bytes but for the end line's, and starting from 16 zero bytes. An incident of the run alone leaves the game
hash as it was.
"""

import hashlib
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.canonical import decoded, encoded, hash_text
from mergemaker_engine.record.digest import DIGEST_BYTES
from mergemaker_engine.record.lines import EndLine, Header, Incident, Line
from mergemaker_engine.record.plain import line_of, parts_of
from mergemaker_engine.record.splitting import check_length
from mergemaker_engine.shown import shown

_TAIL: Final = ["game", "run", "line"]
_START: Final = bytes(DIGEST_BYTES)


def _hashed(before: bytes, text: str, *, whole: bool) -> bytes:
    digest = hashlib.sha256(before + text.encode("utf-8")).digest()
    return digest if whole else digest[:DIGEST_BYTES]


class Chains:
    """Both chains as they stand behind the lines that were written or read."""

    __slots__ = ("_seats", "game", "line", "lines")

    def __init__(self) -> None:
        self.game = _START
        self.line = _START
        self.lines = 0
        """How many lines there are."""
        self._seats: int | None = None

    def copy(self) -> "Chains":
        """Chains that stand where these do."""
        twin = Chains()
        twin.game, twin.line, twin.lines, twin._seats = self.game, self.line, self.lines, self._seats
        return twin

    def seal(self, line: Line) -> bytes:
        """The text of the next line, with both hashes and the LF behind it. What is refused leaves the chains as they were."""
        game_part, run = parts_of(line)
        # Whatever a line holds, it must be one that can be read back.
        line_of(game_part, run, self._seats)
        text, game, sealed = self._texts(line, encoded(game_part)[:-1], encoded(run, within=1))
        written = f'{text},"line":"{hash_text(sealed)}"}}'.encode()
        check_length(written, self.lines + 1)
        self._step(line, game, sealed)
        return written + b"\n"

    def open(self, text: bytes) -> Line:
        """The next line from its text, without the LF; both hashes are checked."""
        members = decoded(text)
        if list(members)[-3:] != _TAIL:
            raise RecordError("bad-tail", "a line ends with the members game, run and line, in this order")
        game_said, run, line_said = (members.pop(name) for name in _TAIL)
        if not isinstance(run, dict):
            raise RecordError("bad-member", f"'run' is an object, not {shown(run)}")
        line = line_of(members, run, self._seats)
        if encoded(parts_of(line)[0]) != encoded(members):
            raise RecordError("not-canonical", "the members of a line stand in the order of the format's tables")
        _, game, sealed = self._texts(line, encoded(members)[:-1], encoded(run))
        if game_said != hash_text(game):
            raise RecordError("game-chain", f"the hash 'game' of this line is {hash_text(game)}, not {shown(game_said)}")
        if line_said != hash_text(sealed):
            raise RecordError("line-chain", f"the hash 'line' of this line is {hash_text(sealed)}, not {shown(line_said)}")
        self._step(line, game, sealed)
        return line

    def _texts(self, line: Line, game_text: str, run_text: str) -> tuple[str, bytes, bytes]:
        """The line's text before its member `line`, and both hashes."""
        whole = isinstance(line, EndLine)
        game = self.game
        if not isinstance(line, Incident) or line.of_play:
            game = _hashed(game, game_text, whole=whole)
        text = f'{game_text},"game":"{hash_text(game)}","run":{run_text}'
        return text, game, _hashed(self.line, text, whole=whole)

    def _step(self, line: Line, game: bytes, sealed: bytes) -> None:
        if isinstance(line, Header):
            self._seats = line.seats
        self.game, self.line = game, sealed
        self.lines += 1
