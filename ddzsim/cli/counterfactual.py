"""`ddzsim counterfactual`: play each deal once for each seat as the landlord, and log it."""

from __future__ import annotations

from typing import Any

import click

from ddzsim.cli.playing import DEALS, carried_out, setting, shared_options


@click.command(short_help="Play each deal once for each seat as the landlord.")
@setting(
    "-n",
    "--deals",
    variable="DEALS",
    type=int,
    default=1000,
    show_default=True,
    help="Deals to play, each as many times as there are seats.",
)
@shared_options("deal", rules="classic")
@click.pass_context
def counterfactual(context: click.Context, /, **given: Any) -> None:
    """Play each deal once for each seat as the landlord, at a bid of 1, without an auction.

    The play does not depend on the bid, so what any auction would have come to can be looked up in
    this table: `ddzsim tune` finds the bids that pay on it. It is a run directory like any other.

    \b
    Example:
        ddzsim counterfactual --deals 100000 --seed 101 --bots hard --out runs/train
    """
    carried_out(context, DEALS, given)
