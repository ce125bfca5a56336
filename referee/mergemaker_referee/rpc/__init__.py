"""gRPC: the one package that knows it. Streams and calls of clients, on a thread and an asyncio loop of their own."""
