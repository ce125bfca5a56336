"""The built-in bots: `make("planner:playouts=200")` makes one for a match."""

from mergemaker_client.bots.naming import NAMES, BuiltIn, make, parse

__all__ = ["NAMES", "BuiltIn", "make", "parse"]
