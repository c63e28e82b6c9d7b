"""The short list: `summarize`, its result `Summary`, and the methods that choose the patterns."""

from conceptrank.summary.selection import Choice, Fact, Selection
from conceptrank.summary.short_list import Margins
from conceptrank.summary.summarize import METHODS, summarize
from conceptrank.summary.summary import Pattern, Summary

__all__ = ["METHODS", "Choice", "Fact", "Margins", "Pattern", "Selection", "Summary", "summarize"]
