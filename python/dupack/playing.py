"""``dupack play``: serves the playground, a page with the same laboratory, to browsers on this machine."""

from __future__ import annotations

import json
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from dupack.errors import RequestError
from dupack.terminal import echo
from dupack.work import read_plan

PAGE = Path(__file__).parent / "playground"

HOME = "127.0.0.1"
"""The page is for this machine alone."""

NAMES = {HOME, "localhost", "[::1]"}
"""Names by which a browser may know this machine. Another name is that of a site that has itself resolved to us."""

KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
}

HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

SERVED = b'<meta name="dupack-served" content="yes" />'
"""Tells the page that ``plan.json`` is beside it."""


@dataclass(frozen=True)
class Begun:
    """What the page begins with; without a plan it chooses one itself."""

    plan: Path | None
    sets: Sequence[str] = ()
    seed: int | None = None

    def json(self) -> bytes | None:
        """The plan as the page wants it, read anew: reloading the page shows a plan that was edited."""
        if self.plan is None:
            return None
        text = self.plan.read_bytes().decode("utf-8", "replace")
        told = {"plan": text, "origin": self.plan.name, "sets": list(self.sets), "seed": self.seed}
        return json.dumps(told).encode()


class Server(ThreadingHTTPServer):
    """Serves the page's files and the plan, and nothing else."""

    daemon_threads = True
    # Another process must not take the port over while we hold it.
    allow_reuse_address = False

    def __init__(self, port: int, begun: Begun, page: Path = PAGE) -> None:
        self.begun = begun
        self.page = page
        try:
            super().__init__((HOME, port), Handler)
        except OSError as error:
            raise RequestError(
                f"--port: {port} cannot be used: {error.strerror}; without --port a free one is taken"
            ) from None

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOME}:{self.server_port}/"

    def body(self, path: str) -> bytes | None:
        """What is at a path; none if there is nothing."""
        if path == "/plan.json":
            return self.begun.json()
        # Listed anew, because the page may have been built again.
        files = {"/" + file.relative_to(self.page).as_posix(): file for file in self.page.rglob("*") if file.is_file()}
        file = files.get("/index.html" if path == "/" else path)
        if file is None:
            return None
        found = file.read_bytes()
        if file.name != "index.html" or self.begun.plan is None:
            return found
        return found.replace(b"</head>", SERVED + b"</head>", 1)


class Handler(BaseHTTPRequestHandler):
    """Answers one request. Methods other than GET are refused by the base class, because they are not here."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = 30

    def version_string(self) -> str:
        """Of this server, and not of Python."""
        return "dupack"

    def do_GET(self) -> None:
        """Sends a file."""
        if not self._is_ours():
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        path = urlsplit(self.path).path
        try:
            found = self.server.body(path)
        except OSError as error:
            echo(f"{path}: {error}", err=True)
            found = None
        if found is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        kind = ".html" if path == "/" else Path(path).suffix
        self._send(HTTPStatus.OK, KINDS.get(kind, "application/octet-stream"), found)

    def _is_ours(self) -> bool:
        """The request asks for this machine by a name of it, and no other site's page sent it."""
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1:
            return False
        # Browsers leave out the port of HTTP.
        given = hosts[0] if hosts[0] not in NAMES else f"{hosts[0]}:80"
        name, _, port = given.rpartition(":")
        if name not in NAMES or port != str(self.server.server_port):
            return False
        # Browsers say who asks. A link from another site may open the page, but its scripts get nothing.
        asks = self.headers.get("Sec-Fetch-Site")
        opens = self.headers.get("Sec-Fetch-Mode") == "navigate"
        return asks in (None, "none", "same-origin") or opens

    def _refuse(self, status: HTTPStatus) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{status.value} {status.phrase}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, found: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(found)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(found)

    def log_message(self, *_: object) -> None:
        """Requests are not logged."""


def play(plan: Path | None, *, sets: Sequence[str], seed: int | None, port: int, browser: bool) -> None:
    """Serves the page until Ctrl-C."""
    if not (PAGE / "index.html").exists():
        raise RequestError("the page is not built: run `make web`, which needs npm")
    if plan is None and (sets or seed is not None):
        raise RequestError("--set and --seed need a PLAN")
    if plan is not None:
        # Errors are told here, before a browser opens.
        read_plan(plan, sets)
    with Server(port, Begun(plan, sets, seed)) as server:
        echo(f"The playground is at {server.address} until Ctrl-C.")
        if browser and not webbrowser.open(server.address):
            echo("No browser could be opened; open the address yourself.")
        server.serve_forever(poll_interval=0.2)
