"""The versions that the bytes of a run depend on, here and on other machines."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import ddzsim
from ddzsim.core.jit import sources_hash

LIBRARIES = ("numba", "numpy", "pyarrow")


def libraries() -> dict[str, str]:
    """The versions of the libraries that play and write rounds."""
    return {name: version(name) for name in LIBRARIES}


@cache
def versions() -> dict[str, str]:
    """What must agree between the processes of one run."""
    python = ".".join(platform.python_version_tuple()[:2])
    sources = sources_hash("**/*.py")
    about = {"python": python, "ddzsim": ddzsim.__version__, "ddzsim sources": sources}
    return about | libraries() | {"distributed": _version("distributed")}


def differences(here: dict[str, str], there: dict[str, str]) -> list[str]:
    """How another process differs from this one, each with both versions."""
    return [
        f"{name} {there.get(name, 'missing')} there, {due} here"
        for name, due in here.items()
        if there.get(name) != due
    ]


def _version(name: str) -> str:
    """The version of a library that may not be installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
