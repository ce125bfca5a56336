"""How fast the engine is: what is done, how it is counted and timed, and what it is held against."""
