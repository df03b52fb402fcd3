"""iotrace: what does my I/O look like, and what cache would serve it?

``iotrace.open(path)`` opens a store, or ingests a raw trace first, and gives its tables as Arrow, polars
and DuckDB.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Store", "__version__", "open"]

if TYPE_CHECKING:
    from iotrace.ingest.pipeline import open
    from iotrace.store.store import Store


if find_spec("iotrace.schemas") is None or find_spec("iotrace.engine.native") is None:
    raise ImportError(
        "this is iotrace's source folder, not the installed package: start Python in another folder, or with -P "
        "(or install in place, with pip install -e .)"
    )


def __getattr__(name: str) -> Any:
    if name == "open":
        from iotrace.ingest.pipeline import open

        return open
    if name == "Store":
        from iotrace.store.store import Store

        return Store
    raise AttributeError(f"module 'iotrace' has no attribute {name!r}")
