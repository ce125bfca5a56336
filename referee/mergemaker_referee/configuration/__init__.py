"""The settings of a server: what can be set, how the file is read, and every limit."""
