"""The old name of `conceptrank.runs`."""

import warnings

from conceptrank import runs
from conceptrank.runs import *  # noqa: F403

__all__ = runs.__all__

warnings.warn("conceptrank.scale_out is now conceptrank.runs", DeprecationWarning, stacklevel=2)
