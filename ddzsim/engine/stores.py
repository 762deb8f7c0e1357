"""Where run directories lie: in a folder, or in a bucket that a URI names.

A store writes a file whole or not at all: a folder gets it aside, flushed and renamed, a bucket as
one upload. Names are relative to the run directory, with `/` between folder and file.
"""

from __future__ import annotations

import os
import secrets
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from ddzsim.errors import RunError

Place: TypeAlias = str | os.PathLike[str]
"""A run directory as users name it: a path, or a URI."""

BUCKETS = ("s3", "gs")
"""The schemes of the URIs that name a bucket."""

QUERIES = {
    "s3": ("region", "scheme", "endpoint_override"),
    "gs": ("scheme", "endpoint_override", "retry_limit_seconds"),
}
"""What a URI may say of the way to its bucket; nothing that is a credential."""

PUBLIC = {"s3": "", "gs": "anonymous"}
"""What stands before the `@` of a URI to reach a public bucket without credentials."""

PATIENCE_SECONDS = 60
"""How long requests to a gs:// bucket are repeated, if its URI does not say; else 15 minutes."""

SECRETS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
"""Environment variables whose values no message may repeat."""

UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode's categories of what moves the cursor or cannot be written; a place is printed."""

ASIDE = "."
"""What the names of unfinished files begin with."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that a store holds."""

    name: str
    bytes: int
    changed: float
    """When it was last written, in seconds on the store's clock."""


class Store(ABC):
    """A run directory as a place for files."""

    place: str
    """What opens it again; it holds no credentials."""

    everywhere: str
    """The same for processes that work in another folder."""

    @abstractmethod
    def make(self) -> None:
        """Make the place for the files, if it takes that.

        Raises:
            RunError: it cannot be made.
        """

    @abstractmethod
    def found(self, folder: str = "") -> list[Found]:
        """The files directly in a folder of the run directory, by name; none if it is not there."""

    @abstractmethod
    def open(self, name: str) -> pa.NativeFile:
        """Open a file for reading.

        Raises:
            FileNotFoundError: it is not there.
            RunError: it is no plain file of the run directory, or cannot be reached.
        """

    @abstractmethod
    def write(self, name: str, content: bytes | pa.Buffer) -> None:
        """Write a file, whole or not at all; it replaces the one of that name.

        Raises:
            RunError: it cannot be written.
        """

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file, if it is there.

        Raises:
            RunError: it cannot be removed.
        """

    @abstractmethod
    def entries(self) -> list[str]:
        """The names of all files and folders that lie here, a run's or not.

        Raises:
            RunError: this is a file, or cannot be read.
        """

    @abstractmethod
    def shown(self, name: str) -> str:
        """The full name of a file, for people."""

    def read(self, name: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileNotFoundError, RunError: see `open`.
        """
        with self.open(name) as file, told(self.shown(name), "read"):
            content: bytes = file.read()
            return content

    def __str__(self) -> str:
        return self.place


class Folder(Store):
    """A run directory on a file system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = str(path)
        self.everywhere = str(path.absolute())

    def make(self) -> None:
        """Make the folder."""
        with told(self.place, "written"):
            self.path.mkdir(parents=True, exist_ok=True)

    def found(self, folder: str = "") -> list[Found]:
        """The files directly in a folder; links are not files of this directory."""
        where = self._path(folder)
        with told(self.shown(folder), "read"):
            if not where.is_dir():
                return []
            with os.scandir(where) as entries:
                files = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
            prefix = f"{folder}/" if folder else ""
            held = [(prefix + entry.name, entry.stat()) for entry in files]
        return sorted(
            (Found(name, stat.st_size, stat.st_mtime) for name, stat in held),
            key=lambda found: found.name,
        )

    def open(self, name: str) -> pa.NativeFile:
        """Open a file for reading."""
        path = self._path(name)
        with told(str(path), "read", absent=True):
            if path.exists() and not path.is_file():
                raise RunError(f"{path} is no file")
            return pa.OSFile(str(path))

    def write(self, name: str, content: bytes | pa.Buffer) -> None:
        """Write a file aside, flush it, rename it into place."""
        path = self._path(name)
        aside = path.with_name(f"{ASIDE}{path.name}.{secrets.token_hex(4)}")
        with told(str(path), "written"):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with aside.open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                aside.replace(path)
                _flush_folder(path.parent)
            except OSError:
                with suppress(OSError):
                    aside.unlink(missing_ok=True)
                raise

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        path = self._path(name)
        with told(str(path), "removed"):
            path.unlink(missing_ok=True)

    def entries(self) -> list[str]:
        """The names of all that lies here."""
        with told(self.place, "read"):
            if self.path.exists() and not self.path.is_dir():
                raise RunError(f"{self.path} is a file: name a directory")
            return [path.name for path in self.path.iterdir()] if self.path.is_dir() else []

    def shown(self, name: str) -> str:
        """The path of a file."""
        return str(self.path / name)

    def _path(self, name: str) -> Path:
        """Where a file lies: in this directory itself, not behind a link out of it."""
        path = self.path / name
        inside = Path(name)
        if inside.is_absolute() or ".." in inside.parts:
            raise RunError(f"{path} is not in {self.path}")
        for step in (inside, *inside.parents):
            if step != Path() and (self.path / step).is_symlink():
                raise RunError(
                    f"{self.path / step} is a link: a run directory holds its files itself"
                )
        return path


class Bucket(Store):
    """A run directory in an object store, reached through pyarrow.

    Credentials come from where the store's own tools take them: the environment, the profile
    files, the machine's role.
    """

    def __init__(self, uri: str) -> None:
        self.place = self.everywhere = uri
        self._uri, _, _ = uri.partition("?")
        with told(self._uri, "opened"):
            self._files, self._root = fs.FileSystem.from_uri(_with_patience(uri))

    def make(self) -> None:
        """Nothing: a folder of a bucket is there as soon as a file in it is."""

    def found(self, folder: str = "") -> list[Found]:
        """The files directly in a folder."""
        where = f"{self._root}/{folder}" if folder else self._root
        with told(self.shown(folder), "read"):
            listed = self._files.get_file_info(fs.FileSelector(where, allow_not_found=True))
        prefix = f"{folder}/" if folder else ""
        files = (info for info in listed if info.type == fs.FileType.File)
        return sorted(
            (Found(prefix + info.base_name, info.size, info.mtime.timestamp()) for info in files),
            key=lambda found: found.name,
        )

    def open(self, name: str) -> pa.NativeFile:
        """Open a file for reading."""
        with told(self.shown(name), "read", absent=True):
            return self._files.open_input_file(f"{self._root}/{name}")

    def write(self, name: str, content: bytes | pa.Buffer) -> None:
        """Upload a file; it appears when the upload is complete."""
        with (
            told(self.shown(name), "written"),
            self._files.open_output_stream(f"{self._root}/{name}") as stream,
        ):
            # In one piece: closing a stream after half of it would complete the upload.
            stream.write(content)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with told(self.shown(name), "removed"), suppress(FileNotFoundError):
            self._files.delete_file(f"{self._root}/{name}")

    def entries(self) -> list[str]:
        """The names of all that lies here."""
        with told(self._uri, "read"):
            listed = self._files.get_file_info(fs.FileSelector(self._root, allow_not_found=True))
        return [info.base_name for info in listed]

    def dataset(self, names: list[str]) -> Any:
        """Parquet files as one pyarrow dataset, which reads what it is asked for."""
        # Only those who read rows pay for this import, which brings pandas.
        import pyarrow.dataset as ds

        paths = [f"{self._root}/{name}" for name in names]
        return ds.dataset(paths, filesystem=self._files, format="parquet")

    def shown(self, name: str) -> str:
        """The URI of a file."""
        return f"{self._uri}/{name}" if name else self._uri


def store_at(place: Place) -> Store:
    """The store of a run directory, named by a path or a URI.

    Raises:
        RunError: a URI that does not read, is of an unknown kind, or holds credentials.
    """
    place = os.fspath(place)
    scheme, mark, _ = place.partition("://")
    if not place or any(unicodedata.category(letter) in UNSEEN for letter in place):
        raise RunError(
            f"{place!r} names no run directory: a path, or a URI such as s3://bucket/run"
        )
    if not mark:
        return Folder(Path(place))
    if scheme == "file":
        return Folder(_path_of(place))
    if scheme not in BUCKETS:
        raise RunError(f"{_without_secrets(place)}: a path, or a URI with s3://, gs:// or file://")
    _check_bucket(place)
    return _bucket(place.rstrip("/"))


@cache
def _bucket(uri: str) -> Bucket:
    """One bucket for each URI and process: opening it looks for credentials."""
    return Bucket(uri)


def _path_of(uri: str) -> Path:
    """The path that a `file://` URI names."""
    parts = _split(uri)
    if parts.netloc not in ("", "localhost") or not parts.path.strip("/"):
        raise RunError(f"{uri}: file:// and a full path, as in file:///data/run")
    return Path(unquote(parts.path))


def _check_bucket(uri: str) -> None:
    """Refuse a URI that names no folder of a bucket, or says more than where that is."""
    parts = _split(uri)
    user = parts.netloc.rpartition("@")[0]
    if ":" in parts.netloc or user not in ("", PUBLIC[parts.scheme]):
        raise RunError(
            f"{_without_secrets(uri)}: credentials come from the environment or a profile, "
            "never from a URI"
        )
    steps = parts.path.strip("/").split("/")
    if not parts.netloc or any(step in ("", ".", "..") for step in steps):
        raise RunError(f"{uri}: a bucket and a folder in it, as in {parts.scheme}://bucket/run")
    for name, _ in parse_qsl(parts.query, keep_blank_values=True):
        if name not in QUERIES[parts.scheme]:
            allowed = ", ".join(QUERIES[parts.scheme])
            raise RunError(f"{_without_secrets(uri)}: {name!r} cannot be set: {allowed}")


def _with_patience(uri: str) -> str:
    """A URI that says how long a lost store is waited for."""
    if not uri.startswith("gs://") or "retry_limit_seconds" in uri:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}retry_limit_seconds={PATIENCE_SECONDS}"


def _split(uri: str) -> Any:
    """The parts of a URI."""
    try:
        return urlsplit(uri)
    except ValueError as error:
        raise RunError(f"{_without_secrets(uri)}: {error}") from None


def _without_secrets(uri: str) -> str:
    """A URI without what may be a secret: user, password and options."""
    scheme, _, rest = uri.partition("://")
    rest = rest.partition("?")[0]
    return f"{scheme}://{'…@' * ('@' in rest)}{rest.rpartition('@')[2]}"


@contextmanager
def told(name: str, done: str, absent: bool = False) -> Iterator[None]:
    """Turn what a file system says into one line about a file.

    Raises:
        FileNotFoundError: as raised inside, if `absent`.
        RunError: anything else that went wrong inside.
    """
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        if absent and isinstance(error, FileNotFoundError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        for variable in SECRETS:
            if secret := os.environ.get(variable):
                reason = reason.replace(secret, "…")
        raise RunError(f"{name} cannot be {done}: {' '.join(reason.split())}") from None


def _flush_folder(path: Path) -> None:
    """Flush a folder's list of files, so that a rename outlives a power cut (POSIX only)."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
