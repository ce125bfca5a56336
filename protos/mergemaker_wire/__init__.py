"""Engine values and the protocol's messages: each way, and nothing else."""
