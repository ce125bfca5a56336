"""What Alembic runs: the revisions, in the transaction that `migrating` has begun."""

from alembic import context

from mergemaker_store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite cannot change a table otherwise
    transaction_per_migration=False,
)
context.run_migrations()
