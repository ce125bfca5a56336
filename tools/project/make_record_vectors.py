"""Makes `engine/vectors/records/`: records for readers in any language, good ones, and bad ones with their line and reason.

Everything in there follows from `record_vectors.py`, `bad_record_vectors.py` and the code. What is expected of a bad record is
written down there, and not asked of the code. With `--check` the files are compared, and nothing is written.
"""

import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bad_record_vectors import BADS
from mergemaker_referee.records.files import GZIP_MAGIC
from record_vectors import goods

VECTORS: Final = Path(__file__).resolve().parents[2] / "engine" / "vectors" / "records"
_OF_GZIP: Final = 16 + zlib.MAX_WBITS


def all_files() -> Iterator[tuple[str, bytes]]:
    """Every file's contents by its path in the folder."""
    index: list[dict[str, object]] = []
    for folder, vectors in (("good", goods()), ("bad", BADS)):
        for each in vectors:
            content = each.content()
            if each.name.endswith(".gz") and each.reason != "bad-packing":
                content = gzip.compress(content, mtime=0)
            yield f"{folder}/{each.name}", content
            index.append({"file": f"{folder}/{each.name}", "reason": each.reason, "line": each.line, "what": each.what})
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in index)
    yield "index.json", f"[\n{lines}\n]\n".encode()


def main(arguments: Sequence[str]) -> int:
    """Writes the files, or says which differ."""
    status = 0
    made = set()
    for name, content in all_files():
        path = VECTORS / name
        made.add(path)
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        elif not path.exists() or unpacked(path.read_bytes()) != unpacked(content):
            print(f"{path} is not what make_record_vectors.py makes")
            status = 1
    for path in sorted({*VECTORS.glob("*/*")} - made):
        print(f"{path} is made by no script: remove it")
        status = 1
    return status


def unpacked(content: bytes) -> bytes:
    """What is in a file, even if the packing was cut: libraries that pack differ between machines."""
    if not content.startswith(GZIP_MAGIC):
        return content
    return zlib.decompressobj(wbits=_OF_GZIP).decompress(content)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
