"""How fast the engine, records and the referee are: what is done, how it is counted and timed, and what it is held against."""
