"""What prevents a referee's start: a wrong setting, a folder or port that is taken, something that is not installed."""

from mergemaker_engine.errors import EngineError


class RefereeError(EngineError):
    """The referee cannot be set up or run like this. `reason` is stable; the text is for people and says what to do."""
