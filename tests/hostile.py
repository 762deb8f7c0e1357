"""What nobody means to write: texts, bytes and values for tests of bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from ddzsim.core.jit import COMPILED
from ddzsim.errors import DdzError

QUICK_OR_LONG = [
    pytest.param(1, id="quick"),
    pytest.param(40, id="long", marks=pytest.mark.slow),
]
"""How many times the examples of CI are tried."""

NASTY = (
    *"\0\n\r\t\x1b\x07\x7f\x9b\x85",
    *"\u2028\u202e\u200b\ufeff\u3000",  # line and direction marks, blanks, a byte order mark
    *"\ud800\udcff",  # halves of a pair, and what an argument that is no UTF-8 becomes
    *"３٣²Ⅳßıſ🂡",  # digits and letters of other scripts
    *" ,+=:-_.\"'\\/%{}[]*?#~$!1X",
)
LONG = ("9" * 5000, "3" * 100_000, "a" * 5000, "\x1b[2J" * 400, "-" * 300)
NUMBERS = (
    "-1",
    "1e9",
    "0x10",
    "1_0",
    "+3",
    "1.5",
    "NaN",
    "inf",
    "1" * 25,
    "３",
    "٣",
    " 7 ",
    "00",
    "",
)


def tries(examples: int, times: int) -> settings:
    """How many examples are tried: a tenth where kernels are plain Python."""
    return settings(max_examples=examples * times // (1 if COMPILED else 10))


letters = st.one_of(st.sampled_from(NASTY), st.characters(exclude_categories=()))
rubbish = st.one_of(st.text(letters, max_size=12), st.sampled_from((*NUMBERS, *LONG)))


@st.composite
def mutated(draw: st.DrawFn, valid: str) -> str:
    """A valid text with some characters changed, put in, left out or swapped."""
    text = list(valid)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(text) - 1, 0)))
        change = draw(st.sampled_from(["put in", "change", "leave out", "swap", "double"]))
        if change == "put in":
            text.insert(at, draw(letters))
        elif change == "change":
            text[at : at + 1] = draw(letters)
        elif change == "leave out":
            del text[at : at + draw(st.integers(1, 3))]
        elif change == "swap":
            text[at : at + 2] = reversed(text[at : at + 2])
        else:
            text *= 2
    return "".join(text)


def like(*valid: str) -> st.SearchStrategy[str]:
    """Valid texts, texts nearly like them, and rubbish."""
    near = st.sampled_from(valid).flatmap(mutated)
    return st.one_of(near, near, rubbish, st.sampled_from(valid))


@st.composite
def spoiled(draw: st.DrawFn, valid: bytes) -> bytes:
    """Bytes that are cut off, flipped, overwritten or put in somewhere."""
    content = bytearray(valid)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(content) - 1, 0)))
        change = draw(st.sampled_from(["cut", "flip", "overwrite", "put in"]))
        if change == "cut":
            del content[at:]
        elif change == "flip" and content:
            content[at] ^= 1 << draw(st.integers(0, 7))
        elif change == "overwrite":
            some = draw(st.binary(min_size=1, max_size=8))
            content[at : at + len(some)] = some
        else:
            content[at:at] = draw(st.binary(min_size=1, max_size=8))
    return bytes(content)


# Of whole numbers none that would be a run of many parts: that is bad input for a test only.
json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.sampled_from([-1, 0, 1, 2, 7, 2**31, 2**63, 10**30, 0.5, 1e308, float("nan")]),
        st.sampled_from([*NUMBERS, *LONG[:1], "\x1b[2J\n", "\ud800", "../../x", "/etc/passwd"]),
        st.text(letters, max_size=5),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(letters, max_size=3), inner, max_size=3),
    ),
    max_leaves=6,
)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where values stand in nested JSON values."""
    keys = value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0)
    return [path, *(place for key in keys for place in places_in(value[key], (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """Nested JSON values, changed in place where a path leads."""
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return value


def plain(line: str) -> str:
    """A line that does nothing to a terminal but show; it is given back."""
    assert line.isprintable(), line
    assert 0 < len(line) <= 1000, line[:2000]
    return line


def refusal(act: Callable[[], Any]) -> str | None:
    """How an act refuses what it was given, in one plain line; None if it does not."""
    try:
        act()
    except DdzError as error:
        return plain(str(error))
    return None
