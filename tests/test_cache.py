"""The compile cache is emptied by every edit that changes a kernel, and by no other."""

from __future__ import annotations

import ast
from pathlib import Path

import ddzsim
from ddzsim.core.jit import KERNEL_SOURCES, sources_hash

PACKAGE = Path(ddzsim.__file__).parent
HASHED = {found for pattern in KERNEL_SOURCES for found in PACKAGE.glob(pattern)}


def imported(path: Path) -> set[Path]:
    """The package's modules that a module imports, those for the type checker too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ddzsim"):
            at = PACKAGE.parent.joinpath(*(node.module or "").split("."))
            names = [at / alias.name for alias in node.names]
            found |= {place.with_suffix(".py") for place in (at, *names)}
    return {place for place in found if place.exists()}


def makes_kernels(path: Path) -> bool:
    """Whether a module compiles functions."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "ddzsim.core.jit"
        and any("kernel" in alias.name for alias in node.names)
        for node in ast.walk(ast.parse(path.read_text()))
    )


def test_the_hash_covers_all_that_hashed_sources_import() -> None:
    for path in HASHED:
        assert imported(path) <= HASHED, path


def test_kernels_elsewhere_are_called_by_no_kernel_of_another_file() -> None:
    elsewhere = {path for path in PACKAGE.rglob("*.py") if makes_kernels(path)} - HASHED
    assert elsewhere
    for path in elsewhere:
        for other in imported(path) & elsewhere:
            # What it takes from there are tables and types, not functions that are compiled.
            names = {
                alias.name
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.ImportFrom)
                and PACKAGE.parent.joinpath(*(node.module or "").split(".")).with_suffix(".py")
                == other
                for alias in node.names
            }
            assert not names & kernels_of(other), path


def kernels_of(path: Path) -> set[str]:
    """The names of the functions that a module compiles."""
    return {
        node.name
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.decorator_list
    }


def test_an_edit_outside_the_hashed_sources_changes_only_the_hash_of_all() -> None:
    assert PACKAGE / "engine" / "run.py" not in HASHED
    assert {PACKAGE / "core" / "loop.py", PACKAGE / "bots" / "hard.py"} <= HASHED
    assert sources_hash(*KERNEL_SOURCES) != sources_hash("**/*.py")
