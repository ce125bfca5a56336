"""The whole referee but its sockets, in one process, under a virtual clock, with faults that a seed decides."""
