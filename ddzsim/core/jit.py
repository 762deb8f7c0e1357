"""How kernels are compiled and cached, and how the same source runs uncompiled.

numba's disk cache does not notice an edit in a callee in another file, so the cache folder is named
after a hash of the sources that kernels are made of: when these are edited or upgraded it starts
empty. Kernels elsewhere in the package call these and their own file's, whose edits numba notices.
`NUMBA_DISABLE_JIT=1` runs every kernel as plain Python, for debugging, coverage and doctests.
"""

from __future__ import annotations

import hashlib
import os
import stat
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from platformdirs import user_cache_path

from ddzsim.errors import ConfigError

F = TypeVar("F", bound=Callable[..., Any])

# numba says this of every kernel that takes bots: on stderr of every run and every worker.
warnings.filterwarnings("ignore", message="First-class function type feature is experimental")

CARDS, NUMBER, TRUTH = types.uint64, types.int64, types.boolean
"""Types of a signature: cards or a mask, a number, a truth value."""

U = np.uint64
"""Kernels wrap every constant that meets a hand: numba turns uint64 with int64 into a float."""


KERNEL_SOURCES = ("bots/*.py", "cards.py", "core/*.py", "errors.py", "rules.py")
"""Files with the kernels that other files call, and all that these import."""


def sources_hash(*patterns: str) -> str:
    """A hash of those of the package's Python sources whose paths match one of the patterns."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for source in sorted({found for pattern in patterns for found in package.glob(pattern)}):
        digest.update(str(source.relative_to(package)).encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    """Where compiled kernels of these very sources are kept."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    place = Path(chosen) if chosen else user_cache_path("ddzsim")
    return place / sources_hash(*KERNEL_SOURCES)


COMPILED = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""Whether kernels are compiled in this process."""


def own_folder(folder: Path) -> Path:
    """A folder that this user alone can write, made if need be.

    numba's cache is made of pickles, and to read a pickle is to run what its writer chose.

    Raises:
        ConfigError: it cannot be made, or another user owns it or may write there.
    """
    wanted = "set NUMBA_CACHE_DIR to a folder of yours"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.lstat()
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"compiled code cannot be kept in {folder}: {reason}; {wanted}") from None
    # Elsewhere users' folders are theirs by access lists, which these numbers do not show.
    if os.name == "posix":
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
            raise ConfigError(f"{folder}, for compiled code, is no folder of yours; {wanted}")
        if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise ConfigError(
                f"{folder}, for compiled code, can be written by others; remove it, or {wanted}"
            )
    return folder


CACHE_FOLDER = own_folder(_cache_folder()) if COMPILED else _cache_folder()
numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]


def kernel(function: F) -> F:
    """Compile a function at its first call, or load it from the disk cache."""
    compiled: Any = numba.njit(cache=True, error_model="numpy")(function)
    return cast("F", compiled)


def long_kernel(function: F) -> F:
    """Compile a function that runs for long: other threads of the process go on meanwhile.

    Its arguments must belong to the calling thread alone.
    """
    compiled: Any = numba.njit(cache=True, error_model="numpy", nogil=True)(function)
    return cast("F", compiled)


def inlined_kernel(function: F) -> F:
    """Compile a function into each of its callers, where LLVM would keep a call that costs."""
    compiled: Any = numba.njit(cache=True, error_model="numpy", forceinline=True)(function)
    return cast("F", compiled)


def kernel_of(signature: Any) -> Callable[[F], F]:
    """Compile a function for one signature and no other, when it is defined.

    For functions that are passed to kernels as values, and for recursive ones: numba would compile
    those anew for arguments known when compiling, and a recursion over two such versions cannot be
    kept in its cache. For the same reason such a function passes itself no constants but through
    `variable`.
    """

    def compile_it(function: F) -> F:
        compiled: Any = numba.njit(signature, cache=True, error_model="numpy")(function)
        return cast("F", compiled)

    return compile_it


def record_type(dtype: np.dtype[np.void]) -> Any:
    """The type of a record in a signature."""
    return numba.from_dtype(dtype)


if COMPILED and not TYPE_CHECKING:

    @kernel
    def variable(number: int) -> int:
        """A constant as a number that is not known when compiling."""
        return np.int64(number)

    @kernel
    def to_int(bits: Any) -> int:
        """A uint64 as a signed number: in a compiled kernel `int` would leave it unsigned."""
        return np.int64(bits)

    @intrinsic
    def popcount(typing_context: Any, bits: Any) -> Any:
        """How many bits of a uint64 are set."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), emit

    @intrinsic
    def lowest_bit(typing_context: Any, bits: Any) -> Any:
        """The position of the lowest set bit of a uint64, which is not 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            true = context.get_constant(types.boolean, True)
            return builder.cttz(arguments[0], true)

        return types.int64(types.uint64), emit

    @intrinsic
    def highest_bit(typing_context: Any, bits: Any) -> Any:
        """The position of the highest set bit of a uint64, which is not 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            true = context.get_constant(types.boolean, True)
            leading = builder.ctlz(arguments[0], true)
            return builder.sub(context.get_constant(types.int64, 63), leading)

        return types.int64(types.uint64), emit

else:

    def variable(number: int) -> int:
        """A constant as a number."""
        return number

    def to_int(bits: Any) -> int:
        """A uint64 as a signed number."""
        return int(bits)

    def popcount(bits: Any) -> int:
        """How many bits of a uint64 are set."""
        return int(bits).bit_count()

    def lowest_bit(bits: Any) -> int:
        """The position of the lowest set bit of a uint64, which is not 0."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def highest_bit(bits: Any) -> int:
        """The position of the highest set bit of a uint64, which is not 0."""
        return int(bits).bit_length() - 1
