"""One match without I/O: the game, its clock, its faults and the lines of its record."""
