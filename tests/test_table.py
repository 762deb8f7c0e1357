"""The table: players who are asked, what they see, and a person at the terminal (R10.1)."""

from __future__ import annotations

import functools
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from click.testing import CliRunner, Result
from strategies import ONE_DECK

import ddzsim as dz
from ddzsim.cli.main import main
from ddzsim.cli.person import HELP, Person, hint
from ddzsim.core.jit import COMPILED
from ddzsim.errors import AuctionError, ComboError, PlayError
from ddzsim.rules import CLASSIC, RULESETS, RuleSet
from ddzsim.story import WIDTH, result_card
from ddzsim.table import Player, Table, play
from ddzsim.view import SeatView, view_of

DEAL = dz.Deal.from_code("0B3Q-KE6Y-D6NC")
"""Seat 0: 4 5 66 77 88 T J QQ KK A 2 X, seat 1: 4 5 7 8 99 T JJJ QQ KK A 22,
seat 2: 3333 4 55 66 7 8 9 T AA 2 D; the kitty is 4 9 T, and seat 0 speaks first."""

SPRING_DEAL = dz.Deal.from_hands(["3456789TJQKA2222X", "33344455566677788", "8999TTTJJJQQQKKKA"])
"""The kitty is AAD."""

BOT = "normal" if COMPILED else "random"
needs_posix = pytest.mark.skipif(os.name != "posix", reason="sends signals, opens terminals")


class Scripted:
    """A player that bids by the default advice, plays the first legal play, and writes it down."""

    name = "you"

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.views: list[SeatView] = []

    def bid(self, view: SeatView) -> int:
        wanted = dz.rate(view.hand, view.rules).advice()
        bid = wanted if wanted in view.legal_bids else 0
        self.lines.append(str(bid) if bid else "p")
        self.views.append(view)
        return bid

    def double(self, view: SeatView) -> bool:
        self.lines.append("y")
        self.views.append(view)
        return True

    def play(self, view: SeatView) -> dz.Combo | None:
        plays = view.legal_plays()
        self.lines.append(str(plays[0]) if plays else "p")
        self.views.append(view)
        return plays[0] if plays else None


def at_seat(player: Player, seat: int, rules: RuleSet) -> list[Any]:
    """A player at a seat, bots at the others."""
    return [player if at == seat else BOT for at in range(rules.players)]


def sit(*lines: str | bytes, args: tuple[str, ...] = (), code: str = DEAL.code) -> Result:
    """The outcome of `ddzsim play` with these lines typed."""
    typed = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    return CliRunner().invoke(main, ["play", code, "--bots", BOT, *args], input=typed)


# Players written in Python


def test_a_player_is_asked_and_its_answers_are_played() -> None:
    player = Scripted()
    game = play(DEAL, at_seat(player, 1, CLASSIC))
    assert isinstance(player, Player)
    assert game.names == (BOT, "you", BOT)
    told = [(f"{bid}" if bid else "p") for seat, bid in game.auctions[-1].calls if seat == 1]
    told += ["p" if turn.combo is None else str(turn) for turn in game.turns if turn.seat == 1]
    assert player.lines == told
    assert sum(game.scores) == 0


def test_r2_2_a_player_does_not_move_the_other_seats_streams() -> None:
    """Bots that are asked the same give the same answer, whoever else sits at the table."""

    class Bot:
        """Plays what a bot played before."""

        def __init__(self, before: dz.Round, seat: int) -> None:
            self.plays = iter([turn.combo for turn in before.turns if turn.seat == seat])
            self.bids = iter([bid for who, bid in before.auctions[-1].calls if who == seat])

        def bid(self, view: SeatView) -> int:
            return next(self.bids)

        def play(self, view: SeatView) -> dz.Combo | None:
            return next(self.plays)

    before = play(DEAL, ("easy",) * 3)
    after = play(DEAL, ("easy", Bot(before, 1), "easy"))
    assert after.turns == before.turns
    assert after.names == ("easy", "Bot", "easy")


def test_answers_that_are_not_allowed_are_refused_with_the_reason() -> None:
    class Liar(Scripted):
        def __init__(self, bid: int, cards: Any) -> None:
            super().__init__()
            self.answers = bid, cards

        def bid(self, view: SeatView) -> int:
            return self.answers[0]

        def play(self, view: SeatView) -> Any:
            return self.answers[1]

    with pytest.raises(AuctionError, match=r"^bid 7: pass \(0\) or one of 1, 2, 3 \(R3.1\)$"):
        play(DEAL, (Liar(7, None), BOT, BOT))
    forged = dz.Combo.from_shape(dz.Hand.parse("45").packed, 14 << 8 | 1 << 4 | 14)
    for cards, error, text in (
        (None, PlayError, "a leader must play"),
        ("3", PlayError, "3 is not in the hand"),
        ("45", ComboError, "45 is no combination"),
        (forged, ComboError, "45 does not read as the rocket"),
    ):
        with pytest.raises(error, match=text):
            play(DEAL, (Liar(3, cards), BOT, BOT))


def test_a_round_that_is_over_asks_nobody() -> None:
    table = Table(DEAL, ("random",) * 3)
    while table.round.to_act is not None:
        table.step()
    with pytest.raises(PlayError, match=r"^the round is over$"):
        table.step()


def test_one_text_names_every_bot() -> None:
    assert play(DEAL, "random").names == ("random",) * 3
    assert play(DEAL, "random,easy,random").names == ("random", "easy", "random")


# What a seat sees


def test_r10_1_a_view_shows_the_table_and_the_own_cards() -> None:
    game = dz.Round(DEAL)
    game.bid(1)
    view = view_of(game, 1)
    assert (view.phase, view.to_act, view.legal_bids, view.bid) == ("auction", 1, (0, 2, 3), 1)
    assert (view.auctions, view.landlord, view.kitty) == ((((0, 1),),), None, None)
    assert view.hand == DEAL.hands[1]
    assert len(view.unseen) == 54 - 17
    game.bid(0)
    game.bid(2)
    game.play("3333")
    game.play(None)
    view = view_of(game, 1)
    assert (view.landlord, view.bid, view.kitty, view.legal_bids) == (2, 2, DEAL.kitty, ())
    assert (str(view.over), view.over_seat, view.left) == ("3333", 2, (17, 17, 16))
    assert [(turn.seat, str(turn), turn.left, turn.multiplier) for turn in view.turns] == [
        (2, "3333", 16, 2),
        (0, "pass", 17, 2),
    ]
    # 10 a point, a bid of 2, one bomb.
    assert (view.multiplier, view.value) == (2, 40)
    assert view.unseen == game.hands[0] + game.hands[2]
    assert view.legal_plays() == []
    assert view.playable(None) is None
    with pytest.raises(ComboError):
        view.playable("22")


@pytest.mark.parametrize("rules", ONE_DECK.values(), ids=ONE_DECK)
def test_r10_1_hidden_cards_are_not_in_a_view(rules: RuleSet) -> None:
    """The others' cards change places, with the kitty where it is hidden: the view is the same."""
    own, *others = DEAL.hands
    swapped = dz.Deal((own, others[1], others[0]), DEAL.kitty, 0)
    games = [dz.Round(deal, rules, landlord=1) for deal in (DEAL, swapped)]
    if not rules.kitty_shown:
        mixed = others[1] - dz.Hand.parse("333") + DEAL.kitty
        hidden = dz.Deal((own, others[0], mixed), dz.Hand.parse("333"), 0)
        games.append(dz.Round(hidden, rules, landlord=1))
    for game in games:
        while game.phase == "doubling":
            game.double(True)
    for step in ("5", None, None):
        views = [view_of(game, 0) for game in games]
        assert all(view == views[0] for view in views)
        assert DEAL.code not in repr(views[0])
        for game in games:
            # Seats 1 and 2 both hold a 5 in every deal.
            game.play(step)


def test_r3_4_a_hidden_kitty_is_seen_by_the_landlord_only() -> None:
    rules = RULESETS["tabletop"]
    game = dz.Round(DEAL, rules, landlord=2)
    assert [view_of(game, seat).kitty for seat in range(3)] == [None, None, DEAL.kitty]


# `ddzsim play`: whole rounds


@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_a_whole_round_at_the_terminal(rules: RuleSet, seat: int) -> None:
    if seat >= rules.players or rules.players != 3:
        pytest.skip("the deal is for three")
    player = Scripted()
    game = play(DEAL, at_seat(player, seat, rules), rules)
    result = sit(*player.lines, args=("--seat", str(seat), "--rules", rules.name))
    assert result.exit_code == 0, result.output
    assert f"\n{result_card(game)}\n" in result.stdout
    assert all(len(line) <= WIDTH for line in result.stdout.splitlines() if "ddzsim" not in line)
    asked = result.stdout.count("\n> ")
    assert asked == sum(turn.seat == seat for turn in game.turns)
    again = f"ddzsim play {DEAL.code} --seat {seat} --bots {BOT}"
    again += f" --rules {rules.name}" if rules.name != "classic" else ""
    assert f"The same deal again  {again}\n" in result.stdout


def test_every_play_pass_and_bomb_of_the_others_is_a_line() -> None:
    player = Scripted()
    game = play(DEAL, at_seat(player, 0, CLASSIC))
    said = sit(*player.lines).stdout
    lines = re.findall(r"^  (you|seat \d)( \(L\))? +(\S+) +(out|\d+ left)", said, re.MULTILINE)
    assert [(who, bool(role), cards, left) for who, role, cards, left in lines] == [
        (
            "you" if turn.seat == 0 else f"seat {turn.seat}",
            turn.seat == game.landlord,
            str(turn),
            f"{len(turn.left)} left" if turn.left else "out",
        )
        for turn in game.turns
    ]
    for turn in game.turns:
        if turn.combo is not None and turn.combo.kind in ("bomb", "rocket"):
            assert f"  Value 10 × {game.stake_bid} × {turn.multiplier} = " in said
    warned = [len(turn.left) for turn in game.turns if turn.combo and 1 <= len(turn.left) <= 2]
    assert re.findall(r"([12]) cards? left!", said) == [str(left) for left in warned]


def test_the_first_lines_pinned() -> None:
    result = sit("2", "?", "q", args=("--seat", "2", "--bots", "random:bid=never"))
    assert result.stdout.splitlines() == [
        "You are seat 2, against seat 0 random:bid=never, seat 1 random:bid=never; rules",
        "  classic",
        "Type cards, such as 44 or 10 J Q K A. p passes, ? hints (again: the next), a",
        "  rates the hand, q leaves. Capitals are cards: A an ace, Q a queen.",
        "  seat 0 passes",
        "  seat 1 passes",
        "Your hand  3333 4 55 66 7 8 9 T AA 2 D",
        "2 big cards, 1 bomb, about 5 plays → bid 2",
        "Your bid (1, 2, 3, or p to pass) > 2",
        "  you bid 2",
        "You are the landlord at 2, kitty: 4 9 T",
        "",
        "Value 10 × 2 × 1 = 20 · cards left: seat 0 17 · seat 1 17 · you (L) 20",
        "You lead",
        "Your hand  3333 44 55 66 7 8 99 TT AA 2 D",
        "> ?",
        "Hint 1 of 115: 3, a single",
        "> q",
        "You left the table.",
        f"The same deal again  ddzsim play {DEAL.code} --seat 2 --bots random:bid=never",
        f"Played by bots       ddzsim replay {DEAL.code} --bots random:bid=never",
    ]
    assert result.exit_code == 0


def test_r3_4_the_terminal_shows_no_hidden_kitty() -> None:
    args = ("--rules", "tabletop", "--bots", "random:bid=never,random:bid=always3")
    assert "Seat 2 is the landlord at 3, kitty: not shown\n" in sit("p", "q", args=args).stdout
    shown = sit("p", "q", args=("--rules", "tabletop-open", *args[2:])).stdout
    assert "Seat 2 is the landlord at 3, kitty: 4 9 T\n" in shown


def test_r2_4_all_passed_is_dealt_again_at_the_terminal() -> None:
    never = ("--bots", "random:bid=never")
    said = sit("p", "3", "q", args=never).stdout
    assert said.count("Your hand") == 3  # of two auctions, and of the lead
    assert "  you pass\n  seat 1 passes\n  seat 2 passes\nAll passed: dealt again\n" in said
    result = sit("p", args=(*never, "--rules", "openspiel"))
    assert "Passed out: no landlord, no points\n" in result.stdout
    assert result.exit_code == 0


def test_a_drawn_deal_is_played_when_no_code_is_given() -> None:
    result = CliRunner().invoke(main, ["play", "--bots", "random", "--rules", "stakes"], input="")
    assert result.exit_code == 0
    code = re.search(r"ddzsim play (\S+) --seat 0 --bots random --rules stakes\n", result.stdout)
    assert code
    # R2.3: seat 0 speaks first in a first round.
    assert dz.Deal.from_code(code[1]).first_bidder == 0


def test_the_commands_that_are_named_at_the_end_work() -> None:
    args = ("--set", "base=3", "--bots", f"{BOT},random")
    said = sit("q", args=args).stdout
    for line in re.findall(r"ddzsim (.*)", said):
        result = CliRunner().invoke(main, line.split(), input="q\n")
        assert result.exit_code == 0, line
        assert "base=3" in result.stdout


# Questions and refusals


def landlord(*lines: str | bytes) -> list[str]:
    """What is said after each line that the landlord types, from its first lead on.

    It holds 44 5 66 77 88 9 TT J QQ KK A 2 X.
    """
    return sit("3", *lines, "q", "q").stdout.split("\n> ")[1:]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("p", "No: a leader must play, and cannot pass (R7.1)"),
        ("pass", "No: a leader must play, and cannot pass (R7.1)"),
        (
            "33",
            "No: 33 is not in the hand 4456677889TTJQQKKA2X, which lacks 33 (R7)",
        ),
        ("JQKA2", "No: JQKA2 is no combination: a 2 cannot stand in a straight (R4.1)"),
        (
            "hello",
            "No: 'hello': 'h' at position 1 is no rank; "
            "ranks are 3 4 5 6 7 8 9 T J Q K A 2 X D, and 10 for T (R1.2)",
        ),
        ("44444", "No: '44444' holds 5 cards of rank 4, the deck holds 4 (R1.2)"),
        ("a", "2 big cards, 0 bombs, about 8 plays"),
        ("", HELP),
        ("4" * 1000, "No: 1000 characters are more than a play has"),
    ],
)
def test_what_is_refused_is_asked_again(line: str, said: str) -> None:
    answers = landlord(line, "44")
    assert answers[0].split("\n")[1] == said
    assert "you (L)     44" in answers[1]


def answering(monkeypatch: pytest.MonkeyPatch, *lines: str) -> Person:
    """A person who types these lines."""
    typed = iter(lines)
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    return Person()


def test_r6_1_a_follower_is_told_why_its_play_does_not_beat(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = dz.Round(DEAL, landlord=2)
    game.play("TT")
    person = answering(monkeypatch, "J", "66", "667788", "?", "?", "P")
    assert person.play(view_of(game, 0)) is None
    assert capsys.readouterr().out.splitlines() == [
        "",
        "Value 10 × 1 × 1 = 10 · cards left: you 17 · seat 1 17 · seat 2 (L) 18",
        "To beat: TT, a pair, of seat 2 (L)",
        "Your hand  4 5 66 77 88 T J QQ KK A 2 X",
        "J",
        "No: J over TT: a single cannot beat a pair (R6.1)",
        "66",
        "No: 66 over TT: the rank 6 is not higher than T (R6.1)",
        "667788",
        "No: 667788 over TT: a pair chain cannot beat a pair (R6.1)",
        "?",
        "Hint 1 of 2: QQ, a pair",
        "?",
        "Hint 2 of 2: KK, a pair",
        "P",
    ]


def test_r6_2_a_leader_names_its_reading_at_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    game = dz.Round(SPRING_DEAL, landlord=1)
    for text, shown in (
        ("333444555666", "333444555666"),
        ("333444555+666", "333444555+6+6+6"),
        ("444555666+333", "444555666+3+3+3"),
    ):
        assert str(answering(monkeypatch, text).play(view_of(game, 1))) == shown


def test_hints_go_round_in_hint_order() -> None:
    game = dz.Round(DEAL)
    game.bid(3)
    plays = dz.legal_plays(game.hands[0], CLASSIC)
    count = len(plays)
    answers = landlord(*(["?", "h", "H", "hint"] * count)[: count + 2])
    hints = [answer.split("\n")[1] for answer in answers[: count + 2]]
    expected = [f"Hint {n} of {count}: {p}, {p.describe()}" for n, p in enumerate(plays, start=1)]
    assert hints == [*expected, *expected[:2]]


def test_a_seat_that_is_nearly_out_is_marked_at_each_turn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = dz.Round(SPRING_DEAL, landlord=0)
    for cards in ("3456789TJQKA", None, None, "AA", None, None, "2222"):
        game.play(cards)
    answering(monkeypatch, "p").play(view_of(game, 1))
    said = capsys.readouterr().out
    assert "Value 10 × 1 × 2 = 20 · cards left: seat 0 (L) 2! · you 17 · seat 2 17\n" in said


def test_a_hint_says_when_nothing_beats() -> None:
    # Seat 2 is landlord and leads its bomb: seat 0 holds none.
    table = Table(DEAL, (Scripted(), "random", "random"), landlord=2)
    table.round.play("3333")
    assert hint(table.view(0), 5) == "Hint: nothing in your hand beats 3333: p passes"


def test_bids_that_are_refused_are_asked_again() -> None:
    said = sit("4", "44", "-1", "²", "x", "", "1").stdout
    for typed in ("4", "44", "-1", "²", "x", ""):
        assert f"{typed!r}: p to pass, or one of 1, 2, 3 (R3.1)\n" in said
    assert "  you bid 1\n" in said


def test_q_leaves_and_a_capital_is_a_card() -> None:
    # The landlord holds queens and an ace.
    assert landlord("Q")[0].startswith("Q\n  you (L)     Q ")
    assert landlord("A")[0].startswith("A\n  you (L)     A ")
    once = landlord("q", "44")
    assert once[0].split("\n")[1] == "q leaves the table, Q plays a queen: q once more to leave"
    assert "you (L)     44" in once[1]
    assert "You left the table." in landlord("q", "q")[1]
    assert "You left the table." in landlord("quit")[0]


@pytest.mark.parametrize(
    "line",
    [
        b"\x1b[2J\x1b[31m\x07",
        b"\xff\xfe\x80",
        "\u202e33\u2028".encode(),
        "💣".encode() * 50,
        b"\x00",
        b"3\r3",
        b"--help",
        b"%s%n{0}",
    ],
)
@pytest.mark.parametrize("bid", [True, False])
def test_hostile_text_is_one_refusal_and_no_command_to_the_terminal(line: bytes, bid: bool) -> None:
    lines = (line, "3", "44", "q", "q") if bid else ("3", line, "44", "q", "q")
    result = sit(*lines)
    assert result.exit_code == 0, result.output
    assert result.exception is None
    assert not re.search(r"[^\n -~×·→…💣�]", result.stdout)
    assert "  you (L)     44" in result.stdout
    assert re.search(r"^(No: |.*\(R3\.1\)$)", result.stdout, re.MULTILINE)


# Leaving


def test_the_end_of_the_input_leaves() -> None:
    for lines in ((), ("3",), ("3", "44")):
        result = sit(*lines)
        assert result.exit_code == 0
        assert "\nYou left the table.\nThe same deal again  ddzsim play" in result.stdout
        assert result.stderr == "" or "compiling" in result.stderr


@contextmanager
def process(*args: str, **about: Any) -> Iterator[subprocess.Popen[bytes]]:
    """`ddzsim play` as a process of its own."""
    words = [sys.executable, "-m", "ddzsim", "play", DEAL.code, "--bots", "random", *args]
    with subprocess.Popen(words, **about) as running:
        try:
            yield running
        finally:
            running.kill()


@needs_posix
def test_ctrl_c_leaves_with_130_and_a_pipe_gets_no_control_codes() -> None:
    pipe = subprocess.PIPE
    # A shell that runs the tests in the background lets its children ignore Ctrl-C.
    heeds = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with process(stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=heeds) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(b"3\n?\n")
        running.stdin.flush()
        said = b""
        while b"Hint 1" not in said:
            letter = os.read(running.stdout.fileno(), 1)
            assert letter, said
            said += letter
        running.send_signal(signal.SIGINT)
        rest, err = running.communicate(timeout=60)
        assert running.returncode == 130
        assert b"You left the table.\nThe same deal again" in rest
        assert b"Traceback" not in err
        assert not set(said + rest) & set(b"\x1b\r\x07")


@needs_posix
def test_at_a_terminal_lines_are_not_echoed_twice_and_ctrl_d_leaves() -> None:
    import pty

    ours, theirs = pty.openpty()
    plain = os.environ | {"TERM": "dumb"}
    with process(stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=plain) as running:
        os.close(theirs)
        said = b""

        def read_to(text: bytes) -> None:
            nonlocal said
            while text not in said:
                if not select.select([ours], [], [], 60)[0]:
                    pytest.fail(f"nothing more after {said!r}")
                said += os.read(ours, 1000)

        read_to(b"to pass) > ")
        os.write(ours, b"3\n")
        # Not before it asks: the terminal would take it for the end of a line.
        read_to(b" X\r\n> ")
        assert b"> 3\r\n  you bid 3\r\n" in said
        os.write(ours, b"\x04")
        read_to(b"You left the table.")
        assert running.wait(timeout=60) == 0
    os.close(ours)
