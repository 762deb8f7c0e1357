"""Where the options of a run come from: flag before environment before file before default."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ddzsim.errors import ConfigError, shown

WORDS = {
    ParameterSource.COMMANDLINE: "flag",
    ParameterSource.ENVIRONMENT: "environment",
    ParameterSource.DEFAULT_MAP: "file",
}
"""How `run.json` names a source; anything else is a default."""

LARGEST_FILE = 100_000
"""Bytes of a configuration file; one that never ends, such as a device, is not read on."""

KEYS: dict[str, tuple[type, str, str]] = {
    "games": (int, "a whole number", "games"),
    "deals": (int, "a whole number", "deals"),
    "seed": (int, "a whole number", "seed"),
    "first": (int, "a whole number", "first"),
    "workers": (int, "a whole number", "workers"),
    "dask": (str, "a text", "dask"),
    "out": (str, "a text", "out"),
    "bots": (str, "a text", "bots"),
    "rules": (str, "a text", "rules"),
    "set": (dict, "a table of fields", "overrides"),
    "log": (str, "a text", "log"),
    "force-landlord": (str, "a text", "force_landlord"),
    "sessions": (int, "a whole number", "sessions"),
    "hands": (int, "a whole number", "hands"),
    "chips": (int, "a whole number", "chips"),
    "stake": (int, "a whole number", "stake"),
    "quit-rate": (float, "a number with a point, as in 0.01", "quit_rate"),
    "mirror": (bool, "true or false", "mirror"),
    "note": (str, "a text", "note"),
}
"""The keys of a configuration file: the type, the same in words, and the parameter.

A command takes those of its own parameters.
"""


def source_of(context: click.Context, name: str) -> str:
    """Where the value of a parameter came from: flag, environment, file or default."""
    source = context.get_parameter_source(name)
    return WORDS.get(source, "default") if source is not None else "default"


def load_file(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Let a file supply what neither a flag nor the environment gives (a click callback).

    Raises:
        ConfigError: the file does not read, has an unknown key, or a value of another type.
    """
    if path is not None:
        asked = {parameter.name for parameter in context.command.params}
        keys = [key for key, (_, _, parameter) in KEYS.items() if parameter in asked]
        context.default_map = read_settings(path, keys)
    return path


def read_settings(path: Path, keys: Sequence[str]) -> dict[str, Any]:
    """The parameters that a configuration file gives, which may have these keys.

    Raises:
        ConfigError: see `load_file`.
    """
    content = _content(path)
    try:
        values = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"--config {path} is no TOML: {error}") from None
    settings = {}
    for key, value in values.items():
        if key not in keys:
            close = get_close_matches(key, keys, n=1)
            wanted = f"did you mean {close[0]}?" if close else f"one of {', '.join(keys)}"
            raise ConfigError(f"{path}: no setting {shown(key)}: {wanted}")
        wanted_type, words, parameter = KEYS[key]
        if type(value) is not wanted_type:
            raise ConfigError(f"{path}: {key} = {shown(value)}: {words}")
        settings[parameter] = _fields_as_texts(path, value) if isinstance(value, dict) else value
    return settings


def _content(path: Path) -> bytes:
    """What a configuration file holds."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise ConfigError(f"--config {path}: {getattr(error, 'strerror', error)}") from None
    if len(content) > LARGEST_FILE:
        raise ConfigError(f"--config {path}: more than {LARGEST_FILE:,} bytes")
    return content


def _fields_as_texts(path: Path, fields: dict[str, Any]) -> list[str]:
    """The table `[set]` as the option `--set` has it."""
    texts = []
    for name, value in fields.items():
        # A number of thousands of digits, which TOML can have in hexadecimal, is no text in Python.
        large = isinstance(value, int) and value.bit_length() > 63
        if large or not isinstance(value, bool | int | str):
            raise ConfigError(
                f"{path}: set.{name} = {shown(value)}: true, false, a whole number or a text"
            )
        texts.append(f"{name}={str(value).lower() if isinstance(value, bool) else value}")
    return texts
