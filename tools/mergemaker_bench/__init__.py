"""Benchmarks of the engine, records and the referee: what is done, how it is counted and timed, and the limits."""
