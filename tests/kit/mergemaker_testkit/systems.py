"""Systems on which bots may be confined: this one if it is Linux, and one that a test designs."""

import sys
from dataclasses import dataclass, field
from typing import Final

import pytest

LINUX: Final = sys.platform.startswith("linux")
linux = pytest.mark.skipif(not LINUX, reason="needs Linux")


@dataclass
class FakeSystem:
    """A machine as a test wants it."""

    platform: str = "linux"
    machine: str = "x86_64"
    kernel: str = "6.1.0-18-amd64"
    user: tuple[int, str] = (0, "root")
    programs: tuple[str, ...] = ("newuidmap", "newgidmap")
    files: dict[str, str] = field(default_factory=dict)

    def has_program(self, name: str) -> bool:
        return name in self.programs

    def text_of(self, path: str) -> str | None:
        return self.files.get(path)
