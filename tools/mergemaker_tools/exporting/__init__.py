"""Records as tables, one row a decision: which columns there are, how their values are found, and how they are written.

`tools/EXPORT.md` is for readers of the tables.
"""
