"""The referee: what stands between bots and the engine, and keeps the records."""
