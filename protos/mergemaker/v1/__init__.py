"""Version 1 of the protocol, generated from the .proto files beside this one."""
