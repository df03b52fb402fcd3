"""From a raw trace to a store: native tables, the reference stream, and the order of time."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iotrace.ingest.pipeline import ingest, open

__all__ = ["ingest", "open"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from iotrace.ingest import pipeline

        return getattr(pipeline, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
