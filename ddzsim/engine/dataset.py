"""A run directory: written part by part, resumed, read.

`run.json` says what the run is; `rounds/part-00000.parquet`, … hold a fixed range of rounds each,
and `plays/` the turns where they are logged. A store writes a file whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from ddzsim import schema
from ddzsim.engine.config import RunConfig
from ddzsim.engine.stores import ASIDE, Bucket, Place, Store, store_at
from ddzsim.errors import ConfigError, RunError
from ddzsim.rules import CLASSIC
from ddzsim.stats import TALLIED, SessionTally, Tally

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyRelation

MANIFEST = "run.json"
TEXT = pa.dictionary(pa.int32(), pa.string())
"""How texts are stored: each once, and a number in every row."""
HASH_KEY, RUN_KEY, PART_KEY = b"ddzsim.rows_sha256", b"ddzsim.run", b"ddzsim.part"

PART_NAME = re.compile(rf"(?:{re.escape(ASIDE)})?part-\d{{5,}}\.parquet(?:\.\w+)?")
"""What a part's file is named, finished or not."""

ROWS_AT_ONCE = 100_000
"""Rows that are tallied at once."""

LEAST_ROWS = 10_000
BYTES_A_ROW = 500
"""What tallying takes for each row held, with room to spare (measured: 250)."""

READERS = 16
"""Footers read at once: a bucket takes its time for each, a folder does not mind."""


def part_name(table: str, part: int) -> str:
    """The file of a part of a table, within the run directory."""
    return f"{table}/part-{part:05}.parquet"


def arrow_table(
    rows: npt.NDArray[np.void],
    columns: tuple[schema.Column, ...],
    config: RunConfig,
    players: npt.NDArray[np.integer[Any]] | None = None,
) -> pa.Table:
    """The rows that the kernels filled, as the Parquet table that the schema declares.

    `players` is who sits at the seats, as positions in the configuration's bots, where that is not
    the same in every row.
    """
    supplied = supplied_texts(config)
    names = [str(seat) for seat in config.seats]
    bots = sorted(set(names))
    declared = arrow_schema(columns)
    arrays = []
    for name, column, seat in schema.column_names(columns):
        if not column.holds(seat, config.ruleset, config.table_stakes):
            array = pa.nulls(len(rows), declared.field(name).type)
        elif column.name == "bot" and players is not None:
            numbers = np.array([bots.index(name) for name in names])
            array = _texts(numbers[players[:, seat]], bots)
        elif column.dtype == "text":
            array = _texts(np.zeros(len(rows), np.int8), [supplied[name]])
        elif column.text is not None:
            values, indices = np.unique(rows[column.name], return_inverse=True)
            array = _texts(indices, [column.text(int(value)) for value in values])
        else:
            held = rows[column.name]
            array = pa.array(np.ascontiguousarray(held[:, seat] if column.by_seat else held))
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=declared)


def side_by_side(left: pa.Table, right: pa.Table) -> pa.Table:
    """The columns of two tables of as many rows."""
    fields = pa.schema([*left.schema, *right.schema])
    return pa.Table.from_arrays([*left.columns, *right.columns], schema=fields)


def supplied_texts(config: RunConfig) -> dict[str, str]:
    """What the columns hold that the run supplies: the same text in every row."""
    texts = {"run": config.run_id, "rules": config.ruleset.name}
    return texts | {f"bot_{number}": str(seat) for number, seat in enumerate(config.seats)}


def arrow_schema(columns: tuple[schema.Column, ...]) -> pa.Schema:
    """The declared columns as Parquet has them, each with its meaning and unit."""
    fields = []
    for name, column, seat in schema.column_names(columns):
        about = {"meaning": column.doc, "unit": column.unit}
        kind = TEXT if column.stored == "text" else pa.from_numpy_dtype(np.dtype(column.dtype))
        nullable = not column.holds(seat, CLASSIC)
        fields.append(pa.field(name, kind, nullable=nullable, metadata=about))
    return pa.schema(fields)


def _texts(indices: npt.NDArray[np.integer[Any]], texts: list[str]) -> pa.DictionaryArray:
    """A dictionary column."""
    held = pa.array(texts, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(indices.astype(np.int32)), held)


def rows_hash(table: pa.Table) -> str:
    """A hash of a table's values, whatever way they are stored."""
    digest = hashlib.sha256()
    for name in table.column_names:
        column = table[name].unify_dictionaries().combine_chunks()
        digest.update(f"{name}\0{column.type}\0".encode())
        if column.null_count:
            digest.update(column.is_valid().to_numpy(zero_copy_only=False).tobytes())
            column = column.drop_null()
        if pa.types.is_dictionary(column.type):
            # A reader may hold the texts in another order, or some that no row has.
            texts = column.dictionary.to_pylist()
            used, indices = np.unique(column.indices.to_numpy(), return_inverse=True)
            order = sorted(range(len(used)), key=lambda at: texts[used[at]])
            digest.update("\0".join(texts[used[at]] for at in order).encode())
            values = np.argsort(order).astype(np.int32)[indices]
        else:
            values = column.to_numpy(zero_copy_only=False)
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def write_part(store: Store, table: str, part: int, rows: pa.Table, run_id: str) -> None:
    """Write a part; its footer holds the hash of its rows.

    Raises:
        RunError: the part cannot be written.
    """
    about = {RUN_KEY: run_id, PART_KEY: str(part), HASH_KEY: rows_hash(rows)}
    distinct = {
        name for name, column, _ in schema.column_names(schema.TABLES[table]) if column.distinct
    }
    content = pa.BufferOutputStream()
    pq.write_table(
        rows.replace_schema_metadata(about),
        content,
        compression="zstd",
        # A dictionary of values that hardly repeat costs a fifth of the bytes and of the time.
        use_dictionary=[name for name in rows.column_names if name not in distinct],
    )
    store.write(part_name(table, part), content.getvalue())


def part_is_whole(store: Store, name: str, run_id: str, part: int, rows: int | None) -> bool:
    """Whether a part is there, reads, and belongs to this place in this run.

    `rows` is how many rows it must have; None: any number.

    Raises:
        RunError: the store cannot be read.
    """
    try:
        file = store.open(name)
    except FileNotFoundError:
        return False
    with file:
        try:
            metadata = pq.read_metadata(file)
        except (OSError, pa.ArrowException):
            return False
    about = metadata.metadata or {}
    mine = about.get(RUN_KEY) == run_id.encode() and about.get(PART_KEY) == str(part).encode()
    return mine and rows in (None, metadata.num_rows)


def missing_parts(store: Store, config: RunConfig) -> list[int]:
    """The parts that are not there or do not read.

    Raises:
        RunError: the store cannot be read.
    """
    tables = config.tables
    there = {found.name for table in tables for found in store.found(table)}

    def is_whole(part: int) -> bool:
        rows = {"sessions" if config.session else "rounds": config.part_range(part)[1]}
        return all(
            part_is_whole(store, part_name(table, part), config.run_id, part, rows.get(table))
            for table in tables
        )

    parts = range(config.parts)
    listed = [part for part in parts if all(part_name(table, part) in there for table in tables)]
    with ThreadPoolExecutor(READERS) as readers:
        whole = {
            part for part, is_it in zip(listed, readers.map(is_whole, listed), strict=True) if is_it
        }
    return [part for part in parts if part not in whole]


def write_manifest(store: Store, manifest: dict[str, Any]) -> None:
    """Write `run.json`.

    Raises:
        RunError: it cannot be written.
    """
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    # Bytes of an argument that are no text become what JSON itself escapes them to.
    store.write(MANIFEST, text.encode(errors="backslashreplace"))


def read_manifest(store: Store) -> dict[str, Any]:
    """What `run.json` holds.

    Raises:
        RunError: there is none, or it does not read.
    """
    path = store.shown(MANIFEST)
    try:
        content = store.read(MANIFEST)
    except FileNotFoundError:
        raise RunError(f"{store} is no run directory: it has no {MANIFEST}") from None
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} does not read: {error}") from None
    if not isinstance(manifest, dict):
        raise RunError(f"{path} does not read: it is no JSON object")
    return manifest


def rows_within(memory_limit: int | None) -> int:
    """How many rows to tally at once, so that this process stays below so many bytes.

    Raises:
        ConfigError: the process has taken as much before it reads a row.
    """
    if memory_limit is None:
        return ROWS_AT_ONCE
    taken = psutil.Process().memory_info().rss
    rows = int((memory_limit - taken) // BYTES_A_ROW)
    if rows < LEAST_ROWS:
        least = taken + LEAST_ROWS * BYTES_A_ROW
        raise ConfigError(f"a memory limit of {memory_limit:,} bytes: at least {least:,}")
    return min(rows, ROWS_AT_ONCE)


@dataclass(frozen=True, slots=True)
class Run:
    """A run directory, opened for reading."""

    store: Store
    config: RunConfig
    manifest: dict[str, Any]

    def parts(self, table: str = "rounds") -> list[int]:
        """The numbers of the parts of a table that are there."""
        there = {found.name for found in self.store.found(table)}
        return [part for part in range(self.config.parts) if part_name(table, part) in there]

    def files(self, table: str = "rounds") -> list[str]:
        """The files of a table that are there, in order: paths or URIs."""
        return [self.store.shown(name) for name in self._names(table)]

    def tables(self, table: str = "rounds", columns: list[str] | None = None) -> Iterator[pa.Table]:
        """The parts one by one, so that memory does not grow with the run.

        Raises:
            RunError: a part does not read, or has not these columns; it is named.
        """
        for part in self.parts(table):
            yield self.table(table, part, columns)

    def table(self, table: str, part: int, columns: list[str] | None = None) -> pa.Table:
        """One part of a table.

        Raises:
            RunError: it does not read, or has not these columns.
        """
        with self._opened(table, part, columns) as held:
            return held.read(columns=columns)

    def batches(
        self, table: str, part: int, columns: list[str], rows_at_once: int
    ) -> Iterator[pa.Table]:
        """A part in pieces of at most so many rows.

        Raises:
            RunError: see `table`.
        """
        with self._opened(table, part, columns) as held:
            for batch in held.iter_batches(rows_at_once, columns=columns):
                yield pa.Table.from_batches([batch])

    @contextmanager
    def _opened(self, table: str, part: int, columns: list[str] | None) -> Iterator[pq.ParquetFile]:
        """A part opened for reading some of its columns; whatever goes wrong names it."""
        name = part_name(table, part)
        try:
            with self.store.open(name) as file:
                held = pq.ParquetFile(file)
                if absent := set(columns or ()) - set(held.schema_arrow.names):
                    raise KeyError(f"no column {', '.join(sorted(absent))}")
                yield held
        except (OSError, pa.ArrowException, KeyError) as error:
            reason = str(error.args[0] if error.args else error).splitlines()
            raise RunError(
                f"{self.store.shown(name)} does not read: {reason[0] if reason else error!r}"
            ) from None

    def arrow(self, table: str = "rounds", columns: list[str] | None = None) -> pa.Table:
        """All rows as one Arrow table.

        Raises:
            RunError: the table was not logged, or a part does not read.
        """
        self._logged(table)
        return pa.concat_tables(self.tables(table, columns)).unify_dictionaries()

    def pandas(self, table: str = "rounds", columns: list[str] | None = None) -> pd.DataFrame:
        """All rows as a pandas frame; texts are categories.

        Raises:
            RunError: the table was not logged, or a part does not read.
        """
        frame: pd.DataFrame = self.arrow(table, columns).to_pandas()
        return frame

    def duckdb(self, table: str = "rounds") -> DuckDBPyRelation:
        """The rows as a DuckDB relation, read from the files when it is asked something.

        For SQL, and for runs larger than memory.

        Raises:
            RunError: the table was not logged.
        """
        import duckdb

        files = self._logged(table)
        if isinstance(self.store, Bucket):
            # DuckDB would need an extension of its own to reach a bucket.
            return duckdb.from_arrow(self.store.dataset(self._names(table)))
        # DuckDB takes names for patterns, and a folder such as seed=5 for one more column.
        names = [re.sub(r"([*?\[])", r"[\1]", name) for name in files]
        try:
            return duckdb.read_parquet(names, hive_partitioning=False)
        except duckdb.Error as error:
            raise RunError(f"{self.store} does not read: {error}") from None

    def tally(
        self,
        parts: Collection[int] | None = None,
        rows_at_once: int = ROWS_AT_ONCE,
        progress: Callable[[int], Any] = lambda rows: None,
    ) -> Tally:
        """What happened in the rounds of some parts, or of all that are there.

        `rows_at_once` bounds what is held in memory; `progress` is told the rounds just read, or
        the sessions.

        Raises:
            RunError: a part does not read.
        """
        rules = self.config.ruleset
        by_seat = ("score", "leg") if rules.doubling else ("score",)
        columns = [
            *TALLIED,
            *(f"{name}_{seat}" for name in by_seat for seat in range(rules.players)),
            *(["leaver"] if self.config.session else []),
        ]
        tally = Tally()
        for part in self.parts() if parts is None else sorted(parts):
            for rows in self.batches("rounds", part, columns, rows_at_once):
                tally += Tally.of(rows)
                progress(0 if self.config.session else len(rows))
            if self.config.session:
                sessions = self.table("sessions", part)
                tally += session_tally(sessions, self.config)
                progress(len(sessions))
        return tally

    def _names(self, table: str) -> list[str]:
        """The files of a table that are there, by their names in the run directory."""
        return [part_name(table, part) for part in self.parts(table)]

    def _logged(self, table: str) -> list[str]:
        """The files of a table, of which there must be some."""
        files = self.files(table)
        if not files:
            raise RunError(f"{self.store} has no {table}: run with --log {table}")
        return files

    def __str__(self) -> str:
        config = self.config
        what = "sessions" if config.session else "rounds"
        return f"{self.store}: {config.games:,} {what} of {config.bots} under {config.ruleset}"


def session_tally(sessions: pa.Table, config: RunConfig) -> Tally:
    """The tally of whole groups of sessions, without their rounds."""
    return Tally(sessions=SessionTally.of(sessions, config.ruleset.players, config.group))


def read_run(place: Place) -> Run:
    """Open a run directory, named by a path or a URI.

    Raises:
        RunError: it is none, or its `run.json` does not read or is of another version of the log.
    """
    store = store_at(place)
    manifest = read_manifest(store)
    path = store.shown(MANIFEST)
    if manifest.get("schema") != schema.VERSION:
        raise RunError(
            f"{path}: log version {manifest.get('schema')!r}, "
            f"this ddzsim reads version {schema.VERSION}"
        )
    try:
        config = RunConfig.from_manifest(manifest)
    except (ConfigError, ValueError) as error:
        raise RunError(f"{path}: {error}") from None
    return Run(store, config, manifest)
