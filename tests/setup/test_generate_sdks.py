"""The libraries' texts on every kind of question and answer are made from the descriptors."""

import subprocess
from dataclasses import replace
from pathlib import Path

import generate_sdks
import pytest
from generate_sdks import LANGUAGES, generated
from make_venv import ROOT
from sdk_makers.model import Field, Kind, Meaning, comments, read_protocol

pytestmark = pytest.mark.checkout

WIDTHS = {".rs": 120, ".ts": 120, ".java": 100, ".py": 130}
"""The line lengths of the languages' formatters."""
NEW_FIELDS = (
    Field("give", Meaning.CHAIN, "The chain that is given."),
    Field("all_chains", Meaning.CHAINS, "All chains, ascending."),
    Field("partner", Meaning.SEAT, "To whom."),
    Field("give_shares", Meaning.SHARES, "Seven counts. An empty list gives none."),
    Field("count", Meaning.COUNT, "How many."),
    Field("is_last", Meaning.FLAG, "Whether it is the last."),
)


def test_the_code_is_what_the_descriptors_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate_sdks.main(["--check"]) == 0
    assert "generated files are as they should be" in capsys.readouterr().out


def test_code_that_differs_is_shown_and_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_sdks, "ROOT", tmp_path)
    for name in generated(read_protocol(), ["go"]):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("package mine\n")
    assert generate_sdks.main(["--check", "go"]) == 1
    assert "-package mine" in capsys.readouterr().out
    assert generate_sdks.main(["go"]) == 0
    assert generate_sdks.main(["--check", "go"]) == 0


def test_all_of_it_is_marked_as_generated() -> None:
    made = list(generated(read_protocol(), list(LANGUAGES)))
    told = subprocess.run(
        ["git", "check-attr", "linguist-generated", *made],  # noqa: S607 - any git will do
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line for line in told.stdout.splitlines() if not line.endswith(": set")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_kind_is_in_every_language(language: str) -> None:
    protocol = read_protocol()
    question = Kind("ChooseNewThing", "choose_new_thing", "Choose a new thing.", "Choose a new thing.", NEW_FIELDS[:3], ("Buy",))
    action = Kind("TakeNewThing", "take_new_thing", "Take a new thing.", "Take a new thing.", NEW_FIELDS, ())
    more = replace(protocol, questions=(*protocol.questions, question), actions=(*protocol.actions, action))
    made = {name: text.decode() for name, text in generated(more, [language]).items()}
    text = "\n".join(made.values()).lower().replace("_", "")
    assert "choosenewthing" in text
    assert "takenewthing" in text or language == "python"  # Python's bots answer with the engine's actions
    for name, content in made.items():
        width = WIDTHS.get(Path(name).suffix, 1_000)
        code = [line for line in content.splitlines() if not line.strip().startswith("/")]
        assert [line for line in code if len(line) > width] == [], name


def test_an_unknown_language_is_answered_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        generate_sdks.main(["cobol"])
    assert "there is no cobol; there are python, typescript, go, rust, java" in capsys.readouterr().err


def test_comments_are_those_right_above(tmp_path: Path) -> None:
    proto = tmp_path / "some.proto"
    lines = [
        "// Of no message.",
        "",
        "// A thing,",
        "// in two lines.",
        "message Thing {",
        "  // Which.",
        "  repeated uint32 square = 1;",
    ]
    proto.write_text("\n".join([*lines, "  bool bare = 2;", "}", ""]))
    assert comments(proto) == {"Thing": "A thing, in two lines.", "Thing.square": "Which.", "Thing.bare": ""}


def test_every_kind_and_field_has_a_comment() -> None:
    protocol = read_protocol()
    for kind in (*protocol.questions, *protocol.actions):
        assert kind.doc, kind.name
        assert kind.brief, kind.name
        assert all(field.doc for field in kind.fields), kind.name
