"""Files at URLs, with the standard library only."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from conceptrank.errors import FormatError

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_SECONDS = 60.0


def is_url(text: str) -> bool:
    r"""Return whether a text is a URL rather than a path.

    Examples
    --------
    >>> is_url("https://example.org/animals.cxt"), is_url("animals.cxt"), is_url(r"c:\animals.cxt")
    (True, False, False)
    """
    return _URL.match(text) is not None


def shown_url(url: str) -> str:
    """Return a URL for messages: without password and without query, which may hold secrets.

    Examples
    --------
    >>> shown_url("https://ann:pass@example.org:8080/a/animals.cxt.gz?token=secret#top")
    'https://example.org:8080/a/animals.cxt.gz'
    """
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))
    except ValueError:
        return url.partition(":")[0] + "://…"


def local_path(url: str) -> str | None:
    """Return the path of a `file:` URL, or None for any other URL.

    Examples
    --------
    >>> local_path("file:///data/my%20animals.cxt"), local_path("https://example.org/x.cxt")
    ('/data/my animals.cxt', None)
    """
    if not url.lower().startswith("file:"):
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("file://?")
    if parts.netloc not in ("", "localhost") or not parts.path:
        raise FormatError(
            "is no file on this machine", source=url, hint="a local file is file:///path/of/it"
        )
    return unquote(parts.path)


class Download:
    """The bytes behind a URL, as an open file. Redirections stay on the web.

    Raises
    ------
    FormatError
        If the server can't be reached, has no such file, or sends less than it promised.
    """

    def __init__(self, url: str) -> None:
        self.name: str = shown_url(url)
        scheme = url.partition(":")[0].lower()
        if scheme not in ("http", "https"):
            raise FormatError(
                f"can't fetch {scheme} URLs",
                source=self.name,
                hint="http, https and file URLs work; fetch the file by other means",
            )
        # Imported here, because they take as long as all other imports for reading.
        from http.client import HTTPException
        from urllib import request
        from urllib.error import HTTPError

        self._errors = (OSError, HTTPException, ValueError)
        self._received = 0
        try:
            # Redirections to files are refused.
            asked = request.Request(url, headers={"User-Agent": "conceptrank"})
            self._response: Any = request.urlopen(asked, timeout=_SECONDS)
        except HTTPError as error:
            error.close()
            reason = str(error.reason).partition("\n")[0]
            raise FormatError(
                f"the server answers {error.code} {reason}".rstrip(),
                source=self.name,
                hint="check the address",
            ) from error
        except self._errors as error:
            raise self._failure(error) from error
        length = self._response.headers.get("Content-Length", "")
        self._promised = int(length) if re.fullmatch("[0-9]{1,18}", length) else None

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes; none at the end."""
        try:
            data: bytes = self._response.read(size)
        except self._errors as error:
            raise self._failure(error) from error
        self._received += len(data)
        if not data and self._promised is not None and self._received < self._promised:
            raise FormatError(
                f"the server sent {self._received:,} of {self._promised:,} bytes",
                source=self.name,
                hint="try again",
            )
        return data

    def close(self) -> None:
        """Close the connection."""
        self._response.close()

    def _failure(self, error: Exception) -> FormatError:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            text = f"no answer within {_SECONDS:.0f} seconds"
        elif type(reason).__name__ == "IncompleteRead":
            text = "the connection broke off"
        else:
            text = f"can't be fetched: {getattr(reason, 'strerror', None) or reason}"
        return FormatError(
            " ".join(text.split()), source=self.name, hint="check the address and the network"
        )
