"""Confines the bots of a match: what a bot sees, reaches and uses up, on Linux."""
