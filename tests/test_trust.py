"""What is run as code: no pickle from disk, but numba's cache in a folder of this user alone."""

from __future__ import annotations

import ast
import os
import stat
from pathlib import Path

import pytest
from hostile import plain, refusal
from shell import started

import ddzsim
from ddzsim.core.jit import KERNEL_SOURCES, own_folder, sources_hash

SOURCES = sorted(Path(ddzsim.__file__).parent.rglob("*.py"))
CODE_READERS = {"cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve", "torch", "yaml"}
CODE_RUNNERS = {"eval", "exec", "read_pickle", "allow_pickle"}

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")


def names_in(source: Path) -> set[str]:
    """What a source imports, calls and passes by name."""
    found = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
    return found


def test_nothing_reads_code_from_data() -> None:
    assert len(SOURCES) > 50
    for source in SOURCES:
        assert not names_in(source) & (CODE_READERS | CODE_RUNNERS), source


def test_the_names_in_a_source_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import pickle.x\nfrom joblib.y import z\nnp.load(a, allow_pickle=1)"
    )
    assert names_in(tmp_path / "a.py") >= {"pickle", "joblib", "load", "allow_pickle"}


@posix
def test_the_cache_is_made_for_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        folder = own_folder(tmp_path / "cache" / "0123")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert own_folder(folder) == folder


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_a_cache_that_others_may_write_is_refused(mode: int, tmp_path: Path) -> None:
    tmp_path.chmod(mode)
    assert "can be written by others" in str(refusal(lambda: own_folder(tmp_path)))


@posix
def test_a_cache_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (tmp_path / "link").symlink_to(mine)
    (tmp_path / "file").write_text("")
    for name, reason in {
        "link": "is no folder of yours",
        "file": "File exists",
        "file/below": "Not a directory",
        "a" * 300: "File name too long",
    }.items():
        text = str(refusal(lambda name=name: own_folder(tmp_path / name)))
        assert reason in text
        assert text.endswith("set NUMBA_CACHE_DIR to a folder of yours")
    monkeypatch.setattr(os, "geteuid", lambda: mine.stat().st_uid + 1)
    assert "is no folder of yours" in str(refusal(lambda: own_folder(mine)))


@posix
def test_a_start_reads_nothing_from_a_cache_that_others_may_write(tmp_path: Path) -> None:
    folder = tmp_path / sources_hash(*KERNEL_SOURCES)
    folder.mkdir()
    folder.chmod(0o777)
    about = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    with started("plays", "33", env=about) as process:
        out, error = process.communicate()
    assert (process.returncode, out) == (2, "")
    assert "can be written by others" in plain(error.removesuffix("\n"))
    assert not list(folder.iterdir())
