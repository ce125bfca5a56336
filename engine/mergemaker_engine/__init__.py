"""The rules of Acquire: a game, its decisions, answers and events, with no clock and no I/O."""
