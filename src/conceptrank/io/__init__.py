"""Contexts and raw tables in files.

- `formats`: one module per format; a new module is found without further lists.
- `raw`: readers of tables of values, which `conceptrank.scaling` turns into contexts.
- `registry`: `Format`, `save`; `detection`: which format a file has.
- `sources`: paths, URLs, open files and buffers; `compression`, `urls`.
- `text`, `delimited`, `sections`, `tables`, `marks`, `writing`, `xml`: shared by several formats.
"""

from conceptrank.io import formats as _formats  # noqa: F401
from conceptrank.io import raw
from conceptrank.io.registry import (
    Fit,
    Format,
    formats,
    losses,
    option_value,
    register,
    save,
    table_formats,
    writing_format,
)
from conceptrank.io.sources import Content, MissingFileError, read_bytes

__all__ = [
    "Content",
    "Fit",
    "Format",
    "MissingFileError",
    "formats",
    "losses",
    "option_value",
    "raw",
    "read_bytes",
    "register",
    "save",
    "table_formats",
    "writing_format",
]
