"""The tables. The migrations make them; a test compares both."""

from typing import Final

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint

METADATA: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)
"""Every constraint has a name, so that later revisions can name it on every database."""

BOTS: Final = Table(
    "bots",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("version", Text, nullable=False),
    UniqueConstraint("name", "version"),
)

TOURNAMENTS: Final = Table(
    "tournaments",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("manifest", Text, nullable=False),
    Column("made", Text, nullable=False),
)

MATCHES: Final = Table(
    "matches",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("rules", Text, nullable=False),
    Column("ended", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("line", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("host_speed", Integer, nullable=False, server_default="0"),
    Column("tournament", Text, ForeignKey("tournaments.id")),
    Column("block", Integer),
    Column("number", Integer),
    Column("attempt", Integer),
    CheckConstraint(
        "(tournament IS NULL) = (block IS NULL) AND (tournament IS NULL) = (number IS NULL) "
        "AND (tournament IS NULL) = (attempt IS NULL)",
        name="whole_place",
    ),
    UniqueConstraint("tournament", "block", "number", "attempt"),
)

SEATS: Final = Table(
    "seats",
    METADATA,
    Column("match", Text, ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("bot", Integer, ForeignKey("bots.id"), nullable=False),
    Column("cash", Integer),
    Column("place", Integer),
    Column("status", Text, nullable=False),
    Column("faults", Text, nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("total_ms", Integer, nullable=False),
    Column("longest_ms", Integer, nullable=False),
    Column("joined_ms", Integer, nullable=False, server_default="0"),
    Index(None, "bot"),
)
