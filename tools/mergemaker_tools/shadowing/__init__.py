"""What `mergemaker shadow` does: asks a bot a recorded seat's questions again."""
