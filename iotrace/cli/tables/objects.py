"""The curve of caches of objects as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.options.curve import Unit
from iotrace.cli.output import Output
from iotrace.libraries import np, pa

if TYPE_CHECKING:
    from iotrace.store.store import Store


def show_objects(store: Store, unit: Unit, sizes: Sequence[int] | None, output: Output) -> None:
    """Write what LRU caches of objects miss: for a terminal as ratios, otherwise the counts (table object_curve)."""
    from iotrace.analysis.curves.object_requests import curve_of_store

    rows = curve_of_store(store, unit.value, sizes)
    if not output.is_table:
        output.emit(rows)
        return
    shown = rows if sizes is not None else _doubling(rows)
    output.emit(_ratios(shown, unit), f"LRU, sizes in {unit.value}")


def _doubling(rows: pa.Table) -> pa.Table:
    """Return the largest size up to each power of two, and the last one."""
    known = rows["size"].to_numpy()
    if not len(known):
        return rows
    powers = 1 << np.arange(int(known[-1]).bit_length(), dtype=np.int64)
    places = np.searchsorted(known, powers[powers >= known[0]], side="right") - 1
    return rows.take(pa.array(np.unique([*places, len(known) - 1])))


def _ratios(rows: pa.Table, unit: Unit) -> pa.Table:
    show = units.count if unit is Unit.OBJECTS else units.size
    columns = {"size": pa.array([show(size) for size in rows["size"].to_pylist()])}
    for name, of in (("request", "requests"), ("byte", "bytes")):
        if rows[of].null_count == 0:
            missed, all_of_them = rows[f"{name}_misses"].to_numpy(), rows[of].to_numpy()
            columns[f"{name}_miss_ratio"] = pa.array(missed / np.maximum(all_of_them, 1))
    return pa.table(columns)
