"""A round told in text: deal, auction, plays with the hands going down, the result itemised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddzsim.cards import spaced

if TYPE_CHECKING:
    from ddzsim.game import Auction, Round, Settlement


def tell(game: Round) -> str:
    """The whole story of a round, as far as it has been played."""
    lines = [f"Deal {game.deal.code} · {game.rules}", *_deal_lines(game)]
    lines += [f"Auction: {_auction_line(auction)}" for auction in game.auctions]
    if game.landlord is None:
        return "\n".join([*lines, _ending(game)])
    if not game.auctions:
        lines.append(f"No auction: seat {game.landlord} is the landlord")
    lines += ["", *_turn_lines(game), "", _ending(game)]
    return "\n".join(lines)


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


def _turn_lines(game: Round) -> list[str]:
    width = max((len(str(turn)) for turn in game.turns), default=0)
    lines = []
    for number, turn in enumerate(game.turns, start=1):
        role = "L" if turn.seat == game.landlord else " "
        kept = f"{len(turn.left):>2} left: {spaced(turn.left)}" if turn.left else "out"
        lines.append(f"{number:>3}  seat {turn.seat}{role}  {turn!s:<{width}}  {kept}")
    return lines


def _ending(game: Round) -> str:
    result = game.result
    if result is None:
        return (
            "Passed out: no landlord, no points"
            if game.phase == "over"
            else f"Seat {game.to_act} is to act"
        )
    won = "landlord wins" if game.winner == game.landlord else "peasants win"
    lines = [f"Seat {game.winner} is out: the {won}", _itemised(game, result)]
    lines.append(
        "Scores: " + ", ".join(f"seat {seat} {score:+d}" for seat, score in enumerate(game.scores))
    )
    rest = [f"seat {seat} {spaced(hand)}" for seat, hand in enumerate(game.hands) if hand]
    lines.append(f"Still held: {'; '.join(rest)}; kitty {spaced(game.dealt.kitty)}")
    return "\n".join(lines)


def _itemised(game: Round, result: Settlement) -> str:
    """The round's value as base × bid × multiplier, and what the multiplier is made of."""
    parts = []
    for kind in ("bomb", "rocket"):
        count = game.played(kind)
        if count:
            parts.append(f"{count} {kind}{'s' * (count > 1)}")
    if result.spring or result.anti_spring:
        counted = "" if game.rules.spring else " (not counted)"
        parts.append(f"{'spring' if result.spring else 'anti-spring'}{counted}")
    made = f" ({', '.join(parts)})" if parts else ""
    return f"Value: {result.base} × {result.bid} × {result.multiplier} = {result.stake}{made}"
