"""`ddzsim verify`: whether a run directory holds what its configuration would play again."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ddzsim.cli.options import json_option, print_json
from ddzsim.cli.progress import RoundsProgress, compiling, load_kernels, replay_kernels

if TYPE_CHECKING:
    from ddzsim.engine.verify import Verdict

FOUND_PROBLEMS = 1


@click.command(short_help="Check the directory of a run.")
@click.argument("place", metavar="RUN")
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    help="How many rounds, spread over the run, to play again and compare.",
)
@json_option
@click.pass_context
def verify(context: click.Context, place: str, sample: int, as_json: bool) -> None:
    """Check the directory of a RUN: every part, every row, and some rounds played again.

    Leaves with exit code 0 if all is well and 1 if something is wrong.

    \b
    Example:
        ddzsim verify runs/first --sample 1000
    """
    load_kernels()
    from ddzsim.deals import Deal
    from ddzsim.engine.dataset import read_run
    from ddzsim.engine.verify import verify_run
    from ddzsim.summary import noun_of
    from ddzsim.table import play

    config = read_run(place).config
    with compiling(replay_kernels(config.seats)):
        rules = config.ruleset
        play(Deal.of_round(config.seed, 0, rules.players), config.seats, rules)
    with RoundsProgress(config.games, noun=noun_of(config)) as progress:
        verdict = verify_run(place, sample, progress)
    if as_json:
        print_json({"run": place, **asdict(verdict)})
    else:
        _print_verdict(place, verdict)
    context.exit(FOUND_PROBLEMS if verdict.problems else 0)


def _print_verdict(place: str, verdict: Verdict) -> None:
    from ddzsim.summary import plural

    for problem in verdict.problems:
        click.echo(f"wrong: {problem}")
    for note in verdict.notes:
        click.echo(f"note: {note}")
    found = plural(len(verdict.problems), "problem")
    state = f"NOT sound, {found}" if verdict.problems else "sound"
    looked_at = f"{plural(verdict.checked_rows, 'row')} checked"
    click.echo(f"{place} is {state}: {looked_at}, {plural(verdict.replayed, 'round')} played again")
