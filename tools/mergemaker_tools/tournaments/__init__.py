"""Tournaments on this machine: what is asked for, the bots, the play, and the table that is published."""
