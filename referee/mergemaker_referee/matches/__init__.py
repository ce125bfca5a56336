"""Matches in play: how they are made, judged, written and sent to seats, spectators and the operator."""
