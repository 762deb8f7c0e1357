"""Ctrl-C and SIGTERM: the first one lets what is in flight finish, a second one ends it at once."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(KeyboardInterrupt):
    """The user asked to stop; no `except Exception` on the way may keep it."""


class Stop:
    """Whether, and by which signal, a stop was asked for."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.in_flight = False
        """Whether parts are being played, so that a stop waits for the next chance to `check`."""
        self.restarted = False
        """Whether something, as Dask does, would start workers again that are killed."""

    @property
    def exit_code(self) -> int:
        """What the shell reports of a program that this signal ended."""
        return 128 + (self.signal or signal.SIGINT)

    def check(self) -> None:
        """Stop here if that was asked for.

        Raises:
            Stopped: it was.
        """
        if self.signal is not None:
            raise Stopped

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Take a signal."""
        if self.signal is not None:
            self._end_at_once()
            return
        self.signal = number
        if not self.in_flight:
            raise Stopped
        # Not through a stream: the signal may have come in the middle of writing to it.
        os.write(
            2, b"\nStopping: the parts in flight are finished first; once more ends it at once\n"
        )

    def _end_at_once(self) -> None:
        """Kill the workers, which ends the run as it is on disk; or else this process."""
        workers = multiprocessing.active_children()
        if not workers or self.restarted:
            os._exit(self.exit_code)
        for worker in workers:
            worker.kill()


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Take Ctrl-C and SIGTERM while the work inside goes on."""
    stop = Stop()
    before = {number: signal.signal(number, stop.receive) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
