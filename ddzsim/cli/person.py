"""A person at the terminal: what the table shows it, and how it is asked."""

from __future__ import annotations

import sys
from contextlib import suppress

import click

from ddzsim.bots.advice import rate
from ddzsim.cards import spaced
from ddzsim.cli.options import is_pass
from ddzsim.combos import Combo
from ddzsim.errors import DdzError
from ddzsim.story import WARNINGS, doubling, doubling_verb, folded, value_text, warning
from ddzsim.view import SeatView

HELP = (
    "Type cards, such as 44 or 10 J Q K A. p passes, ? hints (again: the next), a rates the hand, "
    "q leaves. Capitals are cards: A an ace, Q a queen."
)
LONGEST = 120
"""More characters than any play is written with."""
PROMPT = "> "
YES, NO = ("y", "yes"), ("n", "no")
HINT, ADVICE, LEAVE = ("?", "h", "hint"), ("a", "advice"), ("q", "quit", "exit")


class Left(Exception):  # noqa: N818
    """The person has left the table."""


class Person:
    """A player who is asked at the terminal, until the answer is allowed."""

    name = "you"

    def bid(self, view: SeatView) -> int:
        """Ask for a call; the line above rates the hand."""
        show_hand(view)
        click.echo(str(rate(view.hand, view.rules)))
        bids = ", ".join(map(str, view.legal_bids[1:]))
        while True:
            answer = ask(f"Your bid ({bids}, or p to pass) {PROMPT}")
            if answer.lower() in LEAVE:
                raise Left
            if answer.lower() in (*HINT, *ADVICE):
                click.echo(str(rate(view.hand, view.rules)))
            elif is_pass(answer):
                return 0
            elif answer in map(str, view.legal_bids):
                return int(answer)
            else:
                click.echo(f"{readable(answer)!r}: p to pass, or one of {bids} (R3.1)")

    def double(self, view: SeatView) -> bool:
        """Ask whether to double, or, as the landlord, to redouble (R3.5)."""
        verb = doubling_verb(view.seat == view.landlord)
        what = "what is doubled" if view.seat == view.landlord else "your leg"
        advice = _doubling_advice(view, verb)
        show_hand(view)
        click.echo(advice)
        while True:
            answer = ask(f"{verb.capitalize()} {what} (y or n) {PROMPT}").lower()
            if answer in LEAVE:
                raise Left
            if answer in (*HINT, *ADVICE):
                click.echo(advice)
            elif answer in YES:
                return True
            elif answer in NO or is_pass(answer):
                return False
            else:
                click.echo(f"{readable(answer)!r}: y to {verb}, n not to (R3.5)")

    def play(self, view: SeatView) -> Combo | None:
        """Ask for a play."""
        self._show(view)
        hints = 0
        leaving = False
        while True:
            answer = ask(PROMPT)
            if answer in LEAVE:
                if leaving or answer != "q" or "Q" not in view.hand:
                    raise Left
                leaving = True
                click.echo("q leaves the table, Q plays a queen: q once more to leave")
                continue
            leaving = False
            if answer.lower() in HINT:
                click.echo(hint(view, hints))
                hints += 1
            elif answer in ADVICE:
                click.echo(rate(view.hand, view.rules).shape)
            elif len(answer) > LONGEST:
                click.echo(f"No: {len(answer)} characters are more than a play has")
            elif answer:
                try:
                    return view.playable(None if is_pass(answer) else answer)
                except DdzError as error:
                    click.echo(f"No: {error}")
            else:
                click.echo(HELP)

    def _show(self, view: SeatView) -> None:
        """What lies on the table when it is this seat's turn."""
        held = " · ".join(
            f"{seat_name(view, seat)} {left}{'!' * (left in WARNINGS)}"
            for seat, left in enumerate(view.left)
        )
        value = value_text(view.rules, view.bid, view.multiplier)
        for seat, leg in enumerate(view.legs):
            if leg > 1:
                value += f", {seat_name(view, seat)} × {leg}"
        click.echo()
        click.echo(folded(f"Value {value} · cards left: {held}", 2))
        if view.over is not None and view.over_seat is not None:
            who = seat_name(view, view.over_seat)
            click.echo(f"To beat: {view.over}, {view.over.describe()}, of {who}")
        else:
            click.echo("You lead")
        show_hand(view)


class Teller:
    """Says what happens at the table, from what one seat sees."""

    def __init__(self) -> None:
        self._calls: list[int] = []
        """How many calls of each auction have been told."""
        self._doubles = 0
        self._turns = 0
        self._landlord: int | None = None

    def tell(self, view: SeatView) -> None:
        """Say what is new since the last time."""
        for number, calls in enumerate(view.auctions):
            if number == len(self._calls):
                if number:
                    click.echo("All passed: dealt again")
                self._calls.append(0)
            for seat, bid in calls[self._calls[number] :]:
                click.echo(f"  {_call_line(view.seat, seat, bid)}")
            self._calls[number] = len(calls)
        if view.landlord is not None and self._landlord is None:
            self._landlord = view.landlord
            click.echo(_landlord_line(view))
        for seat, doubles in view.doubles[self._doubles :]:
            click.echo(f"  {_double_line(view, seat, doubles)}")
        self._doubles = len(view.doubles)
        for turn in view.turns[self._turns :]:
            said = warning(turn.combo, turn.left)
            left = f"{turn.left:>2} left" if turn.left else "out"
            who = seat_name(view, turn.seat)
            click.echo(f"  {who:<10}  {turn!s:<16}  {left}{'   ' if said else ''}{said}")
            if doubling(turn.combo):
                click.echo(f"  Value {value_text(view.rules, view.bid, turn.multiplier)}")
        self._turns = len(view.turns)


def show_hand(view: SeatView) -> None:
    """The person's own cards."""
    click.echo(folded(f"Your hand  {spaced(view.hand)}", 11))


def seat_name(view: SeatView, seat: int) -> str:
    """What the person reads of a seat: `you` or its number, and who is landlord."""
    name = "you" if seat == view.seat else f"seat {seat}"
    return f"{name} (L)" if seat == view.landlord else name


def _call_line(you: int, seat: int, bid: int) -> str:
    """What a seat has called."""
    if seat == you:
        return f"you bid {bid}" if bid else "you pass"
    return f"seat {seat} bids {bid}" if bid else f"seat {seat} passes"


def _double_line(view: SeatView, seat: int, doubles: bool) -> str:
    """What a seat has answered in the doubling stage (R3.5)."""
    verb = doubling_verb(seat == view.landlord)
    if seat == view.seat:
        return f"you {verb}" if doubles else f"you do not {verb}"
    return f"seat {seat} {verb}s" if doubles else f"seat {seat} does not {verb}"


def _doubling_advice(view: SeatView, verb: str) -> str:
    """What the hand is worth, and whether the default advice doubles on it."""
    rating = rate(view.hand, view.rules)
    wants = rating.redoubles() if view.seat == view.landlord else rating.doubles(view.bid)
    return f"{rating.shape} → {verb if wants else f'do not {verb}'}"


def _landlord_line(view: SeatView) -> str:
    """Who is landlord, at what, and the kitty if this seat sees it (R3.4)."""
    who = "You are" if view.landlord == view.seat else f"Seat {view.landlord} is"
    kitty = "not shown" if view.kitty is None else spaced(view.kitty)
    return f"{who} the landlord at {view.bid}, kitty: {kitty}"


def hint(view: SeatView, number: int) -> str:
    """The legal play of a number in hint order, which starts again after the last one."""
    plays = view.legal_plays()
    if not plays:
        return f"Hint: nothing in your hand beats {view.over}: p passes"
    at = number % len(plays)
    return f"Hint {at + 1} of {len(plays)}: {plays[at]}, {plays[at].describe()}"


def ask(prompt: str) -> str:
    """The person's next line.

    Raises:
        Left: there is none: the input has ended.
    """
    try:
        answer = input(prompt)
    except EOFError:
        click.echo()
        raise Left from None
    answer = answer.strip()
    if not sys.stdin.isatty():
        # Nobody has seen it being typed.
        click.echo(readable(answer))
    return answer


def readable(text: str) -> str:
    """A text in one line that no terminal obeys: what does not print is a question mark."""
    cut = f"{text[:40]}…" if len(text) > 40 else text
    return "".join(letter if letter.isprintable() else "?" for letter in cut)


def make_lines_editable() -> None:
    """Let a person at a terminal edit a line; let no byte that is no text end the game."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    if sys.stdin.isatty() and sys.stdout.isatty():
        # On a pipe, importing it may write control codes.
        with suppress(ImportError):
            import readline  # noqa: F401
