"""The documentation site: settings, generated pages and links. `make docs` builds it."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.data import JsonLexer
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

HERE = Path(__file__).parent
ROOT = HERE.parent
# What the build generates and copies into the site.
LIVE = ROOT / "build" / "site-live"
LIVE.mkdir(parents=True, exist_ok=True)
sys.path.insert(0, str(HERE))

from command_reference import CommandReference  # noqa: E402

project = "conceptrank"
author = "the conceptrank developers"
copyright = author  # noqa: A001
version = release = installed_version("conceptrank")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_design",
]
exclude_patterns = ["_static", "images"]
default_role = "py:obj"
# Quotes stay as they are typed; two hyphens become a dash.
smartquotes_action = "D"

# Pages. A heading of level 1 to 3 can be linked to.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
# Two modules have a class `Selection`, and a type hint does not say which.
suppress_warnings = ["myst.header", "ref.python"]

# Notebooks are executed in every build, in a folder of their own.
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_in_temp = True
nb_merge_streams = True
KERNEL = ROOT / "build" / "site-kernel"
os.environ["IPYTHONDIR"] = str(KERNEL)
KERNEL_CONFIG = """
c.IPKernelApp.log_level = 40
c.InlineBackend.figure_formats = {"retina"}
"""
(KERNEL / "profile_default").mkdir(parents=True, exist_ok=True)
(KERNEL / "profile_default" / "ipython_kernel_config.py").write_text(KERNEL_CONFIG)
nb_mime_priority_overrides = [("html", "text/html", 0)]

# The API reference.
autodoc_member_order = "groupwise"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
autosummary_generate = False
autosummary_ignore_module_all = False
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_admonition_for_examples = False
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "conceptrank"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = [str(LIVE)]
html_copy_source = False
html_show_sourcelink = False
# Pages without pages below them need no menu at the side.
html_sidebars = {"index": [], "start": [], "theory": []}
html_theme_options = {
    "logo": {"text": "conceptrank"},
    "show_toc_level": 2,
    "navigation_depth": 3,
    "show_prev_next": True,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

# Texts at the root of the repository that are pages of the site, too.
ROOT_PAGES = {
    "design": "ARCHITECTURE.md",
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "security": "SECURITY.md",
    "benchmarks": "benchmarks/README.md",
}


def _take_root_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace a page that stands for a text at the root, and lead links to the pages."""
    folder = HERE
    if page in ROOT_PAGES:
        path = ROOT / ROOT_PAGES[page]
        folder, source[0] = path.parent, path.read_text(encoding="utf-8")
    pages = {(ROOT / file).resolve(): f"/{name}.md" for name, file in ROOT_PAGES.items()}

    def lead(link: re.Match[str]) -> str:
        label, address = link.groups()
        target, _, anchor = address.partition("#")
        path = (folder / target).resolve()
        if path in pages:
            return f"[{label}]({pages[path]}{'#' if anchor else ''}{anchor})"
        if folder == HERE or not path.exists():
            return link[0]
        if path.is_relative_to(HERE):
            return f"[{label}](/{path.relative_to(HERE).as_posix()}{'#' if anchor else ''}{anchor})"
        return label  # a file of the repository that is no page

    source[0] = re.sub(r"\[([^\[\]]*)\]\(([^()\s:#]+\.\w+(?:#[^()\s]*)?)\)", lead, source[0])


def _find_short_name(
    app: Sphinx, env: Any, node: nodes.Element, content: nodes.Element
) -> nodes.Element | None:
    """Resolve `Lattice.rank` in a docstring of any module."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].removesuffix("()")
    domain = env.get_domain("py")
    matches = [name for name in domain.objects if name.endswith(f".{target}")]
    preferred = [name for name in (f"conceptrank.{target}", target) if name in domain.objects]
    for name in preferred or (matches if len(matches) == 1 else []):
        return domain.resolve_xref(  # type: ignore[no-any-return]
            env, node["refdoc"], app.builder, "obj", name, node, content
        )
    return None


def _write_live_pages(app: Sphinx) -> None:
    """Export the explorer pages that the site embeds."""
    import conceptrank as cr

    folder = LIVE / "live"
    folder.mkdir(exist_ok=True)
    movies = cr.datasets.load("movies").lattice()
    movies.explore(
        ["cr", "stability", "separation", "support"],
        title="movies",
        export=folder / "movies.html",
    )
    table = cr.datasets.random.planted(
        1000, 30, patterns=6, sizes=(3, 6), supports=(0.05, 0.2), missing=0.1, seed=2
    )
    table.context.lattice(min_support=20).explore(
        ["separation", "cr", "stability", "leverage"],
        title="1,000 objects with six planted patterns",
        export=folder / "planted.html",
    )


def _skip_request(app: Sphinx, kind: str, name: str, *others: object) -> bool | None:
    """Leave out the methods for metadata that scikit-learn adds to every estimator."""
    return True if re.fullmatch(r"set_\w+_request|get_metadata_routing", name) else None


def _keep_colon(app: Sphinx, kind: str, name: str, thing: object, *rest: Any) -> None:
    """Keep a colon in the first line of an attribute: napoleon takes it for the end of a type."""
    lines = rest[-1]
    if kind in ("attribute", "data", "property") and lines and ":" in lines[0]:
        lines[0] = f": {lines[0]}"


def setup(app: Sphinx) -> None:
    """Connect the handlers above."""
    from conceptrank import io

    for format_ in io.formats():
        app.add_lexer(format_.name, JsonLexer if format_.name == "json" else TextLexer)
    app.connect("builder-inited", _write_live_pages)
    app.connect("source-read", _take_root_page)
    app.connect("missing-reference", _find_short_name)
    app.connect("autodoc-skip-member", _skip_request)
    app.connect("autodoc-process-docstring", _keep_colon, priority=400)
    app.add_directive("command-reference", CommandReference)
