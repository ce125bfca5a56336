"""The `mergemaker` command and its parts."""
