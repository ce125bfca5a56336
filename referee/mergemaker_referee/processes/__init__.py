"""A server whose matches are played by several processes: one serves, the others play."""
