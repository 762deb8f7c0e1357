"""Where parts are played: in this process, or in worker processes.

An executor takes a task and part numbers, and yields each part's number and tally as it is done, in
whatever order. The bytes of a part do not depend on it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Protocol, TypeVar

from ddzsim.errors import DdzError, RunError
from ddzsim.stats import Tally

Task = Callable[[int], Tally]

AHEAD = 2
"""Parts under way for each worker: none waits for the next, and an interrupt leaves little."""


class Pending(Protocol):
    """A part under way: a future of the standard library, or one of Dask."""

    def result(self) -> Tally:
        """The tally of the part, or the error it ended with."""


F = TypeVar("F", bound=Pending)


def worker_count(wanted: int) -> int:
    """How many workers `-j` means: 0 all cores, a negative number leaves that many free."""
    if wanted > 0:
        return wanted
    # A job scheduler or a container may grant fewer cores than the machine has.
    granted = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if granted else os.cpu_count() or 1
    return max(1, cores + wanted)


def serial(task: Task, parts: Sequence[int]) -> Generator[tuple[int, Tally], None, None]:
    """Play the parts one after another in this process."""
    for part in parts:
        yield part, task(part)


def processes(
    task: Task, parts: Sequence[int], workers: int
) -> Generator[tuple[int, Tally], None, None]:
    """Play the parts in worker processes, started afresh: a threaded parent is never forked.

    Raises:
        RunError: a worker died.
    """
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_attend)

    def submit(part: int) -> Future[Tally]:
        with _interrupts_held():
            return pool.submit(task, part)

    def done(running: Collection[Future[Tally]]) -> Iterable[Future[Tally]]:
        return wait(running, return_when=FIRST_COMPLETED).done

    try:
        yield from spread(parts, {}, submit, lambda: workers, done)
    except BrokenProcessPool:
        raise RunError("a worker process died (killed, or out of memory)") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def spread(
    parts: Iterable[int],
    running: dict[F, int],
    submit: Callable[[int], F],
    workers: Callable[[], int],
    done: Callable[[Collection[F]], Iterable[F]],
) -> Generator[tuple[int, Tally], None, None]:
    """Keep workers busy with parts; each part's number and tally as it is done.

    `running` holds what is under way and its part. `submit` starts a part, `workers` tells how many
    there are now, `done` waits until some of those under way are done and gives these.

    Raises:
        RunError: a part failed.
    """
    waiting = iter(parts)
    while True:
        room = AHEAD * workers()
        while len(running) < room and (part := next(waiting, None)) is not None:
            running[submit(part)] = part
        if not running:
            return
        for future in done(running):
            part = running.pop(future)
            yield part, _tally_of(future, part)


def _tally_of(future: Pending, part: int) -> Tally:
    """What a worker found, or why it did not."""
    try:
        return future.result()
    except (DdzError, BrokenProcessPool):
        raise
    except Exception as error:
        raise RunError(f"part {part} failed in a worker: {error!r}") from error


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while workers may start: they inherit it, safe before their first line."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent of this worker, which lets the parts in flight finish."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _attend() -> None:
    """Leave Ctrl-C to the parent; but do not outlive it."""
    ignore_interrupts()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker once its parent is gone, which a killed parent cannot tell it."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
