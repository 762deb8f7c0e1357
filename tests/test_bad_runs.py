"""Run directories that somebody has altered: found out, never obeyed, nothing outside touched."""

from __future__ import annotations

import json
import operator
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import Result
from hostile import QUICK_OR_LONG, changed, json_values, places_in, plain, refusal, spoiled, tries
from hypothesis import given
from hypothesis import strategies as st
from shell import ddzsim, parts_of, started

from ddzsim.core.jit import COMPILED
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import HASH_KEY, read_run, rows_hash, supplied_texts
from ddzsim.engine.run import Options, run
from ddzsim.engine.verify import Verdict, verify_run

CONFIG = RunConfig(seed=7, games=40, bots="random,easy,normal:bid=points", log="plays")
ROUNDS, PLAYS = "rounds/part-00000.parquet", "plays/part-00000.parquet"
IS_LINK = "is a link: a run directory holds its files itself"

pytestmark = pytest.mark.skipif(not COMPILED, reason="plays and verifies thousands of rounds")
posix = pytest.mark.skipif(os.name != "posix", reason="makes links and pipes")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good run."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    run(folder, CONFIG, Options(workers=1))
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    return shutil.copytree(whole, tmp_path / "run")


@contextmanager
def copied(whole: Path) -> Iterator[Path]:
    """A copy of a run for one example."""
    with TemporaryDirectory() as place:
        yield shutil.copytree(whole, Path(place, "run"))


def shells(folder: Path) -> Iterator[Result]:
    """What the commands that read a run make of it; none writes."""
    for line in (
        ["verify", folder, "--sample", 3],
        ["summary", folder],
        ["run", "--resume", "--dry-run", "--out", folder],
        ["run", "--overwrite", "--dry-run", "--seed", 1, "--games", 5, "--out", folder],
    ):
        yield ddzsim(*line)


def looked_at(folder: Path) -> Verdict:
    """What verifying says of a directory that may be anything; all that reads it stays calm."""
    before = parts_of(folder)
    verdict = verify_run(folder, sample=3)
    for line in (*verdict.problems, *verdict.notes):
        plain(line)
    for result in shells(folder):
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert result.exit_code in (0, 1, 2), result.output
        if result.exit_code == 2:
            *_, error, end = result.stderr.split("\n")
            plain(error.removeprefix("Error: "))
            assert (error[:7], end) == ("Error: ", "")
    assert refusal(lambda: read_run(folder)) is None or not verdict.ok
    for table in ("rounds", "plays"):
        for columns in (None, ["round"]):
            refusal(lambda table=table, columns=columns: read_run(folder).arrow(table, columns))
    refusal(lambda: read_run(folder).tally())
    assert parts_of(folder) == before
    return verdict


# run.json


@pytest.mark.parametrize("times", QUICK_OR_LONG)
def test_a_manifest_with_another_value_is_refused_or_read(whole: Path, times: int) -> None:
    manifest = json.loads((whole / "run.json").read_text())
    places = [place for place in places_in(manifest) if place]

    @tries(60, times)
    @given(st.sampled_from(places), json_values, st.booleans())
    def search(place: tuple[Any, ...], value: Any, gone: bool) -> None:
        with copied(whole) as folder:
            altered = json.loads(json.dumps(manifest))
            if gone:
                changed(altered, place, lambda holder, key: holder.pop(key))
            else:
                changed(altered, place, lambda holder, key: operator.setitem(holder, key, value))
            (folder / "run.json").write_text(json.dumps(altered))
            verdict = looked_at(folder)
            if place[0] == "config" and verdict.ok:
                assert read_run(folder).config.run_id == CONFIG.run_id

    search()


@pytest.mark.parametrize("times", QUICK_OR_LONG)
def test_a_manifest_of_other_bytes_is_refused_or_read(whole: Path, times: int) -> None:
    content = (whole / "run.json").read_bytes()
    seed = b'"seed": 7'
    assert seed in content
    others = [
        *(b"", b"null", b"[]", b"3", b"NaN", b"\xff\xfe\x00", b"\xef\xbb\xbf" + content),
        *(content.decode().encode(name) for name in ("utf-16", "utf-32", "utf-7")),
        *(b"[" * 200_000, b'{"a":' * 100_000, b'{"schema":' + b"[" * 900 + b"]" * 900 + b"}"),
        *(content.replace(seed, b'"seed": ' + text) for text in (b"NaN", b"1e999", b"9" * 5000)),
        content.replace(b'"overrides": {', b'"overrides": {"base":' + b"[" * 900 + b"]" * 900),
        content.replace(b'"schema"', b'"schema": 2, "schema"'),
    ]

    @tries(40, times)
    @given(st.one_of(st.sampled_from(others), spoiled(content)))
    def search(some: bytes) -> None:
        with copied(whole) as folder:
            (folder / "run.json").write_bytes(some)
            looked_at(folder)

    search()


def test_no_path_in_a_manifest_is_followed(copy: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.copy(copy / ROUNDS, outside / "part-00000.parquet")
    manifest = json.loads((copy / "run.json").read_text())
    for path in ("../outside", str(outside), "../outside/part-00000.parquet"):
        for key in ("out", "folder", "rounds", "parts", "files", "run_id", "note", path):
            (copy / "run.json").write_text(json.dumps(manifest | {key: path}))
            looked_at(copy)
            for table in ("rounds", "plays"):
                files = read_run(copy).files(table)
                assert files == [str(copy / table / "part-00000.parquet")]
    ddzsim("run", "--overwrite", "--games", 5, "--seed", 1, "--bots", "random", "--out", copy)
    assert len(pq.read_table(outside / "part-00000.parquet")) == CONFIG.games
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside", "run"]


# Parts


@pytest.mark.parametrize("times", QUICK_OR_LONG)
def test_a_spoiled_part_is_found_and_played_again(whole: Path, times: int) -> None:
    good = parts_of(whole)
    tables = {name: pq.read_table(whole / name) for name in good}

    @tries(60, times)
    @given(st.sampled_from(sorted(good)).flatmap(lambda n: st.tuples(st.just(n), spoiled(good[n]))))
    def search(part: tuple[str, bytes]) -> None:
        name, content = part
        with copied(whole) as folder:
            (folder / name).write_bytes(content)
            verdict = looked_at(folder)
            # A bit may be flipped where nothing is stored that is read.
            assert not verdict.ok or pq.read_table(folder / name).equals(tables[name])

    search()


def damage_with_folder(part: Path, content: bytes) -> None:
    part.mkdir()
    (part / "part.parquet").write_bytes(content)


DAMAGES: dict[str, Callable[[Path, bytes], Any]] = {
    "a folder": damage_with_folder,
    "empty": lambda part, content: part.write_bytes(b""),
    "cut": lambda part, content: part.write_bytes(content[:-100]),
    "the other table": lambda part, content: shutil.copy(part.parents[1] / PLAYS, part),
}
if os.name == "posix":
    DAMAGES |= {
        "a pipe": lambda part, content: os.mkfifo(part),
        "a device": lambda part, content: part.symlink_to("/dev/zero"),
        "a link to nothing": lambda part, content: part.symlink_to("nothing"),
        "a link to itself": lambda part, content: part.symlink_to(part),
        "a link to a part": lambda part, content: part.symlink_to(
            shutil.copy(part.parents[1] / PLAYS, part.parents[2] / "outside")
        ),
    }


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_stands_in_for_a_part_is_named(damage: str, copy: Path) -> None:
    part = copy / ROUNDS
    content = part.read_bytes()
    part.unlink()
    DAMAGES[damage](part, content)
    assert ROUNDS in looked_at(copy).problems[0]


@pytest.mark.parametrize("damage", ["empty", "cut", "the other table"])
def test_a_damaged_part_is_played_again_to_the_same_bytes(damage: str, copy: Path) -> None:
    good = parts_of(copy)
    DAMAGES[damage](copy / ROUNDS, good[ROUNDS])
    result = ddzsim("run", "--resume", "--out", copy)
    assert result.exit_code == 0, result.stderr
    assert parts_of(copy) == good


@posix
@pytest.mark.parametrize("link", ["rounds", "run.json", ROUNDS])
def test_nothing_behind_a_link_is_read_written_or_removed(
    link: str, copy: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.move(copy / link, outside / Path(link).name)
    (copy / link).symlink_to(outside / Path(link).name)
    (outside / ".part-00000.parquet.1").write_text("mine")
    # A part's own link is met when the part is written: by then an old run may be gone.
    kept = outside if link == ROUNDS else tmp_path
    before, files = parts_of(kept), sorted(kept.rglob("*"))
    assert any(IS_LINK in problem for problem in looked_at(copy).problems)
    again = ["run", "--seed", 1, "--games", 5, "--bots", "random", "--overwrite", "--out", copy]
    for line in (["run", "--resume", "--out", copy], again):
        result = ddzsim(*line)
        assert result.exit_code == (1 if link == ROUNDS else 2)
        assert IS_LINK in result.stderr
        assert (parts_of(kept), sorted(kept.rglob("*"))) == (before, files)


# Tables of another kind, with the hash of what they hold


def rewritten(folder: Path, name: str, table: pa.Table) -> None:
    """Put a table in the place of a part, as somebody would who wants it to pass."""
    about = pq.read_schema(folder / name).metadata | {HASH_KEY: rows_hash(table).encode()}
    pq.write_table(table.replace_schema_metadata(about), folder / name)


def columns_of(name: str) -> list[str]:
    """The columns of a table that a test alters: one of each type, and those that are added up."""
    if name == PLAYS:
        return ["run", "round", "seat", "cards", "kind", "length"]
    return ["run", "round", "deal", "auction", "landlord", "bid", "hand_0", "side", "score_1"]


OTHER_TYPES = {
    "nothing": lambda rows: pa.nulls(rows),
    "texts": lambda rows: pa.array(["\x1b[2J\n"] * rows),
    "lists": lambda rows: pa.array([[1]] * rows),
    "fractions": lambda rows: pa.array([float("nan")] * rows),
    "bytes": lambda rows: pa.array([b"\xff"] * rows),
}


@pytest.mark.parametrize("kind", OTHER_TYPES)
@pytest.mark.parametrize("name", [ROUNDS, PLAYS])
def test_a_column_of_another_type_is_found(name: str, kind: str, copy: Path) -> None:
    table = pq.read_table(copy / name)
    for column in columns_of(name):
        at = table.column_names.index(column)
        array = OTHER_TYPES[kind](len(table))
        rewritten(copy, name, table.set_column(at, column, array))
        assert name in looked_at(copy).problems[0]


@pytest.mark.parametrize("name", [ROUNDS, PLAYS])
def test_a_column_of_other_values_is_found(name: str, copy: Path) -> None:
    table = pq.read_table(copy / name)
    for column in columns_of(name):
        at = table.column_names.index(column)
        field = table.schema.field(at)
        if pa.types.is_dictionary(field.type):
            for text in ("\x1b[2J\n", "", "\0", "x" * 10_000, "3-3-3-3-3-3"):
                indices = pa.array([0] * len(table), pa.int32())
                array = pa.DictionaryArray.from_arrays(indices, pa.array([text]))
                rewritten(copy, name, table.set_column(at, field, array))
                assert not looked_at(copy).ok, (column, text)
            continue
        edge = 1 << 8 * field.type.byte_width - 1
        for number in (-1, edge - 1, -edge):
            array = pa.array([number] * len(table), field.type)
            rewritten(copy, name, table.set_column(at, field, array))
            assert not looked_at(copy).ok, (column, number)


def test_a_table_without_rows_or_columns_is_found(copy: Path) -> None:
    table = pq.read_table(copy / ROUNDS)
    for other in (pa.table({}), table.slice(0, 0), pa.concat_tables([table, table])):
        rewritten(copy, ROUNDS, other)
        assert ROUNDS in looked_at(copy).problems[0]


# What must not be lost, or read beside the run


@pytest.mark.parametrize("stands", ["a folder", "a pipe"])
def test_overwriting_loses_nothing_where_the_manifest_cannot_be_replaced(
    stands: str, copy: Path
) -> None:
    content = (copy / "run.json").read_bytes()
    (copy / "run.json").unlink()
    DAMAGES[stands](copy / "run.json", content)
    good = parts_of(copy)
    result = ddzsim("run", "--seed", 1, "--games", 5, "--bots", "random", "--overwrite", "-o", copy)
    assert result.exit_code == 2
    assert parts_of(copy) == good


@posix
@pytest.mark.parametrize("name", ["*", "[x]", "a?c", "seed=5", "a{b,c}"])
def test_sql_reads_the_files_of_this_run_alone(name: str, whole: Path, tmp_path: Path) -> None:
    for other in (name, "x", "abc", "ab"):
        shutil.copytree(whole, tmp_path / other)
    held = read_run(tmp_path / name)
    assert held.duckdb().shape == held.arrow().shape == (CONFIG.games, len(held.arrow().schema))


@pytest.mark.parametrize("damage", ["empty", "cut", "a folder"])
def test_sql_over_a_part_that_does_not_read_is_refused(damage: str, copy: Path) -> None:
    content = (copy / ROUNDS).read_bytes()
    (copy / ROUNDS).unlink()
    DAMAGES[damage](copy / ROUNDS, content)
    assert refusal(lambda: read_run(copy).duckdb()) is not None


@posix
def test_a_note_that_is_no_text_is_kept(tmp_path: Path) -> None:
    # The last letter is a byte that is no UTF-8, as Python hands it on.
    note, place = ["--note", "caf\udce9"], ["--out", tmp_path / "a"]
    line = ["run", "--games", 1, "--seed", 1, *note, *place]
    for _ in range(2):
        with started(*line) as process:
            assert process.communicate()[1].count("Traceback") == 0
            assert process.returncode == 0
        assert read_run(tmp_path / "a").manifest["note"] == "caf\udce9"
        line = ["run", "--resume", *note, *place]


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", "\x9b2J", "\u202ex", "\udcff", "a\tb"])
def test_a_place_with_a_name_that_does_not_only_show_is_refused(name: str, tmp_path: Path) -> None:
    for line in (["run", "--games", 1, "--out"], ["verify"], ["summary"]):
        result = ddzsim(*line, tmp_path / name)
        assert (result.exit_code, result.stdout) == (2, "")
        plain(result.stderr.removesuffix("\n"))
    assert not list(tmp_path.iterdir())


def test_a_manifest_that_claims_many_parts_is_told_in_a_few_lines(copy: Path) -> None:
    manifest = json.loads((copy / "run.json").read_text())
    manifest["config"] |= {"games": 10**8, "log": "rounds"}  # 1000 parts
    (copy / "run.json").write_text(json.dumps(manifest))
    assert 1 < len(verify_run(copy, sample=3).problems) < 50


@pytest.mark.parametrize("bots", [5, "abc", [5, None, []], {"seat": 1}])
def test_another_run_of_odd_bots_is_not_resumed(bots: Any, copy: Path) -> None:
    manifest = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps(manifest | {"run_id": "\x1b[2J", "bots": bots}))
    good = parts_of(copy)
    text = refusal(lambda: run(copy, CONFIG, Options(workers=1, resume=True)))
    assert "holds run" in str(text)
    assert parts_of(copy) == good


def test_configurations_of_one_run_id_have_the_same_rows() -> None:
    one = RunConfig(seed=1, rules="tabletop", overrides=(("kitty_shown", "true"),))
    other = RunConfig(seed=1, rules="tabletop-open")
    assert one.run_id != other.run_id or supplied_texts(one) == supplied_texts(other)
