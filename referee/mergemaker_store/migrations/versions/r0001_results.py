"""Matches with their seats, bots with their versions, and tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the first tables."""
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bots"),
        sa.UniqueConstraint("name", "version", name="uq_bots_name_version"),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("manifest", sa.Text, nullable=False),
        sa.Column("made", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("rules", "ended", "game", "line", "started", "host")),
        sa.Column("tournament", sa.Text),
        *(sa.Column(name, sa.Integer) for name in ("block", "number", "attempt")),
        sa.CheckConstraint(
            "(tournament IS NULL) = (block IS NULL) AND (tournament IS NULL) = (number IS NULL) "
            "AND (tournament IS NULL) = (attempt IS NULL)",
            name="ck_matches_whole_place",
        ),
        sa.ForeignKeyConstraint(["tournament"], ["tournaments.id"], name="fk_matches_tournament"),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.UniqueConstraint("tournament", "block", "number", "attempt", name="uq_matches_tournament_block_number_attempt"),
    )
    op.create_table(
        "seats",
        sa.Column("match", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("bot", sa.Integer, nullable=False),
        sa.Column("cash", sa.Integer),
        sa.Column("place", sa.Integer),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("faults", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("decisions", "total_ms", "longest_ms")),
        sa.ForeignKeyConstraint(["bot"], ["bots.id"], name="fk_seats_bot"),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name="fk_seats_match", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("match", "seat", name="pk_seats"),
    )
    op.create_index("ix_seats_bot", "seats", ["bot"])


def downgrade() -> None:
    """Nothing is taken back: a backup is."""
    raise NotImplementedError("to go back, restore a backup that was made before")
