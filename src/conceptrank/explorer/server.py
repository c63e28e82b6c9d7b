"""A server for the page, on this machine only and only for requests with the token."""

from __future__ import annotations

import io
import json
import re
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from conceptrank.budget import Budget, watched
from conceptrank.errors import BudgetExceeded, ConceptRankError, install_command
from conceptrank.explorer.page import frame
from conceptrank.explorer.query import (
    MOST_NODES,
    MOST_OBJECTS,
    MOST_ROWS,
    Answer,
    BadQueryError,
    Parameters,
    Source,
)
from conceptrank.explorer.rule_list import BASES

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
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
    """A server of the page for one source.

    Parameters
    ----------
    source
        The source of the answers, or a function that makes it. The function runs in a thread of
        its own once the page can be reached; until it returns, the page says `waiting`.
    title
        What the page is called; None means as the source says.
    waiting
        What the page says while the source is made.
    port
        The port to listen on; any free one if 0.
    token
        The secret of the link; a new one if None. With the same port and token, a link holds
        after a restart.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from conceptrank.explorer.lattice_source import LatticeSource
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> with Server(LatticeSource(lattice, ["cr"], title="movies")) as server:
    ...     server.link.startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        source: Source | Callable[[], Source],
        *,
        title: str | None = None,
        waiting: str = "Loading …",
        port: int = 0,
        token: str | None = None,
    ) -> None:
        self._app_of = _app_maker()
        self._answerer = _Answerer(source)
        if title is None:
            title = "concepts" if callable(source) else source.meta()["title"]
        self._page = frame(title, data=None, waiting=waiting)
        self._running: uvicorn.Server | None = None
        if token is not None and not re.fullmatch(r"[A-Za-z0-9_-]{16,200}", token):
            raise ConceptRankError("a token has 16 to 200 letters, digits, - or _")
        self.token: str = secrets.token_urlsafe(24) if token is None else token
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

        If the source can't be made, its error ends the server and is raised here.
        """
        import uvicorn

        cancel = self._answerer.budget.cancel

        class Stoppable(uvicorn.Server):
            def handle_exit(self, sig: int, frame: FrameType | None) -> None:
                # The server waits for requests that are being answered.
                cancel()
                super().handle_exit(sig, frame)

        def reached() -> None:
            ready()
            self._answerer.start(failed=self.stop)

        app = self._app_of(self._answerer, self._page, self.token, self.port, reached)
        config = uvicorn.Config(app, log_level="critical", access_log=False, server_header=False)
        self._running = Stoppable(config)
        self._running.run(sockets=[self._socket])
        if self._answerer.error is not None:
            raise self._answerer.error

    def stop(self) -> None:
        """Stop `run` in another thread."""
        self._answerer.budget.cancel()
        if self._running is not None:
            self._running.should_exit = True

    def close(self) -> None:
        """Close the port."""
        self._socket.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Answerer:
    """The source, which is made in the background, and the budget of its computations."""

    def __init__(self, source: Source | Callable[[], Source]) -> None:
        self.budget = Budget()
        self.error: Exception | None = None
        self._make: Callable[[], Source] | None = source if callable(source) else None
        self._source: Source | None = None if callable(source) else source
        self._made = threading.Event()
        if self._make is None:
            self._made.set()

    def start(self, failed: Callable[[], None]) -> None:
        """Make the source in a thread; `failed` is called if that fails."""
        make = self._make
        if make is None:
            return

        def work() -> None:
            try:
                with watched(self.budget):
                    self.source = make()
            except Exception as error:
                if not self.budget.cancelled:
                    self.error = error
                failed()

        threading.Thread(target=work, daemon=True).start()

    @property
    def source(self) -> Source:
        """The source; waits until it is ready."""
        while not self._made.wait(0.1):
            if self.budget.cancelled:
                raise BudgetExceeded("the server is being stopped")
        if self._source is None:
            raise AssertionError("a source that was made is there")
        return self._source

    @source.setter
    def source(self, source: Source) -> None:
        self._source = source
        self._made.set()


def _app_maker() -> Callable[..., Starlette]:
    """Return the function that makes the application; raise an error if a package is missing."""
    try:
        import starlette
        import uvicorn
    except ImportError:
        raise MissingServerError(
            f"serving the page needs starlette and uvicorn: {install_command('explore')} "
            "(hint: --export writes a page that needs no server)"
        ) from None
    del starlette, uvicorn
    return _application


def _application(
    answerer: _Answerer, page_text: str, token: str, port: int, ready: Callable[[], None]
) -> Starlette:
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
    from starlette.routing import Route

    extending = threading.Lock()

    def answering(answer: Callable[[Parameters], Answer]) -> Callable[[Request], Response]:
        # Not a coroutine: each request runs in a thread, so a slow one does not delay others.
        def endpoint(request: Request) -> Response:
            with watched(answerer.budget):
                content = answer(Parameters(request.query_params, answerer.source))
            text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            return Response(text.encode("utf-8", "replace"), media_type="application/json")

        return endpoint

    def rows(given: Parameters) -> Answer:
        offset = given.integer("offset", 0, max(0, len(given.source)))
        return given.source.rows(given.query(), offset, given.integer("limit", 1, MOST_ROWS))

    def place(given: Parameters) -> Answer:
        return {"place": given.source.place(given.query(), given.concept())}

    def concept(given: Parameters) -> Answer:
        return given.source.concept(given.concept(), given.integer("objects", 0, MOST_OBJECTS))

    def suborder(given: Parameters) -> Answer:
        view = given.view()
        about = -1 if view in ("top", "iceberg") else given.concept()
        return given.source.suborder(
            given.query(), view, about, given.integer("most", 1, MOST_NODES)
        )

    def facets(given: Parameters) -> Answer:
        return given.source.facets(given.query())

    def cloud(given: Parameters) -> Answer:
        x, y = given.one_of("x", given.source.keys), given.one_of("y", given.source.keys)
        return given.source.cloud(given.query(), x, y, given.scale())

    def csv(request: Request) -> Response:
        given = Parameters(request.query_params, answerer.source)
        pieces = given.source.csv(given.query(), given.columns(), extents=given.flag("extents"))
        return StreamingResponse(pieces, media_type="text/csv; charset=utf-8")

    def parquet(request: Request) -> Response:
        given = Parameters(request.query_params, answerer.source)
        target = io.BytesIO()
        frame = given.source.frame(given.query(), given.columns(), extents=given.flag("extents"))
        frame.write_parquet(target)
        return Response(target.getvalue(), media_type="application/vnd.apache.parquet")

    def more(_: Parameters) -> Answer:
        with extending:
            answerer.source = answerer.source.extended()
        return {"concepts": len(answerer.source)}

    def rules(given: Parameters) -> Answer:
        return given.source.rules(given.one_of("basis", BASES))

    def closed(given: Parameters) -> Answer:
        return {"concepts": given.source.closed(given.sets())}

    def page(_: Request) -> Response:
        return HTMLResponse(page_text)

    async def bad_request(_: Request, error: Exception) -> Response:
        return PlainTextResponse(str(error), status_code=400)

    async def failed(_: Request, __: Exception) -> Response:
        return PlainTextResponse("this could not be answered", status_code=500)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        ready()
        yield

    answers = {
        "meta": lambda given: given.source.meta(),
        "summary": lambda given: given.source.summary(),
        "rows": rows,
        "place": place,
        "concept": concept,
        "suborder": suborder,
        "cloud": cloud,
        "facets": facets,
        "rules": rules,
        "closed": closed,
        "more": more,
    }
    routes = [Route(f"/api/{name}", answering(each)) for name, each in answers.items()]
    return Starlette(
        routes=[Route("/", page), Route("/api/csv", csv), Route("/api/parquet", parquet), *routes],
        middleware=[Middleware(_Door, token=token, port=port)],
        exception_handlers={BadQueryError: bad_request, Exception: failed},
        lifespan=lifespan,
    )


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
