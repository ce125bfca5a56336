"""The database's tables, revision by revision. Alembic runs them."""
