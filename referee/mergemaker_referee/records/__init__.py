"""Records as files: the journal of a running match, its secrets, and what is found on the disk at a start."""
