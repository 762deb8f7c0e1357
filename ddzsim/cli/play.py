"""`ddzsim play`: a person takes a seat at the terminal."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from ddzsim.cli.options import bots_option, rules_of, rules_option, set_option
from ddzsim.cli.progress import compiling, load_kernels, replay_kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ddzsim.bots.seats import Seat
    from ddzsim.deals import Deal
    from ddzsim.rules import RuleSet
    from ddzsim.table import Sitter

DEFAULT_RULES = "classic"


@click.command(short_help="Take a seat against bots, at the terminal.")
@click.argument("code", required=False)
@click.option(
    "--seat",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Your seat.",
)
@bots_option
@rules_option
@set_option
def play(code: str | None, seat: int, bots: str, rules: str, overrides: tuple[str, ...]) -> None:
    """Play the deal of a CODE, or one that is drawn, against bots. Nothing is scored or written.

    `--bots` names the other seats in order, or one level for all of them.

    Cards are typed as text: 44, 777+3, 10 J Q K A. `p` passes, `?` or `h` shows a play that you can
    make and each time the next, `a` rates your hand, `q` leaves.

    \b
    Example:
        ddzsim play 0B3Q-KE6Y-D6NC --seat 0 --bots hard
    """
    load_kernels()
    from ddzsim.bots.seats import parse_seats
    from ddzsim.game import check_deal

    ruleset = rules_of(rules, overrides)
    if seat >= ruleset.players:
        raise click.UsageError(f"--seat {seat}: a seat from 0 to {ruleset.players - 1}")
    others = list(parse_seats(bots, ruleset.players - 1))
    deal = _deal_of(code, ruleset)
    check_deal(deal, ruleset)
    with compiling("play " + replay_kernels(others)):
        _warm_up(deal, others, ruleset)
    again = _again(deal.code, seat, others, _rules_options(rules, overrides))
    _sit_down(deal, seat, others, ruleset, again)


def _deal_of(code: str | None, rules: RuleSet) -> Deal:
    """The deal of a code, or a drawn one with the first bidder that the rules name (R2.3)."""
    from ddzsim.deals import Deal

    if code is not None:
        return Deal.from_code(code)
    drawn = Deal.random(players=rules.players)
    return drawn if rules.first_bidder == "code" else drawn.with_first_bidder(0)


def _warm_up(deal: Deal, others: Sequence[Seat], rules: RuleSet) -> None:
    """Load or compile what the round needs, so that nobody waits in it."""
    from ddzsim.bots.advice import rate
    from ddzsim.combos import combo_of, legal_plays
    from ddzsim.table import play as play_out

    played = play_out(deal, [*others, others[0]], rules, landlord=0)
    rating = rate(deal.hands[0], rules)
    if rules.doubling:
        rating.redoubles()
    legal_plays(played.dealt.hands[0], rules)
    legal_plays(played.dealt.hands[0], rules, combo_of("3", rules))


def _sit_down(deal: Deal, seat: int, others: Sequence[Seat], rules: RuleSet, again: str) -> None:
    """Play the round to its end, or until the person leaves; `again` is said at the end."""
    from ddzsim.cli.person import HELP, Left, Person, Teller, make_lines_editable
    from ddzsim.story import folded, result_card
    from ddzsim.table import Table

    sitters: list[Sitter] = [*others[:seat], Person(), *others[seat:]]
    table = Table(deal, sitters, rules)
    teller = Teller()
    make_lines_editable()
    names = ", ".join(
        f"seat {at} {name}" for at, name in enumerate(table.round.names) if at != seat
    )
    click.echo(folded(f"You are seat {seat}, against {names}; rules {rules}", 2))
    click.echo(folded(HELP, 2))
    try:
        while table.round.to_act is not None:
            teller.tell(table.view(seat))
            table.step()
        teller.tell(table.view(seat))
    except Left:
        click.echo(f"You left the table.\n{again}")
        return
    except KeyboardInterrupt:
        click.echo(f"\nYou left the table.\n{again}")
        raise
    click.echo(f"\n{result_card(table.round)}\n{again}")


def _again(code: str, seat: int, others: Sequence[Seat], options: str) -> str:
    """How to play the same cards again, and how to see bots play them."""
    names = [str(other) for other in others]
    everyone = [*names[:seat], names[0], *names[seat:]]
    again = f"ddzsim play {code} --seat {seat} --bots {_one_or_all(names)}{options}"
    watch = f"ddzsim replay {code} --bots {_one_or_all(everyone)}{options}"
    return f"The same deal again  {again}\nPlayed by bots       {watch}"


def _one_or_all(names: Sequence[str]) -> str:
    """The value of `--bots`: one name if they are all the same."""
    return shlex.quote(names[0] if len(set(names)) == 1 else ",".join(names))


def _rules_options(rules: str, overrides: Sequence[str]) -> str:
    """The options that ask for the same rules."""
    changes = "".join(f" --set {shlex.quote(text)}" for text in overrides)
    return f" --rules {shlex.quote(rules)}{changes}" if rules != DEFAULT_RULES else changes
