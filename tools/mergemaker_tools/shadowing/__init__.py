"""What `mergemaker shadow` does: puts a recorded seat's questions to a bot again."""
