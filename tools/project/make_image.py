"""Writes the protocol as it is frozen into `protos/image/`; with `--check`, compares only.

The image grows with what is added to the protocol. It is not written where that would change what is in it: then the protocol
is broken for everyone who speaks it.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ci_protocol import BUF_LIMIT_S, IMAGE, REQUIRED, ROOT, NoBuf, breaking, check, install_buf


def main(argv: Sequence[str] | None = None) -> int:
    """Writes or compares, and returns the exit status."""
    parser = argparse.ArgumentParser(description="Makes the image of the protocol.")
    parser.add_argument("--check", action="store_true", help="write nothing; say whether the image is what the protocol makes")
    parser.add_argument("--buf", help="where buf is; it is installed otherwise")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="mergemaker-image-") as temporary:
        try:
            buf = arguments.buf or install_buf(Path(temporary))
        except NoBuf as error:
            print(f"left out: {IMAGE.relative_to(ROOT)}: {error}")
            return 1 if os.environ.get(REQUIRED) else 0
        made = Path(temporary) / IMAGE.name
        # Comments and places change without harm.
        if not check("built", [buf, "build", "--exclude-source-info", "--output", str(made)], BUF_LIMIT_S):
            return 1
        if arguments.check:
            return compare(made.read_bytes())
        if IMAGE.exists() and not check("nothing that is frozen has changed", breaking(buf), BUF_LIMIT_S):
            print(f"{IMAGE.relative_to(ROOT)} is not written: what is in it keeps its name, number, type and meaning")
            return 1
        IMAGE.parent.mkdir(exist_ok=True)
        IMAGE.write_bytes(made.read_bytes())
        print(f"{IMAGE.relative_to(ROOT)} is written")
        return 0


def compare(made: bytes) -> int:
    """Says whether the image that is there is the one that was made."""
    if IMAGE.exists() and IMAGE.read_bytes() == made:
        print(f"{IMAGE.relative_to(ROOT)} is as it should be")
        return 0
    print(f"{IMAGE.relative_to(ROOT)} is not what the protocol makes: run `make generate NAMES=image`")
    return 1


if __name__ == "__main__":
    sys.exit(main())
