"""`ddzsim plays`: every play of a hand, or why some cards are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ddzsim.cli.options import (
    is_pass,
    json_option,
    print_json,
    rules_of,
    rules_option,
    set_option,
)
from ddzsim.cli.progress import compiling, load_kernels

if TYPE_CHECKING:
    from ddzsim.cards import Hand
    from ddzsim.combos import Combo
    from ddzsim.rules import RuleSet


@click.command(short_help="List every legal play of a hand.")
@click.argument("hand")
@click.option("--over", metavar="PLAY", help="The play to beat; the hand leads if not given.")
@click.option(
    "--why",
    metavar="CARDS",
    help="Say why these cards, or `pass`, may or may not be played, instead of the list.",
)
@rules_option
@set_option
@json_option
def plays(
    hand: str,
    over: str | None,
    why: str | None,
    rules: str,
    overrides: tuple[str, ...],
    as_json: bool,
) -> None:
    """List every legal play of a HAND, weakest first, bombs and the rocket last.

    Ranks are 3 4 5 6 7 8 9 T J Q K A 2 X D, with X the small joker and D the big one.

    \b
    Example:
        ddzsim plays 33344456XD --over 222+5
        ddzsim plays 33344456XD --why 333444+XD
    """
    load_kernels()
    from ddzsim.cards import Hand
    from ddzsim.combos import combo_of, legal_plays

    ruleset = rules_of(rules, overrides)
    held = Hand.parse(hand, ruleset.decks)
    if not 0 < len(held) <= ruleset.most_cards:
        raise click.UsageError(f"the hand holds {len(held)} cards: from 1 to {ruleset.most_cards}")
    if why is not None and not is_pass(why):
        Hand.parse(why, ruleset.decks)
    with compiling("plays"):
        target = None if over is None else combo_of(over, ruleset)
        found = legal_plays(held, ruleset, target)
    if why is not None:
        allowed, reason = _judged(why, held, target, ruleset)
        if as_json:
            print_json({"cards": why, "playable": allowed, "reason": reason})
        else:
            click.echo(reason)
    elif as_json:
        print_json({"hand": str(held), "over": over, "plays": [_as_json(combo) for combo in found]})
    else:
        _print_list(found, target)


def _judged(text: str, held: Hand, target: Combo | None, ruleset: RuleSet) -> tuple[bool, str]:
    """Whether cards, or a pass, may be played from a hand, and why."""
    from ddzsim.combos import playable
    from ddzsim.errors import DdzError

    try:
        combo = playable(None if is_pass(text) else text, held, ruleset, target)
    except DdzError as error:
        return False, f"not playable: {error}"
    if combo is None:
        return True, "playable: a follower may always pass (R7.1)"
    beaten = "" if target is None else f" that beats {target}"
    return True, f"playable: {combo} is {combo.describe()}{beaten}"


def _as_json(combo: Combo) -> dict[str, Any]:
    return {
        "play": str(combo),
        "kind": combo.kind,
        "length": combo.length,
        "rank": combo.rank,
        "cards": str(combo.cards),
        "kickers": str(combo.kickers),
    }


def _print_list(found: list[Combo], target: Combo | None) -> None:
    if not found:
        click.echo(f"Nothing beats {target}: pass")
    width = max((len(str(combo)) for combo in found), default=0)
    for number, combo in enumerate(found, start=1):
        click.echo(f"{number:>4}  {combo!s:<{width}}  {combo.describe()}")
