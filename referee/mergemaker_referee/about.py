"""What a server says of itself to everybody."""

from dataclasses import dataclass

from mergemaker.v1 import server_pb2


@dataclass(frozen=True, slots=True)
class About:
    """What a server says of itself: in each Welcome, and to anyone who asks, without a token."""

    software: str
    signing_key: bytes = b""
    """The public key that signs the ends of records; empty if they are not signed."""
    earlier_signing_keys: tuple[bytes, ...] = ()

    def message(self) -> server_pb2.GetServerResponse:
        """The answer to who asks."""
        return server_pb2.GetServerResponse(
            software=self.software, signing_key=self.signing_key, earlier_signing_keys=self.earlier_signing_keys
        )
