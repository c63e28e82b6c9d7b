"""A server for the page, on this machine only and only for requests with the token."""

from __future__ import annotations

import re
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Any

from conceptrank.budget import Budget, watched
from conceptrank.errors import ConceptRankError, install_command
from conceptrank.explorer.content import Content
from conceptrank.explorer.page import frame
from conceptrank.explorer.payload import packed

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ADDRESS = "127.0.0.1"

_HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class MissingServerError(ConceptRankError, ImportError):
    """The packages of the server are not installed."""


class Server:
    """A server of one page: its frame, its content, and more content on request.

    Parameters
    ----------
    make
        Returns the content of the page. Its argument is 1 at first and is doubled whenever the
        page asks for more concepts. It runs in a thread of its own once the page can be reached;
        until it returns, the page says `waiting`.
    title
        The title of the page.
    waiting
        What the page says while its content is made.
    port
        The port to listen on; any free one if 0.
    token
        The secret of the link; a new one if None. With the same port and token, a link holds
        after a restart.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> with Server(lambda times: cr.explorer.of_lattice(lattice), title="movies") as server:
    ...     server.link.startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        make: Callable[[int], Content],
        *,
        title: str = "concepts",
        waiting: str = "Loading …",
        port: int = 0,
        token: str | None = None,
    ) -> None:
        _refuse_missing_packages()
        if token is not None and not re.fullmatch(r"[A-Za-z0-9_-]{16,200}", token):
            raise ConceptRankError("a token has 16 to 200 letters, digits, - or _")
        self.token: str = secrets.token_urlsafe(24) if token is None else token
        self._make = make
        self._page = frame(title, data=None, waiting=waiting)
        self._budget = Budget()
        self._pool = ThreadPoolExecutor(1)
        self._payload: Future[bytes] = Future()
        self._times = 1
        self._error: BaseException | None = None
        self._running: uvicorn.Server | None = None
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((ADDRESS, port))
            # From now on connections are accepted; early requests wait.
            self._socket.listen(128)
        except OSError as error:
            self._socket.close()
            raise ConceptRankError(
                f"port {port} can't be used: {error.strerror} (hint: leave --port out)"
            ) from None

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self._socket.getsockname()[1]
        return port

    @property
    def link(self) -> str:
        """The address of the page, with the token that opens it."""
        return f"http://{ADDRESS}:{self.port}/?token={self.token}"

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until the program is interrupted; `ready` is called once the port is open.

        If the content can't be made, its error ends the server and is raised here.
        """
        import uvicorn

        cancel = self._budget.cancel

        class Stoppable(uvicorn.Server):
            def handle_exit(self, sig: int, frame: FrameType | None) -> None:
                # The server waits for requests that are being answered.
                cancel()
                super().handle_exit(sig, frame)

        def begin() -> None:
            ready()
            self._payload = self._pool.submit(self._packed, 1)
            self._payload.add_done_callback(self._note_failure)

        config = uvicorn.Config(
            self._application(begin), log_level="critical", access_log=False, server_header=False
        )
        self._running = Stoppable(config)
        self._running.run(sockets=[self._socket])
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Stop `run` in another thread."""
        self._budget.cancel()
        if self._running is not None:
            self._running.should_exit = True

    def close(self) -> None:
        """Close the port."""
        self._socket.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _packed(self, times: int) -> bytes:
        with watched(self._budget):
            return packed(self._make(times))

    def _note_failure(self, made: Future[bytes]) -> None:
        if not made.cancelled() and made.exception() is not None:
            self._error = None if self._budget.cancelled else made.exception()
            self.stop()

    def _more(self) -> bytes:
        """Return a longer payload, which replaces the present one."""
        longer = self._pool.submit(self._packed, 2 * self._times)
        payload = longer.result()
        self._payload, self._times = longer, 2 * self._times
        return payload

    def _application(self, ready: Callable[[], None]) -> Starlette:
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.responses import HTMLResponse, PlainTextResponse, Response
        from starlette.routing import Route

        # Functions, not coroutines: each request runs in a thread, so a slow one delays no other.
        def page(_: Request) -> Response:
            return HTMLResponse(self._page)

        def payload(_: Request) -> Response:
            return Response(self._payload.result(), media_type="application/octet-stream")

        def more(_: Request) -> Response:
            return Response(self._more(), media_type="application/octet-stream")

        async def failed(_: Request, __: Exception) -> Response:
            return PlainTextResponse("this could not be answered", status_code=500)

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            ready()
            yield

        return Starlette(
            routes=[Route("/", page), Route("/payload", payload), Route("/more", more)],
            middleware=[Middleware(_Door, token=self.token, port=self.port)],
            exception_handlers={Exception: failed},
            lifespan=lifespan,
        )


def _refuse_missing_packages() -> None:
    for package in ("starlette", "uvicorn"):
        try:
            import_module(package)
        except ImportError:
            raise MissingServerError(
                f"serving the page needs {package}: {install_command('explore')} "
                "(hint: --export writes a page that needs no server)"
            ) from None


class _Door:
    """Accepts only requests from this machine, to this address, with the token."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = {f"{name}:{port}" for name in (ADDRESS, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from starlette.requests import Request
        from starlette.responses import PlainTextResponse

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = [(key.encode(), value.encode()) for key, value in _HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *known]
            await send(message)

        reason = self._refusal(Request(scope))
        if reason is not None:
            await PlainTextResponse(reason, status_code=403)(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def _refusal(self, request: Request) -> str | None:
        headers = request.headers
        # Another host name for this machine can come from an attacker (DNS rebinding).
        if headers.get("host") not in self._hosts:
            return "no such host here"
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return "no other origin is served"
        page = request.url.path == "/"
        given: Any = request.query_params.get("token") if page else headers.get("x-token")
        if given is None or not secrets.compare_digest(str(given).encode(), self._token):
            return "the token is missing or wrong: open the link that the server printed"
        return None
