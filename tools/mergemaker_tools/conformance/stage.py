"""What a case needs while it runs. Every step works on it."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from mergemaker_processes.launching import BotProcess

from mergemaker_tools.conformance.backoff import Wait
from mergemaker_tools.conformance.cases import Case, Claim, Step
from mergemaker_tools.conformance.certificates import Certificate
from mergemaker_tools.conformance.frames import SentPings
from mergemaker_tools.conformance.relay import Relay
from mergemaker_tools.conformance.streams import ScriptedServer, Stream
from mergemaker_tools.conformance.talk import CaseFailed, Match, Talk
from mergemaker_tools.conformance.transcript import Transcript


@dataclass(slots=True, kw_only=True)
class Stage:
    """One case with its client and its referee."""

    case: Case
    claim: Claim
    token: str
    limit_s: float
    """How long anything that must come may take."""
    transcript: Transcript
    streams: SimpleQueue[Stream]
    talk: Talk
    relay: Relay
    proxy: Relay
    """The proxy that the environment names. No client uses it for the loopback."""
    certificate: Certificate | None
    server: ScriptedServer
    trace: Path
    said: Path
    """The client's standard error."""
    process: BotProcess | None = None
    http_pings: SentPings = field(default_factory=SentPings)
    waits: list[Wait] = field(default_factory=list)
    """The waits before the client's attempts, where the script counts them."""

    def match(self, step: Step, place: int = 0) -> Match:
        """The match that a step names; without a name, the case's first."""
        names = self.case.matches
        named = [value for value in step.values[place:] if value in names]
        return self.talk.match(named[0] if named else names[0])

    def restart(self) -> None:
        """Starts a new server under the address of the one that was stopped."""
        self.server = ScriptedServer(self.streams, self.certificate)
        self.relay.target = self.server.port

    def stop(self) -> None:
        """Stops the server: its streams break, and new connections fail."""
        self.relay.target = None
        self.server.stop()
        self.relay.cut()
        self.talk.broke_ns = time.monotonic_ns()

    def ending(self) -> str | None:
        """How the client's process ended; None while it runs."""
        ending = None if self.process is None else self.process.poll()
        return None if ending is None else str(ending)

    def check_nothing(self) -> None:
        """Fails if the client has sent anything, or has opened a stream."""
        request = self.talk.next_at_hand()
        if request is not None:
            raise CaseFailed(f"expected was nothing; what came is {request.WhichOneof('kind')}")
        if self.talk.has_stream():
            raise CaseFailed("the client has opened another stream, which it should not")
