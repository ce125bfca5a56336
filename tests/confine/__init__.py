"""Confined bots as real processes: what they see, what they may use, and that they leave nothing behind.

All of it runs in CI's step `confine` (`CONFINE=full`), and a little with the other tests.
"""

import os
from typing import Final

FULL: Final = os.environ.get("CONFINE") == "full"
