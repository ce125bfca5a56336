"""A tournament on a Dask cluster: real workers on loopback, one of them killed in the middle; records are not believed."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster
from mergemaker_engine.rules import preset
from mergemaker_processes.bot_names import BuiltInBot, ScriptBot
from mergemaker_table.terms import CLOCKS
from mergemaker_testkit.small_tournaments import document_of
from mergemaker_tools.contests.playing.blocks import Block, BlockPlayed, Entrant, PlayTerms, Trouble
from mergemaker_tools.contests.playing.in_process import LocalPlayer
from mergemaker_tools.contests.playing.one_block import CannotPlay
from mergemaker_tools.tournaments import cluster
from mergemaker_tools.tournaments.cluster import BlockFromAfar, ClusterTerms
from mergemaker_tools.tournaments.entrants import hash_of
from mergemaker_tools.tournaments.publishing import program_text

from tests.tools.conftest import Run

RunCommand = Callable[..., Run]
KILLER = """
import os
from pathlib import Path
from mergemaker_client import run
from mergemaker_client.bots.greedy import GreedyBot

class Killer(GreedyBot):
    def on_start(self, match):
        if match.match.endswith("-1-1"):
            try:
                Path({marker!r}).touch(exist_ok=False)
            except FileExistsError:
                return
            os.kill(os.getpid(), 9)

if __name__ == "__main__":
    run(Killer)
"""
"""Kills the process that plays the second match of block 1, once."""


@pytest.fixture
def scheduler() -> Iterator[str]:
    """The address of a scheduler with two workers, each a process."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as found:
        yield found.scheduler_address.replace("tcp://", "dask://")


def games_of(folder: Path) -> dict[str, str]:
    """The hash `game` of each record, by what follows the tournament's id in its name."""
    ends = {path: json.loads(path.read_bytes().splitlines()[-1]) for path in (folder / "records").iterdir()}
    return {path.stem.split("-", 2)[-1]: end["game"] for path, end in ends.items()}


@pytest.mark.slow
def test_a_cluster_plays_the_same_games_though_a_worker_is_killed(run: RunCommand, tmp_path: Path, scheduler: str) -> None:
    killer, marker = tmp_path / "killer.py", tmp_path / "killed"
    killer.write_text(KILLER.format(marker=str(marker)), "utf-8")
    arguments = (
        "--bot",
        str(killer),
        "--bot",
        "greedy",
        "--trust",
        "own",
        "--seats",
        "2",
        "--seed",
        "01",
        "--budget",
        "6 matches",
    )
    afar = run("tournament", *arguments, "--folder", str(tmp_path / "afar"), "--executor", scheduler)
    assert afar.status == 0, afar.err
    assert f"2 seats, on {scheduler}" in afar.err
    assert marker.exists()
    assert document_of(tmp_path / "afar")["table"]["matches"] == 6
    assert run("tournament", "--check", str(tmp_path / "afar")).status == 0
    here = run("tournament", *arguments, "--folder", str(tmp_path / "here"), "--jobs", "1", "--quiet")
    assert here.status == 0, here.err
    assert games_of(tmp_path / "afar") == games_of(tmp_path / "here")
    assert len(games_of(tmp_path / "here")) == 6


# --- what comes back is not believed ---

BLOCK = Block(contest="cup", number=7, seed=bytes(32), seatings=((0, 1), (1, 0)))
BOTS = (Entrant("ada", BuiltInBot("random")), Entrant("bob", BuiltInBot("random")))


@pytest.fixture
def terms(tmp_path: Path) -> PlayTerms:
    return PlayTerms(bots=BOTS, rules=preset("renegade-classic"), clock=CLOCKS["standard"], records=tmp_path / "here", keeps=True)


def sent_of(terms: PlayTerms, folder: Path, block: Block = BLOCK) -> BlockFromAfar:
    """What a worker sends."""
    result = LocalPlayer(replace(terms, records=folder, keeps=False)).play(block)
    return BlockFromAfar(result, {path.name: path.read_bytes() for path in folder.glob("*.jsonl")})


def test_records_are_verified_when_they_arrive(terms: PlayTerms, tmp_path: Path) -> None:
    sent = sent_of(terms, tmp_path / "worker")
    taken = cluster._arrived(terms, BLOCK, sent)
    assert isinstance(taken, BlockPlayed)
    assert {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()} == sent.records
    assert isinstance(sent.result, BlockPlayed)
    assert [match.cash for match in taken.matches] == [match.cash for match in sent.result.matches]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda records, _: {**records, "cup-7-1.jsonl": records["cup-7-1.jsonl"].replace(b'"ada"', b'"eve"')},
        lambda records, _: {**records, "cup-7-1.jsonl": records["cup-7-0.jsonl"]},
        lambda records, _: {"cup-7-0.jsonl": records["cup-7-0.jsonl"]},
        lambda _, other: other,
    ],
)
def test_other_records_are_not_taken(terms: PlayTerms, tmp_path: Path, spoil: Callable[..., dict[str, bytes]]) -> None:
    sent = sent_of(terms, tmp_path / "worker")
    other = sent_of(terms, tmp_path / "other", replace(BLOCK, seed=bytes([1] * 32)))
    with pytest.raises(CannotPlay, match="is missing, or is not the one of this match") as refused:
        cluster._arrived(terms, BLOCK, replace(sent, records=spoil(sent.records, other.records)))
    assert refused.value.trouble is Trouble.VOID
    assert not list((tmp_path / "here").glob("*.jsonl")), "nothing of the block is released"
    # The block is given to the cluster again.
    assert isinstance(cluster._arrived(terms, BLOCK, sent), BlockPlayed)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"program": "mergemaker 0.0.0"}, "and this is mergemaker 0.0.0: install the same on all machines"),
        ({"hashes": ("0" * 64,)}, "are not those of this tournament: copy them there"),
        ({}, None),
    ],
)
def test_a_worker_that_has_something_else_does_not_play(
    terms: PlayTerms, tmp_path: Path, changes: dict[str, Any], text: str | None
) -> None:
    script = tmp_path / "ada.py"
    script.write_text("print()", "utf-8")
    bot = Entrant("ada", ScriptBot(script))
    sent = ClusterTerms(
        contest="cup", terms=replace(terms, bots=(bot,)), hashes=(hash_of(bot.spec),), program=program_text(), fast=True
    )
    found = cluster._unfit(replace(sent, **changes))
    assert (found is None) if text is None else (found is not None and text in found)
    script.unlink()
    gone = cluster._unfit(sent)
    assert gone is not None
    assert "cannot read the bot ada" in gone


def test_a_cluster_that_is_not_there_is_named(run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_LIMIT_S", 1)
    arguments = ("--bot", "random", "--bot", "greedy", "--seats", "2", "--folder", str(tmp_path / "t"))
    found = run("tournament", *arguments, "--executor", "dask://127.0.0.1:1")
    assert found.status == 1
    assert "there is no Dask scheduler at tcp://127.0.0.1:1" in found.err
    for wrong in ("dask://127.0.0.1", "tcp://127.0.0.1:1", "dask://[x:1", "dask://h:x", "dask://h:1/x"):
        refused = run("tournament", *arguments, "--executor", wrong)
        assert (
            refused.status,
            f"--executor takes local or dask://HOST:PORT, the address of a Dask scheduler, not '{wrong}'" in refused.err,
        ) == (2, True)
