"""Records in files: which are meant, and what is wrong with one."""
