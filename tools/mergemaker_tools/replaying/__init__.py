"""The parts of `mergemaker replay`: a record played to the states between its decisions, and the ways to show them.

`story` plays it. `knowledge` decides what is shown to whom, and everything that is shown passes through it. `score`,
`document` and `statistics` write it. `player` is the full-screen view as a value that keys change, `frame` its picture;
`keys`, `terminal` and `theatre` bring both to a terminal.
"""
