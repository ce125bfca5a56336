"""A disk that fails under load, for some matches: they stand still and then continue, and the others never notice.

Nothing is sent before it is written. CI runs all of it in a separate step.
"""

import contextlib
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_referee.matches.making import MatchMaker
from mergemaker_referee.records.secrets_file import secrets_path
from mergemaker_referee.tokens import TokenKind, fresh_token

from tests.chaos.failing_server import ORDERS_VARIABLE, PROGRAM, Fault, give_orders
from tests.chaos.played_matches import (
    ALLOWANCE_MS,
    KINDS,
    Plan,
    check_untouched,
    game_hash,
    is_ended,
    play_undisturbed,
    records_of,
)
from tests.chaos.server_process import ServerProcess, server_process, until
from tests.chaos.shares import full_only
from tests.chaos.steady_bots import SteadyBot, steady_bots
from tests.chaos.what_bots_saw import told_by_match

pytestmark = [full_only, pytest.mark.larger, pytest.mark.slow, pytest.mark.checkout]

SEED: Final = 20261118
THINK_MS: Final = 10
"""Ensures that a match is still played when its disk begins to fail."""
BEGUN_DECISIONS: Final = 8
RETRY_MS: Final = 50
GIVE_UP_MS: Final = 1_500
MATCHES: Final = 6
AFFECTED: Final = {1: Fault.FULL, 3: Fault.READ_ONLY, 5: Fault.STALLED}
"""By the number of the match."""
HOPELESS: Final = (3, 5)
"""Those whose secrets cannot be deleted either while their disk fails."""


class Load:
    """A server on a disk that fails on request, and matches of long-lived bots."""

    def __init__(self, server: ServerProcess, folder: Path) -> None:
        self.server: Final = server
        self.folder: Final = folder
        self.plans: Final[list[Plan]] = []
        self.ids: Final[list[str]] = []

    def begin(self, count: int) -> None:
        with self.server.operator() as operator:
            for number in range(len(self.plans), len(self.plans) + count):
                plan = Plan(SEED, number)
                self.plans.append(plan)
                self.ids.append(plan.make(operator))

    def records(self) -> dict[int, Path]:
        return records_of(self.server, self.plans)

    def order(self, orders: Mapping[int, Fault]) -> None:
        """Makes the disk fail for these matches only."""
        give_orders(self.folder / "orders", {self.ids[number]: fault for number, fault in orders.items()})

    def order_for(self, part: str, fault: Fault) -> None:
        give_orders(self.folder / "orders", {part: fault})

    def phases(self) -> dict[int, Any]:
        with self.server.operator() as operator:
            found = [operator.call("GetMatch", matches_pb2.GetMatchRequest(match=match)).match.phase for match in self.ids]
        return dict(enumerate(found))

    def await_begun(self, numbers: Mapping[int, object]) -> None:
        records = self.records()

        def decisions(number: int) -> int:
            return records[number].read_bytes().count(b'"kind":"decision"')

        until(lambda: all(decisions(number) >= BEGUN_DECISIONS for number in numbers), "the matches are under way")
        assert not any(is_ended(records[number]) for number in numbers), "a match was over before its disk failed"

    def await_end(self, numbers: Any) -> None:
        records = self.records()
        until(lambda: all(is_ended(records[number]) for number in numbers), "matches are over")

    def trace(self, bot: str) -> Path:
        return self.folder / f"{bot}.trace"


@contextlib.contextmanager
def under_load(folder: Path, *, records: Path | None = None, **limits: int) -> Iterator[Load]:
    tokens = {name: fresh_token(TokenKind.BOT) for name in KINDS}
    wishes = {"limits": {"disk_retry_ms": RETRY_MS, **limits}}
    environment = {ORDERS_VARIABLE: str(folder / "orders")}
    asked = {"bots": tokens, "wishes": wishes, "records": records}
    with server_process(folder / "server", program=PROGRAM, environment=environment, **asked) as server:
        load = Load(server, folder)
        bots = [
            SteadyBot(name=name, token=tokens[name], kind=kind, server=server.url, think_ms=THINK_MS, trace=str(load.trace(name)))
            for name, kind in KINDS.items()
        ]
        server.serve()
        with steady_bots([bots[::2], bots[1::2]], folder / "bots.err"):
            yield load
        load.order({})
        server.stop()


def check_told_is_written(load: Load, numbers: Any, scratch: Path) -> int:
    """Nobody knows more than the records say; returns the number of events checked.

    The matches must stand still: this reads first what bots received, and then what was written.
    """
    told = {name: told_by_match(load.trace(name)) for name in KINDS}
    records, seen = load.records(), 0
    scratch.mkdir()
    for number in numbers:
        copy = scratch / records[number].name
        shutil.copyfile(records[number], copy)
        shutil.copyfile(secrets_path(records[number]), secrets_path(copy))
        made = MatchMaker(folder=scratch, software="test", today=lambda: datetime.now(UTC)).take_up(copy)
        made.table.open(0)
        for seat, bot in enumerate(load.plans[number].bots):
            snapshot = made.table.snapshot(seat, 0)
            assert snapshot is not None
            knows = told[bot][load.ids[number]]
            where = f"match {number}, {bot}"
            assert max(knows.events, default=0) <= snapshot.events_seen, f"{where} got an event that is not written"
            asked = made.table._desk.seats[seat].last_id
            assert knows.last_decision <= asked, f"{where} was asked what follows from something that is not written"
            seen += len(knows.events)
        made.journal.close()
    return seen


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """The `game` chains of the same matches on a disk that works."""
    folder = tmp_path_factory.mktemp("undisturbed")
    tokens = {name: fresh_token(TokenKind.BOT) for name in KINDS}
    with server_process(folder, bots=tokens) as server:
        bots = [SteadyBot(name=name, token=tokens[name], kind=kind, server=server.url) for name, kind in KINDS.items()]
        server.serve()
        with steady_bots([bots], folder / "bots.err"):
            records = play_undisturbed(server, [Plan(SEED, number) for number in range(MATCHES)])
        server.stop()
        return {number: game_hash(record) for number, record in records.items()}


def test_matches_whose_disk_fails_stand_still_and_go_on_and_others_never_notice(
    tmp_path: Path, undisturbed: dict[int, str]
) -> None:
    with under_load(tmp_path) as load:
        load.begin(MATCHES)
        load.await_begun(AFFECTED)
        load.order(AFFECTED)
        failed_s = time.monotonic()
        suspended = {matches_pb2.MATCH_PHASE_SUSPENDED}
        until(lambda: {load.phases()[number] for number in AFFECTED} == suspended, "the affected stand still, and that is said")
        others = set(range(MATCHES)) - set(AFFECTED)
        load.await_end(others)  # meanwhile, they are played to their ends
        assert check_told_is_written(load, AFFECTED, tmp_path / "copies") > BEGUN_DECISIONS
        # Longer than a bot's allowance: a charge for it would cost the bot a part of its bank.
        until(lambda: time.monotonic() - failed_s > ALLOWANCE_MS / 1_000 + 1, "the disk has failed for long enough")
        assert not any(is_ended(load.records()[number]) for number in AFFECTED)
        load.order({})
        load.await_end(range(MATCHES))
        for number, record in load.records().items():
            check_untouched(record)
            assert game_hash(record) == undisturbed[number], f"match {number} was played otherwise: {record}"
        for name in KINDS:
            told_by_match(load.trace(name))  # nothing is missing, and nothing was repeated with other content


def _begin_and_give_up(load: Load) -> None:
    """Disks fail beyond the configured time: matches whose secrets are deleted are void; nobody gets an end of the others."""
    load.begin(MATCHES)
    load.await_begun(AFFECTED)
    load.order(AFFECTED)
    over, suspended = matches_pb2.MATCH_PHASE_OVER, matches_pb2.MATCH_PHASE_SUSPENDED
    expected = dict.fromkeys(range(MATCHES), over) | dict.fromkeys(HOPELESS, suspended)
    until(lambda: load.phases() == expected, "those are over that can be")
    stuck = "can neither go on nor be voided"

    def said(number: int) -> bool:
        return any(stuck in line and load.ids[number] in line for line in load.server.log_text().splitlines())

    until(lambda: all(said(number) for number in HOPELESS), "it is said of those that cannot")
    for number in HOPELESS:
        assert secrets_path(load.records()[number]).exists()
        assert not any(_told_void(load, bot, number) for bot in load.plans[number].bots)


def _await_told_void(load: Load, number: int) -> None:
    assert not is_ended(load.records()[number])
    for bot in load.plans[number].bots:
        until(lambda bot=bot: _told_void(load, bot, number), f"{bot} is told")  # type: ignore[misc]  # defaults bind the loop's values


def test_a_match_whose_disk_fails_for_longer_than_its_limit_is_voided_when_that_is_kept_and_stays_so(
    tmp_path: Path, undisturbed: dict[int, str]
) -> None:
    with under_load(tmp_path, disk_give_up_ms=GIVE_UP_MS) as load:
        _begin_and_give_up(load)
        _await_told_void(load, 1)
        for number in set(range(MATCHES)) - set(AFFECTED):
            check_untouched(load.records()[number])
            assert game_hash(load.records()[number]) == undisturbed[number]
        # When the disk takes everything again, the others end, too: with a line that is written now, or as void.
        load.order({})
        until(lambda: set(load.phases().values()) == {matches_pb2.MATCH_PHASE_OVER}, "all are over")
        _await_told_void(load, 5)  # its lines may have been written meanwhile, so they are not written again
        if is_ended(load.records()[3]):
            check_untouched(load.records()[3])
            assert game_hash(load.records()[3]) == undisturbed[3]
            assert not any(_told_void(load, bot, 3) for bot in load.plans[3].bots)
        else:
            _await_told_void(load, 3)
        until(lambda: not load.server.secrets_paths(), "no secrets are left")
        load.server.stop()
        load.server.serve()
        assert not [match for match in _phases_of_all(load) if match != matches_pb2.MATCH_PHASE_OVER]
        load.begin(1)
        load.await_end([MATCHES])


def test_a_match_whose_disk_lets_it_neither_go_on_nor_be_voided_goes_on_under_the_next_server(
    tmp_path: Path, undisturbed: dict[int, str]
) -> None:
    with under_load(tmp_path, disk_give_up_ms=GIVE_UP_MS) as load:
        _begin_and_give_up(load)
        load.server.kill()
        load.order({})
        load.server.serve()
        load.await_end(HOPELESS)
        for number in HOPELESS:
            check_untouched(load.records()[number])
            assert game_hash(load.records()[number]) == undisturbed[number]
            assert not any(_told_void(load, bot, number) for bot in load.plans[number].bots)


def _told_void(load: Load, bot: str, number: int) -> bool:
    lines = load.trace(bot).read_text("utf-8").splitlines()
    voided = match_pb2.Ending.Name(match_pb2.ENDING_VOIDED)
    return any("match_ended" in line and load.ids[number] in line and voided in line for line in lines)


def _phases_of_all(load: Load) -> list[Any]:
    with load.server.operator() as operator:
        return [each.phase for each in operator.call("ListMatches", matches_pb2.ListMatchesRequest()).matches]


def test_a_match_that_cannot_be_written_is_not_made_and_leaves_nothing(tmp_path: Path) -> None:
    with under_load(tmp_path) as load:
        load.begin(1)
        for fault in (Fault.FULL, Fault.READ_ONLY):
            load.order_for(".secrets", fault)
            with pytest.raises(grpc.RpcError) as refused, load.server.operator() as operator:
                Plan(SEED, 1).make(operator)
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            assert (refused.value.details() or "").startswith("disk: the referee cannot write")
        load.order({})
        load.begin(1)
        load.await_end([0, 1])
        until(lambda: not load.server.secrets_paths(), "no secrets are left")
        assert len(load.server.record_paths()) == 2


def test_what_cannot_be_taken_up_waits_for_a_disk_that_works(tmp_path: Path, undisturbed: dict[int, str]) -> None:
    failing = {1: Fault.READ_ONLY, 2: Fault.FULL}
    with under_load(tmp_path) as load:
        load.begin(3)
        load.await_begun({0: None, **failing})
        load.server.kill()
        load.order(failing)
        load.server.start()
        # A match on a full disk is resumed, and then stands still; on a read-only disk, it is not even opened.
        until(lambda: "the disk keeps a match from being taken up" in load.server.log_text(), "it is tried again")
        load.order({2: Fault.FULL})
        assert load.server.wait_until_ready()
        load.await_end([0, 1])
        assert not is_ended(load.records()[2])
        load.order({})
        load.await_end(range(3))
        for number, record in load.records().items():
            check_untouched(record)
            assert game_hash(record) == undisturbed[number]


def test_files_that_may_not_grow_hold_up_their_matches_alone(tmp_path: Path, undisturbed: dict[int, str]) -> None:
    """The system itself refuses here: no file of the server may be longer than the shortest matches' files."""
    with under_load(tmp_path) as load:
        load.begin(MATCHES)
        load.await_begun(dict.fromkeys(range(MATCHES)))
        assert load.server.process is not None
        process = load.server.process.pid
        sizes = sorted(record.stat().st_size for record in load.records().values())
        resource.prlimit(process, resource.RLIMIT_FSIZE, (sizes[-1] + 1, resource.RLIM_INFINITY))
        suspended = matches_pb2.MATCH_PHASE_SUSPENDED
        until(lambda: suspended in load.phases().values(), "a match stands still")
        check_told_is_written(
            load, [number for number, phase in load.phases().items() if phase == suspended], tmp_path / "copies"
        )
        resource.prlimit(process, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        load.await_end(range(MATCHES))
        for number, record in load.records().items():
            check_untouched(record)
            assert game_hash(record) == undisturbed[number]


def _mount(*options: str) -> str:
    """Mounts, or says why it cannot be done."""
    done = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)  # noqa: S607 - the system's
    return done.stderr.strip() if done.returncode else ""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A small separate file system, which is soon full; needs root."""
    folder = tmp_path / "small disk"
    folder.mkdir()
    mounted = _mount("-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", str(folder))
    if mounted:
        pytest.skip(f"no file system can be mounted here: {mounted}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)  # noqa: S607 - the system's


def test_a_disk_that_is_really_full_or_read_only(small_disk: Path, tmp_path: Path, undisturbed: dict[int, str]) -> None:
    with under_load(tmp_path, records=small_disk / "records") as load:
        load.begin(MATCHES)
        load.await_begun(dict.fromkeys(range(MATCHES)))
        filler = small_disk / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4_096))
        under_way = [number for number, record in load.records().items() if not is_ended(record)]
        suspended = matches_pb2.MATCH_PHASE_SUSPENDED
        until(
            lambda: all(load.phases()[number] == suspended or is_ended(load.records()[number]) for number in under_way),
            "all stand still",
        )
        check_told_is_written(load, [number for number in under_way if not is_ended(load.records()[number])], tmp_path / "copies")
        with pytest.raises(grpc.RpcError) as refused, load.server.operator() as operator:
            Plan(SEED, MATCHES).make(operator)
        assert (refused.value.details() or "").startswith("disk: ")
        filler.unlink()
        load.await_end(range(MATCHES))
        for number, record in load.records().items():
            check_untouched(record)
            assert game_hash(record) == undisturbed[number]
        until(lambda: not load.server.secrets_paths(), "no secrets are left")
        load.server.stop()
        assert not _mount("-o", "remount,ro", str(small_disk))
        load.server.start()
        assert load.server.wait_for_end() != 0
        assert "Read-only file system" in load.server.log_text()
        assert "Traceback" not in load.server.log_text()
        assert not _mount("-o", "remount,rw", str(small_disk))
        load.server.serve()
        load.begin(1)
        load.await_end([MATCHES])
