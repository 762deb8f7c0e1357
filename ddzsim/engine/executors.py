"""Where parts are played: in this process, or in worker processes.

An executor takes a task and part numbers, and yields each part's number and tally as it is finished, in
whatever order. The bytes of a part do not depend on it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from ddzsim.errors import RunError
from ddzsim.stats import Tally

Task = Callable[[int], Tally]


def worker_count(wanted: int) -> int:
    """How many workers `-j` means: 0 all cores, a negative number leaves that many free."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return wanted if wanted > 0 else max(1, cores + wanted)


def serial(task: Task, parts: Sequence[int]) -> Iterator[tuple[int, Tally]]:
    """Play the parts one after another in this process."""
    for part in parts:
        yield part, task(part)


def processes(task: Task, parts: Sequence[int], workers: int) -> Iterator[tuple[int, Tally]]:
    """Play the parts in worker processes, started afresh: a threaded parent is never forked.

    Raises:
        RunError: a worker died.
    """
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_ignore_interrupt)
    waiting = iter(parts)
    running: dict[Future[Tally], int] = {}
    try:
        while True:
            # Two parts for each worker are under way, so that none waits and an interrupt leaves little behind.
            while len(running) < 2 * workers and (part := next(waiting, None)) is not None:
                running[pool.submit(task, part)] = part
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    except BrokenProcessPool:
        raise RunError("a worker process died (killed, or out of memory)") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ignore_interrupt() -> None:
    """Leave Ctrl-C to the parent, which lets the parts in flight finish."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
