"""The viewer of matches: pages and what they are made of."""
