"""The built page in the package is that of the sources in explorer-ui."""

import hashlib
import shutil
import subprocess

import pytest

from repository import repository

ROOT = repository()
SOURCES = ROOT / "explorer-ui"
BUILT = ROOT / "src" / "conceptrank" / "explorer" / "static"


def test_the_bundle_was_built_from_these_sources():
    names = [f"src/{path.name}" for path in sorted((SOURCES / "src").iterdir())]
    digest = hashlib.sha256()
    for name in [*names, "build.mjs", "package.json", "package-lock.json", "tsconfig.json"]:
        digest.update(f"{name}\0".encode() + (SOURCES / name).read_bytes() + b"\0")
    stored = (BUILT / "sources.sha256").read_text(encoding="ascii").strip()
    assert stored == digest.hexdigest(), "run `make explorer`"


def test_a_rebuild_gives_the_same_bytes():
    node = shutil.which("node")
    if node is None or not (SOURCES / "node_modules").is_dir():
        pytest.skip("needs Node and `npm ci` in explorer-ui")
    command = [node, "build.mjs", "--check"]
    done = subprocess.run(command, cwd=SOURCES, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_the_lock_file_records_no_addresses():
    text = (SOURCES / "package-lock.json").read_text(encoding="utf-8")
    assert "http" not in text
    assert '"resolved"' not in text
    assert '"integrity"' in text
