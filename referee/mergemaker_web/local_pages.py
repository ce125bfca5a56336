"""Pages for the browser of this machine alone, served on its loopback while somebody looks at them."""

import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from types import TracebackType
from typing import Final, Self

from mergemaker_web.carried import Carried
from mergemaker_web.modules import static_text

LOOPBACK: Final = "127.0.0.1"
_KEY_BYTES: Final = 16
_REQUEST_LIMIT_S: Final = 10
"""How long a browser may take for a request."""
_END_LIMIT_S: Final = 10
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_KINDS: Final = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
_FRAME: Final = "served.html"


@dataclass(frozen=True, slots=True)
class Page:
    """What is sent for an address."""

    kind: str
    """Its media type."""
    content: bytes


def viewer_pages(match: Carried) -> dict[str, Page]:
    """The viewer's files by name, as they are, and the match; the empty name is the page to open."""
    pages = {
        path.name: Page(kind, static_text(path.name).encode())
        for path in files("mergemaker_web").joinpath("static").iterdir()
        if (kind := _KINDS.get(f".{path.name.rpartition('.')[2]}"))
    }
    document = json.dumps(match.document(), separators=(",", ":")).encode("ascii")
    return pages | {"": pages[_FRAME], "match.json": Page("application/json", document)}


class LocalPages:
    """A server of pages on the loopback, at a port of the system's choice, while its context lasts.

    Other users of the machine could reach the port. So every address has a key that is new each time, and a request that names
    another host, as from a page that calls itself by this machine's address, is refused.
    """

    def __init__(self, pages: Mapping[str, Page]) -> None:
        key = secrets.token_urlsafe(_KEY_BYTES)
        self._server = ThreadingHTTPServer((LOOPBACK, 0), _handler({f"/{key}/{name}": page for name, page in pages.items()}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="pages", daemon=True)
        self.address: Final = f"http://{LOOPBACK}:{self._server.server_port}/{key}/"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join(_END_LIMIT_S)
        self._server.server_close()


def _handler(pages: Mapping[str, Page]) -> type[BaseHTTPRequestHandler]:
    """The class that answers requests for these pages."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = _REQUEST_LIMIT_S

        def do_GET(self) -> None:
            self._answer(with_content=True)

        def do_HEAD(self) -> None:
            self._answer(with_content=False)

        def _answer(self, *, with_content: bool) -> None:
            here = f"{LOOPBACK}:{self.connection.getsockname()[1]}"
            if self.headers.get("Host") != here:
                self.send_error(HTTPStatus.MISDIRECTED_REQUEST, explain=f"this server is {here} alone")
                return
            page = pages.get(self.path.partition("?")[0])
            if page is None:
                self.send_error(HTTPStatus.NOT_FOUND, explain="open the address that the command printed")
                return
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", f"{page.kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(page.content)))
            self.end_headers()
            if with_content:
                self.wfile.write(page.content)

        def end_headers(self) -> None:
            """Adds what holds for every answer."""
            self.send_header("Content-Security-Policy", _POLICY)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("Cache-Control", "no-store")
            super().end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server gives it
            """Writes nothing: addresses have the key."""

    return Handler
