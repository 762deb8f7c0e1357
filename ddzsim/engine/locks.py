"""One writer at a time: a run directory holds the name of the process that plays into it.

Each writer leaves a file of its own and then looks for those of others, so that of two that come at
once at least one sees the other; no store needs more than listing what was written. The file is
written again while its owner lives, so that the one of a killed owner grows old.
"""

from __future__ import annotations

import getpass
import json
import os
import platform
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from ddzsim.engine.stores import Found, Store
from ddzsim.errors import RunError

PREFIX, SUFFIX = "lock-", ".json"

REFRESH_SECONDS = 30
STALE_SECONDS = 180
"""An owner that gave no sign for so long is taken for dead; its own machine knows at once."""

CLOCK_SECONDS = 5


@contextmanager
def locked(store: Store) -> Iterator[None]:
    """Hold a run directory as its only writer.

    Raises:
        RunError: another process plays into it, or it cannot be written.
    """
    name = f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"
    content = json.dumps(_owner(), indent=2).encode()
    store.make()
    store.write(name, content)
    over = threading.Event()
    sign = threading.Thread(target=_give_signs, args=(store, name, content, over), daemon=True)
    try:
        _refuse_others(store, name)
        sign.start()
        yield
    finally:
        over.set()
        if sign.is_alive():
            sign.join()
        # A store that is lost in the meantime is told by what could not be written to it.
        with suppress(RunError):
            store.remove(name)


def _give_signs(store: Store, name: str, content: bytes, over: threading.Event) -> None:
    """Write the lock again and again, so that others see its owner alive."""
    while not over.wait(REFRESH_SECONDS):
        with suppress(RunError):
            store.write(name, content)


def _refuse_others(store: Store, mine: str) -> None:
    """Remove the locks of owners that are gone; refuse one that is not."""
    locks = [found for found in store.found() if is_lock(found.name)]
    # By the store's clock, on which this process has just written.
    now = max((found.changed for found in locks), default=0.0)
    for lock in locks:
        if lock.name == mine:
            continue
        owner = _read(store, lock)
        age = now - lock.changed
        if _is_gone(owner) or age > STALE_SECONDS:
            store.remove(lock.name)
            continue
        raise RunError(
            f"{store} is being played by {owner.get('who', 'another process')}, last sign "
            f"{age:.0f} s ago: wait, or another --out (if it was killed, try again in "
            f"{STALE_SECONDS - age:.0f} s)"
        )


def is_lock(name: str) -> bool:
    """Whether a file of a run directory is a lock."""
    return name.startswith(PREFIX) and name.endswith(SUFFIX)


def _read(store: Store, lock: Found) -> dict[str, Any]:
    """What a lock says of its owner; nothing if it does not read."""
    try:
        owner = json.loads(store.read(lock.name))
    except (FileNotFoundError, ValueError):
        return {}
    return owner if isinstance(owner, dict) and type(owner.get("started")) is float else {}


def _owner() -> dict[str, Any]:
    """What a lock says of this process."""
    pid = os.getpid()
    return {
        "who": f"{_user()}@{platform.node()}, process {pid}",
        "machine": _machine(),
        "pid": pid,
        "started": psutil.Process(pid).create_time(),
    }


def _is_gone(owner: dict[str, Any]) -> bool:
    """Whether the owner of a lock is known to be dead, which only its own machine can tell."""
    if owner.get("machine") != _machine():
        return False
    try:
        since = psutil.Process(owner["pid"]).create_time()
    except psutil.NoSuchProcess:
        return True
    except (KeyError, TypeError, ValueError, OverflowError, psutil.Error):
        return False
    # Another process may have got the number since; the clock may have been set by a little.
    return bool(abs(since - owner["started"]) > CLOCK_SECONDS)


def _machine() -> str:
    """What tells where a process number means this process: the boot, and the container."""
    boot = space = ""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = os.readlink("/proc/self/ns/pid")
    return " ".join((platform.node(), boot, space)).strip()


def _user() -> str:
    """Who runs this process, as far as the system knows."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"
