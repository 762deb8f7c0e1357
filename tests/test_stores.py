"""Places for runs: folders and a real S3 server; files appear whole, and no credentials leak."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pyarrow import fs
from shell import complaint, done, parts_of, started

import ddzsim as dz
from ddzsim.core.jit import COMPILED
from ddzsim.engine.config import RunConfig
from ddzsim.engine.run import Options, run
from ddzsim.engine.stores import Bucket, Folder, Store, store_at
from ddzsim.errors import RunError

KEY, SECRET = "AKIAEXAMPLEKEY", "example/secret+value"
CONFIG = RunConfig(seed=7, games=20_500, bots="random")
RUN = ("run", "--games", 20_500, "--seed", 7, "--bots", "random")

EMULATOR = (
    "import sys; from gcp_storage_emulator.__main__ import main; main(['start', *sys.argv[1:]])"
)
"""A server that speaks the protocol of Google Cloud Storage."""

needs_speed = pytest.mark.skipif(not COMPILED, reason="20,500 rounds take compiled kernels")


# What names a place


@pytest.mark.parametrize("place", ["runs/a", "/data/runs/a", "a b", "C:/runs"])
def test_a_path_is_a_folder(place):
    store = store_at(place)
    assert isinstance(store, Folder)
    assert (store.place, store.shown("rounds/x")) == (
        str(Path(place)),
        str(Path(place, "rounds/x")),
    )


def test_a_file_uri_is_a_folder():
    for uri in ("file:///data/run%201", "file://localhost/data/run%201"):
        assert store_at(uri).place == "/data/run 1"


@pytest.mark.parametrize(
    ("uri", "error"),
    [
        ("", "'' names no run directory: a path, or a URI such as s3://bucket/run"),
        ("a\0b", r"'a\x00b' names no run directory: a path, or a URI such as s3://bucket/run"),
        ("http://x/run", "http://x/run: a path, or a URI with s3://, gs:// or file://"),
        ("S3://b/run", "S3://b/run: a path, or a URI with s3://, gs:// or file://"),
        ("file://host/run", "file://host/run: file:// and a full path, as in file:///data/run"),
        ("file://", "file://: file:// and a full path, as in file:///data/run"),
        ("s3://", "s3://: a bucket and a folder in it, as in s3://bucket/run"),
        ("s3://b", "s3://b: a bucket and a folder in it, as in s3://bucket/run"),
        ("s3:///run", "s3:///run: a bucket and a folder in it, as in s3://bucket/run"),
        ("s3://b/a//c", "s3://b/a//c: a bucket and a folder in it, as in s3://bucket/run"),
        ("gs://b/a/../c", "gs://b/a/../c: a bucket and a folder in it, as in gs://bucket/run"),
        ("s3://b/run?a=b", "s3://b/run: 'a' cannot be set: region, scheme, endpoint_override"),
        ("s3://[b/run", "s3://[b/run: Invalid IPv6 URL"),
    ],
)  # fmt: skip
def test_a_place_that_is_none_is_refused(uri, error):
    with pytest.raises(RunError) as caught:
        store_at(uri)
    assert str(caught.value) == error


@pytest.mark.parametrize(
    "uri",
    [
        f"s3://{KEY}:{SECRET}@bucket/run",
        f"s3://bucket/run?secret_key={SECRET}",
        f"http://{KEY}:{SECRET}@bucket/run?x={SECRET}",
        f"s3://{KEY}:{SECRET}@[bucket/run",
        f"gs://{SECRET.replace('/', '')}@bucket/run",
        "s3://anonymous@bucket/run",
    ],
)
def test_credentials_in_a_uri_are_refused_and_not_repeated(uri):
    text = complaint("run", "-n", 1, "-s", 1, "-o", uri)
    assert KEY not in text
    assert SECRET not in text
    assert complaint("verify", uri) == text


# Folders


def test_a_folder_gets_files_whole(tmp_path):
    store = store_at(tmp_path / "run")
    store.write("rounds/a", b"one")
    store.write("rounds/a", b"two")
    assert store.read("rounds/a") == b"two"
    assert [path.name for path in (tmp_path / "run" / "rounds").iterdir()] == ["a"]


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    store = store_at(tmp_path)
    store.write("a", b"old")

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(RunError, match="a cannot be written: No space left on device"):
        store.write("a", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"old")]


def test_links_out_of_a_run_directory_are_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "part-00000.parquet").write_text("mine")
    inside = tmp_path / "run"
    inside.mkdir()
    (inside / "rounds").symlink_to(outside)
    (inside / "run.json").symlink_to(outside / "part-00000.parquet")
    store = store_at(inside)
    for act in (
        lambda: store.read("run.json"),
        lambda: store.read("rounds/part-00000.parquet"),
        lambda: store.write("rounds/part-00000.parquet", b""),
        lambda: store.remove("rounds/part-00000.parquet"),
        lambda: store.found("rounds"),
    ):
        with pytest.raises(RunError, match="is a link: a run directory holds its files itself"):
            act()
    assert store.found() == []
    assert (outside / "part-00000.parquet").read_text() == "mine"


def test_names_out_of_a_run_directory_are_refused(tmp_path):
    store = store_at(tmp_path / "run")
    for name in ("../a", "rounds/../../a", "/etc/passwd"):
        with pytest.raises(RunError, match="is not in"):
            store.read(name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes a pipe")
def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "run.json")
    with pytest.raises(RunError, match=r"run\.json is no file"):
        store_at(tmp_path).read("run.json")


# A bucket of a real server


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Gate:
    """A way to a server that can be shut and opened: what lies behind it is lost, and found."""

    def __init__(self, behind: int) -> None:
        self.behind = behind
        self.port = free_port()
        self.ways: list[socket.socket] = []
        self.open()

    def open(self) -> None:
        """Let connections through."""
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._listen, args=(self.listener,), daemon=True).start()

    def shut(self) -> None:
        """Refuse connections, and cut those there are."""
        # A thread that waits in accept keeps the port open unless it is woken.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for way in self.ways:
            with suppress(OSError):
                way.shutdown(socket.SHUT_RDWR)
            way.close()
        self.ways.clear()

    def _listen(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                outer, _ = listener.accept()
                inner = socket.create_connection(("127.0.0.1", self.behind))
                self.ways += [outer, inner]
                for source, sink in ((outer, inner), (inner, outer)):
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def gate(tmp_path_factory) -> Iterator[Gate]:
    """An S3 server with one bucket, `labs`, and the way to it, which the environment names."""
    port = free_port()
    path = tmp_path_factory.mktemp("moto") / "log"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    environment = {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with (
        pytest.MonkeyPatch.context() as patch,
        path.open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as server,
    ):
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            wait_for_port(port)
            there = Gate(port)
            endpoint = f"http://127.0.0.1:{there.port}"
            patch.setenv("AWS_ENDPOINT_URL", endpoint)
            fs.S3FileSystem(endpoint_override=endpoint, allow_bucket_creation=True).create_dir(
                "labs"
            )
            yield there
            there.shut()
        finally:
            server.kill()


def wait_for_port(port: int) -> None:
    """Wait until somebody listens."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise AssertionError(f"nobody listens on port {port}")


def contents(store: Store) -> dict[str, bytes]:
    """The bytes of every part of a run."""
    found = [file.name for table in ("rounds", "plays") for file in store.found(table)]
    return {name: store.read(name) for name in found}


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> Path:
    """The run in a folder."""
    if not COMPILED:
        pytest.skip("20,500 rounds take too long uncompiled")
    folder = tmp_path_factory.mktemp("local") / "run"
    run(folder, CONFIG, Options(workers=1))
    return folder


def test_a_bucket_is_a_place_for_files(gate):
    store = store_at("s3://labs/files")
    assert isinstance(store, Bucket)
    assert (store.found("rounds"), store.entries()) == ([], [])
    before = time.time()
    store.write("rounds/a", b"one")
    store.write("rounds/a", b"three")
    (found,) = store.found("rounds")
    assert (found.name, found.bytes) == ("rounds/a", 5)
    assert abs(found.changed - before) < 60
    assert store.read("rounds/a") == b"three"
    assert store.entries() == ["rounds"]
    store.remove("rounds/a")
    store.remove("rounds/a")
    assert store.found("rounds") == []
    with pytest.raises(FileNotFoundError):
        store.read("rounds/a")


@needs_speed
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_in_a_bucket_has_the_bytes_of_one_in_a_folder(gate, local, workers):
    place = f"s3://labs/run-{workers}"
    printed = done(*RUN, "-j", workers, "-o", place)
    assert f"Check it          ddzsim verify {place}" in printed
    store = store_at(place)
    assert contents(store) == parts_of(local)
    assert [found.name for found in store.found()] == ["run.json"]
    assert done("verify", place, "--sample", 20).startswith(f"{place} is sound: 20,500 rows")
    assert done("summary", place).splitlines()[:12] == done("summary", local).splitlines()[:12]


@needs_speed
def test_a_run_in_a_bucket_reads_as_one_in_a_folder(gate, local):
    place = "s3://labs/read"
    run(place, CONFIG, Options(workers=1))
    here, there = dz.read_run(local), dz.read_run(place)
    assert there.files()[2] == f"{place}/rounds/part-00002.parquet"
    assert there.arrow().equals(here.arrow())
    by_side = [
        sorted(held.duckdb().aggregate("side, count(*)", "side").fetchall())
        for held in (here, there)
    ]
    assert by_side[0] == by_side[1]
    assert str(there) == f"{place}: 20,500 rounds of random under classic"


@needs_speed
def test_a_run_in_a_bucket_is_resumed_refused_and_overwritten(gate, local):
    place = "s3://labs/again"
    store = store_at(place)
    done(*RUN, "-o", place)
    assert complaint(*RUN, "-o", place) == (
        f"{place} exists: --resume to finish it, --overwrite to replace it, or another --out"
    )
    before = {found.name: found.changed for found in store.found("rounds")}
    # A bucket's times are whole seconds: a part written again within the same one would look kept.
    time.sleep(1.1)
    store.write("rounds/part-00001.parquet", store.read("rounds/part-00001.parquet")[:-100])
    done("run", "--resume", "-o", place)
    assert contents(store) == parts_of(local)
    after = {found.name: found.changed for found in store.found("rounds")}
    kept = [name for name in before if before[name] == after[name]]
    assert kept == ["rounds/part-00000.parquet", "rounds/part-00002.parquet"]
    other = RunConfig(seed=8, games=10, bots="random")
    with pytest.raises(RunError, match=f"holds run {CONFIG.run_id}, this is run {other.run_id}"):
        run(place, other, Options(workers=1, resume=True))
    run(place, other, Options(workers=1, overwrite=True))
    assert list(contents(store)) == ["rounds/part-00000.parquet"]
    assert dz.read_run(place).config == other


def test_a_bucket_that_is_not_there_is_one_line(gate):
    assert complaint("verify", "s3://labs/nothing") == (
        "s3://labs/nothing is no run directory: it has no run.json"
    )
    text = complaint("run", "-n", 10, "-s", 1, "-o", "s3://no-such-bucket/run")
    assert text.startswith("s3://no-such-bucket/run/lock-")
    assert "cannot be written" in text
    assert "NO_SUCH_BUCKET" in text


def test_a_bucket_of_google_is_a_place_too(tmp_path):
    port = free_port()
    command = [sys.executable, "-c", EMULATOR, "--host", "127.0.0.1", "--port", str(port)]
    command += ["--in-memory", "--default-bucket", "labs"]
    options = f"scheme=http&endpoint_override=127.0.0.1:{port}&retry_limit_seconds=20"
    place = f"gs://anonymous@labs/run?{options}"
    run_it = ("run", "-n", 40, "-s", 3, "--bots", "random", "-j", 1, "--log", "plays")
    done(*run_it, "-o", tmp_path / "run")
    with (tmp_path / "log").open("wb") as log, subprocess.Popen(command, stderr=log) as server:
        try:
            wait_for_port(port)
            done(*run_it, "-o", place)
            store = store_at(place)
            assert contents(store) == parts_of(tmp_path / "run")
            store.remove("rounds/part-00000.parquet")
            done("run", "--resume", "-j", 1, "-o", place)
            assert contents(store) == parts_of(tmp_path / "run")
            assert "is sound" in done("verify", place, "--sample", 5)
            assert complaint(*run_it, "-o", place).startswith(f"{place} exists: --resume")
        finally:
            server.kill()


@needs_speed
def test_credentials_are_nowhere_in_a_run(gate, tmp_path):
    place = "s3://labs/quiet"
    with started(*RUN, "-o", place) as process:
        printed = "".join(process.communicate(timeout=120))
    assert process.returncode == 0
    store = store_at(place)
    held = store.read("run.json").decode() + "".join(map(str, contents(store).values()))
    assert json.loads(store.read("run.json"))["sources"]["out"] == "flag"
    for text in (printed, held):
        assert KEY not in text
        assert SECRET not in text


def test_an_error_of_the_store_does_not_repeat_credentials(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)

    class Leaky(Bucket):
        def __init__(self) -> None:
            self._uri, self._root = "s3://labs/run", "labs/run"

            class Files:
                def open_input_file(self, path: str) -> None:
                    raise OSError(f"signed {path} with {SECRET}")

            self._files = Files()

    with pytest.raises(RunError) as caught:
        Leaky().read("a")
    assert str(caught.value) == "s3://labs/run/a cannot be read: signed labs/run/a with …"


@needs_speed
def test_a_store_that_is_lost_ends_the_run_and_loses_no_finished_part(gate, tmp_path):
    # Parts that take a while, so that the store is lost in the middle of the run.
    run_it = ("run", "--games", 40_500, "--seed", 7, "--bots", "hard", "--log", "plays", "-j", 1)
    done(*run_it, "-o", tmp_path / "run")
    whole = parts_of(tmp_path / "run")
    place = "s3://labs/lost"
    with started(*run_it, "-o", place) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if " %: " in line:
                break
        gate.shut()
        try:
            _, rest = process.communicate(timeout=120)
        finally:
            gate.open()
    assert process.returncode == 1
    last = rest.splitlines()[-1]
    assert re.match(rf"Error: {place}/\w+/part-0000[1-4]\.parquet cannot be written: ", last)
    assert last.endswith(
        f"; what is on disk cannot be read now, to go on: ddzsim run --resume --out {place}"
    )
    assert "Traceback" not in rest
    held = contents(store_at(place))
    assert held == {name: whole[name] for name in held}
    assert "rounds/part-00000.parquet" in held
    done("run", "--resume", "-o", place)
    assert contents(store_at(place)) == whole


def test_a_relative_path_follows_the_working_folder(tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert store_at("run").everywhere == str(tmp_path / name / "run")
