"""The examples of `engine/README.md` and of the package's docstring: they run, and print what the page shows."""

import doctest
import re
from pathlib import Path
from typing import Final

import mergemaker_engine
import pytest

README: Final = Path(__file__).parents[2] / "engine" / "README.md"


def test_the_examples_of_the_readme_print_what_stands_there() -> None:
    page = README.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    tests = [doctest.DocTestParser().get_doctest(block, {}, f"block {at}", str(README), 0) for at, block in enumerate(blocks)]
    assert sum(len(test.examples) for test in tests) > 5
    said: list[str] = []
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test, out=said.append)
    assert "".join(said) == ""


def test_the_game_of_the_readme_and_of_the_docstring_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    readme = re.findall(r"^(?:    .*\n|\n)+", README.read_text(encoding="utf-8"), re.MULTILINE)
    in_readme = next(block for block in readme if "from mergemaker_engine import" in block)
    assert mergemaker_engine.__doc__ is not None
    for source in (
        "".join(line[4:] or "\n" for line in in_readme.splitlines(keepends=True)),
        mergemaker_engine.__doc__.partition("\n\n")[2],
    ):
        exec(source, {})  # noqa: S102 - the page's own example
        assert capsys.readouterr().out.startswith("Result(reason=<EndReason.")
