"""What a confined bot may use, how it ends, and that it leaves nothing on the machine."""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from mergemaker_processes.confinement import cgroups
from mergemaker_processes.confinement.terms import MIB
from mergemaker_processes.endings import Exited, Refused, Signalled
from mergemaker_processes.launching import BotProcess

from tests.confine import FULL
from tests.confine.confined_bots import LIMIT_S, Bots, await_output, over, without_groups

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="confining needs Linux")
full = pytest.mark.skipif(not FULL, reason="CI's step confine has it")

PROCESSES = 24
FORKS = 120
"""A bomb tries at most this many: a machine could bear that even without a limit."""
MEMORY_MIB = 64
BOMB = f"""
import os, signal
made = []
for _ in range({FORKS}):
    try:
        child = os.fork()
    except OSError:
        break
    if not child:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.alarm({int(LIMIT_S)})
        signal.pause()
    made.append(child)
print(len(made), flush=True)
"""
AND_WAITS = "signal.pause()\n"
HOG = f"""
held = []
for _ in range({3 * MEMORY_MIB}):
    held.append(bytearray(b"x" * {MIB}))
print("had it all", flush=True)
"""
READY = "import signal\nsignal.signal(signal.SIGTERM, {})\nprint('ready', flush=True)\n"
LEAVES_ANOTHER = """
import os, signal
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("far away", flush=True)
    signal.pause()
"""


def _small(*more: str, form: str = "--confine") -> list[str]:
    return [form, "--confine-memory", str(MEMORY_MIB), "--confine-processes", str(PROCESSES), *more]


def _groups() -> list[str]:
    """All control groups of bots started by this command."""
    parents, _ = cgroups.parents_here()
    return [str(path) for parent in set(parents.values()) for path in Path(parent).glob(f"{cgroups.PREFIX}{os.getpid()}-*")]


@pytest.mark.larger
@full
@pytest.mark.parametrize("form", ["--confine", "--confine=limits"])
@pytest.mark.parametrize("has_groups", [True, False])
def test_a_fork_bomb_gets_no_more_than_its_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, *, has_groups: bool
) -> None:
    if not has_groups:
        without_groups(monkeypatch)
    bots = Bots(tmp_path, options=_small(form=form))
    watches_alone = form != "--confine" and not has_groups  # only watching limits it: it is ended
    bot = bots.start(BOMB + AND_WAITS)
    try:
        if watches_alone:
            assert bot.wait_gone(LIMIT_S)
        else:
            await_output(bot, "\n")
            for _ in range(int(LIMIT_S / 0.01)):
                if bot.troubles:
                    break
                assert bot.wait(0.01) is None
    finally:
        assert bot.stop(0)
    (trouble,) = bot.troubles
    assert (trouble.kind, trouble.limit, trouble.ended) == ("processes", PROCESSES, watches_alone)
    if watches_alone:
        assert bot.poll() == Signalled(signal.SIGKILL)
    else:
        assert 0 < int(bot.launch.logs.out.read_text()) < PROCESSES
    assert _groups() == []


@pytest.mark.larger
@full
@pytest.mark.parametrize("form", ["--confine", "--confine=limits"])
@pytest.mark.parametrize("has_groups", [True, False])
def test_a_memory_hog_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, *, has_groups: bool) -> None:
    if not has_groups:
        without_groups(monkeypatch)
    text = HOG + ("import signal\nsignal.pause()\n" if not has_groups else "")
    bot = over(Bots(tmp_path, options=_small(form=form)).start(text))
    # The kernel ends it; otherwise, its watcher does.
    assert bot.poll() == Signalled(signal.SIGKILL)
    (trouble,) = bot.troubles
    assert (trouble.kind, trouble.limit, trouble.ended) == ("memory", MEMORY_MIB * MIB, True)
    assert (trouble.measured or 0) >= MEMORY_MIB * MIB - MIB
    assert f"it came to its limit of {MEMORY_MIB} MiB of memory" in str(bot.failure())


@pytest.mark.larger
@full
def test_the_scratch_folder_has_a_size(tmp_path: Path) -> None:
    text = f"""
import errno
try:
    with open("/tmp/much", "wb") as file:
        for _ in range(4):
            file.write(bytes({MIB}))
except OSError as error:
    print(errno.errorcode[error.errno])
"""
    bot = over(Bots(tmp_path, options=["--confine", "--confine-scratch", "2"]).start(text))
    assert bot.launch.logs.out.read_text() == "ENOSPC\n"


@pytest.mark.larger
@full
@pytest.mark.parametrize("form", ["--confine", "--confine=limits"])
def test_how_a_bot_ends_is_told_as_ever(tmp_path: Path, form: str) -> None:
    bots = Bots(tmp_path, options=[form])
    programs = {
        "exits": "raise SystemExit(7)",
        "crashes": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "hears": f"import sys\n{READY.format('lambda *_: sys.exit(5)')}signal.pause()",
        "deaf": f"{READY.format('signal.SIG_IGN')}while True: signal.pause()",
    }
    scripts = [bots.script(name, text) for name, text in programs.items()]
    missing = tmp_path / "missing" / "bot"
    missing.parent.mkdir()
    missing.write_text("#!/no/such/interpreter\n")
    missing.chmod(0o755)
    started = [BotProcess(launch) for launch in bots.launches(*scripts, [str(missing)])]
    try:
        for bot in started[2:4]:
            await_output(bot, "ready")
        assert started[2].stop(LIMIT_S)
        assert started[3].stop(0.01)
        ends = [bot.wait(LIMIT_S) for bot in started]
    finally:
        for bot in started:
            assert bot.stop(0)
    assert ends[:4] == [Exited(7), Signalled(signal.SIGSEGV), Exited(5), Signalled(signal.SIGKILL)]
    assert isinstance(ends[4], Refused)
    assert "No such file or directory" in str(ends[4])
    assert _groups() == []


@pytest.mark.larger
@full
@pytest.mark.parametrize("form", ["--confine", "--confine=limits"])
def test_who_plays_on_in_another_process_has_not_ended(tmp_path: Path, form: str) -> None:
    bot = Bots(tmp_path, options=[form]).start(LEAVES_ANOTHER)
    try:
        await_output(bot, "far away")
        assert bot.wait(0.1) is None
        assert bot.failure() is None
    finally:
        assert bot.stop(0)
    assert bot.is_gone
    assert _groups() == []


@pytest.mark.larger
@full
def test_the_weaker_form_has_a_scratch_folder_that_goes(tmp_path: Path) -> None:
    text = "import os\nopen(os.path.join(os.environ['TMPDIR'], 'x'), 'w').close()\nprint(os.environ['TMPDIR'], flush=True)\n"
    for kills in (False, True):
        folder = tmp_path / str(kills)
        folder.mkdir()
        bot = Bots(folder, options=["--confine=limits"]).start(text + ("import signal; signal.pause()" if kills else ""))
        await_output(bot, "\n")
        if kills:
            assert bot.pid is not None
            os.kill(int(Path(f"/proc/{bot.pid}/stat").read_text().rsplit(")", 1)[1].split()[1]), signal.SIGKILL)
        over(bot)
        assert not Path(bot.launch.logs.out.read_text().strip()).exists()


def test_nothing_is_left_when_the_command_is_killed(tmp_path: Path) -> None:
    bots = Bots(tmp_path)
    (launch,) = bots.launches(bots.script("0", f"{LEAVES_ANOTHER}\nsignal.pause()"))
    assert launch.confinement is not None
    command = tmp_path / "command.py"
    command.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from mergemaker_processes.launching import Launch, launched\n"
        "from mergemaker_processes.logs import LogFiles\n"
        "from mergemaker_processes.confinement.confining import ConfinedLaunch\n"
        f"confined = {launch.confinement!r}\n"
        f"logs = LogFiles(Path({str(launch.logs.out)!r}), Path({str(launch.logs.err)!r}))\n"
        f"launch = Launch('bot', {launch.arguments!r}, {dict(launch.environment)!r}, logs, confinement=confined)\n"
        "with launched([launch]) as (bot,):\n"
        "    while 'far away' not in logs.out.read_text(): bot.wait(0.01)\n"
        "    print(bot.pid, bot._supervisor.pid, flush=True)\n"
        "    bot.wait(1000)\n"
    )
    with subprocess.Popen([sys.executable, str(command)], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            first, watcher = map(int, child.stdout.readline().split())
            ends = [os.pidfd_open(process) for process in (first, watcher)]
            parents, _ = cgroups.parents_here()
            places = [Path(parent) / launch.confinement.group for parent in set(parents.values())]
            assert all(place.is_dir() for place in places)
        finally:
            child.kill()
    for end in ends:
        ready, _, _ = select.select([end], [], [], LIMIT_S)
        assert ready, f"after {LIMIT_S} s it still runs"
        os.close(end)
    assert not any(place.exists() for place in places)


@pytest.mark.larger
@full
def test_a_killed_launcher_takes_its_bot_with_it_and_its_group_is_removed(tmp_path: Path) -> None:
    bot = Bots(tmp_path).start(LEAVES_ANOTHER + "\nsignal.pause()")
    try:
        await_output(bot, "far away")
        assert bot.pid is not None
        launcher = int(Path(f"/proc/{bot.pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        os.kill(launcher, signal.SIGKILL)
        assert bot.wait(LIMIT_S) == Signalled(signal.SIGKILL)
        assert bot.wait_gone(LIMIT_S)
    finally:
        bot.stop(0)
    assert not Path(f"/proc/{bot.pid}").exists()
    assert _groups() == []


@pytest.mark.larger
@full
def test_groups_of_commands_that_are_gone_are_swept_away(tmp_path: Path) -> None:
    parents, is_unified = cgroups.parents_here()
    if "memory" not in parents or is_unified:
        pytest.skip("no control groups can be made here")
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    left = [Path(parent) / f"{cgroups.PREFIX}{gone.pid}-1" for parent in set(parents.values())]
    for place in left:
        place.mkdir()
    try:
        over(Bots(tmp_path).start(""))
        assert not any(place.exists() for place in left)
    finally:
        for place in left:
            with suppress(FileNotFoundError):
                place.rmdir()
