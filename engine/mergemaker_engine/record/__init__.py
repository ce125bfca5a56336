"""The record of a match: the format of its lines, their hashes, and the check that the game was played by the rules.

`RECORDS.md`, two folders up, specifies it for readers in any language. This package works on bytes alone: rooms with I/O
open and write files.
"""
