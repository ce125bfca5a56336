"""The whole referee except its sockets, in one process, under a virtual clock; a seed decides the faults."""
