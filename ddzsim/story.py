"""A round told in text: deal, auction, plays with the hands going down, the result itemised."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from ddzsim.cards import spaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ddzsim.combos import Combo
    from ddzsim.game import Auction, Round, Settlement, Turn
    from ddzsim.rules import RuleSet

WIDTH = 80
"""Columns of a terminal."""
LONGEST_PLAY = 20
"""Columns for a play; a longer one, which leaves few cards to show, moves its own line only."""
WARNINGS = {1: "1 card left!", 2: "2 cards left!"}
"""What is said when a seat is nearly out."""
DOUBLING = ("bomb", "rocket")


def tell(game: Round) -> str:
    """The whole story of a round, as far as it has been played."""
    lines = [f"Deal {game.deal.code} · {game.rules}", *_deal_lines(game)]
    lines += [folded(f"Auction: {_auction_line(auction)}", 9) for auction in game.auctions]
    if game.landlord is None:
        return "\n".join([*lines, _ending(game)])
    if not game.auctions:
        lines.append(f"No auction: seat {game.landlord} is the landlord")
    if game.doubles:
        lines.append(folded(f"Doubling: {_doubling_line(game)}", 10))
    lines.append(f"Value: {value_text(game.rules, game.stake_bid, 1)}")
    lines += ["", *_turn_lines(game), "", _ending(game)]
    return "\n".join(lines)


def folded(line: str, indent: int) -> str:
    """A line cut to the width of a terminal, what follows set in."""
    return fill(line, WIDTH, subsequent_indent=" " * indent, break_long_words=False)


def value_text(rules: RuleSet, bid: int, multiplier: int) -> str:
    """A round's value (R8.1): base × bid × multiplier."""
    return f"{rules.base} × {bid} × {multiplier} = {rules.base * bid * multiplier}"


def warning(combo: Combo | None, left: int) -> str:
    """What a table says when a play leaves a seat one or two cards, or nothing."""
    return WARNINGS.get(left, "") if combo is not None else ""


def doubling(combo: Combo | None) -> bool:
    """Whether a turn is a bomb or the rocket, after which a table shows the value anew."""
    return combo is not None and combo.kind in DOUBLING


def _deal_lines(game: Round) -> list[str]:
    width = max((len(name) for name in game.names), default=0)
    lines = []
    if game.redeals:
        lines.append(
            f"All passed, dealt again {game.redeals} time{'s' * (game.redeals > 1)}; the last deal:"
        )
    for seat, hand in enumerate(game.dealt.hands):
        name = game.names[seat] if game.names else ""
        lines.append(f"  seat {seat} {name:<{width}}  {spaced(hand)}")
    lines.append(f"  kitty  {'':<{width}}  {spaced(game.dealt.kitty)}")
    return lines


def _auction_line(auction: Auction) -> str:
    calls = ", ".join(
        f"seat {seat} {f'bids {bid}' if bid else 'passes'}" for seat, bid in auction.calls
    )
    if auction.landlord is not None:
        return f"{calls}: seat {auction.landlord} is the landlord at {auction.stake_bid}"
    return f"{calls}: all passed" if auction.redeal else calls


def _doubling_line(game: Round) -> str:
    """Who doubled and redoubled (R3.5)."""
    said = []
    for seat, doubles in game.doubles:
        verb = doubling_verb(seat == game.landlord)
        said.append(f"seat {seat} {f'{verb}s' if doubles else f'does not {verb}'}")
    return ", ".join(said)


def doubling_verb(by_landlord: bool) -> str:
    """What answering the doubling stage by yes is called (R3.5)."""
    return "redouble" if by_landlord else "double"


def _turn_lines(game: Round) -> Iterator[str]:
    """A line for each turn, and one for the value after each bomb or rocket."""
    width = min(max((len(str(turn)) for turn in game.turns), default=0), LONGEST_PLAY)
    for number, turn in enumerate(game.turns, start=1):
        role = "L" if turn.seat == game.landlord else " "
        start = f"{number:>3}  seat {turn.seat}{role}  "
        yield folded(f"{start}{turn!s:<{width}}  {_kept(turn)}", len(start) + width + 11)
        if doubling(turn.combo):
            value = value_text(game.rules, game.stake_bid, turn.multiplier)
            yield f"{'':<{len(start)}}Value: {value}"


def _kept(turn: Turn) -> str:
    """What a seat holds after its turn."""
    if not turn.left:
        return "out"
    said = warning(turn.combo, len(turn.left))
    return f"{len(turn.left):>2} left: {spaced(turn.left)}{'   ' if said else ''}{said}"


def _ending(game: Round) -> str:
    if game.phase == "over":
        return result_card(game)
    return f"Seat {game.to_act} is to act"


def result_card(game: Round) -> str:
    """The end of a round, itemised: value, points, what was still held, the kitty, the deal."""
    result = game.result
    if result is None:
        lines = ["Passed out: no landlord, no points"]
    else:
        won = "landlord wins" if game.winner == game.landlord else "peasants win"
        lines = [f"Seat {game.winner} is out: the {won}"]
    rows = [*_itemised(game, result)] if result is not None else []
    for seat, held in enumerate(game.hands):
        name = f" {game.names[seat]}" if game.names else ""
        role = " (landlord)" if seat == game.landlord else ""
        kept = f"held {spaced(held)}" if held else "out"
        rows.append((f"Seat {seat}{name}{role}", f"{game.scores[seat]:+d}", kept))
    width = max(len(label) for label, _, _ in rows)
    points = max(len(number) for _, number, _ in rows)
    indent = width + points + 6
    for label, number, text in rows:
        lines.append(folded(f"  {label:<{width}}  {number:>{points}}  {text}".rstrip(), indent))
    lines.append(f"  {'Kitty':<{width}}  {spaced(game.dealt.kitty)}")
    lines.append(f"  {'Deal':<{width}}  {game.deal.code}")
    return "\n".join(lines)


def _itemised(game: Round, result: Settlement) -> Iterator[tuple[str, str, str]]:
    """What a round's value is made of: rows of a name, a number and what it does."""
    sprung = result.spring or result.anti_spring
    rockets, bombs = game.played("rocket"), game.played("bomb")
    doublings = game.doublings - rockets
    yield "Base", str(result.base), ""
    yield "Bid", str(result.bid), f"× {result.bid}"
    few = "" if doublings == bombs else f", {doublings} of them doubling"
    yield "Bombs", str(bombs), (f"× {1 << doublings}{few}" if bombs else "")
    yield "Rockets", str(rockets), (f"× {1 << rockets}" if rockets else "")
    counted = "× 2" if game.rules.spring else "not counted"
    name = "Anti-spring" if result.anti_spring else "Spring"
    yield name, str(int(sprung)), (counted if sprung else "")
    made = value_text(game.rules, result.bid, result.multiplier).partition(" = ")[0]
    yield "Stake", str(result.stake), f"= {made}"
    for seat, leg in enumerate(game.legs):
        if leg > 1:
            yield f"Leg of seat {seat}", str(leg * result.stake), f"= {leg} × {result.stake}"
