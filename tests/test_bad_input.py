"""Bad input of every kind: one plain line names it, and nothing is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from hostile import LONG, NUMBERS, QUICK_OR_LONG, json_values, like, plain, refusal, spoiled, tries
from hypothesis import given
from hypothesis import strategies as st
from shell import ddzsim, started

import ddzsim as dz
from ddzsim.bots.advice import advice_of
from ddzsim.bots.seats import parse_seats
from ddzsim.cards import RANKS, Hand
from ddzsim.cli.options import overrides_of
from ddzsim.cli.progress import load_kernels
from ddzsim.cli.settings import KEYS, LARGEST_FILE, read_settings
from ddzsim.cli.summary import Memory
from ddzsim.deals import Deal, deal_codes
from ddzsim.engine import stores
from ddzsim.engine.cluster import local_workers
from ddzsim.engine.config import RunConfig
from ddzsim.engine.stores import Folder
from ddzsim.rules import CLASSIC, RULESETS, ruleset

CODE = "DVA3-0FX3-CQ4P"
HANDS = ("33334444555566667", "7778888999TTTTJJJ", "JQQQQKKKKAAAA2222")
CARDS = ("33344456XD", "10 J q K a", "777888+3+K", "333444555+666", "3456889TJJKA22Q3X")
FIELDS = ("base=1", "spring=false", "auction=rounds", "straight_min=5", "redeal_limit=64")

cards = like(*CARDS, *HANDS)


def read_cards(text: str) -> None:
    assert Hand.parse(str(hand := Hand.parse(text))) == hand


def read_combos(texts: tuple[str, str]) -> None:
    combo = dz.combo_of(texts[0], CLASSIC)
    plain(f"{combo} {combo.describe()}")
    dz.combo_of(texts[1], CLASSIC, over=combo)


def read_plays(texts: tuple[str, str]) -> None:
    for over in (None, texts[1]):
        for combo in dz.legal_plays(texts[0], CLASSIC, over=over)[:50]:
            assert combo.cards in Hand.parse(texts[0])


def settings_of(path: Path) -> dict[str, object]:
    return read_settings(path, [*KEYS])


def read_code(text: str) -> None:
    deal = Deal.from_code(text)
    assert Deal.from_index(deal.index, len(deal.hands)) == deal
    plain(deal.code)


def read_deal(texts: list[str]) -> None:
    read_code(Deal.from_hands(texts).code)


def read_seats(text: str) -> None:
    seats = parse_seats(text, 3)
    shown = plain(",".join(map(str, seats)))
    assert parse_seats(shown, 3) == seats


def read_rules(texts: list[str]) -> None:
    changed = CLASSIC.override(dict(overrides_of(texts)))
    plain(changed.name)
    # The name says all that was changed, and nothing else.
    _, _, told = changed.name.partition("+")
    assert CLASSIC.override(dict(overrides_of(told.split(",") if told else []))) == changed


CONFIGURATION = {
    "seed": 7,
    "games": 20,
    "first": 0,
    "bots": "normal",
    "rules": "classic",
    "overrides": {"base": "1"},
    "log": "rounds",
    "force_landlord": "off",
}

PARSERS: dict[str, tuple[Callable[[Any], Any], st.SearchStrategy[Any], int]] = {
    "cards": (read_cards, cards, 400),
    "combos": (read_combos, st.tuples(cards, cards), 200),
    "plays": (read_plays, st.tuples(cards, cards), 100),
    "min_plays": (lambda text: dz.min_plays(text, CLASSIC), cards, 100),
    "rating": (dz.rate, cards, 100),
    "deal code": (read_code, like(CODE, CODE.lower(), "0000 0000 0000"), 400),
    "deal hands": (read_deal, st.lists(like(*HANDS), min_size=2, max_size=4), 100),
    "deal index": (Deal.from_index, st.integers(-(2**70), 2**70), 100),
    "seats": (read_seats, like("hard", "hard,normal:bid=points,easy", "random:bid=never"), 400),
    "rules": (read_rules, st.lists(like(*FIELDS), max_size=3), 400),
    "rule set": (ruleset, like(*RULESETS), 100),
    "advice": (advice_of, like("default", "points"), 100),
    "place": (
        stores.store_at,
        like("runs/a", "file:///a/b", "s3://b/run?region=x", "gs://b/c"),
        400,
    ),
    "memory": (lambda text: Memory().convert(text, None, None), like("500MB", "1.5 GiB"), 100),
    "cluster": (local_workers, like("local:2", "tcp://a:1", "a.json"), 100),
}


@pytest.mark.parametrize("times", QUICK_OR_LONG)
@pytest.mark.parametrize("name", PARSERS)
def test_a_text_is_read_or_refused_in_one_plain_line(
    name: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse, texts, examples = PARSERS[name]
    # A bucket would be looked for.
    monkeypatch.setattr(stores, "Bucket", Path)

    @tries(examples, times)
    @given(texts)
    def search(text: Any) -> None:
        refusal(lambda: parse(text))

    search()


# Configurations


@pytest.mark.parametrize("times", QUICK_OR_LONG)
def test_a_configuration_is_read_or_refused(times: int) -> None:
    @tries(400, times)
    @given(st.dictionaries(st.sampled_from([*CONFIGURATION, "colour", "\x1b"]), json_values))
    def search(values: dict[str, Any]) -> None:
        refusal(lambda: RunConfig.from_manifest({"config": CONFIGURATION | values}))
        refusal(lambda: RunConfig.from_manifest({"config": values}))

    search()


TOML = b"""games = 20
seed = 7
bots = "normal,easy,random"
note = "mine"
[set]
base = 1
spring = false
"""

toml_values = st.sampled_from(
    [
        *(
            "1.5",
            "nan",
            "-0",
            "true",
            "''",
            "[]",
            "[[1], {a = 1}]",
            "{}",
            "{a.b.c = 1}",
            "2020-01-01",
        ),
        *("1e400", "9" * 5000, "0x" + "f" * 6000, "-0b1" + "0" * 70, "1_0", "'\\u001b[2J'"),
        *('"\\u001b[2J\\n"', '"""\n\n"""', '"hard,\\nhard"', "[" * 3000, "{a=" * 3000, '"\\ud800"'),
    ]
)


@st.composite
def toml_files(draw: st.DrawFn) -> bytes:
    """Configuration files, nearly."""
    if draw(st.booleans()):
        return draw(spoiled(TOML))
    keys = st.sampled_from(
        [*KEYS, "set.base", "set.auction", '"set"."\\u001b"', '"\\n"', "''", "ſeed"]
    )
    lines = draw(st.lists(st.tuples(keys, toml_values), max_size=3))
    text = "\n".join(f"{key} = {value}" for key, value in lines)
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16"])))


@pytest.mark.parametrize("times", QUICK_OR_LONG)
def test_a_configuration_file_is_read_or_refused(times: int, tmp_path: Path) -> None:
    file, out = tmp_path / "run.toml", tmp_path / "run"

    @tries(100, times)
    @given(toml_files())
    def search(content: bytes) -> None:
        file.write_bytes(content)
        refusal(lambda: settings_of(file))
        judge(ddzsim("run", "--config", file, "--dry-run", "--out", out))
        assert [path.name for path in tmp_path.iterdir()] == ["run.toml"]

    search()


def test_a_configuration_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large.toml").write_bytes(b"#" * (LARGEST_FILE + 1))
    for name, reason in {
        "large.toml": "more than 100,000 bytes",
        ".": "Is a directory",
        "a\0b": "embedded null byte",
        "\ud800": "surrogates not allowed",
        "a" * 5000: "File name too long",
    }.items():
        assert str(refusal(lambda name=name: settings_of(tmp_path / name))).endswith(reason)
    if os.path.exists("/dev/zero"):
        assert str(refusal(lambda: settings_of(Path("/dev/zero")))).endswith("100,000 bytes")


# The shell


def judge(result: Result) -> None:
    """A command line that did what it was asked, or refused it in one line with exit code 2."""
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 2), result.output
    for line in result.stdout.split("\n"):
        assert line.isprintable(), line
    if result.exit_code == 2:
        assert result.stdout == ""
        # That a machine's first start compiles is said whenever that is, and once.
        *said, error, end = result.stderr.split("\n")
        assert all(line.startswith("First start on this machine") for line in said), said
        plain(error.removeprefix("Error: "))
        assert (error[:7], end) == ("Error: ", "")


RUN = ["run", "--dry-run", "--seed", "7", "--games", "20", "--bots", "easy", "--out", "there"]
LINES = (
    *([*RUN, option] for option in ("--set", "--log", "--force-landlord", "--note", "--dask")),
    *(RUN[:at] for at in (3, 5, 7)),
    *([*RUN, option] for option in ("--first", "--workers", "--rules", "--bots", "--config")),
    ["run", "--dry-run", "--resume", "--out"],
    ["verify"],
    ["verify", "there", "--sample"],
    ["summary"],
    ["summary", "there", "--memory-limit"],
    ["replay"],
    ["replay", CODE, "--bots"],
    ["replay", CODE, "--force-landlord"],
    ["deal", "show"],
    ["deal", "decode", "--json"],
    ["deal", "encode", *HANDS[:2]],
    ["deal", "encode", *HANDS, "--first"],
    ["deal", "random", "--seed"],
    ["plays"],
    ["plays", CARDS[0], "--json", "--over"],
    ["plays", CARDS[0], "--json", "--why"],
    ["advise", "--json"],
    ["advise", CARDS[-1], "--advice"],
    ["rules", "show"],
    ["rules", "diff", "classic"],
    ["bench"],
    ["play", "--seat", "3"],
    ["play", CODE, "--seat"],
    ["nothing"],
    [],
)
"""What is only a command line with one word more."""


def handed_on(word: str) -> bool:
    """Whether a system can hand a word to a program."""
    halves = any(
        "\ud800" <= letter <= "\udfff" and not "\udc80" <= letter <= "\udcff" for letter in word
    )
    return "\0" not in word and not halves


words = st.one_of(
    like("7", "hard", CODE, *CARDS, *FIELDS, "runs/a"), like("--games=7", "-s", "--")
).filter(handed_on)


@pytest.mark.parametrize("times", QUICK_OR_LONG)
def test_a_command_line_does_what_it_says_or_is_refused(
    times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_kernels()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stores, "Bucket", Folder)

    @tries(400, times)
    @given(st.sampled_from(LINES), st.lists(words, min_size=1, max_size=2))
    def search(line: list[str], more: list[str]) -> None:
        # To measure the speed of a bot that there is takes its time.
        if line != ["bench"] or not {*more} & {*dz.BOTS}:
            judge(ddzsim(*line, *more))
            assert not list(tmp_path.iterdir())

    search()


@pytest.mark.skipif(os.name != "posix", reason="gives bytes that are no text")
@pytest.mark.parametrize(
    "line",
    [
        ["plays", "33\udcff"],
        ["rules", "show", "\x1b[2J\x9b"],
        ["verify", "a\n\x1b]0;b\x07"],
        ["\u202e", "x"],
    ],
)
def test_a_process_refuses_bytes_that_are_no_text_or_move_the_cursor(line: list[str]) -> None:
    with started(*line) as process:
        out, error = process.communicate()
    assert (process.returncode, out) == (2, "")
    plain(error.removesuffix("\n"))


def test_no_message_is_cut_before_its_reason() -> None:
    for act, reason in {
        lambda: Hand.parse(LONG[1]): "the deck holds 4 (R1.2)",
        lambda: Deal.from_code(LONG[0]): "or 24 with two decks (R2.2)",
        lambda: RunConfig(seed=10**5000): "a whole number from 0 to 9223372036854775807",
        lambda: ruleset(LONG[2]): "rlcard, douzero",
    }.items():
        assert str(refusal(act)).endswith(reason)


def test_values_are_refused_that_are_no_hand() -> None:
    for packed in (-1, 1 << 60, 10**5000, 1.5, "3", None):
        assert "is no hand: a number of 15 nibbles (R1)" in str(refusal(lambda p=packed: Hand(p)))
    assert str(Hand(np.int64(3))) == "333"
    assert refusal(lambda: Hand.parse("3").count("10")) is not None
    deck = "".join(rank * 4 for rank in RANKS[:13]) + "XD"
    assert str(refusal(lambda: dz.rate(deck))).endswith("holds 54 cards: at most 33")
    assert refusal(lambda: deal_codes([[1], [1, 2]])) is not None
    assert refusal(lambda: deal_codes([float("nan")])) is not None


def test_counts_are_refused_that_no_round_has() -> None:
    fair = {"bid": 1, "bombs": 0, "rockets": 0, "landlord_plays": 5, "peasant_plays": (3, 2)}
    assert refusal(lambda: dz.settle(CLASSIC, **fair, landlord_won=True)) is None
    for wrong in (
        {"bid": 4},
        {"bombs": 14},  # of 13 ranks
        {"bombs": 10**5000},
        {"rockets": 2},
        {"bombs": -1},
        {"landlord_plays": 10**30},
        {"peasant_plays": (3, 34)},
        {"peasant_plays": (3, 2, 1)},
    ):
        about = fair | wrong
        assert refusal(lambda a=about: dz.settle(CLASSIC, **a, landlord_won=True)) is not None


def test_a_person_may_type_anything() -> None:
    typed = ["p", "\x1b[2J", "9" * 5000, "33\0", "３", "'; q", *NUMBERS, *CARDS, "0"]
    result = ddzsim("play", CODE, "--bots", "random", input="\n".join(typed).encode() + b"\n\xff\n")
    judge(result)
    assert "You left the table." in result.stdout
