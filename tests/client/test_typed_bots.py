"""Ordinary bots, the README's and the examples have no error under the strict modes of mypy and pyright, and they play."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from types import ModuleType

import pytest
from mergemaker_client.bot import BotFactory
from mergemaker_client.testing import play_match
from mergemaker_engine.rules import PRESETS
from mergemaker_testkit.type_checkers import CHECKERS

ROOT = Path(__file__).parents[2]
ORDINARY = Path(__file__).with_name("typed_bots")
PAGES = (ROOT / "README.md", ROOT / "clients" / "python" / "README.md")
SEEDS = range(24)


def bots_of(page: Path) -> list[str]:
    """The bots that a page shows."""
    return [
        code
        for code in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        if "run(MyBot)" in code
    ]


@pytest.fixture(scope="module")
def my_bot() -> BotFactory:
    """The README's bot; as it has its guard, importing it starts nothing."""
    (code,) = bots_of(PAGES[0])
    module = ModuleType("my_bot")
    exec(code, module.__dict__)  # noqa: S102 - our own text
    made: BotFactory = module.MyBot
    return made


def test_the_pages_show_one_bot() -> None:
    assert bots_of(PAGES[0]) == bots_of(PAGES[1]) != []


def test_the_first_bot_plays_clearly_better_than_random(my_bot: BotFactory) -> None:
    wins = 0
    for seed in SEEDS:
        bots: list[str | BotFactory] = ["random"] * 4
        bots[seed % 4] = my_bot
        played = play_match(bots, seed=seed)
        assert not played.faults
        wins += played.result.standings[seed % 4].place == 1
    assert wins >= len(SEEDS) // 2, "an equal player would win a quarter"


@pytest.mark.parametrize("rules_name", PRESETS)
def test_ordinary_bots_play_under_all_rules(rules_name: str, my_bot: BotFactory) -> None:
    searcher = run_path(str(ORDINARY / "searcher.py"))
    bookkeeper: BotFactory = run_path(str(ORDINARY / "bookkeeper.py"))["Bookkeeper"]
    bots = [bookkeeper, my_bot, searcher["factory"], searcher["Searcher"]]
    assert not play_match(bots, rules_name, seed=3).faults


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all bots, as in a project of one's own."""
    folder = tmp_path_factory.mktemp("typed")
    (folder / "my_bot.py").write_text(bots_of(PAGES[0])[0])
    for path in (*ORDINARY.glob("*.py"), *(ROOT / "clients" / "python" / "examples").glob("*.py")):
        shutil.copy(path, folder)
    return folder


@pytest.mark.checkout
@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_ordinary_bots_have_no_type_errors(checker: Callable[[Path], str], typed: Path) -> None:
    assert checker(typed) == ""


@pytest.mark.checkout
@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_a_wrong_field_of_a_question_is_found(checker: Callable[[Path], str], tmp_path: Path) -> None:
    wrong = bots_of(PAGES[0])[0].replace("return turn.answers[-1]", "return turn.answers[turn.decision.survivors]")
    (tmp_path / "my_bot.py").write_text(wrong)
    assert "survivors" in checker(tmp_path)
