"""Generated code of the protocol."""
