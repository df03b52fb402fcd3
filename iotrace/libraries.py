"""Large libraries by their usual names, each loaded when something of it is first used.

They take longer to load than a help or a recognised format may take. Modules that are loaded for those import them from
here; all others import them as usual.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import polars as pl
    import pyarrow as pa
    import pyarrow.compute as pc
else:

    class _Library:
        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._name), name)

    duckdb, np, pl, pa, pc = map(_Library, ("duckdb", "numpy", "polars", "pyarrow", "pyarrow.compute"))

__all__ = ["duckdb", "np", "pa", "pc", "pl"]
