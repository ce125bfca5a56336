"""What `generate_sdks.py` writes for each language."""
