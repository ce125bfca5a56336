"""Makes what each library says of every kind of question and answer from the descriptors; with `--check`, compares only.

    python tools/project/generate_sdks.py [--check] [LANG ...]

It is Python alone: no toolchain of the languages is needed. What it writes is formatted as their formatters want it.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from generated_code import compare
from make_venv import ROOT
from sdk_makers import go, java, python, rust, typescript
from sdk_makers.model import MADE_BY, Protocol, read_protocol

Make = Callable[[Protocol], dict[str, str]]
LANGUAGES: Final[Mapping[str, Make]] = {
    "python": python.files,
    "typescript": typescript.files,
    "go": go.files,
    "rust": rust.files,
    "java": java.files,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Generates or compares, and returns the exit status."""
    parser = argparse.ArgumentParser(description="Makes what the libraries say of every kind of question and answer.")
    parser.add_argument("languages", nargs="*", metavar="LANG", help=f"which of {', '.join(LANGUAGES)}; otherwise all")
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs from the code that is there")
    arguments = parser.parse_args(argv)
    if unknown := set(arguments.languages) - set(LANGUAGES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(LANGUAGES)}")
    made = generated(read_protocol(), arguments.languages or list(LANGUAGES))
    if arguments.check:
        there = {name: (ROOT / name).read_bytes() for name in made if (ROOT / name).exists()}
        return compare(made, there, MADE_BY)
    for name, content in made.items():
        path = ROOT / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    print(f"{len(made)} files made")
    return 0


def generated(protocol: Protocol, languages: Sequence[str]) -> dict[str, bytes]:
    """The files of some languages, by their paths in the repository."""
    return {
        f"clients/{language}/{path}": text.encode()
        for language in languages
        for path, text in LANGUAGES[language](protocol).items()
    }


if __name__ == "__main__":
    sys.exit(main())
