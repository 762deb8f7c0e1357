"""`ddzsim session`: play sessions of rounds with running totals."""

from __future__ import annotations

from typing import Any

import click

from ddzsim.cli.playing import SESSIONS, carried_out, setting, shared_options


@click.command(short_help="Play sessions: rounds with running totals, chips and exits.")
@setting(
    "-n",
    "--sessions",
    variable="SESSIONS",
    type=int,
    default=1000,
    show_default=True,
    help="Sessions to play.",
)
@setting(
    "--hands",
    variable="HANDS",
    type=int,
    default=9,
    show_default=True,
    help="Rounds in a session, unless it ends before.",
)
@setting(
    "--chips",
    variable="CHIPS",
    type=int,
    default=0,
    show_default=True,
    help="Chips of each seat at the start, for table stakes; 0: no table stakes.",
)
@setting(
    "--stake",
    variable="STAKE",
    type=int,
    default=1,
    show_default=True,
    help="Dollars for a point; a chip is a dollar.",
)
@setting(
    "--quit-rate",
    variable="QUIT_RATE",
    type=float,
    default=0.0,
    show_default=True,
    help="The chance that a seat leaves in a round, which ends the session.",
)
@setting(
    "--mirror",
    variable="MIRROR",
    is_flag=True,
    help="Play the deals of each session once for each place that the bots can move to.",
)
@shared_options("session", rules="tabletop")
@click.pass_context
def session(context: click.Context, /, **given: Any) -> None:
    """Play sessions of rounds with running totals, log them, and print what came out.

    \b
    Example:
        ddzsim session --rules tabletop --hands 9 --sessions 10000
        ddzsim session --rules stakes --chips 1000 --stake 5 --hands 200 --quit-rate 0.01
    """
    carried_out(context, SESSIONS, given)
