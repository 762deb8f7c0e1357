"""Where parts are played: in this process, or in worker processes.

An executor takes a task and part numbers, and yields each part's number and tally as it is done, in
whatever order. The bytes of a part do not depend on it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from ddzsim.errors import DdzError, RunError
from ddzsim.stats import Tally

Task = Callable[[int], Tally]


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
    waiting = iter(parts)
    running: dict[Future[Tally], int] = {}
    try:
        while True:
            # Two parts a worker are under way: none waits, and an interrupt leaves little.
            while len(running) < 2 * workers and (part := next(waiting, None)) is not None:
                with _interrupts_held():
                    future = pool.submit(task, part)
                running[future] = part
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                part = running.pop(future)
                yield part, _tally_of(future, part)
    except BrokenProcessPool:
        raise RunError("a worker process died (killed, or out of memory)") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _tally_of(future: Future[Tally], part: int) -> Tally:
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
