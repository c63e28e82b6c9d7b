"""Errors cross process borders with their type, text and fields."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import pkgutil
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

import conceptrank
from conceptrank.errors import ConceptRankError, UnknownNameError


def error_classes() -> list[type[ConceptRankError]]:
    """Every error class of the package, after importing every module."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        for module in pkgutil.walk_packages(conceptrank.__path__, "conceptrank."):
            importlib.import_module(module.name)

    def below(cls: type[ConceptRankError]) -> Iterator[type[ConceptRankError]]:
        yield cls
        for child in cls.__subclasses__():
            yield from below(child)

    return sorted(
        {cls for cls in below(ConceptRankError) if cls.__module__.startswith("conceptrank")},
        key=lambda cls: cls.__qualname__,
    )


def example_of(cls: type[ConceptRankError]) -> ConceptRankError:
    """An instance in which every parameter of the constructor has a value."""
    if "__init__" not in {name for base in cls.__mro__[:-4] for name in vars(base)}:
        return cls(5, "text", "file") if issubclass(cls, OSError) else cls("text")
    positional, keywords = [], {}
    for name, parameter in list(inspect.signature(cls.__init__).parameters.items())[1:]:
        kind = str(parameter.annotation)
        value = 7 if "int" in kind else ["texts"] if "Iterable" in kind else f"text of {name}"
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            keywords[name] = value
        elif parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            positional.append(value)
    return cls(*positional or ("text",), **keywords)


def test_every_error_is_walked() -> None:
    assert {"UnknownNameError", "FormatError", "RunError", "WriteError", "WrongUseError"} <= {
        cls.__name__ for cls in error_classes()
    }


@pytest.mark.parametrize("cls", error_classes(), ids=lambda cls: cls.__qualname__)
def test_every_error_pickles_and_keeps_its_text(cls: type[ConceptRankError]) -> None:
    error = example_of(cls)
    error.add_note("a note")
    assert "text" in str(error)
    for again in (
        *(pickle.loads(pickle.dumps(error, protocol)) for protocol in range(6)),
        copy.copy(error),
    ):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)
        assert again.args == error.args
        if isinstance(error, OSError) and isinstance(again, OSError):
            assert (again.errno, again.filename) == (error.errno, error.filename)


def raise_unknown(name: str) -> None:
    raise UnknownNameError("attribute", name, ["drama"], where="movies")


def test_an_error_of_a_worker_arrives() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(UnknownNameError, match="unknown attribute 'dramma' in movies; did you"):
            pool.submit(raise_unknown, "dramma").result(timeout=600)
        assert pool.submit(abs, -3).result(timeout=600) == 3
