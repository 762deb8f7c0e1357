"""`ddzsim replay`: one round told in full, the same as a run plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ddzsim.cli.options import (
    bots_option,
    json_option,
    print_json,
    rules_of,
    rules_option,
    set_option,
)
from ddzsim.cli.progress import compiling, load_kernels, replay_kernels

if TYPE_CHECKING:
    from ddzsim.game import Round


@click.command(short_help="Tell one round in full.")
@click.argument("code")
@bots_option
@rules_option
@set_option
@click.option(
    "--force-landlord",
    type=click.Choice(["0", "1", "2", "3"]),
    metavar="SEAT",
    help="The landlord's seat, 0 to 2 (3 with four players), at a bid of 1; "
    "by auction if not given.",
)
@json_option
def replay(
    code: str,
    bots: str,
    rules: str,
    overrides: tuple[str, ...],
    force_landlord: str | None,
    as_json: bool,
) -> None:
    """Play the deal of a CODE and tell the round: bids, plays, what it is worth, who gets it.

    After each bomb and rocket stands what the round is worth: base × bid × multiplier.

    With the bots and rules of a run, this is the round that the run's log has in one row.

    \b
    Example:
        ddzsim replay 0000-0000-0000 --bots hard,normal,normal
    """
    load_kernels()
    from ddzsim.bots.seats import parse_seats
    from ddzsim.deals import Deal
    from ddzsim.game import check_deal
    from ddzsim.table import play

    ruleset = rules_of(rules, overrides)
    seats = parse_seats(bots, ruleset.players)
    deal = Deal.from_code(code)
    landlord = None if force_landlord is None else int(force_landlord)
    # Said before compiling is, which takes a while.
    check_deal(deal, ruleset, landlord)
    with compiling(replay_kernels(seats)):
        played = play(deal, seats, ruleset, landlord=landlord)
    if as_json:
        print_json(as_record(played))
    else:
        click.echo(str(played))


def as_record(game: Round) -> dict[str, Any]:
    """A finished round as JSON values, by the names that the log has."""
    from ddzsim.story import warning

    result = game.result
    return {
        "deal": game.deal.code,
        "rules": str(game.rules),
        "bots": list(game.names),
        "redeals": game.redeals,
        "hands": [str(hand) for hand in game.dealt.hands],
        "kitty": str(game.dealt.kitty),
        "auctions": [
            [{"seat": seat, "bid": bid} for seat, bid in auction.calls] for auction in game.auctions
        ],
        "doubles": [{"seat": seat, "doubles": doubles} for seat, doubles in game.doubles],
        "landlord": game.landlord,
        "bid": game.stake_bid,
        "turns": [
            {
                "seat": turn.seat,
                "play": None if turn.combo is None else str(turn.combo),
                "kind": "pass" if turn.combo is None else turn.combo.kind,
                "left": len(turn.left),
                "hand": str(turn.left),
                "warning": warning(turn.combo, len(turn.left)) or None,
                "multiplier": turn.multiplier,
                "value": game.rules.base * game.stake_bid * turn.multiplier,
            }
            for turn in game.turns
        ],
        "winner": game.winner,
        "base": game.rules.base,
        "bombs": game.played("bomb"),
        "rockets": game.played("rocket"),
        "spring": result is not None and result.spring,
        "anti_spring": result is not None and result.anti_spring,
        "multiplier": 0 if result is None else result.multiplier,
        "stake": 0 if result is None else result.stake,
        "legs": list(game.legs),
        "scores": list(game.scores),
        "still_held": [str(hand) for hand in game.hands],
    }
