"""The log's columns: declared once, and the same everywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ddzsim import schema
from ddzsim.engine.config import RunConfig, SessionTerms
from ddzsim.engine.dataset import arrow_schema, arrow_table
from ddzsim.rules import CLASSIC, TABLETOP_4P

LOG_DOC = Path(__file__).parent.parent / "docs" / "log.md"

ROUND_COLUMNS = [
    "run",
    "round",
    "deal",
    "deal_high",
    "redeals",
    "rules",
    "bot_0",
    "bot_1",
    "bot_2",
    "bot_3",
    "first",
    "auction",
    "landlord",
    "bid",
    "hand_0",
    "hand_1",
    "hand_2",
    "hand_3",
    "kitty",
    "big_0",
    "big_1",
    "big_2",
    "big_3",
    "fours_0",
    "fours_1",
    "fours_2",
    "fours_3",
    "fewest_0",
    "fewest_1",
    "fewest_2",
    "fewest_3",
    "side",
    "winner",
    "plays_0",
    "plays_1",
    "plays_2",
    "plays_3",
    "turns",
    "bombs",
    "rockets",
    "spring",
    "anti_spring",
    "multiplier",
    "stake",
    "leg_0",
    "leg_1",
    "leg_2",
    "leg_3",
    "score_0",
    "score_1",
    "score_2",
    "score_3",
    "faults",
]
BY_SEAT = range(schema.MAX_SEATS)
SESSION_COLUMNS = [
    "run",
    "session",
    "rules",
    *(f"bot_{seat}" for seat in BY_SEAT),
    "first_round",
    "rounds",
    "ended",
    "leaver",
    *(f"total_{seat}" for seat in BY_SEAT),
    *(f"chips_{seat}" for seat in BY_SEAT),
    *(f"first_place_{seat}" for seat in BY_SEAT),
    "winners",
]
IN_SESSION_COLUMNS = [
    "session",
    "hand_number",
    "leaver",
    *(f"won_{seat}" for seat in BY_SEAT),
    *(f"total_{seat}" for seat in BY_SEAT),
    *(f"chips_before_{seat}" for seat in BY_SEAT),
    *(f"chips_after_{seat}" for seat in BY_SEAT),
]
ALL_TABLES = schema.TABLES | {"rounds of sessions": schema.IN_SESSIONS}
PLAY_COLUMNS = ["run", "round", "turn", "seat", "cards", "kind", "length", "rank", "left"]


def test_the_log_document_is_what_the_schema_says():
    assert LOG_DOC.read_text(encoding="utf-8") == schema.document()


@pytest.mark.parametrize("table", ALL_TABLES)
def test_the_log_document_holds_the_table(table):
    assert schema.markdown(ALL_TABLES[table]) in LOG_DOC.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("rounds", ROUND_COLUMNS),
        ("plays", PLAY_COLUMNS),
        ("sessions", SESSION_COLUMNS),
        ("rounds of sessions", IN_SESSION_COLUMNS),
    ],
)
def test_the_columns_are_those_that_readers_rely_on(table, names):
    # Version 2 of the log: a change here is a new schema.VERSION.
    assert schema.VERSION == 2
    assert [name for name, _, _ in schema.column_names(ALL_TABLES[table])] == names


@pytest.mark.parametrize("table", ALL_TABLES)
def test_every_parquet_field_has_a_meaning_and_a_unit_and_no_nulls(table):
    for field in arrow_schema(ALL_TABLES[table]):
        assert field.metadata[b"meaning"].endswith(b"."), field
        assert field.metadata[b"unit"], field
        # Three players leave these empty, rules without doubling the legs, who has no chips those.
        empty = field.name.endswith("_3") or field.name.startswith(("deal_high", "leg_", "chips_"))
        assert field.nullable == empty
        if field.metadata[b"unit"] == b"dollars":
            assert pa.types.is_float64(field.type), field
            continue
        assert pa.types.is_integer(field.type) or pa.types.is_dictionary(field.type), field


def test_the_buffer_has_room_for_every_column_that_kernels_fill():
    dtype = schema.buffer_dtype(schema.ROUNDS)
    filled = [column for column in schema.ROUNDS if column.dtype != "text"]
    assert list(dtype.names or ()) == [column.name for column in filled]
    assert dtype["hand"].shape == (schema.MAX_SEATS,)
    assert dtype["hand"].base == np.int64
    assert dtype["score"].base == np.int64
    assert "run" not in dtype.names
    assert schema.buffer_dtype(schema.PLAYS)["cards"] == np.int64


@pytest.mark.parametrize("table", ALL_TABLES)
@pytest.mark.parametrize("rows", [0, 1, 3])
@pytest.mark.parametrize("rules", ["classic", "tabletop-doubling", "tabletop-4p"])
def test_a_table_of_any_size_has_the_declared_columns(table, rows, rules):
    columns = ALL_TABLES[table]
    held = np.zeros(rows, schema.buffer_dtype(columns))
    terms = SessionTerms(chips=0 if rules == "classic" else 5)
    config = RunConfig(seed=1, bots="random", rules=rules, session=terms)
    made = arrow_table(held, columns, config)
    assert made.schema.equals(arrow_schema(columns), check_metadata=True)
    assert len(made) == rows
    due = {"leg": rules == "tabletop-doubling", "chips": rules != "classic"}
    for field in made.schema:
        # A column of each seat is for those there are, and what some runs alone have is theirs.
        of_runs = due.get(field.name.split("_")[0], True) and field.name != "deal_high"
        held = (of_runs and not field.name.endswith("_3")) or (
            rules == "tabletop-4p" and not field.name.startswith("leg_")
        )
        empty = 0 if held else rows
        assert made[field.name].null_count == empty, field.name


def test_the_widest_values_fit_their_columns():
    # 26 bombs of four cards (with `bomb_doubles_from=4` and two decks), the rocket and a spring
    # double 28 times; base 1000, bid 3, three peasants redoubled.
    assert 2**28 < 2**31
    assert 1000 * 3 * 2**28 * 3 * 4 < 2**63
    # The greatest hand's big joker is in nibble 14: 60 bits.
    assert 1 << 57 < 2**63
    # Under `rounds` no auction of four players is longer than three passes, 1, two passes, 2, two
    # passes, 3: 10 calls, 21 bits.
    calls = 0b1_00_00_00_01_00_00_10_00_00_11
    assert calls < 2**31
    assert schema.auction_text(calls) == "0-0-0-1-0-0-2-0-0-3"
    assert schema.auction_text(1) == ""


def test_a_column_by_seat_has_a_name_for_each_seat():
    column = schema.Column("score", "i4", "Points.", "points", by_seat=True)
    assert column.names() == ["score_0", "score_1", "score_2", "score_3"]
    assert [column.holds(seat, CLASSIC) for seat in range(4)] == [True, True, True, False]
    assert column.holds(3, TABLETOP_4P)
    assert column.stored == "int32"
