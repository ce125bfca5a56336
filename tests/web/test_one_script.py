"""The viewer's modules become one script, and what could not is refused."""

import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from mergemaker_web import modules
from mergemaker_web.modules import one_script, static_text
from toy_checkout import COMMAND_LIMIT_S

ENTRIES = ("page.js", "loader.js", "served.js")


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for other modules."""
    monkeypatch.setattr(modules, "static_text", lambda name: (tmp_path / name).read_text("utf-8"))
    return tmp_path


def test_every_module_of_the_viewer_is_in_a_script() -> None:
    scripts = "".join(one_script(entry) for entry in ENTRIES)
    for path in files("mergemaker_web").joinpath("static").iterdir():
        if path.name.endswith(".js"):
            last = path.read_text("utf-8").rstrip().rsplit("\n", 1)[-1].strip().removeprefix("export ")
            assert last in scripts, path.name


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_script_needs_nothing_else(entry: str) -> None:
    script = one_script(entry)
    assert not re.search(r"^\s*(?:import|export)\b", script, re.MULTILINE)
    assert "</script" not in script
    node = shutil.which("node")
    if node is not None:
        command = [node, "--input-type=module", "--check"]
        subprocess.run(command, input=script, encoding="utf-8", timeout=COMMAND_LIMIT_S, check=True)


def test_a_module_comes_after_those_that_it_needs(written: Path) -> None:
    (written / "a.js").write_text('// A.\nimport { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\n\nb(c);\n', "utf-8")
    (written / "b.js").write_text('import { c } from "./c.js";\n/** B. */\nexport function b() {\n  return c;\n}\n', "utf-8")
    (written / "c.js").write_text("const own = 1;\nexport const c = own;\n", "utf-8")
    c = "const { c } = (() => {\nconst own = 1;\nconst c = own;\nreturn { c };\n})();\n"
    b = "const { b } = (() => {\nfunction b() {\nreturn c;\n}\nreturn { b };\n})();\n"
    assert one_script("a.js") == f"{c}{b}\nb(c);\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('import b from "./b.js";\n', "a.js has 'import b"),
        ('import { b as other } from "./b.js";\n', "a.js has 'import { b as other }"),
        ('import { b } from "elsewhere";\n', "a.js has 'import { b }"),
        ("export default 5;\n", "a.js has 'export default"),
        ("export { a };\n", "a.js has 'export { a }"),
        ('import { a } from "./a.js";\n', "in a circle: a.js > a.js"),
        ('import { b } from "./b.js";\nexport const b = 2;\n', "b.js and a.js both export b"),
    ],
)
def test_other_forms_are_refused(written: Path, text: str, problem: str) -> None:
    (written / "a.js").write_text(text, "utf-8")
    (written / "b.js").write_text("export const b = 1;\n", "utf-8")
    with pytest.raises(ValueError, match=re.escape(problem)):
        one_script("a.js")


def test_the_style_sheet_loads_nothing() -> None:
    style = static_text("style.css")
    assert "url(" not in style
    assert "@import" not in style
