"""What a table refuses from whoever drives it: wrong terms, a wrong set-up, a wrong use. Bots' faults are no errors here."""

from mergemaker_engine.errors import EngineError


class TableError(EngineError):
    """A table cannot be set up or driven like this. `reason` is stable, the text is for people."""
