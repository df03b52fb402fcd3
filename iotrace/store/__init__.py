"""A trace on disk as Parquet tables with a manifest: opened, read, written, and asked in SQL."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iotrace.store.store import Store, read

__all__ = ["Store", "read"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from iotrace.store import store

        return getattr(store, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
