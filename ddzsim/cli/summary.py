"""`ddzsim summary`: what came out of a run, from its files alone."""

from __future__ import annotations

import re
import shlex

import click

from ddzsim.cli.options import json_option, print_json
from ddzsim.cli.progress import RoundsProgress, load_kernels
from ddzsim.errors import ConfigError, RunError

UNITS = {
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}


class Memory(click.ParamType):  # type: ignore[type-arg]
    """An amount of memory, such as 500MB or 2GiB, in bytes."""

    name = "SIZE"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read an amount."""
        match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([KMGT]I?B)", value.strip().upper())
        if match is None:
            raise ConfigError(f"--memory-limit {value!r}: a number and a unit, as in 500MB or 2GiB")
        return int(float(match[1]) * UNITS[match[2]])


@click.command(short_help="Print what came out of a run, from its files.")
@click.argument("place", metavar="RUN")
@click.option(
    "--memory-limit",
    type=Memory(),
    help="The most memory that this process may take, as in 500MB.",
)
@json_option
def summary(place: str, memory_limit: int | None, as_json: bool) -> None:
    """Print what came out of a RUN, finished or not, as `run` printed it.

    \b
    Example:
        ddzsim summary runs/first
    """
    load_kernels()
    from ddzsim.engine.dataset import read_run, rows_within
    from ddzsim.summary import (
        facts,
        how_to_read,
        noun_of,
        resume_command,
        summarise,
        unfinished,
    )

    run = read_run(place)
    parts, noun = run.parts(), noun_of(run.config)
    if not parts:
        raise RunError(f"{place} has no {noun}s yet: {resume_command(place, run.config)}")
    rows_at_once = rows_within(memory_limit)
    with RoundsProgress(run.config.games, noun=noun) as progress:
        tally = run.tally(parts, rows_at_once, progress)
    if not tally.rounds:
        raise RunError(f"{place} holds parts without a round: ddzsim verify {shlex.quote(place)}")
    if as_json:
        print_json({"run": run.config.run_id, "out": place} | facts(tally, run.config))
        return
    # Both before either is printed: a file that does not read is told instead.
    page, advice = summarise(tally, run.config), how_to_read(place, run.config)
    click.echo(page)
    if tally.games < run.config.games:
        click.echo(unfinished(tally, run.config, place))
    click.echo()
    click.echo(advice)
