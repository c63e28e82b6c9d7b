"""Files of public data: found on this machine, or downloaded and kept, and always checked."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from conceptrank.errors import ConceptRankError, install_command

DATA = "CONCEPTRANK_DATA"
CACHE = "CONCEPTRANK_CACHE"
# A server that sends nothing for this many seconds is given up.
_PATIENCE = 30


class DataUnavailableError(ConceptRankError):
    """A data set is not on this machine and can't be fetched; the message names its place."""


def cache_directory() -> Path | None:
    """Return the directory of downloaded files, or None if it can't be determined.

    It is `$CONCEPTRANK_CACHE`, or where the system keeps such files.
    """
    if os.environ.get(CACHE):
        return Path(os.environ[CACHE])
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache("conceptrank"))


def find(name: str, *, checksums: Collection[str]) -> Path | None:
    """Return the path of a file on this machine, or None if it isn't there.

    Parameters
    ----------
    name
        The path inside a data directory; the file name alone works too.
    checksums
        What its SHA-256 may be.

    Raises
    ------
    DataUnavailableError
        If there is such a file, but with other contents.
    """
    for path in filter(Path.is_file, _places(name)):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest in checksums:
            return path
        wanted = " or ".join(sorted(checksums))
        raise DataUnavailableError(
            f"{path} is not the file it should be: its sha256 is {digest}, expected {wanted} "
            "(hint: remove it, or give your own file with file=…)"
        )
    return None


def fetch(url: str, *, sha256: str, name: str) -> Path:
    """Download a file into the cache, check it, and return its path.

    Parameters
    ----------
    url
        Where it is.
    sha256
        Its checksum. A file with another one is not kept.
    name
        What to call it in the cache.

    Raises
    ------
    DataUnavailableError
        If it can't be had: no network, no such file, a connection that breaks, other contents.
    """
    try:
        import pooch
        from requests import RequestException
    except ImportError:
        raise DataUnavailableError(
            f"downloading it needs pooch: {install_command('data')} {_by_hand(url)}"
        ) from None
    pooch.get_logger().setLevel("WARNING")
    try:
        found = pooch.retrieve(
            url,
            known_hash=f"sha256:{sha256}",
            fname=name,
            path=cache_directory(),
            downloader=pooch.HTTPDownloader(timeout=_PATIENCE),
        )
    except ValueError as error:
        raise DataUnavailableError(
            f"the server has not the contents it should have (sha256 {sha256} is expected), so "
            f"the file was not kept {_by_hand(url)}"
        ) from error
    except (RequestException, OSError) as error:
        # The inner one of the errors that it is wrapped in.
        reason = str(error).rpartition("Caused by ")[2] or type(error).__name__
        raise DataUnavailableError(f"can't be downloaded: {reason} {_by_hand(url)}") from error
    return Path(found)


def _places(name: str) -> Iterator[Path]:
    last = Path(name).name
    if os.environ.get(DATA):
        directory = Path(os.environ[DATA])
        yield from (directory / name, directory / last)
    if (cache := cache_directory()) is not None:
        yield cache / last


def _by_hand(url: str) -> str:
    cache = cache_directory()
    where = f"the directory that ${DATA} names" + (f" or into {cache}" if cache else "")
    return f"(hint: put {url.rpartition('/')[2]} from {url} into {where})"
