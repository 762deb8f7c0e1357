"""`ddzsim verify`: whether a run directory holds what its configuration would play again."""

from __future__ import annotations

from pathlib import Path

import click

from ddzsim.cli.options import json_option, print_json

FOUND_PROBLEMS = 1


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    help="How many rounds, spread over the run, to play again and compare.",
)
@json_option
@click.pass_context
def verify(context: click.Context, folder: Path, sample: int, as_json: bool) -> None:
    """Check the directory of a RUN: every part, every row, and some rounds played again.

    Leaves with exit code 0 if all is well and 1 if something is wrong.

    \b
    Example:
        ddzsim verify runs/first --sample 1000
    """
    from ddzsim.cli.progress import compiling
    from ddzsim.engine.dataset import read_run
    from ddzsim.engine.verify import verify_run
    from ddzsim.engine.warm import kernels_of

    found = read_run(folder)
    with compiling(f"verify {kernels_of(found.config)}"):
        verdict = verify_run(folder, sample)
    if as_json:
        counts = {"checked_rows": verdict.checked_rows, "replayed": verdict.replayed}
        print_json({"run": str(folder), **counts, "problems": list(verdict.problems)})
    else:
        for problem in verdict.problems:
            click.echo(f"wrong: {problem}")
        state = "sound" if not verdict.problems else f"NOT sound, {len(verdict.problems)} problems"
        click.echo(f"{folder} is {state}: {verdict.checked_rows:,} rows checked, {verdict.replayed:,} rounds played again")
    context.exit(FOUND_PROBLEMS if verdict.problems else 0)
