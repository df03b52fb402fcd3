"""iotrace: what does my I/O look like, and what cache would serve it?

``iotrace.open(path)`` opens a store, or ingests a raw trace first, and gives its tables as Arrow, polars
and DuckDB; ``iotrace.connect([a, b])`` has several in one DuckDB. ``iotrace.curve(keys)`` is the miss-ratio curve of
any keys, without a store; ``import iotrace.frames`` gives polars' columns the namespace ``iotrace``.
"""

import sys

TYPE_CHECKING = False
"""As in typing, which is not imported: before the command has begun, an interrupt ends in a traceback."""

if TYPE_CHECKING:
    from typing import Any

    from iotrace.frames.key_curve import curve
    from iotrace.ingest.opening import connect, open
    from iotrace.store.store import Store

__version__ = "0.1.0"
__all__ = ["Store", "__version__", "connect", "curve", "open"]


def _is_there(name: str, folders: list[str]) -> bool:
    """Return what importlib.util.find_spec would, without the modules that it loads."""
    return any(finder.find_spec(name, folders) is not None for finder in sys.meta_path)


if not _is_there("iotrace.schemas", __path__) or not _is_there(
    "iotrace.engine.native", [f"{folder}/engine" for folder in __path__]
):
    raise ImportError(
        "this is iotrace's source folder, not the installed package: start Python in another folder, or with -P "
        "(or install in place, with pip install -e .)"
    )


def __getattr__(name: str) -> "Any":
    if name in ("connect", "open"):
        from iotrace.ingest import opening

        return getattr(opening, name)
    if name == "curve":
        from iotrace.frames.key_curve import curve

        return curve
    if name == "Store":
        from iotrace.store.store import Store

        return Store
    raise AttributeError(f"module 'iotrace' has no attribute {name!r}")
