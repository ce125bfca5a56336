"""Clients that are broken on purpose: `mergemaker conform` must see each, in exactly the cases about what it breaks."""
