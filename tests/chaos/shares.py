"""Which tests of this room run where."""

from typing import Final

import pytest

from tests.chaos import FULL

full_only: Final = pytest.mark.skipif(not FULL, reason="CI runs it in a step of its own: python tools/project/ci_chaos.py")
