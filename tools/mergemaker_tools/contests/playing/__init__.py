"""Plays the matches of blocks, one deal for all of a block. Nothing of a block is released before its last match is over."""
