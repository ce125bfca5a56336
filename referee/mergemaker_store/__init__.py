"""Results, and what they belong to, in a database: SQLite by default, PostgreSQL by URL. `gateway.Store` is the one way in."""
