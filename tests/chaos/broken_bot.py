"""A broken bot: its match, and the streams that it opens."""

from dataclasses import dataclass

from mergemaker.v1 import referee_pb2

from tests.chaos.broken_talk import Talk


@dataclass(slots=True)
class Broken:
    """A broken bot's instructions and what it learned."""

    target: str
    token: str
    match: str
    talk: Talk | None = None

    def open(self, *, pongs: bool = True, memory: int | None = None) -> Talk:
        """A stream."""
        self.talk = Talk(self.target, self.token, self.match, pongs=pongs, memory=memory)
        return self.talk

    def seated(self) -> Talk:
        """A stream on which the bot has its seat."""
        talk = self.open()
        talk.join()
        return talk

    def asked(self) -> tuple[Talk, referee_pb2.Decision]:
        """A stream that has delivered a question."""
        talk = self.seated()
        return talk, talk.until("decision").decision
