"""Line diagrams for LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptrank.plot import keys, style
from conceptrank.plot.columns import Column
from conceptrank.plot.placing import FONT, LINE, text_width

if TYPE_CHECKING:
    from conceptrank.plot.line_diagram import Diagram

# The number of parts of the colour bar.
_STEPS = 20

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "…": r"\ldots{}",
    # Behind a line break these would be an argument of it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Otherwise two of them become a dash, and some letters and marks a ligature.
    "-": "{-}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
}


def to_tikz(diagram: Diagram) -> str:
    r"""Return a diagram as a `tikzpicture`, to be put into a document by `\input`."""
    font, line = diagram.font, diagram.font * LINE / FONT
    out = [
        r"% needs \usepackage{tikz}; names in other scripts need LuaLaTeX or XeLaTeX and a font",
        r"\begin{tikzpicture}[x=1pt, y=1pt,",
        r"  concept/.style={circle, draw, fill=white, inner sep=0pt},",
        rf"  label text/.style={{font=\fontsize{{{font:g}}}{{{line:g}}}\selectfont, align=center, "
        "inner sep=0pt},",
        rf"  key/.style={{font=\fontsize{{{keys.FONT:g}}}{{{keys.FONT + 1:g}}}\selectfont, "
        "inner sep=0pt},",
        r"  leader/.style={draw=black!60, densely dotted}, cover/.style={draw=black!60}]",
    ]
    fills = diagram.fills
    out += [
        rf"  \coordinate (c{i}) at ({x:.2f}, {y:.2f});"
        for i, (x, y) in enumerate(diagram.positions.tolist())
    ]
    for (lower, upper), path in zip(diagram.part.covers.tolist(), diagram.paths, strict=True):
        bends = "".join(f" -- ({x:.2f}, {y:.2f})" for x, y in path[1:-1].tolist())
        out.append(rf"  \draw[cover] (c{upper}){bends} -- (c{lower});")
    scene = diagram.scene
    for i in range(len(diagram.part)):
        options = ["concept", f"minimum size={2 * scene.radii[i]:.2f}pt"]
        if fills is not None:
            options.append(f"fill={_rgb(fills[i])}")
        if i == diagram.part.focus:
            options.append("line width=1.6pt")
        out.append(rf"  \node[{', '.join(options)}] (n{i}) at (c{i}) {{}};")
    for label, box in zip(scene.labels, scene.boxes, strict=True):
        if box.leader:
            x, y = box.end(scene.positions[label.node].tolist(), label)
            out.append(rf"  \draw[leader] (n{label.node}) -- ({x:.2f}, {y:.2f});")
        lines = r"\\".join(map(escaped, label.lines))
        out.append(rf"  \node[label text] at ({box.x:.2f}, {box.y:.2f}) {{{lines}}};")
    left, _, low, _ = scene.frame
    return "\n".join([*out, *_keys(diagram, left, low - 14), r"\end{tikzpicture}", ""])


def _keys(diagram: Diagram, x: float, y: float) -> list[str]:
    """Return the keys of colours and sizes; (x, y) is their upper left corner."""
    out = []
    if diagram.colour is not None and len(diagram.part):
        title = keys.heading(diagram.colour)
        out += [_key(x, y - 6, title), *_bar(diagram.colour, x, y - 10)]
        x += max(keys.BAR[0], text_width(title, keys.FONT)) + keys.BETWEEN
    if diagram.size is not None and len(diagram.part):
        out.append(_key(x, y - 6, keys.heading(diagram.size)))
        for radius, text in keys.sizes(diagram):
            middle = f"({x + radius:.2f}, {y - 19:.2f})"
            out.append(rf"  \node[concept, minimum size={2 * radius:.2f}pt] at {middle} {{}};")
            out.append(_key(x + 2 * radius + 3, y - 19, text, anchor="west"))
            x += 2 * radius + 13 + text_width(text, keys.FONT)
    return out


def _bar(column: Column, x: float, y: float) -> list[str]:
    ends = keys.ends_of(column)
    (wide, tall), out = keys.BAR, []
    for step in range(_STEPS if len(ends) > 1 else 0):
        left, right = x + wide * step / _STEPS, x + wide * (step + 1) / _STEPS
        fill = _rgb(style.shade(step / (_STEPS - 1)))
        area = f"({left:.2f}, {y - tall:.2f}) rectangle ({right:.2f}, {y:.2f})"
        out.append(rf"  \fill[fill={fill}] {area};")
    frame = f"({x:.2f}, {y - tall:.2f}) rectangle ({x + wide:.2f}, {y:.2f})"
    out.append(rf"  \draw[line width=0.4pt] {frame};")
    for value, place, side in zip(ends, (x, x + wide), ("west", "east"), strict=False):
        out.append(_key(place, y - tall - 7, keys.number(value), anchor=f"base {side}"))
    return out


def _key(x: float, y: float, text: str, anchor: str = "base west") -> str:
    # The text fonts of LaTeX have no minus sign.
    text = escaped(text.replace("−", "-"))
    return rf"  \node[key, anchor={anchor}] at ({x:.2f}, {y:.2f}) {{{text}}};"


def _rgb(colour: str) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"{{rgb,255:red,{red};green,{green};blue,{blue}}}"


def escaped(text: str) -> str:
    r"""Return a text that LaTeX prints as it is.

    Examples
    --------
    >>> escaped("50% of {a_b}")
    '50\\% of \\{a\\_b\\}'
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text)
