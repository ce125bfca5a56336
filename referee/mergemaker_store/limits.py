"""The time limits of the store, each with its unit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLimits:
    """How long things may take."""

    connect_ms: int = 5_000
    """To reach the database."""
    lock_ms: int = 5_000
    """To wait for another process that writes."""
    statement_ms: int = 30_000
    """For one statement. Only PostgreSQL enforces it; SQLite works in this process."""
    answer_ms: int = 60_000
    """How long a caller waits until something is written. It is still written later, as long as the store is open."""
    retry_ms: int = 500
    """Between two attempts, while the database is away."""
