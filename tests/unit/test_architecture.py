"""The invariants of ARCHITECTURE.md that a program can check."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "conceptrank"

# Rooms from the ground up; a module imports only from its own room or from lower ones.
LEVELS = [
    {"_core", "errors", "_lists", "_text", "_html", "convert", "_whole_file", "_sealed", "names"},
    {"budget", "faces"},
    {"measures"},
    {"context", "operations", "concept", "lattice", "interchange", "lattice_file"}
    | {"batch", "closed_sets"},
    {"io", "ranking", "suborder"},
    {"best"},
    {"summary"},
    {"datasets", "scaling", "plot"},
    {"evaluation", "rules", "runs"},
    {"scale_out"},
    {"explorer"},
    {"cli", "__main__"},
]
# Rooms that hand on to a higher one when they are called: context.lattice().rank(), and
# cr.load(…, scale=…).
AT_CALL_TIME = {("lattice", "ranking"), ("lattice", "rules"), ("io", "scaling")}
AT_CALL_TIME |= {
    ("context", "best"),
    ("context", "ranking"),
    ("lattice", "plot"),
    ("lattice", "explorer"),
    ("concept", "plot"),
    ("ranking", "plot"),
}
# Files that are no result: a lock, and a file that pieces are appended to.
MAY_OPEN_FOR_WRITING = {"_whole_file.py", "mining.py", "_work.py"}
# Only these talk to the compiled module.
MAY_USE_CORE = {"context", "batch", "lattice", "faces", "lattice_file", "interchange", "_lists"}
MAY_USE_CORE |= {"closed_sets", "best"}
MAY_USE_CORE |= {"datasets", "evaluation", "rules", "runs"}


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
    checking = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and ast.unparse(test.test) == "TYPE_CHECKING"
        for node in ast.walk(test)
    }
    top = {
        id(node)
        for statement in tree.body
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
    }
    found = []
    for node in ast.walk(tree):
        if id(node) in checking:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "conceptrank":
            names = [f"conceptrank.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        else:
            continue
        found += [(name, id(node) in top) for name in names if is_module(name)]
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
        if not at_import and (own, other) in AT_CALL_TIME:
            continue
        assert level(other) <= level(own), f"{path.name} imports {module} from a higher room"
        if other == "_core":
            assert own in MAY_USE_CORE, f"{path.name} must not touch the compiled module"


# The stages of the C++ core. A folder includes headers of its own and of the folders before it.
STAGES = ["base", "table", "search", "score", "lattice", "best", "rules", "random"]


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
        assert own or standard or header == "immintrin.h", f"{path} includes {header}"


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
    assert found == MAY_OPEN_FOR_WRITING, "use conceptrank._whole_file"


POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_needs_posix_to_be_imported(path: Path) -> None:
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            names = {alias.name for alias in statement.names}
        else:
            names = {getattr(statement, "module", None)}
        assert not names & POSIX_ONLY, f"{path.name} can't be imported on Windows"
