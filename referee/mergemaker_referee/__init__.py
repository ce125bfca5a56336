"""The referee: it stands between bots and the engine, and keeps the records."""
