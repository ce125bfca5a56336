"""The `mergemaker` command, and what is behind its parts."""
