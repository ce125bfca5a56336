"""Arriving bots: the first request, sessions that outlive streams, and who may take which seat."""
