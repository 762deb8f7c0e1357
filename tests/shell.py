"""Command lines as tests call them: within this process, or as processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from ddzsim.cli.main import main


def ddzsim(*args: str | Path, **about: Any) -> Result:
    """The outcome of a command line."""
    return CliRunner().invoke(main, [str(arg) for arg in args], **about)


def done(*args: str | Path, **about: Any) -> str:
    """What a command line prints that ends well."""
    result = ddzsim(*args, **about)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def complaint(*args: str | Path, **about: Any) -> str:
    """The one line of a command line that is refused."""
    result = ddzsim(*args, **about)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("Error: ")
    return result.stderr.removeprefix("Error: ").rstrip("\n")


@contextmanager
def started(*args: str | Path, **about: Any) -> Iterator[subprocess.Popen[str]]:
    """A command line as a process of its own; it does not outlive the test."""
    words = [sys.executable, "-m", "ddzsim", *map(str, args)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, **about) as process:
        try:
            yield process
        finally:
            process.kill()


def parts_of(folder: Path) -> dict[str, bytes]:
    """The bytes of every file of a run but run.json."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "run.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The worker processes of a run."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def is_running(pid: int) -> bool:
    """Whether a process runs, and is not only waiting to be reaped."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def peak_memory(pid: int) -> int:
    """The most memory a process has held so far, in bytes; 0 if it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    held = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(held[0]) * 1024 if held else 0
