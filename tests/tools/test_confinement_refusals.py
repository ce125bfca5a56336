"""Options of `--confine` that are refused because a system cannot enforce them, and the users lent for it."""

import errno
from contextlib import ExitStack
from typing import Final

import pytest
from mergemaker_processes.confinement import spare_users
from mergemaker_processes.confinement.refusals import CannotConfine, check_system, refusal
from mergemaker_testkit.systems import FakeSystem, linux

LENT: Final = {"/etc/subuid": "ann:100000:65536\n", "/etc/subgid": "ann:100000:65536\n"}
ANN: Final = (1_000, "ann")


@pytest.mark.parametrize(
    ("form", "system", "reason", "text"),
    [
        ("full", FakeSystem(platform="darwin"), "not-linux", "on Linux alone"),
        ("full", FakeSystem(platform="win32"), "no-posix", "WSL 2"),
        ("limits", FakeSystem(platform="win32"), "no-posix", "WSL 2"),
        ("full", FakeSystem(machine="mips"), "machine", "x86_64 and aarch64 alone, and this is mips"),
        ("full", FakeSystem(kernel="5.11.9"), "old-kernel", r"Linux 5\.12 or newer, and this is 5\.11\.9"),
        ("full", FakeSystem(kernel="strange"), "old-kernel", "this is strange"),
        (
            "full",
            FakeSystem(user=ANN, programs=("newuidmap",), files=LENT),
            "no-uidmap",
            "newgidmap are needed: install the package",
        ),
        ("full", FakeSystem(user=ANN), "no-subordinates", "/etc/subuid lends ann no numbers.*usermod --add-subuids"),
        (
            "full",
            FakeSystem(user=ANN, files=LENT | {"/etc/subgid": "bob:1:2\nann:x:y\n"}),
            "no-subordinates",
            "/etc/subgid lends ann no numbers",
        ),
        (
            "full",
            FakeSystem(user=ANN, files=LENT | {"/proc/sys/user/max_user_namespaces": "0\n"}),
            "user-namespaces",
            "sysctl -w user.max_user_namespaces=15000",
        ),
        (
            "full",
            FakeSystem(user=ANN, files=LENT | {"/proc/sys/kernel/unprivileged_userns_clone": "0\n"}),
            "user-namespaces",
            "kernel.unprivileged_userns_clone=1",
        ),
        (
            "full",
            FakeSystem(user=ANN, files=LENT | {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}),
            "user-namespaces",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused_with_what_to_do(form: str, system: FakeSystem, reason: str, text: str) -> None:
    with pytest.raises(CannotConfine, match=text) as problem:
        check_system(form, system)
    assert problem.value.reason == reason
    assert ("--confine=limits bounds" in str(problem.value)) == (reason != "no-posix")


@pytest.mark.parametrize(
    ("form", "system"),
    [
        ("full", FakeSystem()),
        ("full", FakeSystem(user=ANN, files=LENT)),
        ("full", FakeSystem(user=ANN, files=dict.fromkeys(LENT, "1000:100000:1"))),
        ("limits", FakeSystem(platform="darwin", user=ANN)),
    ],
)
def test_what_may_be_kept_is_not_refused(form: str, system: FakeSystem) -> None:
    check_system(form, system)


@pytest.mark.parametrize(
    ("told", "system", "text"),
    [
        (("namespaces", errno.ENOSPC, "unshare"), FakeSystem(), "sysctl -w user.max_user_namespaces"),
        (("namespaces", errno.EPERM, "unshare"), FakeSystem(files={"/.dockerenv": ""}), "this container .* --privileged"),
        (("namespaces", errno.EPERM, "unshare"), FakeSystem(), "capability SYS_ADMIN"),
        (("namespaces", errno.EPERM, "unshare"), FakeSystem(user=ANN), "AppArmor or SELinux"),
        (("proc", errno.EPERM, "/new/proc"), FakeSystem(), "systempaths=unconfined"),
        (("users", 0, "newuidmap: not allowed"), FakeSystem(user=ANN), "as another user: newuidmap: not allowed"),
        (("network", errno.EADDRINUSE, ""), FakeSystem(), "the bot's own network cannot be set up"),
        (("network", errno.EPERM, ""), FakeSystem(), "capability NET_ADMIN"),
        (("show", errno.EACCES, "/new/x"), FakeSystem(), "cannot be shown .* at /new/x"),
        (("measuring", 0, "no control group"), FakeSystem(), "CONFIG_PROC_CHILDREN"),
        (("privileges", errno.EINVAL, ""), FakeSystem(), "CONFIG_SECCOMP_FILTER"),
        (("privileges", errno.EPERM, ""), FakeSystem(), "capabilities SETUID, SETGID and SETPCAP"),
        (("privileges", errno.EPERM, ""), FakeSystem(user=ANN), "CONFIG_SECCOMP_FILTER"),
        (("mount", errno.EPERM, "/"), FakeSystem(), "the step 'mount' failed"),
    ],
)
def test_what_the_launcher_could_not_do_is_said_with_what_to_allow(
    told: tuple[str, int, str], system: FakeSystem, text: str
) -> None:
    step, number, detail = told
    problem = refusal({"step": step, "number": number, "detail": detail}, system)
    assert problem.reason == f"step-{step}"
    with pytest.raises(CannotConfine, match=text):
        raise problem
    assert "--confine=limits bounds" in str(problem)


def test_numbers_are_lent_by_name_or_number() -> None:
    text = "# comment\nbob:1:2\nann:100:0\n1000:300:5\nann:200:x\nann:400:10\n"
    assert spare_users.subordinates(text, "ann", 1_000) == range(300, 305)
    assert spare_users.subordinates(text, "eve", 7) == range(0)


@linux
def test_each_user_is_taken_once_and_free_again() -> None:
    numbers = range(3_999_999_990, 3_999_999_992)
    with ExitStack() as stack:
        taken = [spare_users.SpareUser.taken(numbers) for _ in numbers]
        for each in taken:
            stack.callback(each.free)
        assert [each.number for each in taken] == list(numbers)
        with pytest.raises(spare_users.NoUser, match="all users from 3999999990 to 3999999991 are taken"):
            spare_users.SpareUser.taken(numbers)
    again = spare_users.SpareUser.taken(numbers)
    again.free()
    assert again.number == numbers.start
