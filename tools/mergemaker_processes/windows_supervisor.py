"""The supervisor of one bot on Windows. It has not been run by its author, who has no Windows; the tests leave it out.

The supervisor puts itself into a job that kills all its processes when its last handle closes. The supervisor has that handle, so
the whole tree ends with it, however it ends. A bot can escape only through another service that starts processes for it.
Before the end a bot gets CTRL_BREAK, the nearest thing to SIGTERM; many programs ignore it.
"""

import os
import sys
import threading
import time

from mergemaker_processes.kept_log import KeptLog

GONE_GRACE_MS = 1_000
"""How long the bot has between CTRL_BREAK and its end when the command has gone."""
READ_BYTES = 65_536
POLL_S = 0.02
"""How often the job is asked which processes are left: it does not report that by itself."""
_KILL_ON_JOB_CLOSE = 0x2000
_EXTENDED_LIMITS = 9
_ACCOUNTING = 1
_LIMITS_BYTES = {4: 112, 8: 144}
_LIMIT_FLAGS_AT = 16
"""Sizes of JOBOBJECT_EXTENDED_LIMIT_INFORMATION by the size of a pointer, and the offset of its LimitFlags."""
_ACCOUNTING_BYTES = 48
_ACTIVE_PROCESSES_AT = 40
"""The size of JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, and the offset of its ActiveProcesses."""


def supervise(arguments: list[str], out: str, err: str, bytes_max: int, leftovers: str = "") -> None:
    """Runs the bot, and ends this process when the bot and all that it started have ended."""
    assert not leftovers, "nobody is confined here"
    if sys.platform != "win32":
        raise OSError("this system has no jobs as Windows has them")
    import signal  # noqa: PLC0415 - the rest of this function is for Windows alone
    import subprocess  # noqa: PLC0415 - as above

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command handles Ctrl-C
    job = _Job()
    logs = {"out": KeptLog(out, bytes_max), "err": KeptLog(err, bytes_max)}
    stop_at = [float("inf")]
    try:
        bot = subprocess.Popen(  # noqa: S603 - a program of the user's choosing
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
        )
    except OSError as error:
        report(f"refused {error.errno}")
        report("gone")
        return
    report(f"started {bot.pid}")
    assert bot.stdout is not None
    assert bot.stderr is not None
    pumps = [
        threading.Thread(target=_pump, args=(file.fileno(), log), daemon=True)
        for file, log in zip((bot.stdout, bot.stderr), logs.values(), strict=True)
    ]
    for thread in (*pumps, threading.Thread(target=_obey, args=(stop_at,), daemon=True)):
        thread.start()
    told = asked = False
    while job.others() and time.monotonic() < stop_at[0]:
        if stop_at[0] < float("inf") and not asked:
            asked = True
            if bot.poll() is None:
                os.kill(bot.pid, signal.CTRL_BREAK_EVENT)
        told = told or _tell_end(bot.poll())
        time.sleep(POLL_S)
    if bot.poll() is None:
        bot.kill()
        bot.wait()
    if not told:
        _tell_end(bot.poll())
    # Processes that are left may still hold the pipes: what was written in time is kept.
    for thread in pumps:
        thread.join(POLL_S if job.others() else None)
    for name, log in logs.items():
        log.finish()
        if log.problem:
            report(f"log {name} {log.problem}")
    report("gone")
    os._exit(0)  # closes the job


def report(line: str) -> None:
    """Reports to the command, if it still runs."""
    try:
        os.write(1, f"{line}\n".encode())
    except OSError:
        return  # the end of the orders means the same


def _tell_end(status: int | None) -> bool:
    if status is not None:
        report(f"exit {status}")
    return status is not None


def _pump(end: int, log: KeptLog) -> None:
    while data := os.read(end, READ_BYTES):
        log.take(data)


def _obey(stop_at: list[float]) -> None:
    """Reads orders from the command; their end is an order to stop, too."""
    orders = b""
    while read := os.read(0, READ_BYTES):
        *lines, orders = (orders + read).split(b"\n")
        for line in lines:
            stop_at[0] = min(stop_at[0], time.monotonic() + int(line.removeprefix(b"stop ")) / 1_000)
    stop_at[0] = min(stop_at[0], time.monotonic() + GONE_GRACE_MS / 1_000)


class _Job:
    """A job with this process in it."""

    def __init__(self) -> None:
        if sys.platform != "win32":
            raise OSError("this system has no jobs as Windows has them")
        import ctypes  # noqa: PLC0415 - only Windows has what is used of it
        from ctypes import wintypes  # noqa: PLC0415 - as above

        self._system = ctypes.WinDLL("kernel32", use_last_error=True)
        self._system.CreateJobObjectW.restype = wintypes.HANDLE
        self._system.GetCurrentProcess.restype = wintypes.HANDLE
        self._job = wintypes.HANDLE(self._system.CreateJobObjectW(None, None))
        limits = bytearray(_LIMITS_BYTES[ctypes.sizeof(ctypes.c_void_p)])
        limits[_LIMIT_FLAGS_AT : _LIMIT_FLAGS_AT + 4] = _KILL_ON_JOB_CLOSE.to_bytes(4, "little")
        known = (ctypes.c_char * len(limits)).from_buffer(limits)
        done = self._system.SetInformationJobObject(self._job, _EXTENDED_LIMITS, known, len(limits))
        own = wintypes.HANDLE(self._system.GetCurrentProcess())
        if not done or not self._system.AssignProcessToJobObject(self._job, own):
            raise ctypes.WinError(ctypes.get_last_error())

    def others(self) -> int:
        """How many processes are in the job beside this one."""
        if sys.platform != "win32":
            raise OSError("this system has no jobs as Windows has them")
        import ctypes  # noqa: PLC0415 - as above

        counts = ctypes.create_string_buffer(_ACCOUNTING_BYTES)
        if not self._system.QueryInformationJobObject(self._job, _ACCOUNTING, counts, _ACCOUNTING_BYTES, None):
            raise ctypes.WinError(ctypes.get_last_error())
        return int.from_bytes(counts.raw[_ACTIVE_PROCESSES_AT : _ACTIVE_PROCESSES_AT + 4], "little") - 1
