"""Contests between bots on this machine: blocks of matches that are played, and what is decided by them."""
