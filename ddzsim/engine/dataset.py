"""A run directory: written part by part, resumed, read.

`run.json` says what the run is; `rounds/part-00000.parquet`, … hold a fixed range of rounds each,
and `plays/` the turns where they are logged. A part is written aside, flushed and renamed, so a
readable part is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ddzsim import schema
from ddzsim.engine.config import RunConfig
from ddzsim.errors import ConfigError, RunError

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyRelation

MANIFEST = "run.json"
TEXT = pa.dictionary(pa.int32(), pa.string())
"""How texts are stored: each once, and a number in every row."""
HASH_KEY, RUN_KEY, PART_KEY = b"ddzsim.rows_sha256", b"ddzsim.run", b"ddzsim.part"


def part_path(folder: Path, table: str, part: int) -> Path:
    """Where a part of a table lies."""
    return folder / table / f"part-{part:05}.parquet"


def arrow_table(
    rows: npt.NDArray[np.void], columns: tuple[schema.Column, ...], config: RunConfig
) -> pa.Table:
    """The rows that the kernels filled, as the Parquet table that the schema declares."""
    supplied = supplied_texts(config)
    arrays = []
    for name, column in schema.column_names(columns, config.ruleset.players):
        if column.dtype == "text":
            array = _texts(np.zeros(len(rows), np.int8), [supplied[name]])
        elif column.text is not None:
            values, indices = np.unique(rows[column.name], return_inverse=True)
            array = _texts(indices, [column.text(int(value)) for value in values])
        else:
            held = rows[column.name]
            seat = int(name.rsplit("_", 1)[1]) if column.by_seat else 0
            array = pa.array(np.ascontiguousarray(held[:, seat] if column.by_seat else held))
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=arrow_schema(columns, config.ruleset.players))


def supplied_texts(config: RunConfig) -> dict[str, str]:
    """What the columns hold that the run supplies: the same text in every row."""
    texts = {"run": config.run_id, "rules": config.ruleset.name}
    return texts | {f"bot_{number}": str(seat) for number, seat in enumerate(config.seats)}


def arrow_schema(columns: tuple[schema.Column, ...], seats: int) -> pa.Schema:
    """The declared columns as Parquet has them, each with its meaning and unit."""
    fields = []
    for name, column in schema.column_names(columns, seats):
        about = {"meaning": column.doc, "unit": column.unit}
        kind = TEXT if column.stored == "text" else pa.from_numpy_dtype(np.dtype(column.dtype))
        fields.append(pa.field(name, kind, nullable=False, metadata=about))
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


def write_part(path: Path, table: pa.Table, run_id: str, part: int) -> None:
    """Write a part aside, flush it, rename it into place; its footer holds the hash of its rows.

    Raises:
        RunError: the part cannot be written.
    """
    about = {RUN_KEY: run_id, PART_KEY: str(part), HASH_KEY: rows_hash(table)}
    table = table.replace_schema_metadata(about)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            pq.write_table(table, file, compression="zstd")
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise RunError(f"{path} cannot be written: {error.strerror or error}") from None


def part_is_whole(path: Path, run_id: str, part: int, rows: int | None) -> bool:
    """Whether a part is there, reads, and belongs to this place in this run.

    `rows` is how many rows it must have; None: any number.
    """
    try:
        metadata = pq.read_metadata(path)
    except (OSError, pa.ArrowInvalid):
        return False
    about = metadata.metadata or {}
    mine = about.get(RUN_KEY) == run_id.encode() and about.get(PART_KEY) == str(part).encode()
    return mine and rows in (None, metadata.num_rows)


def missing_parts(folder: Path, config: RunConfig) -> list[int]:
    """The parts that are not there or do not read."""
    missing = []
    for part in range(config.parts):
        rows = config.part_range(part)[1]
        whole = part_is_whole(part_path(folder, "rounds", part), config.run_id, part, rows)
        if whole and config.log == "plays":
            whole = part_is_whole(part_path(folder, "plays", part), config.run_id, part, None)
        if not whole:
            missing.append(part)
    return missing


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write `run.json`, whole or not at all.

    Raises:
        RunError: the folder cannot be written.
    """
    aside = folder / f".{MANIFEST}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        aside.write_text(
            json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        aside.replace(folder / MANIFEST)
    except OSError as error:
        raise RunError(f"{folder} cannot be written: {error.strerror or error}") from None


def read_manifest(folder: Path) -> dict[str, Any]:
    """What `run.json` holds.

    Raises:
        RunError: there is none, or it does not read.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(f"{folder} is no run directory: it has no {MANIFEST}") from None
    except (OSError, ValueError) as error:
        raise RunError(f"{path} does not read: {error}") from None
    if not isinstance(manifest, dict):
        raise RunError(f"{path} does not read: it is no JSON object")
    return manifest


@dataclass(frozen=True, slots=True)
class Run:
    """A run directory, opened for reading."""

    folder: Path
    config: RunConfig
    manifest: dict[str, Any]

    def files(self, table: str = "rounds") -> list[Path]:
        """The parts of a table that are there, in order."""
        paths = [part_path(self.folder, table, part) for part in range(self.config.parts)]
        return [path for path in paths if path.exists()]

    def tables(self, table: str = "rounds", columns: list[str] | None = None) -> Iterator[pa.Table]:
        """The parts one by one, so that memory does not grow with the run.

        Raises:
            RunError: a part does not read, or has not these columns; it is named.
        """
        for path in self.files(table):
            try:
                yield pq.read_table(path, columns=columns)
            except (OSError, pa.ArrowInvalid, KeyError) as error:
                raise RunError(f"{path} does not read: {error}") from None

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

        return duckdb.read_parquet([str(path) for path in self._logged(table)])

    def _logged(self, table: str) -> list[Path]:
        """The parts of a table, of which there must be some."""
        files = self.files(table)
        if not files:
            raise RunError(f"{self.folder} has no {table}: run with --log {table}")
        return files

    def __str__(self) -> str:
        config = self.config
        return f"{self.folder}: {config.games:,} rounds of {config.bots} under {config.ruleset}"


def read_run(folder: str | Path) -> Run:
    """Open a run directory.

    Raises:
        RunError: it is none, or its `run.json` does not read or is of another version of the log.
    """
    path = Path(folder)
    manifest = read_manifest(path)
    if manifest.get("schema") != schema.VERSION:
        raise RunError(
            f"{path / MANIFEST}: log version {manifest.get('schema')!r}, "
            f"this ddzsim reads version {schema.VERSION}"
        )
    try:
        config = RunConfig.from_manifest(manifest)
    except (ConfigError, ValueError) as error:
        raise RunError(f"{path / MANIFEST}: {error}") from None
    return Run(path, config, manifest)
