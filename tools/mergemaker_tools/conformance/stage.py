"""All that a case is played with, and what every step may use."""

import time
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from mergemaker_processes.launching import BotProcess

from mergemaker_tools.conformance.cases import Case, Claim, Step
from mergemaker_tools.conformance.certificates import Certificate
from mergemaker_tools.conformance.relay import Relay
from mergemaker_tools.conformance.streams import ScriptedServer, Stream
from mergemaker_tools.conformance.talk import CaseFailed, Match, Talk
from mergemaker_tools.conformance.transcript import Transcript


@dataclass(slots=True, kw_only=True)
class Stage:
    """One case, one client, one referee."""

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
    """Where variables lead that a client on this machine does not follow."""
    certificate: Certificate | None
    server: ScriptedServer
    trace: Path
    said: Path
    """The client's standard error."""
    process: BotProcess | None = None

    def match(self, step: Step, place: int = 0) -> Match:
        """The match that a step names, or else the case's first."""
        names = self.case.matches
        named = [value for value in step.values[place:] if value in names]
        return self.talk.match(named[0] if named else names[0])

    def restart(self) -> None:
        """Starts a server in the place of the one that was stopped."""
        self.server = ScriptedServer(self.streams, self.certificate)
        self.relay.target = self.server.port

    def stop(self) -> None:
        """Stops the server: streams break, and nothing listens any more."""
        self.relay.target = None
        self.server.stop()
        self.relay.cut()
        self.talk.broke_ns = time.monotonic_ns()

    def ending(self) -> str | None:
        """How the client's process ended; None while it runs."""
        ending = None if self.process is None else self.process.poll()
        return None if ending is None else str(ending)

    def check_nothing(self) -> None:
        """Nothing may have come."""
        request = self.talk.next_at_hand()
        if request is not None:
            raise CaseFailed(f"expected was nothing; what came is {request.WhichOneof('kind')}")
        if self.talk.has_stream():
            raise CaseFailed("the client has opened another stream, which it should not")
