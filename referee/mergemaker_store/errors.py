"""The errors of this package."""


class StoreError(Exception):
    """Something that the database does not do; the text says what to do."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(reason, text)
        self.reason = reason
        """Stable, for programs."""
        self.text = text

    def __str__(self) -> str:
        return f"{self.text} ({self.reason})"


class StoreAway(StoreError):
    """The database cannot be reached now, or takes nothing. What was to be written is written when it is back."""


class Contradiction(StoreError):
    """What comes says otherwise than what is there under the same name."""
