"""The short list: `summarize`, its result `Summary`, and the methods that choose the patterns."""

from conceptrank.summary.model import Margins
from conceptrank.summary.selection import Choice, Selection
from conceptrank.summary.summarize import METHODS, summarize
from conceptrank.summary.summary import Pattern, Summary

__all__ = ["METHODS", "Choice", "Margins", "Pattern", "Selection", "Summary", "summarize"]
