"""One writer at a time: who holds a run directory, and what becomes of the lock of a dead owner."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from shell import complaint, done, started

from ddzsim.core.jit import COMPILED
from ddzsim.engine import locks
from ddzsim.engine.config import RunConfig
from ddzsim.engine.locks import is_lock, locked
from ddzsim.engine.run import Options, run
from ddzsim.engine.stores import store_at
from ddzsim.errors import RunError

needs_speed = pytest.mark.skipif(not COMPILED, reason="200,000 rounds take compiled kernels")

CONFIG = RunConfig(seed=7, games=20, bots="random")


def held(folder: Path) -> list[Path]:
    """The locks in a run directory."""
    return sorted(path for path in folder.iterdir() if is_lock(path.name))


def leave(folder: Path, **owner: object) -> Path:
    """A lock that somebody else has left."""
    path = folder / "lock-0123456789abcdef.json"
    folder.mkdir(exist_ok=True)
    path.write_text(json.dumps(owner))
    return path


def test_a_lock_is_there_while_it_is_held(tmp_path):
    with locked(store_at(tmp_path)):
        (lock,) = held(tmp_path)
        owner = json.loads(lock.read_text())
        assert owner["pid"] == os.getpid()
        assert owner["who"].endswith(f", process {os.getpid()}")
    assert held(tmp_path) == []


def test_a_lock_goes_when_the_work_fails(tmp_path):
    with pytest.raises(KeyboardInterrupt), locked(store_at(tmp_path)):
        raise KeyboardInterrupt
    assert held(tmp_path) == []


def test_a_second_writer_is_refused_and_the_first_named(tmp_path):
    store = store_at(tmp_path)
    with locked(store):
        with pytest.raises(RunError) as caught, locked(store):
            pass
        text = str(caught.value)
        assert text.startswith(f"{tmp_path} is being played by ")
        assert f", process {os.getpid()}, last sign 0 s ago: wait, or another --out" in text
        assert len(held(tmp_path)) == 1


@needs_speed
def test_two_runs_into_one_directory_at_once(tmp_path):
    out = tmp_path / "run"
    long = ("run", "-n", 200_000, "-s", 3, "--bots", "random", "-j", 1, "-o", out)
    with started(*long) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "Playing" in line:
                break
        text = complaint("run", "--resume", "-o", out)
        assert f"process {process.pid}, last sign" in text
        over = complaint(*long[:-2], "--overwrite", "-o", out)
        assert f"{out} is being played by" in over
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert held(out) == []


@needs_speed
def test_the_lock_of_a_killed_run_does_not_stop_the_next(tmp_path):
    out = tmp_path / "run"
    with started("run", "-n", 200_000, "-s", 3, "--bots", "random", "-j", 1, "-o", out) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "Playing" in line:
                break
        process.kill()
        process.wait()
    assert len(held(out)) == 1
    with locked(store_at(out)):
        assert len(held(out)) == 1
    assert held(out) == []


def test_the_lock_of_another_process_with_the_same_number_is_stale(tmp_path):
    me = locks._owner()
    leave(tmp_path, **me | {"started": me["started"] - 60})
    with locked(store_at(tmp_path)):
        assert len(held(tmp_path)) == 1


def test_a_lock_of_another_machine_holds_until_it_is_old(tmp_path):
    lock = leave(tmp_path, who="ann@far, process 5", machine="far", pid=5, started=1.0)
    with pytest.raises(RunError, match="is being played by ann@far, process 5, last sign"):
        run(tmp_path, CONFIG, Options(workers=1))
    assert [path.name for path in tmp_path.iterdir()] == [lock.name]
    old = time.time() - locks.STALE_SECONDS - 1
    os.utime(lock, (old, old))
    run(tmp_path, CONFIG, Options(workers=1))
    assert held(tmp_path) == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x", "started": "y"}', "\x00"])
def test_a_lock_that_does_not_read_holds_until_it_is_old(tmp_path, content):
    lock = tmp_path / "lock-0123456789abcdef.json"
    lock.write_text(content)
    with (
        pytest.raises(RunError, match="is being played by another process"),
        locked(store_at(tmp_path)),
    ):
        pass
    assert lock.exists()


def test_a_lock_gives_signs_of_life(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "REFRESH_SECONDS", 0.05)
    with locked(store_at(tmp_path)):
        (lock,) = held(tmp_path)
        os.utime(lock, (0, 0))
        deadline = time.monotonic() + 30
        while lock.stat().st_mtime == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert lock.stat().st_mtime > 0
    assert held(tmp_path) == []


def test_of_many_that_come_at_once_at_most_one_gets_in(tmp_path):
    # Each writes its lock first and looks for others then; so two can never both get in.
    script = (
        "import sys, time\n"
        "from ddzsim.engine.locks import locked\n"
        "from ddzsim.engine.stores import store_at\n"
        "from ddzsim.errors import RunError\n"
        "time.sleep(max(0, float(sys.argv[2]) - time.time()))\n"
        "try:\n"
        "    with locked(store_at(sys.argv[1])):\n"
        "        time.sleep(3)\n"
        "except RunError:\n"
        "    sys.exit(2)\n"
    )
    start = str(time.time() + 3)
    command = [sys.executable, "-c", script, tmp_path / "run", start]
    processes = [subprocess.Popen(command) for _ in range(4)]
    codes = [process.wait(60) for process in processes]
    assert set(codes) <= {0, 2}
    assert codes.count(0) <= 1
    assert held(tmp_path / "run") == []


def test_a_lock_is_no_part_of_a_run(tmp_path):
    out = tmp_path / "run"
    done("run", "-n", 20, "-s", 7, "--bots", "random", "-o", out)
    leave(out, who="ann@far, process 5", machine="far", pid=5, started=1.0)
    assert "is sound" in done("verify", out)
    assert complaint("run", "--resume", "-o", out).startswith(f"{out} is being played by ann@far")
