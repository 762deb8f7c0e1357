"""`ddzsim deal`: deals and their codes, both ways."""

from __future__ import annotations

import click

from ddzsim.cli.options import Commands, json_option, print_json


@click.group(cls=Commands)
def deal() -> None:
    """Show, encode, decode and draw deals.

    \b
    Example:
        ddzsim deal random --seed 7
    """


@deal.command()
@click.argument("code")
def show(code: str) -> None:
    """Show the hands, the kitty and the first bidder of a deal CODE.

    \b
    Example:
        ddzsim deal show 0000-0000-0000
    """
    from ddzsim.deals import Deal

    click.echo(str(Deal.from_code(code)))


@deal.command()
@click.argument("hands", nargs=-1, required=True, metavar="HAND0 HAND1 HAND2 [HAND3]")
@click.option(
    "--first",
    type=int,
    default=0,
    show_default=True,
    metavar="SEAT",
    help="Who speaks first in the auction.",
)
def encode(hands: tuple[str, ...], first: int) -> None:
    """Print the code of three hands of 17 cards, or of four of 25 from two decks.

    The kitty is what they leave.

    \b
    Example:
        ddzsim deal encode 33334444555566667 7778888999TTTTJJJ JQQQQKKKKAAAA2222 --first 1
    """
    from ddzsim.deals import Deal

    click.echo(Deal.from_hands(hands, first).code)


@deal.command()
@click.argument("code")
@json_option
def decode(code: str, as_json: bool) -> None:
    """Print the cards of a deal CODE on one line: the hands, the kitty, the first bidder.

    \b
    Example:
        ddzsim deal decode 0000-0000-0000
    """
    from ddzsim.deals import Deal

    found = Deal.from_code(code)
    hands = [str(hand) for hand in found.hands]
    if as_json:
        about = {
            "code": found.code,
            "index": found.index,
            "hands": hands,
            "kitty": str(found.kitty),
        }
        print_json(about | {"first_bidder": found.first_bidder})
        return
    click.echo(" ".join([*hands, str(found.kitty), str(found.first_bidder)]))


@deal.command()
@click.option(
    "-s",
    "--seed",
    type=int,
    help="The deals that a run with this seed starts from; drawn if not given.",
)
@click.option(
    "--count",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many deals to draw.",
)
@click.option(
    "--players",
    type=click.Choice(["3", "4"]),
    default="3",
    show_default=True,
    help="How many they are for; four play with two decks.",
)
def random(seed: int | None, count: int, players: str) -> None:
    """Print the codes of random deals.

    \b
    Example:
        ddzsim deal random --seed 7 --count 3
    """
    from ddzsim.deals import Deal

    for number in range(count):
        seats = int(players)
        drawn = Deal.random(players=seats) if seed is None else Deal.of_round(seed, number, seats)
        click.echo(drawn.code)
