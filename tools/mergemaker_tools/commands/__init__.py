"""The commands, a module each: `configure` adds its arguments, `run` does it and returns the exit status."""
