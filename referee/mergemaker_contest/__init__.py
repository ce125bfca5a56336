"""Who plays better: designs of comparison, scores, sequential tests. Pure functions over plain values."""
