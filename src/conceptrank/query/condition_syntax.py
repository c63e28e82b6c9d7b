"""How conditions are written: from a text to a function of scores.

A text is read by Python's own parser, and each of its parts is translated by a rule of this
module or refused: nothing that a user writes is ever run.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.rounding import same
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError
from conceptrank.faces import Scores
from conceptrank.measures import registry
from conceptrank.measures.registry import Params

Truths: TypeAlias = NDArray[np.bool_]

LONGEST = 10_000
DEEPEST = 100
EXAMPLE = "a condition looks like 'support >= 10 and cr > 0.3'"

_ARITHMETIC: dict[type[ast.AST], Callable[..., Scores]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.UAdd: np.positive,
    ast.USub: np.negative,
}
# Scores are known up to rounding: what is equal but for that counts as equal.
_COMPARISONS: dict[type[ast.cmpop], Callable[[Scores, Scores], Truths]] = {
    ast.Lt: lambda a, b: (a < b) & ~same(a, b),
    ast.LtE: lambda a, b: (a <= b) | same(a, b),
    ast.Gt: lambda a, b: (a > b) & ~same(a, b),
    ast.GtE: lambda a, b: (a >= b) | same(a, b),
    ast.Eq: same,
    ast.NotEq: lambda a, b: ~same(a, b) & ~np.isnan(a) & ~np.isnan(b),
}
_FUNCTIONS: dict[str, tuple[int, Callable[..., Scores]]] = {
    "abs": (1, np.abs),
    "sqrt": (1, np.sqrt),
    "exp": (1, np.exp),
    "log": (1, np.log),
    "log2": (1, np.log2),
    "min": (2, np.minimum),
    "max": (2, np.maximum),
}


class ConditionError(ConceptRankError, ValueError):
    """A condition can't be understood.

    Examples
    --------
    >>> print(ConditionError("'cr' is a number, not a condition", "cr and x", 1))
    'cr' is a number, not a condition, at column 1 of 'cr and x'
    """

    def __init__(self, reason: str, condition: str | None = None, column: int | None = None):
        self.reason = reason
        self.condition = condition
        self.column = column
        place = f", at column {column}" if column is not None else ""
        whole = f" of {_cut(condition)!r}" if condition is not None and place else ""
        super().__init__(reason + place + whole)


@dataclass(frozen=True)
class Scope:
    """What a condition can look at: concepts, and their scores by any measure."""

    concepts: Concepts
    score: Callable[[str, Params], Scores]


Number: TypeAlias = Callable[[Scope], Scores]
Truth: TypeAlias = Callable[[Scope], Truths]


class Reader:
    """Translates the syntax tree of one condition, rule by rule."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.measures: list[tuple[str, Params]] = []
        self.elements: list[tuple[str, str]] = []
        self._depth = 0

    def read(self) -> Truth:
        """Return the condition as a function."""
        if len(self.text) > LONGEST:
            raise ConditionError(f"a condition has at most {LONGEST:,} characters")
        # A line break means nothing, except that it ends a comment.
        line = self.text if "#" in self.text else " ".join(self.text.splitlines())
        self._source = line.strip()
        self._indent = len(line) - len(line.lstrip())
        if not self._source:
            raise ConditionError(f"the condition is empty; {EXAMPLE}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(self._source, mode="eval")
        except SyntaxError as error:
            column = (error.offset or 1) + self._indent
            reason = f"this can't be read ({error.msg.partition('.')[0]}); {EXAMPLE}"
            raise ConditionError(reason, self.text, column) from None
        except (RecursionError, MemoryError):
            raise ConditionError("the condition is nested too deeply") from None
        except ValueError as error:
            raise ConditionError(f"this can't be read ({error}); {EXAMPLE}") from None
        return self._truth(tree.body)

    def _truth(self, node: ast.expr) -> Truth:
        with self._deeper():
            match node:
                case ast.BoolOp(op, values):
                    return _joined(op, [self._truth(value) for value in values])
                case ast.BinOp(left, ast.BitAnd() | ast.BitOr() as op, right):
                    return _joined(op, [self._truth(left), self._truth(right)])
                case ast.UnaryOp(ast.Not() | ast.Invert(), operand):
                    inner = self._truth(operand)
                    return lambda scope: ~inner(scope)
                case ast.Compare(ast.Constant(str()), [ast.In() | ast.NotIn()]):
                    return self._membership(node)
                case ast.Compare(left, ops, comparators):
                    return self._comparison(node, [left, *comparators], ops)
                case ast.Name() | ast.Call() | ast.BinOp() | ast.UnaryOp() | ast.Constant():
                    self._number(node)
                    raise self._error(node, "is a number, not a condition")
        raise self._error(node, "has no place in a condition")

    def _comparison(
        self, node: ast.Compare, operands: list[ast.expr], ops: list[ast.cmpop]
    ) -> Truth:
        for op in ops:
            if isinstance(op, ast.In | ast.NotIn):
                raise self._error(node, 'is no condition: "name" in intent would be one')
            if type(op) not in _COMPARISONS:
                raise self._error(node, "has no place in a condition; use == to compare")
        numbers = [self._number(operand) for operand in operands]
        compare = [_COMPARISONS[type(op)] for op in ops]

        def truth(scope: Scope) -> Truths:
            values = [number(scope) for number in numbers]
            result = compare[0](values[0], values[1])
            for place in range(1, len(compare)):
                result = result & compare[place](values[place], values[place + 1])
            return result

        return truth

    def _membership(self, node: ast.Compare) -> Truth:
        (op,), (container,) = node.ops, node.comparators
        match node.left, container:
            case ast.Constant(str() as name), ast.Name("intent" | "extent" as side):
                self.elements.append((side, name))
                wanted = isinstance(op, ast.In)
                return lambda scope: _contains(scope.concepts, side, name) == wanted
        raise self._error(container, "is no set of names: those are intent and extent")

    def _number(self, node: ast.expr) -> Number:
        with self._deeper():
            match node:
                case ast.Constant(bool()):
                    pass
                case ast.Constant(int() | float() as value):
                    try:
                        constant: Scores = np.array(value, dtype=np.float64)
                    except OverflowError:
                        raise self._error(node, "is too large a number") from None
                    return lambda scope: constant
                case ast.Name("intent" | "extent" as side):
                    size = "intent_size" if side == "intent" else "support"
                    raise self._error(node, f'is a set: write "name" in {side}, or {size}')
                case ast.Name(name):
                    return self._measure(node, name, {})
                case ast.Call(ast.Name(name), arguments, keywords):
                    return self._call(node, name, arguments, keywords)
                case ast.BinOp(left, op, right) if type(op) in _ARITHMETIC:
                    return _applied(
                        _ARITHMETIC[type(op)], [self._number(left), self._number(right)]
                    )
                case ast.BinOp(op=ast.BitAnd() | ast.BitOr() as op):
                    word = "and" if isinstance(op, ast.BitAnd) else "or"
                    raise self._error(node, f"joins numbers; write {word} between conditions")
                case ast.UnaryOp(op, operand) if type(op) in _ARITHMETIC:
                    return _applied(_ARITHMETIC[type(op)], [self._number(operand)])
                case ast.BoolOp() | ast.Compare() | ast.UnaryOp(op=ast.Not()):
                    raise self._error(node, "is a condition, not a number")
        raise self._error(node, "has no place in a condition")

    def _call(
        self, node: ast.Call, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]
    ) -> Number:
        if name in _FUNCTIONS and not keywords:
            count, function = _FUNCTIONS[name]
            if len(arguments) != count:
                raise self._error(node, f"is wrong: {name} takes {count} number{'s'[: count - 1]}")
            return _applied(function, [self._number(argument) for argument in arguments])
        if arguments or any(keyword.arg is None for keyword in keywords):
            hint = f"functions are {', '.join(_FUNCTIONS)}; parameters of a measure have names"
            raise self._error(node, f"has no place in a condition ({hint})")
        params = {str(keyword.arg): self._parameter(keyword.value) for keyword in keywords}
        return self._measure(node, name, params)

    def _parameter(self, node: ast.expr) -> object:
        match node:
            case ast.Constant(str() | int() | float() | None as value):
                return value
            case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
                return -value
        raise self._error(node, "is no value of a parameter: a number or a text would be one")

    def _measure(self, node: ast.expr, name: str, params: Params) -> Number:
        known = registry.get(name).params
        for key in params:
            if key not in known:
                takes = f"it takes {', '.join(known) or 'none'}"
                raise self._error(node, f"is wrong: {name} has no parameter {key!r}; {takes}")
        if (name, params) not in self.measures:
            self.measures.append((name, params))
        return lambda scope: scope.score(name, params)

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ConditionError("the condition is nested too deeply")
        yield
        self._depth -= 1

    def _error(self, node: ast.AST, reason: str) -> ConditionError:
        lines = self._source.splitlines()
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        before = sum(len(each) + 1 for each in lines[: line - 1])
        inside = len(lines[line - 1].encode()[:offset].decode(errors="replace"))
        part = ast.get_source_segment(self._source, node) or ""
        column = self._indent + before + inside + 1
        return ConditionError(f"{_cut(part)!r} {reason}", self.text, column)


def _joined(op: ast.AST, truths: list[Truth]) -> Truth:
    join = np.logical_and if isinstance(op, ast.And | ast.BitAnd) else np.logical_or

    def truth(scope: Scope) -> Truths:
        result = truths[0](scope)
        for each in truths[1:]:
            result = join(result, each(scope))
        return result

    return truth


def _applied(function: Callable[..., Scores], numbers: list[Number]) -> Number:
    return lambda scope: function(*(number(scope) for number in numbers))


def element_number(context: Context, side: str, name: str) -> int:
    """Return the number of an attribute or object, or raise UnknownNameError."""
    names = context.attribute_names if side == "intent" else context.object_names
    return int(names.numbers(name)[0])


def _contains(concepts: Concepts, side: str, name: str) -> Truths:
    """Return which concepts have an attribute or an object, without any extent."""
    context = concepts.context
    number = np.uint32(element_number(context, side, name))
    offsets, values = concepts.intents
    if side == "intent":
        marked, wanted = values == number, np.ones(len(concepts), dtype=np.int64)
    else:
        # An object is in the extent if it has the whole intent.
        row = np.zeros(len(context.attributes), dtype=np.bool_)
        row[context.core.intension(np.array([number]))] = True
        marked, wanted = row[values], np.diff(offsets)
    total = np.concatenate(([0], np.cumsum(marked)))
    result: Truths = total[offsets[1:]] - total[offsets[:-1]] == wanted
    return result


def _cut(text: str | None, longest: int = 60) -> str:
    text = text or ""
    return text if len(text) <= longest else text[: longest - 1] + "…"
