"""Proves a client of the protocol: a scripted referee takes a bot through cases that are kept as data."""
