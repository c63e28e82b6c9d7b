"""`conceptrank reproduce`: the paper's evaluation on the paper's data, as a report."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _output
from conceptrank.cli._command import DONE, define_command
from conceptrank.cli._evaluation import Experiments
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import option


@define_command(
    examples=[
        "conceptrank reproduce --quick --out report",
        "conceptrank reproduce --out report",
        "conceptrank reproduce --linkedin linkedin.cxt --runs 100 --out report",
    ]
)
def command(
    *,
    experiments: Experiments,
    linkedin: Annotated[Path | None, option("FILE")] = None,
    pedia_languages: Annotated[Path | None, option("FILE")] = None,
    substitutes: bool = True,
    download: bool = True,
    messages: Messages,
) -> int:
    """Reproduce the evaluation of the paper on Conceptual Relevance (arXiv 2110.11262).

    The report compares the results with the paper's row by row, and adds experiments.

    Data come from the directory in $CONCEPTRANK_DATA, from a cache, or from the network. Two of
    the paper's data sets are not public: similar ones are used under their own names, unless you
    give your copies. The same command continues a run that was stopped.

    Parameters
    ----------
    linkedin
        Your copy of the paper's LinkedIn data.
    pedia_languages
        Your copy of the paper's PediaLanguages data.
    substitutes
        Whether similar data replace those that are not public; not with --quick.
    download
        Whether to download missing data.
    """
    from conceptrank.evaluation import reproduce
    from conceptrank.scaling.loading import load

    settings = experiments.settings()
    files = {"linkedin": linkedin, "pedia_languages": pedia_languages}
    evaluated = partial(
        reproduce,
        settings=settings,
        own={name: load(path) for name, path in files.items() if path is not None},
        substitutes=substitutes and not experiments.quick,
        download=download,
    )
    evaluation = experiments.run(evaluated, messages)
    verdicts = evaluation.verdicts
    titles = {"part": "", "data": "data", "subject": "what", "paper": "the paper"}
    titles |= {"ours": "this run", "verdict": "verdict"}
    _output.print_text("")
    _output.write_table(
        [
            TextColumn(
                title, [getattr(one, name) for one in verdicts], wraps=name not in ("part", "data")
            )
            for name, title in titles.items()
        ]
    )
    for name, reason in evaluation.missing.items():
        messages.note(f"{name} was left out: {reason}")
    return DONE
