"""Which kernels are in the disk cache: known without importing, and so compiling, any of them."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import llvmlite.binding
import numba

from ddzsim.core.jit import CACHE_FOLDER, COMPILED


def is_compiled(name: str) -> bool:
    """Whether these kernels are in the disk cache, so that starting takes no compiling."""
    return not COMPILED or _stamp(name).exists()


def mark_compiled(name: str) -> None:
    """Record that these kernels are in the disk cache."""
    if not COMPILED:
        return
    stamp = _stamp(name)
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    except OSError:
        # A cache that cannot be written only costs the next start its time.
        return


def _stamp(name: str) -> Path:
    """The file that says that these kernels are in the cache, compiled for this very machine."""
    machine = (llvmlite.binding.get_host_cpu_name(), numba.__version__, platform.python_version())
    digest = hashlib.sha256("/".join((name, *machine)).encode()).hexdigest()
    return CACHE_FOLDER / f"warm-{digest[:12]}"
