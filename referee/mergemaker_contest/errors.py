"""The errors of this package."""


class ContestError(ValueError):
    """A comparison that cannot be made as asked; the text says what to change."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(reason, text)
        self.reason = reason
        """Stable, for programs."""
        self.text = text

    def __str__(self) -> str:
        return f"{self.text} ({self.reason})"
