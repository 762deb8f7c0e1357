"""`ddzsim run`: play rounds between bots and log them."""

from __future__ import annotations

from typing import Any

import click

from ddzsim.cli.playing import ROUNDS, carried_out, setting, shared_options


@click.command(short_help="Play rounds between bots and log them.")
@setting(
    "-n",
    "--games",
    variable="GAMES",
    type=int,
    default=1000,
    show_default=True,
    help="Rounds to play.",
)
@setting(
    "--force-landlord",
    variable="FORCE_LANDLORD",
    metavar="off|0|1|2|3|rotate",
    default="off",
    show_default=True,
    help="No auction: this seat (3 with four players) is the landlord at a bid of 1, "
    "or each seat in turn.",
)
@shared_options("round", rules="classic")
@click.pass_context
def run(context: click.Context, /, **given: Any) -> None:
    """Play rounds between bots, log them to a run directory, and print what came out.

    \b
    Example:
        ddzsim run --games 10000 --seed 7 --bots hard,normal,normal --out runs/first
        ddzsim run --resume --out runs/first
    """
    carried_out(context, ROUNDS, given)
