"""Bots as processes: how one is named, what it gets, how it is started, and how all of it is ended."""
