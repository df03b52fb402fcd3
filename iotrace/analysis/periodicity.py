"""Whether a job's I/O comes in a rhythm: the dominant frequency of its bytes over time, and the chance of one.

As in FTIO (Tarraf and others 2024), the bytes over time are sampled evenly, and their spectrum (DFT) is searched for a
frequency that stands out. The p-value is from permutations: stretches of windows with more than the mean stay whole,
all other windows and these stretches are put in an order by chance, and the share of the orders whose spectrum has a
frequency that stands out as much is the p-value. So neither bursts by chance nor one long stretch are a rhythm.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from iotrace import queries
from iotrace.analysis.characterize import prepared
from iotrace.store.store import Store

WINDOWS = 512
"""The windows into which a job's time is divided, if its bytes are not counted in larger ones."""
ORDERS = 999
SEED = 1
LEAST_BURSTS = 3
"""Of fewer stretches with more than the mean nothing is said."""
LEAST_PERIODS = 3
"""A frequency has at least this number of periods in the span."""
FINER = 8
"""The dominant frequency is stated to this part of one period in the span."""
SIGNIFICANT = 0.01
"""The largest p-value of a rhythm."""
NEARLY = 0.8
"""Of frequencies with this share of the largest power the lowest counts: the others are its harmonics."""
ACCESSES = "extended tracing"
NUMBERS = ("start_s", "end_s", "bytes_read", "bytes_written")
SOURCES = {
    ACCESSES: """
with moves as (
    select coalesce(layer::varchar, 'posix') as layer, time_ns / 1e9 as start_s,
           (time_ns + coalesce(duration_ns, 0)) / 1e9 as end_s,
           if(operation = 'read', length, 0) as bytes_read, if(operation = 'write', length, 0) as bytes_written
    from parallel_io
    where operation in ('read', 'write') and length > 0 and time_ns is not null
      and not exists (select 1 from darshan_job where contains(partial_modules, 'DXT'))
)
select * from moves where layer = (select max_by(layer, (layer = 'mpiio', layer)) from moves)
""",
    "heat map": """
select layer, start_s, end_s, bytes_read, bytes_written
from heat_map
where layer = (select arg_max(layer, (layer = 'mpiio', moved))
               from (select layer, sum(bytes_read::double + bytes_written) as moved from heat_map group by layer))
  and isfinite(end_s)
""",
}
"""Bytes over time of the layer that counts, by where they are from."""
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Rhythm:
    """The dominant frequency of bytes over time."""

    periods: float
    """How often it comes in the span."""
    power_share: float
    """The share of its frequency in the power of all."""
    p_value: float
    """The share of orders by chance in which some frequency has at least this share."""
    bursts: int
    """Stretches of windows with more bytes than the mean."""

    @property
    def is_periodic(self) -> bool:
        """Whether chance hardly makes such a frequency."""
        return self.p_value <= SIGNIFICANT


def rhythm(moved: Floats, seed: int = SEED) -> Rhythm | None:
    """Return the dominant frequency of bytes in windows of equal length; None where there are too few bursts."""
    if len(moved) < 4 * LEAST_PERIODS:
        return None
    items = _items(moved)
    bursts = sum(moved[first] > moved.mean() for first, _ in items)
    if bursts < LEAST_BURSTS:
        return None
    periods, share = _dominant(moved)
    draw = np.random.default_rng(seed)
    first, after = np.array(items).T
    reached = 0
    for _ in range(ORDERS):
        order = draw.permutation(len(items))
        lengths = (after - first)[order]
        places = np.repeat(first[order] - np.cumsum(lengths) + lengths, lengths) + np.arange(len(moved))
        reached += _dominant(moved[places])[1] >= share
    return Rhythm(_refined(moved, periods), share, (1 + reached) / (1 + ORDERS), int(bursts))


def _items(moved: Floats) -> list[tuple[int, int]]:
    """Return the places of windows, of which those that adjoin and have more than the mean are one item."""
    is_above = moved > moved.mean()
    starts = [place for place in range(len(moved)) if not (place and is_above[place] and is_above[place - 1])]
    return list(pairwise([*starts, len(moved)]))


def _dominant(moved: Floats) -> tuple[int, float]:
    """Return the frequency with most power, as periods in the span, and its share of all power."""
    power = np.abs(np.fft.rfft(moved - moved.mean())) ** 2
    power[:LEAST_PERIODS] = 0
    whole = float(power.sum())
    if not whole:
        return LEAST_PERIODS, 0.0
    lowest = int(np.flatnonzero(power >= NEARLY * power.max())[0])
    return lowest, float(power.max()) / whole


def _refined(moved: Floats, periods: int) -> float:
    """Return a frequency to a part of a period in the span: where the spectrum between its neighbours is largest."""
    power = np.abs(np.fft.rfft(moved - moved.mean(), FINER * len(moved)))
    least = FINER * (periods - 1) + 1
    return (least + int(power[least : FINER * (periods + 1)].argmax())) / FINER


def table(store: Store) -> pa.Table:
    """Return result rhythm of a job's reads, writes and both; without rows where bytes over time are not known."""
    layer, source, start_s, end_s, read, written = _moved(store)
    rows = []
    moving = (read > 0) | (written > 0)
    if moving.any():
        first_s, last_s = start_s[moving].min(), end_s[moving].max()
        windows = WINDOWS if source == ACCESSES else _bins(start_s, end_s, last_s - first_s)
        kinds = {"reads and writes": read + written, "reads": read, "writes": written}
        for name, moved in kinds.items():
            found = None
            if not moved.any() or (name == "reads and writes" and not (read.any() and written.any())):
                continue
            if last_s > first_s:
                found = rhythm(
                    over_windows(start_s - first_s, end_s - first_s, moved, last_s - first_s, windows)
                )
            if found is None:
                continue
            rows.append(
                {
                    "moved": name,
                    "layer": layer,
                    "source": source,
                    "periodic": "yes" if found.is_periodic else "no",
                    "period_s": (last_s - first_s) / found.periods if found.is_periodic else None,
                    "periods": found.periods if found.is_periodic else None,
                    "p_value": found.p_value,
                    "power_percent": 100 * found.power_share,
                    "bursts": found.bursts,
                    "window_s": (last_s - first_s) / windows,
                }
            )
    return queries.result_table("rhythm", rows)


def _bins(start_s: Floats, end_s: Floats, span_s: float) -> int:
    """Return how many windows are no shorter than the bins of a heat map."""
    width_s = float((end_s - start_s).max())
    return max(1, min(WINDOWS, round(span_s / width_s))) if width_s > 0 else 1


def _moved(store: Store) -> tuple[str, str, Floats, Floats, Floats, Floats]:
    """Return layer and source of bytes over time: starts and ends in seconds, bytes read and written.

    Extended tracing is taken, unless there is none or its memory ran out; then heat maps.
    """
    with store.queried() as connection, prepared(connection, ["heat_map"], {}):
        for source, sql in SOURCES.items():
            columns = connection.execute(sql).fetchnumpy()
            if len(columns["layer"]):
                numbers = (np.asarray(columns[name], np.float64) for name in NUMBERS)
                start_s, end_s, read, written = numbers
                return str(columns["layer"][0]), source, start_s, end_s, read, written
    nothing = np.empty(0)
    return "", "", nothing, nothing, nothing, nothing


def over_windows(
    start_s: Floats, end_s: Floats, moved: Floats, span_s: float, windows: int = WINDOWS
) -> Floats:
    """Return the bytes in windows of a span, of accesses whose bytes move evenly from their starts to their ends."""
    width = span_s / windows
    edges = np.arange(windows + 1) * width
    lasting = end_s > start_s
    rate = moved[lasting] / (end_s - start_s)[lasting]
    places, rates = np.r_[start_s[lasting], end_s[lasting]], np.r_[rate, -rate]
    order = np.argsort(places, kind="stable")
    places, rates = places[order], rates[order]
    # bytes up to an edge: each rate times the time since it began, less that since it ended
    up_to = np.searchsorted(places, edges, side="right")
    sums, moments = (np.r_[0.0, np.cumsum(values)][up_to] for values in (rates, rates * places))
    found = np.diff(edges * sums - moments)
    at_once = np.clip((start_s[~lasting] / width).astype(np.int64), 0, windows - 1)
    found += np.bincount(at_once, moved[~lasting], windows)
    positive: Floats = np.maximum(found, 0.0)  # differences of sums are not exact
    return positive
