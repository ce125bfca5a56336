"""Pages of a running referee: live matches, past ones, and their data, for browsers."""
