"""From a native table to the reference stream: the file table run again, with another model."""

from __future__ import annotations

from collections.abc import Mapping

from iotrace.errors import IotraceError
from iotrace.store import Store


def with_model(store: Store, model: Mapping[str, str]) -> Store:
    """Return the store as this model sees it; the store itself where it was made with the same model."""
    if not model or dict(model) == store.manifest.get("model", {}):
        return store
    raise IotraceError(f"{store.path}: was made with another model; ingest the trace again with --model")
