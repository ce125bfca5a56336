"""What a table refuses from its driver: wrong terms, a wrong set-up, wrong use. Bots' faults are no errors here."""

from mergemaker_engine.errors import EngineError


class TableError(EngineError):
    """A table cannot be set up or driven like this. `reason` is stable, the text is for people."""
