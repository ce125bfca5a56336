"""How fast the machine of a match was, and how long the match waited for each bot."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds two columns. Of matches that are there already, neither is known."""
    op.add_column("matches", sa.Column("host_speed", sa.Integer, nullable=False, server_default="0"))
    op.add_column("seats", sa.Column("joined_ms", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    """Nothing is taken back: a backup is."""
    raise NotImplementedError("to go back, restore a backup that was made before")
