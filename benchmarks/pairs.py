"""Timing of two things against each other in one process, in turn, on CPU time.

The speed of a shared host drifts by a factor of two within minutes: a rate means little on its own.
Slices of A and B alternate, each pair gives one ratio, the median of the ratios is the result.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Slice = Callable[[], int]
"""Does a small piece of work, and says how many units of it were done."""


def pin_to_one_core() -> None:
    """Keep this process on one core, where the system lets it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def rate(work: Slice, seconds: float) -> float:
    """Units per CPU second, over whole pieces of work that take at least some CPU seconds."""
    done = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += work()
    return done / spent


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rates of A and B, measured in turn."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def ratios(self) -> list[float]:
        """How many times faster A was, in each pair of slices."""
        return sorted(a / b for a, b in zip(self.ours, self.theirs, strict=True))

    @property
    def ratio(self) -> float:
        """The median of the ratios."""
        return statistics.median(self.ratios)

    def line(self, name: str, needed: float | None = None) -> str:
        """One line of a table: both rates, the ratio with its range, and what is needed."""
        ours, theirs = statistics.median(self.ours), statistics.median(self.theirs)
        span = f"({self.ratios[0]:.1f} to {self.ratios[-1]:.1f})"
        wanted = "" if needed is None else f"  needed >= {needed:g}"
        return f"{name:34s}{ours:14,.0f}{theirs:14,.0f}{self.ratio:10.1f} {span:20s}{wanted}"


def header(unit: str, theirs: str) -> str:
    """The head of the table whose lines `Comparison.line` gives."""
    return f"{unit + ' per CPU second':34s}{'ddzsim':>14s}{theirs:>14s}{'ratio':>10s}"


def compare(ours: Slice, theirs: Slice, *, pairs: int = 5, seconds: float = 2.0) -> Comparison:
    """Time two kinds of work in turn, after one piece of each to warm up."""
    ours()
    theirs()
    rates = [(rate(ours, seconds), rate(theirs, seconds)) for _ in range(pairs)]
    return Comparison(*zip(*rates, strict=True))
