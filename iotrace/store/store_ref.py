"""A store as other processes and machines open it: by its path, and only if it is the same store there."""

from __future__ import annotations

import hashlib
import json
import socket
from dataclasses import dataclass
from functools import lru_cache

from iotrace.errors import IotraceError
from iotrace.files.remote import located, resolved
from iotrace.store.store import Store, read

KEPT = 8
"""How many stores a worker keeps open, since it gets several parts of each."""


@dataclass(frozen=True)
class StoreRef:
    """A reference that is sent to workers instead of an open store: a few bytes."""

    path: str
    digest: str
    """Of the manifest."""

    @classmethod
    def of(cls, store: Store) -> StoreRef:
        """Return what workers open as this store."""
        return cls(str(resolved(store.path)), _digest(store))

    def open(self) -> Store:
        """Open it; raises IotraceError, naming the machine, where it is not there or is another one."""
        return _opened(self)


@lru_cache(maxsize=KEPT)
def _opened(wanted: StoreRef) -> Store:
    path = located(wanted.path)
    try:
        store = read(path)
    except IotraceError as error:
        raise IotraceError(
            f"on worker {socket.gethostname()}: {error} (workers open the store themselves: it must be on storage that"
            " they see under the same path)"
        ) from None
    if _digest(store) != wanted.digest:
        raise IotraceError(
            f"on worker {socket.gethostname()}: {path} is not the store that the command opened: it was replaced, or is"
            " another one there"
        )
    return store


def _digest(store: Store) -> str:
    return hashlib.sha256(json.dumps(store.manifest, sort_keys=True).encode()).hexdigest()
