"""The checks of the protocol: what they report about errors, and without anything to check with."""

import importlib.util
from pathlib import Path
from types import ModuleType

import ci_protocol
import make_image
import pytest
from generated_code import REQUIREMENTS, SOURCES, Generated, compare, is_check

PROTOS = Path(__file__).resolve().parents[2] / "protos"
AGAIN = "`python protos/generate.py`"


@pytest.fixture(name="generate", scope="module")
def _generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("protos_generate", PROTOS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="ran")
def _ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The checks that were called; none of them really runs."""
    ran: list[str] = []

    def check(what: str, command: list[str], limit_s: float) -> bool:
        assert command
        assert limit_s
        ran.append(what)
        return what != "lint"

    monkeypatch.setattr(ci_protocol, "check", check)
    monkeypatch.delenv(ci_protocol.REQUIRED, raising=False)
    return ran


def test_generated_code_that_is_as_it_should_be(capsys: pytest.CaptureFixture[str]) -> None:
    files = {"a_pb2.py": b"one\n", "a_pb2.pyi": b"two\n"}
    assert compare(files, dict(files), AGAIN) == 0
    assert capsys.readouterr().out == "2 generated files are as they should be\n"


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"a_pb2.py": b"one\n", "a_pb2.pyi": b"other\n"}, "-other\n+two"),
        ({"a_pb2.py": b"one\n"}, "+two"),
        ({"a_pb2.py": b"one\n", "a_pb2.pyi": b"two\n", "gone_pb2.py": b"old\n"}, "-old"),
    ],
)
def test_generated_code_that_differs(capsys: pytest.CaptureFixture[str], there: dict[str, bytes], told: str) -> None:
    assert compare({"a_pb2.py": b"one\n", "a_pb2.pyi": b"two\n"}, there, AGAIN) == 1
    printed = capsys.readouterr().out
    assert told in printed
    assert printed.endswith("1 generated files are not what the .proto files say: run `python protos/generate.py`\n")


def test_what_was_made_takes_the_place_of_what_is_there_and_of_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "wire"
    generated = Generated(folder, "*_pb.ts", "clients/typescript/generate")
    assert generated.settle({"a_pb.ts": b"one\n", "b_pb.ts": b"two\n"}, is_check=False) == 0
    (folder / "own.ts").write_bytes(b"kept\n")
    made = {"a_pb.ts": b"other\n"}
    assert generated.settle(made, is_check=True) == 1
    assert (folder / "a_pb.ts").read_bytes() == b"one\n", "nothing is written where it is compared"
    assert generated.settle(made, is_check=False) == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == made | {"own.ts": b"kept\n"}
    assert generated.settle(made, is_check=True) == 0
    assert "2 generated files are not what the .proto files say: run clients/typescript/generate\n" in capsys.readouterr().out


def test_arguments_of_the_generators_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert not is_check("clients/go/generate", "Go", [])
    assert is_check("clients/go/generate", "Go", ["--check"])
    with pytest.raises(SystemExit, match="2"):
        is_check("clients/go/generate", "Go", ["--chekc"])
    assert "clients/go/generate: error: " in capsys.readouterr().err


def test_every_file_of_the_protocol_says_at_its_head_how_things_are_numbered() -> None:
    heads = {source.name: source.read_text(encoding="utf-8").partition("\nsyntax = ")[0] for source in SOURCES}
    assert len(heads) == 12
    assert set(heads.values()) == {heads["actions.proto"]}
    assert heads["actions.proto"].startswith("// Squares are numbered 0 to 107 along the rows: ")


def test_services_are_known_by_their_declaration(generate: ModuleType) -> None:
    package = PROTOS / generate.PACKAGE
    with_service = {path.stem for path in package.glob("*.proto") if generate.has_service(path)}
    assert with_service == {path.name.removesuffix("_pb2_grpc.py") for path in package.glob("*_pb2_grpc.py")}
    assert len(with_service) == 5


def test_all_that_is_generated_with_is_named_with_its_version() -> None:
    lines = [line for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert all(line.count("==") == 1 for line in lines)
    assert "grpcio-tools==1.78.0" in lines


def test_a_failed_check_fails_all(monkeypatch: pytest.MonkeyPatch, ran: list[str]) -> None:
    monkeypatch.setattr(ci_protocol, "install_buf", lambda _folder: "buf")
    assert ci_protocol.main([]) == 1
    assert ran == ["lint", "breaking changes", "image", "generated code"]


def test_without_npm_a_person_is_told_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ran: list[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    assert ci_protocol.main([]) == 0
    assert ran == ["generated code"]
    assert capsys.readouterr().out.startswith("left out: lint and breaking changes: there is no npm")


def test_where_node_is_known_to_be_there_nothing_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ran: list[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setenv(ci_protocol.REQUIRED, "1")
    assert ci_protocol.main([]) == 1
    assert ran == []
    assert capsys.readouterr().out.startswith("not ok: buf: there is no npm")


@pytest.fixture(name="image")
def _image(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An image in another folder, where a toy buf builds `new`."""

    def check(what: str, command: list[str], limit_s: float) -> bool:
        assert limit_s
        if what == "built":
            Path(command[-1]).write_bytes(b"new")
            return True
        return command[1] != "breaking" or image.read_bytes() != b"frozen"

    image = tmp_path / "image" / "toy.binpb"
    image.parent.mkdir()
    monkeypatch.setattr(make_image, "check", check)
    monkeypatch.setattr(make_image, "IMAGE", image)
    monkeypatch.setattr(make_image, "ROOT", tmp_path)
    return image


@pytest.mark.parametrize(
    ("there", "status", "after"), [(b"old", 0, b"new"), (b"new", 0, b"new"), (b"frozen", 1, b"frozen"), (None, 0, b"new")]
)
def test_the_image_is_written_unless_that_breaks_what_is_frozen(
    image: Path, there: bytes | None, status: int, after: bytes
) -> None:
    if there is not None:
        image.write_bytes(there)
    assert make_image.main(["--buf", "buf"]) == status
    assert image.read_bytes() == after


@pytest.mark.parametrize(("there", "status"), [(b"old", 1), (b"new", 0), (None, 1)])
def test_the_image_is_compared_and_not_written(image: Path, there: bytes | None, status: int) -> None:
    if there is not None:
        image.write_bytes(there)
    assert make_image.main(["--buf", "buf", "--check"]) == status
    assert (image.read_bytes() if image.exists() else None) == there


def test_npm_that_fails_is_no_bare_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: "false")
    with pytest.raises(ci_protocol.NoBuf, match="npm could not install @bufbuild/buf@"):
        ci_protocol.install_buf(tmp_path)
