"""Runs on Dask: real schedulers and workers on this machine, killed and mismatched ones too."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from shell import complaint, ddzsim, done, parts_of, started

from ddzsim.core.jit import COMPILED
from ddzsim.engine.cluster import local_workers
from ddzsim.errors import ConfigError

pytestmark = pytest.mark.skipif(not COMPILED, reason="40,500 rounds take compiled kernels")

ROOT = Path(__file__).parent.parent
RUN = ("run", "--games", 60_500, "--seed", 7, "--bots", "hard", "--log", "plays")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict[str, bytes]:
    """The bytes of the run, played by one process."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    done(*RUN, "-j", 1, "-o", folder)
    return parts_of(folder)


@contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    """A Dask scheduler as a process of its own; its address."""
    file = folder / "scheduler.json"
    command = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
    with process(folder, *command, "--scheduler-file", str(file)):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            # The file is there before it is filled.
            if file.exists() and (text := file.read_text()):
                yield json.loads(text)["address"]
                return
            time.sleep(0.1)
        raise AssertionError("no scheduler after a minute")


@contextmanager
def worker(folder: Path, address: str, path: Path = ROOT) -> Iterator[subprocess.Popen[bytes]]:
    """A Dask worker without a nanny, so that killing it is final."""
    command = ["worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
    with process(folder, *command, "--local-directory", str(folder), path=path) as started:
        yield started


@contextmanager
def process(folder: Path, *words: str, path: Path = ROOT) -> Iterator[subprocess.Popen[bytes]]:
    """A process of Dask's own command line; it does not outlive the test."""
    environment = os.environ | {"PYTHONPATH": str(path)}
    command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
    with (folder / f"{words[0]}.log").open("ab") as log:
        started = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
        try:
            yield started
        finally:
            started.kill()
            started.wait()


def wait_for_a_part(out: Path) -> None:
    """Wait until the first part of a run is written, with others under way."""
    deadline = time.monotonic() + 120
    while not list(out.glob("rounds/*.parquet")):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_local_cluster_writes_the_same_bytes(whole, tmp_path):
    printed = done(*RUN, "--dask", "local:2", "-o", tmp_path / "run")
    assert parts_of(tmp_path / "run") == whole
    assert "a Dask cluster)" in printed
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    assert manifest["sources"]["dask"] == "flag"


def test_a_cluster_that_loses_a_worker_loses_no_part(whole, tmp_path):
    out = tmp_path / "run"
    with (
        scheduler(tmp_path) as address,
        worker(tmp_path, address) as first,
        worker(tmp_path, address),
        started(*RUN, "--dask", address, "-o", out) as client,
    ):
        wait_for_a_part(out)
        first.send_signal(signal.SIGKILL)
        assert len(list(out.glob("rounds/*.parquet"))) < 7
        printed, errors = client.communicate(timeout=120)
        assert client.returncode == 0, errors
    assert "60,500 rounds" in printed
    assert parts_of(out) == whole


def test_a_signal_lets_the_parts_in_flight_on_a_cluster_finish(whole, tmp_path):
    out = tmp_path / "run"
    with started(*RUN, "--dask", "local:2", "-o", out, start_new_session=True) as process:
        wait_for_a_part(out)
        # To the whole group, as from a terminal.
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 130, errors
    assert "Traceback" not in errors
    last = errors.splitlines()[-1]
    assert last.startswith("Stopped; ")
    assert last.endswith(f" rounds are on disk, to go on: ddzsim run --resume --out {out}")
    assert not list(out.rglob(".*"))
    done("run", "--resume", "-o", out)
    assert parts_of(out) == whole


def test_a_run_that_another_began_goes_on_on_a_cluster(whole, tmp_path):
    out = tmp_path / "run"
    done(*RUN, "-j", 1, "-o", out)
    (out / "rounds" / "part-00001.parquet").unlink()
    done("run", "--resume", "--dask", "local:1", "-o", out)
    assert parts_of(out) == whole


def test_workers_with_other_sources_are_refused_with_both_versions(tmp_path):
    other = tmp_path / "other"
    shutil.copytree(ROOT / "ddzsim", other / "ddzsim", ignore=shutil.ignore_patterns("__pycache__"))
    init = other / "ddzsim" / "__init__.py"
    init.write_text(init.read_text().replace('__version__ = "', '__version__ = "9.'))
    with scheduler(tmp_path) as address, worker(tmp_path, address, other):
        text = complaint_of_a_process(*RUN, "--dask", address, "-o", tmp_path / "run")
    assert " has other versions: ddzsim 9.0.1.0 there, 0.1.0 here; ddzsim sources " in text
    assert not list((tmp_path / "run").glob("rounds/*"))


def complaint_of_a_process(*args: str | int | Path) -> str:
    """The last line of a command line that fails."""
    with started(*args) as process:
        printed, errors = process.communicate(timeout=120)
    assert process.returncode == 1, errors
    assert printed == ""
    assert "Traceback" not in errors
    return errors.splitlines()[-1]


def test_a_scheduler_that_is_not_there_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("ddzsim.engine.cluster.CONNECT_SECONDS", 1)
    result = ddzsim(*RUN, "--dask", "tcp://127.0.0.1:9", "-o", tmp_path / "run")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1].startswith(
        "Error: --dask tcp://127.0.0.1:9: no scheduler answers: "
    )


@pytest.mark.parametrize(("address", "workers"), [("local:4", 4), ("tcp://host:8786", None)])
def test_an_address_is_a_scheduler_or_a_number_of_workers(address, workers):
    assert local_workers(address) == workers
    assert local_workers("scheduler.json") is None


@pytest.mark.parametrize(
    "address", ["local", "local:", "local:0", "local:x", "local:٣", "host", "http://x"]
)
def test_an_address_that_is_none_is_refused(address, tmp_path):
    due = f"--dask {address!r}: a scheduler such as tcp://host:8786, its .json file, or local:4"
    with pytest.raises(ConfigError) as caught:
        local_workers(address)
    assert str(caught.value) == due
    assert complaint(*RUN, "--dask", address, "-o", tmp_path / "run") == due
    assert not (tmp_path / "run").exists()


def test_a_cluster_and_workers_are_one_or_the_other(tmp_path):
    text = complaint(*RUN, "--dask", "local:2", "-j", 2, "-o", tmp_path / "run")
    assert text == "--dask and --workers: one or the other"
