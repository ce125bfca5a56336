"""Bots as processes: how one is named, what it is given, how it is started, and how nothing of it is left behind."""
