"""The record of a match: a format of lines, their hashes, and the check that they tell a game that was played by the rules.

`RECORDS.md`, in this folder's grandparent, specifies it for readers in any language. Everything here is computed from
bytes that are given: opening and writing files is for the rooms with I/O.
"""
