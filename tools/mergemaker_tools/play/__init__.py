"""Matches that a referee of this process plays with bots in processes of their own."""
