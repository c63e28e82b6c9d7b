"""The invariants of ARCHITECTURE.md that a program can check."""

import ast
import re
from pathlib import Path

import pytest

from conceptrank.concepts import Concepts
from repository import repository

ROOT = repository()
PACKAGE = ROOT / "src" / "conceptrank"

# Rooms from the ground up, as in ARCHITECTURE.md; a module imports from its own room or lower ones.
LEVELS = [
    {"_core", "errors", "_util", "budget"},
    {"convert"},
    {"context", "concept", "concepts", "lattice", "faces", "lattice_file"},
    {"io"},
    {"matching"},
    {"scaling"},
    {"measures"},
    {"query"},
    {"ranking"},
    {"best"},
    {"summary"},
    {"rules"},
    {"learn"},
    {"runs"},
    {"datasets"},
    {"plot"},
    {"evaluation"},
    {"explorer"},
    {"cli", "__main__"},
]
# Methods that lead to a higher room, such as `context.rank()`, import it when they are called, and
# name its types in their signatures.
LEADS_UP = {"context", "concept", "concepts", "lattice"}
# Besides whole files: a file that pieces are appended to.
MAY_OPEN_FOR_WRITING = {"files.py", "_work.py"}
# Only these talk to the compiled module.
MAY_USE_CORE = {"budget", "context", "concepts", "lattice", "faces", "lattice_file", "_util"}
MAY_USE_CORE |= {"matching", "query", "best", "summary"}
# For `conceptrank --version`.
MAY_USE_CORE |= {"cli"}
MAY_USE_CORE |= {"datasets", "evaluation", "plot", "rules", "runs"}


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def level(name: str) -> int:
    for height, rooms in enumerate(LEVELS):
        if name in rooms:
            return height
    pytest.fail(f"{name} belongs to no room: add it to ARCHITECTURE.md and to this test")


def is_module(name: str) -> bool:
    package, _, rest = name.partition(".")
    own = rest.split(".")[0]
    return package == "conceptrank" and (
        own == "_core" or (PACKAGE / own).is_dir() or (PACKAGE / f"{own}.py").exists()
    )


def imports(path: Path) -> list[tuple[str, bool]]:
    """Modules of the package that a file imports, and whether it does so when it is imported."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    later = {
        id(node)
        for statement in ast.walk(tree)
        if isinstance(statement, ast.FunctionDef)
        or (isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING")
        for node in ast.walk(statement)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "conceptrank":
            names = [f"conceptrank.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        else:
            continue
        found += [(name, id(node) not in later) for name in names if is_module(name)]
    return found


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for module, at_import in imports(path):
        other = room(module)
        if other == own:
            continue
        if not at_import and own in LEADS_UP:
            continue
        assert level(other) <= level(own), f"{path.name} imports {module} from a higher room"
        if other == "_core":
            assert own in MAY_USE_CORE, f"{path.name} must not touch the compiled module"


# The stages of the C++ core. A folder includes headers of its own and of the folders before it.
STAGES = ["base", "table", "search", "score", "lattice", "best", "rules", "random", "summary"]
STAGES += ["diagram"]


def cpp_includes(folder: Path) -> list[tuple[Path, str]]:
    return [
        (path, header)
        for path in sorted(folder.rglob("*.?pp"))
        for header in re.findall(r"#include [<\"]([^>\"]+)", path.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("stage", STAGES)
def test_stages_of_the_core_include_one_way(stage: str) -> None:
    allowed = {f"cpp/{folder}" for folder in STAGES[: STAGES.index(stage) + 1]}
    includes = cpp_includes(ROOT / "cpp" / stage)
    assert includes
    for path, header in includes:
        own = str(Path(header).parent) in allowed
        standard = "." not in header and "/" not in header
        assert own or standard or header in ("cpuid.h", "immintrin.h"), f"{path} includes {header}"


def test_every_folder_of_the_core_is_a_stage() -> None:
    folders = {path.name for path in (ROOT / "cpp").iterdir() if path.is_dir()}
    assert folders == {*STAGES, "bindings", "tests", "benchmarks"}


def test_stubs_are_fresh() -> None:
    stubgen = pytest.importorskip("nanobind.stubgen")
    from conceptrank import _core

    generator = stubgen.StubGen(_core, quiet=True)
    generator.put(_core)
    committed = (PACKAGE / "_core.pyi").read_text(encoding="utf-8")
    assert committed == generator.get(), "run `make stubs`"


def opens_for_writing(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func).split(".")
    given = [*node.args, *(each.value for each in node.keywords)]
    modes = {each.value for each in given if isinstance(each, ast.Constant)}
    return (called[-1] == "open" and bool(modes & {"w", "wb", "x", "xb", "a", "ab", "r+"})) or (
        len(called) > 1 and called[-1] in ("write_text", "write_bytes")
    )


def test_files_are_written_as_a_whole() -> None:
    found = {
        path.name
        for path in modules()
        if any(map(opens_for_writing, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found == MAY_OPEN_FOR_WRITING, "use conceptrank._util.files"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def names_made_in(tree: ast.AST) -> set[str]:
    """Names that a module defines or assigns, attributes included."""
    made = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name) | ast.ClassDef(name) | ast.arg(name):
                made.add(name)
            case ast.Name(name, ast.Store()) | ast.Attribute(_, name, ast.Store()):
                made.add(name)
    return made


def foreign_private_names(path: Path) -> set[str]:
    """Private names of other modules that a module uses; modules themselves are no such names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    made = names_made_in(tree) | {"_asdict", "_fields", "_replace", "_exit"}
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name("self" | "cls") | ast.Call(ast.Name("super")), _):
                pass
            case ast.Attribute(_, name) if is_private(name) and name not in made:
                found.add(ast.unparse(node))
            case ast.ImportFrom(str(module), names) if module.startswith("conceptrank"):
                folder = PACKAGE.joinpath(*module.split(".")[1:])
                modules = {each.stem for each in folder.glob("*")} | {"_core"}
                found |= {each.name for each in names if is_private(each.name)} - modules
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_private_names_stay_in_their_module(path: Path) -> None:
    assert foreign_private_names(path) == set()


def test_private_names_of_others_are_found(tmp_path: Path) -> None:
    text = "from conceptrank.errors import _a\nself._b\nx._c\nx._d = 1\ny._d\nx.__e__\n"
    (tmp_path / "module.py").write_text(text)
    assert foreign_private_names(tmp_path / "module.py") == {"_a", "x._c"}


def test_the_package_has_few_files_of_its_own() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 12


def test_public_classes_have_no_mixins() -> None:
    import conceptrank as cr

    for public in (cr.Context, cr.Concept, cr.Ranking, cr.Budget):
        assert public.__bases__ == (object,)
    assert cr.Lattice.__bases__ == (Concepts,)


POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_needs_posix_to_be_imported(path: Path) -> None:
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            names = {alias.name for alias in statement.names}
        else:
            names = {getattr(statement, "module", None)}
        assert not names & POSIX_ONLY, f"{path.name} can't be imported on Windows"
