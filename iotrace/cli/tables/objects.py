"""The curve of caches of objects as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from iotrace import units
from iotrace.cli.options.curve import TENANT, Ttl, Unit
from iotrace.cli.output import Output
from iotrace.libraries import np, pa

if TYPE_CHECKING:
    from iotrace.cli.options.curve import CurveOptions
    from iotrace.store.store import Store


def show_objects(
    store: Store, unit: Unit, options: CurveOptions, sizes: Sequence[int] | None, output: Output
) -> None:
    """Write what LRU caches of objects miss: for a terminal as ratios, otherwise the counts.

    They are table object_curve, by tenant tenant_curve, and of prefixes prefix_curve.
    """
    from iotrace.analysis.curves import object_requests

    remarks = []
    ttl, by_tenant = options.ttl or Ttl.IGNORE, options.by == TENANT
    if unit is Unit.PREFIXES:
        rows = object_requests.curve_of_prefixes(store, sizes)
    else:
        size_unit: Literal["objects", "bytes"] = "bytes" if unit is Unit.BYTES else "objects"
        rows = object_requests.curve_of_store(store, size_unit, sizes, ttl=ttl.value, by_tenant=by_tenant)
        if options.ttl is None and object_requests.states_times_to_live(store):
            remarks.append(
                "objects do not expire here, though the trace has times to live: --ttl eager or lazy"
            )
    if output.is_table:
        shown = rows if sizes is not None or by_tenant else _doubling(rows)
        rows = _ratios(shown, unit)
    what = "prefixes of prompts, sizes in blocks" if unit is Unit.PREFIXES else f"sizes in {unit.value}"
    expiring = "" if ttl is Ttl.IGNORE else f", objects expire ({ttl.value})"
    output.emit_remarked({f"LRU, {what}{expiring}" if output.is_table else "curve": rows}, remarks)


def _doubling(rows: pa.Table) -> pa.Table:
    """Return the largest size up to each power of two, and the last one."""
    known = rows["size"].to_numpy()
    if not len(known):
        return rows
    powers = 1 << np.arange(int(known[-1]).bit_length(), dtype=np.int64)
    places = np.searchsorted(known, powers[powers >= known[0]], side="right") - 1
    return rows.take(pa.array(np.unique([*places, len(known) - 1])))


def _ratios(rows: pa.Table, unit: Unit) -> pa.Table:
    show = units.size if unit is Unit.BYTES else units.count
    columns = {name: rows[name] for name in ("tenant",) if name in rows.column_names}
    columns["size"] = pa.array([show(size) for size in rows["size"].to_pylist()])
    for name in ("request", "block", "byte"):
        of = f"{name}s"
        if of in rows.column_names and rows[of].null_count == 0 and any(rows[of].to_pylist()):
            missed, all_of_them = rows[f"{name}_misses"].to_numpy(), rows[of].to_numpy()
            columns[f"{name}_miss_ratio"] = pa.array(missed / np.maximum(all_of_them, 1))
    return pa.table(columns)
