"""Servers: what `serve` runs, and how `matches` reaches one."""
