"""Where parts are played on a Dask cluster, which writes them straight to the shared store.

Dask plays a part again that failed, and those of a worker that died; a part is the same bytes
whoever plays it, and written whole, so that playing one twice does no harm.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ddzsim.engine.executors import Task, ignore_interrupts, spread
from ddzsim.engine.versions import differences, versions
from ddzsim.errors import ConfigError, RunError
from ddzsim.stats import Tally

if TYPE_CHECKING:
    from distributed import Client, Future

LOCAL = "local:"
"""What begins the name of a cluster on this machine; the number of its workers follows."""

TRIES_AGAIN = 3
CONNECT_SECONDS = 30
LOOK_SECONDS = 2
LOST_SECONDS = 120
"""A cluster that has had no worker for so long is taken for lost."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A task that is only done by a process with the versions of the one that asks for it."""

    task: Task
    versions: dict[str, str]

    def __call__(self, part: int) -> Tally:
        """Do the task for a part."""
        if found := differences(self.versions, versions()):
            raise RunError(f"a worker has other versions: {'; '.join(found)}")
        return self.task(part)


def on_cluster(
    task: Task, parts: Sequence[int], address: str
) -> Generator[tuple[int, Tally], None, None]:
    """Play the parts on a Dask cluster: its scheduler's address or file, or `local:` and a number.

    Raises:
        ConfigError: the address does not read, or Dask is not installed.
        RunError: the cluster cannot be reached, is lost, has other versions, or a part failed.
    """
    local = local_workers(address)
    with _connected(address, local) as client:
        _wait_for_a_worker(client, address)
        _check_versions(client)
        yield from _spread(client, Checked(task, versions()), parts)


def local_workers(address: str) -> int | None:
    """How many workers `local:N` asks for; None if the address is that of a scheduler.

    Raises:
        ConfigError: it is neither.
    """
    if address.startswith(LOCAL):
        count = address.removeprefix(LOCAL)
        if count.isascii() and count.isdigit() and 1 <= int(count) <= 1024:
            return int(count)
    elif address.startswith(("tcp://", "tls://", "ws://", "wss://")) or address.endswith(".json"):
        return None
    raise ConfigError(
        f"--dask {address!r}: a scheduler such as tcp://host:8786, its .json file, or local:4"
    )


@contextmanager
def _connected(address: str, local: int | None) -> Iterator[Client]:
    """A client of the cluster; a local one lives as long as the client."""
    try:
        import distributed
    except ImportError:
        raise ConfigError("--dask needs Dask: pip install 'ddzsim[dask]'") from None
    if local is not None:
        with (
            distributed.LocalCluster(
                n_workers=local, threads_per_worker=1, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            client.run(ignore_interrupts)
            yield client
        return
    try:
        there = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
        client = distributed.Client(**there, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise RunError(f"--dask {address}: no scheduler answers: {error}") from None
    with client:
        yield client


def _wait_for_a_worker(client: Client, address: str) -> None:
    """Wait until the cluster has a worker."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError:
        raise RunError(
            f"--dask {address}: the cluster has no worker after {CONNECT_SECONDS} s"
        ) from None


def _check_versions(client: Client) -> None:
    """Refuse workers with other versions than this process; those that come later refuse."""
    for worker, there in client.run(versions, on_error="return").items():
        if isinstance(there, BaseException):
            raise RunError(f"worker {worker} has no ddzsim that answers: {there!r}")
        if found := differences(versions(), there):
            raise RunError(f"worker {worker} has other versions: {'; '.join(found)}")


def _spread(
    client: Client, task: Checked, parts: Sequence[int]
) -> Generator[tuple[int, Tally], None, None]:
    """Keep every thread of the cluster busy with parts."""
    running: dict[Future, int] = {}

    def submit(part: int) -> Future:
        return client.submit(task, part, retries=TRIES_AGAIN, pure=False)

    def threads() -> int:
        count: int = sum(client.nthreads().values())
        return max(1, count)

    def done(running: Collection[Future]) -> list[Future]:
        return _next_done(client, running)

    try:
        yield from spread(parts, running, submit, threads, done)
    finally:
        # What is under way is finished, unless the cluster is gone.
        with suppress(RunError):
            while running:
                for future in _next_done(client, running):
                    del running[future]


def _next_done(client: Client, running: Collection[Future]) -> list[Future]:
    """Wait for parts to be done; never for a cluster that is gone."""
    from distributed import wait

    seen = time.monotonic()
    while True:
        with suppress(TimeoutError):
            done = wait(list(running), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done
            return list(done)
        if client.status != "running":
            raise RunError("the connection to the Dask scheduler is lost")
        if client.nthreads():
            seen = time.monotonic()
        elif time.monotonic() - seen > LOST_SECONDS:
            raise RunError(f"the cluster has had no worker for {LOST_SECONDS} s")
