"""The whole referee except its sockets, in one process, under a virtual clock, with faults that a seed decides."""
