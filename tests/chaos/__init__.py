"""What servers and matches survive: kill -9, disks that fail, broken bots. Real processes over real sockets."""

import os
import sys
from pathlib import Path
from typing import Final

_KIT: Final = str(Path(__file__).resolve().parent.parent / "kit")
if _KIT not in sys.path:
    sys.path.append(_KIT)  # pytest finds it by itself; the long commands and the programs started here do not

FULL: Final = os.environ.get("CHAOS") == "full"
"""Whether to run CI's whole share; otherwise a few seconds of it."""
