"""gRPC. No other package knows it. Streams and calls of clients run on their own thread and asyncio loop."""
