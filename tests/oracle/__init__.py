"""The rules oracle: a second, independent engine, to compare the real one with."""

from .oracle import Oracle
from .presets import PRESETS

__all__ = ["PRESETS", "Oracle"]
