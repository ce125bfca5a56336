"""Tests a client of the protocol: a scripted referee takes a bot through cases, which are files."""
