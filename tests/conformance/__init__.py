"""Clients that are broken on purpose: `mergemaker conform` must see each, in exactly the cases that are about what it breaks."""
