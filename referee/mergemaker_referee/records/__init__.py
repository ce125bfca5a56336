"""Records as files: the journal of a running match, its secrets, and what the server finds on the disk when it starts."""
