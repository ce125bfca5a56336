"""Runs cases. Each has a scripted referee of its own, and a client's process, which is started like any bot."""

import os
import secrets
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from mergemaker_processes.environment import PREFIX, Address, bot_environment
from mergemaker_processes.launching import Launch, LaunchProblem, launched
from mergemaker_processes.logs import last_lines, new_log_files

from mergemaker_tools.conformance import deal_steps, line_steps, log_steps, match_steps, session_steps
from mergemaker_tools.conformance.cases import Case, Claim
from mergemaker_tools.conformance.certificates import AUTHORITY, certificate
from mergemaker_tools.conformance.checks import BOT
from mergemaker_tools.conformance.frames import SentPings
from mergemaker_tools.conformance.outcomes import Outcome
from mergemaker_tools.conformance.relay import Relay
from mergemaker_tools.conformance.stage import Stage
from mergemaker_tools.conformance.streams import ScriptedServer, Stream
from mergemaker_tools.conformance.talk import CaseFailed, Talk
from mergemaker_tools.conformance.transcript import Transcript

LEAVE_LIMIT_S: Final = 0.5
"""How long a client may still run when its case is over, before it is killed."""
STEPS: Final = {**session_steps.STEPS, **line_steps.STEPS, **match_steps.STEPS, **deal_steps.STEPS, **log_steps.STEPS}
"""What each word of a script does."""
_PROXIES: Final = ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy")
_NO_PROXIES: Final = ("no_proxy", "no_grpc_proxy")
TOKEN_BYTES: Final = 24
NO_AUTHORITY: Final = "no-authority.pem"
"""The file that `MERGEMAKER_CA` names in cases without certificates."""


@dataclass(frozen=True, slots=True)
class Client:
    """The client under test."""

    command: tuple[str, ...]
    claim: Claim
    limit_s: float | None = None
    """How many seconds anything that must come may take; None: as many as the case says."""


def run_case(case: Case, client: Client, stopping: threading.Event) -> Outcome:
    """Runs one case. `stopping` ends it early."""
    began = time.monotonic()
    transcript = Transcript()
    with tempfile.TemporaryDirectory(prefix="mergemaker-conform-", ignore_cleanup_errors=True) as folder:
        logs = new_log_files(Path(folder), "conform", 0, case.id)
        stage = _stage(case, client, transcript, logs.err, stopping)
        problem: str | None = None
        try:
            launch = Launch(case.id, (*client.command, *_arguments(case, client)), _environment(stage), logs)
            with launched([launch], LEAVE_LIMIT_S) as (stage.process,):
                problem = _play(stage)
        except LaunchProblem as error:
            problem = problem or str(error)
        finally:
            stage.relay.close()
            stage.proxy.close()
            stage.server.stop()
        said = tuple(last_lines(logs.err)) if problem else ()
    return Outcome(case, problem, time.monotonic() - began, tuple(transcript.entries), said)


def _arguments(case: Case, client: Client) -> tuple[str, ...]:
    return case.arguments if client.claim in case.bots else ()


def _stage(case: Case, client: Client, transcript: Transcript, said: Path, stopping: threading.Event) -> Stage:
    limit_s = client.limit_s or case.limit
    signed = certificate() if case.tls else None
    streams: SimpleQueue[Stream] = SimpleQueue()
    http_pings = SentPings()
    has_http_pings = any(step.word == "http-ping" for step in case.steps)
    relay = Relay(is_slow=case.slow, keeps=http_pings.keeps if has_http_pings else None)
    proxy, server = Relay(), ScriptedServer(streams, signed)
    relay.target = server.port
    stage: Stage

    def ending() -> str | None:
        return stage.ending()

    stage = Stage(
        case=case,
        claim=client.claim,
        token=secrets.token_urlsafe(TOKEN_BYTES),
        limit_s=limit_s,
        transcript=transcript,
        streams=streams,
        talk=Talk(streams, transcript, limit_s, ending, stopping),
        relay=relay,
        proxy=proxy,
        certificate=signed,
        server=server,
        trace=said.with_name("trace.jsonl"),
        said=said,
        http_pings=http_pings,
    )
    return stage


def _environment(stage: Stage) -> dict[str, str]:
    case = stage.case
    scheme = "grpcs" if case.tls else "grpc"
    ca = _trusted(stage)
    address = Address(f"{scheme}://{case.host}:{stage.relay.port}", stage.token, BOT, ca)
    found = bot_environment(os.environ, address)
    if case.server:
        found[f"{PREFIX}SERVER"] = case.server
    if case.trace:
        found[f"{PREFIX}TRACE"] = str(stage.trace)
    if case.proxy:
        found = {name: value for name, value in found.items() if name.lower() not in (*_PROXIES, *_NO_PROXIES)}
        proxy = f"http://127.0.0.1:{stage.proxy.port}"
        found |= {name: proxy for known in _PROXIES for name in (known, known.upper())}
    return {name: value for name, value in found.items() if name not in case.without}


def _trusted(stage: Stage) -> str | None:
    """The value of `MERGEMAKER_CA`."""
    if stage.case.tls == "private":
        return str(AUTHORITY)
    path = stage.trace.with_name(NO_AUTHORITY)
    if stage.case.tls == "empty":
        path.write_text("no certificates\n", encoding="utf-8")
    return str(path) if stage.case.tls in ("empty", "missing") else None


def _play(stage: Stage) -> str | None:
    """Goes through the script; returns what the client did wrong."""
    for number, step in enumerate(stage.case.steps, 1):
        stage.transcript.step(step.text)
        try:
            STEPS[step.word](stage, step)
        except CaseFailed as problem:
            return f"step {number}, `{step.text}`: {problem}"
    with suppress(CaseFailed):
        stage.check_nothing()
        return None
    return "after the last step something came that should not"
