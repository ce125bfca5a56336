"""The build backend of the toy project: makes an editable wheel by hand, without other packages."""

import zipfile
from importlib import import_module
from pathlib import Path

NAME = "mergemaker-0.1.0-py3-none-any.whl"
INFO = "mergemaker-0.1.0.dist-info"
METADATA = """Metadata-Version: 2.1
Name: mergemaker
Version: 0.1.0
Provides-Extra: dev
Requires-Dist: leaf>=1
Requires-Dist: twig>=1; extra == "dev"
"""


def build_editable(wheel_directory: str, *_settings: object) -> str:
    kiln = import_module("kiln")  # not at the top: it exists only in the build's own environment
    Path("built-with.txt").write_text(kiln.VERSION, encoding="utf-8")
    return write_editable(Path(wheel_directory))


def write_editable(folder: Path) -> str:
    """Writes the wheel and returns its name."""
    members = {
        "mergemaker-toy.pth": str(Path.cwd() / "tools") + "\n",
        f"{INFO}/METADATA": METADATA,
        f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: toy\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{INFO}/entry_points.txt": "[console_scripts]\nmergemaker = mergemaker_tools.cli:main\n",
    }
    members[f"{INFO}/RECORD"] = "".join(f"{name},,\n" for name in [*members, f"{INFO}/RECORD"])
    with zipfile.ZipFile(folder / NAME, "w") as wheel:
        for name, text in members.items():
            wheel.writestr(name, text)
    return NAME
