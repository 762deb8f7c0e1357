"""`ddzsim advise`: what a hand is worth before the auction."""

from __future__ import annotations

import click

from ddzsim.cli.options import json_option, print_json, rules_of, rules_option, set_option
from ddzsim.cli.progress import compiling, load_kernels


@click.command(short_help="Rate a hand and say what to bid on it.")
@click.argument("hand")
@click.option("--advice", metavar="NAME", default="default", show_default=True, help="How to bid.")
@rules_option
@set_option
@json_option
def advise(hand: str, advice: str, rules: str, overrides: tuple[str, ...], as_json: bool) -> None:
    """Rate a HAND of 17 cards and say what to bid on it; 20 cards are rated with their kitty.

    Under tabletop-4p these are 25 and 33 cards.

    \b
    Example:
        ddzsim advise 3456889TJJKA22Q3X
    """
    load_kernels()
    from ddzsim.bots.advice import advice_of, rate
    from ddzsim.cards import Hand

    ruleset = rules_of(rules, overrides)
    advice_of(advice)
    held = Hand.parse(hand, ruleset.decks)
    dealt, most = ruleset.hand_size, ruleset.most_cards
    if len(held) not in (dealt, most):
        raise click.UsageError(
            f"the hand holds {len(held)} cards: {dealt} as dealt, or {most} with the kitty"
        )
    with compiling("advise"):
        rating = rate(held, ruleset)
        bid, line = rating.advice(advice), rating.line(advice)
    if as_json:
        rated = {"big": rating.big, "bombs": rating.bombs, "plays": rating.plays}
        print_json({"hand": str(held), **rated, "advice": advice, "bid": bid})
    else:
        click.echo(line)
