"""What a bot in Python is made with."""
