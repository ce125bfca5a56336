"""Records in files: which are given, and what is wrong with one."""
