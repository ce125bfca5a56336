"""Bots as real processes: what they get, why one cannot start, how they end and are ended."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_processes import launching
from mergemaker_processes.endings import Exited, Refused, Signalled
from mergemaker_processes.launching import BotProcess, LaunchProblem, launched
from mergemaker_testkit.launched_bots import DEAF, FORKS_TWICE, LIMIT_S, PAUSE, POSIX, Launcher, await_output, await_state, ended


def _fail_with(bots: tuple[BotProcess, ...], started: list[BotProcess]) -> None:
    started.extend(bots)
    raise ZeroDivisionError


pytestmark = pytest.mark.skipif(not POSIX, reason="the supervisor of Windows cannot be tested where this was written")


@pytest.mark.parametrize("status", [0, 3, 255])
def test_an_exit_status_is_told(launch: Launcher, status: int) -> None:
    bot = ended(launch(f"raise SystemExit({status})"))
    assert bot.poll() == Exited(status)
    assert bot.is_gone
    assert bot.pid is not None


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGTERM"])
def test_an_end_by_a_signal_is_told_by_name(launch: Launcher, name: str) -> None:
    number = getattr(signal, name)
    bot = ended(launch(f"import os; os.kill(os.getpid(), {number})"))
    assert bot.poll() == Signalled(number)
    assert str(bot.poll()) == f"ended by {name}"


def test_a_signal_without_a_name_is_told_by_number() -> None:
    assert str(Signalled(1_000)) == "ended by signal 1000"


def test_output_goes_to_two_files_and_input_is_empty(launch: Launcher) -> None:
    bot = ended(launch("import sys; print('said', repr(sys.stdin.read())); print('complained', file=sys.stderr)"))
    assert bot.launch.logs.out.read_text() == "said ''\n"
    assert bot.launch.logs.err.read_text() == "complained\n"


def test_a_bot_is_told_where_to_go_and_no_more(launch: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MERGEMAKER_TRACE", "of the command")
    monkeypatch.setenv("KEPT", "as it was")
    bot = ended(launch("import os; print(*sorted(n for n in os.environ if 'MERGE' in n)); print(os.environ['KEPT'])"))
    assert bot.launch.logs.out.read_text() == "MERGEMAKER_BOT MERGEMAKER_SERVER MERGEMAKER_TOKEN\nas it was\n"


def test_arguments_arrive_as_they_are(launch: Launcher) -> None:
    strange = ("with blanks", "'quoted' \"twice\"", "", "-x", "$HOME *", "ä\udcff\n")
    bot = ended(launch("import sys; print(ascii(sys.argv[1:]))", *strange))
    assert bot.launch.logs.out.read_text() == f"{list(strange)!a}\n"


def test_a_bot_has_a_session_of_its_own_and_usual_signals(launch: Launcher) -> None:
    program = """
import os, signal
print(os.getsid(0) == os.getpid() == os.getpgrp())
print([n.name for n in signal.Signals if signal.getsignal(n) == signal.SIG_IGN], signal.pthread_sigmask(signal.SIG_BLOCK, ()))
print(os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd") else ["0", "1", "2", "3"])
"""
    bot = ended(launch(program))
    # Python itself ignores two; the last descriptor is for listing them.
    assert bot.launch.logs.out.read_text() == "True\n['SIGPIPE', 'SIGXFSZ'] set()\n['0', '1', '2', '3']\n"


def test_a_program_that_is_not_there_is_a_problem_with_its_name(launch: Launcher, tmp_path: Path) -> None:
    missing = str(tmp_path / "no bot")
    with pytest.raises(LaunchProblem) as problem, launched([launch.of(missing, "--fast")]):
        pytest.fail("it cannot have started")
    assert problem.value.reason == "bot-not-started"
    assert f"'{missing}' --fast" in str(problem.value)
    assert "No such file or directory" in str(problem.value)


@pytest.mark.parametrize(
    ("text", "mode", "expected"),
    [
        ("#!/bin/sh\n", 0o600, "Permission denied"),
        ("no program\n", 0o700, "a script's first line says what runs it"),
        ("#!/no/such/interpreter\n", 0o700, "the program is there, but not what its first line"),
    ],
)
def test_a_program_that_cannot_run_is_a_problem_that_says_why(
    launch: Launcher, tmp_path: Path, text: str, mode: int, expected: str
) -> None:
    program = tmp_path / "bot"
    program.write_text(text)
    program.chmod(mode)
    process = BotProcess(launch.of(str(program)))
    assert process.wait_started(LIMIT_S)
    assert isinstance(process.poll(), Refused)
    assert expected in str(process.failure())
    assert process.wait_gone(LIMIT_S)


def test_a_launch_that_the_system_refuses_is_a_problem(launch: Launcher) -> None:
    with pytest.raises(LaunchProblem, match="cannot be started"):
        BotProcess(launch.of("nul\0byte"))


def test_an_early_end_is_told_with_command_status_and_last_lines(launch: Launcher) -> None:
    program = "import sys\nfor n in range(30): print('line', n, file=sys.stderr)\nsys.exit(3)"
    with launched([launch(program, "--fast")]) as (bot,):
        bot.wait(LIMIT_S)
        failure = bot.failure()
    assert failure is not None
    assert failure.reason == "bot-ended"
    lines = str(failure).splitlines()
    assert lines[0] == "the bot bot ended too early: exit status 3"
    assert lines[1].startswith("  command: ")
    assert lines[1].endswith(" --fast")
    assert str(bot.launch.logs.err) in lines[2]
    assert lines[3:] == [f"    line {number}" for number in range(10, 30)]


def test_an_early_end_without_a_word_is_told(launch: Launcher) -> None:
    with launched([launch("")]) as (bot,):
        assert bot.wait_gone(LIMIT_S)
        failure = bot.failure()
    assert "it wrote nothing to its standard error" in str(failure)


def test_a_bot_that_plays_on_in_another_process_has_not_failed(launch: Launcher) -> None:
    with launched([launch(FORKS_TWICE)], leave_limit_s=0) as (bot,):
        assert bot.wait(LIMIT_S) == Exited(0)
        assert not bot.is_gone
        assert bot.failure() is None
    assert bot.is_gone


def test_waiting_has_a_limit(launch: Launcher) -> None:
    with launched([launch(PAUSE)], leave_limit_s=0) as (bot,):
        assert bot.wait(0) is None
        assert not bot.wait_gone(0)
        assert bot.failure() is None
        assert bot.poll() is None


def test_a_bot_that_hears_sigterm_ends_by_itself(launch: Launcher) -> None:
    program = "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\nprint('ready')\nsignal.pause()"
    with launched([launch(program)], leave_limit_s=0) as (bot,):
        await_output(bot, "ready")
    assert bot.poll() == Exited(7)


def test_a_stopped_bot_hears_sigterm_too(launch: Launcher) -> None:
    program = (
        "import os, signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\nos.kill(os.getpid(), signal.SIGSTOP)"
    )
    with launched([launch(program + "\nsignal.pause()")], leave_limit_s=0) as (bot,):
        assert bot.pid is not None
        await_state(bot.pid, "T")
    assert bot.poll() == Exited(7)


def test_a_bot_that_ignores_sigterm_is_killed(launch: Launcher) -> None:
    process = BotProcess(launch(DEAF))
    await_output(process, "ready")
    assert process.stop(grace_s=0.01)
    assert process.poll() == Signalled(signal.SIGKILL)
    assert process.stop(), "a second time does no harm"


def test_a_later_order_to_stop_shortens_the_grace(launch: Launcher) -> None:
    process = BotProcess(launch(DEAF))
    await_output(process, "ready")
    process.ask_to_stop(1_000_000)
    process.ask_to_stop(0)
    process.ask_to_stop(1_000_000)
    assert process.wait(LIMIT_S) == Signalled(signal.SIGKILL)
    assert process.wait_gone(LIMIT_S)


def test_an_exception_ends_the_bots_at_once(launch: Launcher) -> None:
    started: list[BotProcess] = []

    launches = [launch(PAUSE, seat=seat) for seat in range(2)]
    with pytest.raises(ZeroDivisionError), launched(launches, leave_limit_s=1_000_000) as bots:
        _fail_with(bots, started)
    assert [bot.is_gone for bot in started] == [True, True]


def test_if_one_cannot_start_the_others_are_stopped(launch: Launcher, held: tuple[str, Callable[[], None]]) -> None:
    path, wait_until_free = held
    good = launch(f"held = open({path!r}, 'w')\nimport signal; signal.pause()")
    with pytest.raises(LaunchProblem, match="No such file"), launched([good, launch.of("/no/such/bot", seat=1)]):
        pytest.fail("it cannot have started")
    wait_until_free()


def test_who_is_still_there_after_all_is_named(launch: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "KILL_LIMIT_S", -launching.STOP_GRACE_S)
    monkeypatch.setattr(BotProcess, "ask_to_stop", lambda *_: None)
    started: list[BotProcess] = []
    with pytest.raises(LaunchProblem, match="goes on to try") as problem, launched([launch(PAUSE)], 0) as bots:
        started.extend(bots)
    with pytest.raises(ZeroDivisionError) as noted, launched([launch(PAUSE)], 0) as bots:
        _fail_with(bots, started)
    monkeypatch.undo()
    assert problem.value.reason == "bot-not-stopped"
    assert [note for note in noted.value.__notes__ if "goes on to try" in note]
    assert [bot.stop() for bot in started] == [True, True]
