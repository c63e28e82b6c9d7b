"""Line diagrams for LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptrank.plot import keys
from conceptrank.plot.placing import FONT, LINE

if TYPE_CHECKING:
    from conceptrank.plot.line_diagram import Diagram

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
        for i, (x, y) in enumerate(diagram.scene.positions.tolist())
    ]
    for (lower, upper), path in zip(diagram.part.covers.tolist(), diagram.scene.paths, strict=True):
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
    left, right, low, _ = scene.frame
    # The text fonts of LaTeX have no minus sign.
    if key := escaped(keys.in_words(diagram).replace("−", "-")):
        look = f"key, anchor=north west, text width={max(right - left, 150):.0f}pt"
        out.append(rf"  \node[{look}] at ({left:.2f}, {low - 14:.2f}) {{{key}}};")
    return "\n".join([*out, r"\end{tikzpicture}", ""])


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
