"""A broken bot: what it plays, and the streams that it opens."""

from dataclasses import dataclass

from mergemaker.v1 import referee_pb2

from tests.chaos.broken_talk import Talk


@dataclass(slots=True)
class Broken:
    """What a broken bot is told; what it was told back."""

    target: str
    token: str
    match: str
    talk: Talk | None = None

    def open(self, *, pongs: bool = True, memory: int | None = None) -> Talk:
        """A stream."""
        self.talk = Talk(self.target, self.token, self.match, pongs=pongs, memory=memory)
        return self.talk

    def seated(self) -> Talk:
        """A stream on which the seat is taken."""
        talk = self.open()
        talk.join()
        return talk

    def asked(self) -> tuple[Talk, referee_pb2.Decision]:
        """A stream on which a question has come."""
        talk = self.seated()
        return talk, talk.until("decision").decision
