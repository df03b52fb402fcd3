"""From a raw trace to a store: native tables, the reference stream, and the order of time."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iotrace.ingest.opening import open
    from iotrace.ingest.pipeline import ingest

__all__ = ["ingest", "open"]


def __getattr__(name: str) -> Any:
    if name == "ingest":
        from iotrace.ingest.pipeline import ingest

        return ingest
    if name == "open":
        from iotrace.ingest.opening import open

        return open
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
