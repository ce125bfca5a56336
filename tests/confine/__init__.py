"""Bots that are confined, as real processes: what they see, what they may use up, and that nothing is left of them.

All of it runs in CI's step `confine` (`CONFINE=full`), and little of it beside the other tests.
"""

import os
from typing import Final

FULL: Final = os.environ.get("CONFINE") == "full"
