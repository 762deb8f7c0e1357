"""What is said on stderr while something takes its time: compiling, and rounds being played."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

if TYPE_CHECKING:
    from ddzsim.bots.seats import Seat

TICK_SECONDS = 0.5
QUIET_LINES = 10
"""How many lines a whole run writes where there is no terminal."""


@contextmanager
def compiling(name: str) -> Iterator[None]:
    """Say that the first start on a machine compiles, if this is one; do the work inside."""
    from ddzsim.core.cache import is_compiled, mark_compiled

    if is_compiled(name):
        yield
        return
    _say_once("First start on this machine: compiling takes up to a minute, once.")
    with _ticking("Compiling"):
        yield
    mark_compiled(name)


def load_kernels() -> None:
    """Import the kernels that are compiled when they are defined, before a command imports more."""
    with compiling("definitions"):
        import ddzsim.bots.seats  # noqa: F401


@cache
def _say_once(line: str) -> None:
    """Write a line to stderr, the first time only."""
    click.echo(line, err=True)


def replay_kernels(seats: Iterable[Seat]) -> str:
    """What names the kernels that one round outside a run is played with."""
    return "replay " + ",".join(sorted({seat.bot.name for seat in seats}))


@contextmanager
def _ticking(label: str) -> Iterator[None]:
    """Show seconds going by, on a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    start = time.monotonic()

    def tick() -> None:
        while not done.wait(TICK_SECONDS):
            click.echo(f"\r{label} … {time.monotonic() - start:.0f} s", nl=False, err=True)

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
        click.echo("\r\033[K", nl=False, err=True)


class RoundsProgress:
    """How far a run is: a bar with rate and time left on a terminal, a few lines elsewhere."""

    def __init__(self, total: int, done: int = 0, noun: str = "round") -> None:
        self.total = total
        self.done = done
        self.noun = noun
        self.before = done
        self.seconds = 0.0
        """From the start to the last rounds that were finished."""
        self._start = time.monotonic()
        self._said = QUIET_LINES * done // total
        self._bar: Any = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(
                total=self.total,
                initial=self.done,
                unit=f" {self.noun}s",
                unit_scale=True,
                file=sys.stderr,
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    @property
    def rate(self) -> float:
        """Rounds or sessions a second, those that were there before not counted."""
        return (self.done - self.before) / max(self.seconds, 1e-9)

    def __call__(self, rounds: int) -> None:
        """Some more rounds or sessions have been finished."""
        self.done += rounds
        self.seconds = time.monotonic() - self._start
        if self._bar is not None:
            self._bar.update(rounds)
            return
        tenth = QUIET_LINES * self.done // self.total
        if tenth > self._said:
            self._said = tenth
            left = (self.total - self.done) / max(self.rate, 1e-9)
            click.echo(
                f"{100 * self.done / self.total:.0f} %: {self.done:,} of {self.total:,} "
                f"{self.noun}s, {self.rate:,.0f} a second, about {left:.0f} s left",
                err=True,
            )
