"""The phases of a trace: stretches of its time whose storage calls are of one makeup, named by what changes.

The makeup of a window of time (statistic ``storage_by_window``) is its shares by program, by kind of call and by
directory. Neighbouring stretches are merged, those that differ least first (Ward 1963), until each differs from its
neighbours in at least half of one of the three, and there are few enough to read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
import pyarrow as pa

FEATURES = ("program", "kind", "directory")
"""The features of a makeup, as column by of ``storage_by_window``."""
LEAST_DIFFERENCE = 0.5
"""Neighbouring phases differ in at least this share of their programs, kinds or directories."""
MOST_PHASES = 8
LEAST_IDLE = 0.05
"""A stretch without storage calls is a phase from this share of the trace on; shorter ones go with what precedes."""
IDLE = "no storage calls"
OTHERS = "(others)"
"""The name in ``storage_by_window`` of programs and directories that are many and small."""
KINDS = {"read": "reads", "write": "writes", "sync": "syncs", "metadata": "metadata", IDLE: IDLE}
"""The names of kinds of calls in phases."""
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Phase:
    """Windows that follow each other, and what they are made of."""

    first_window: int
    last_window: int
    names: Mapping[str, str]
    """The most common value of each feature."""
    changed: tuple[str, ...]
    """The features in which it differs from the phase before; of the first, from the next."""

    @property
    def title(self) -> str:
        """Its name: what changed; all of a trace of one phase."""
        if self.names["kind"] == IDLE:
            return IDLE
        program, kind, directory = (self.names[feature] for feature in FEATURES)
        shown = {
            "program": "many programs" if program == OTHERS else program.rpartition("/")[2] or program,
            "kind": KINDS.get(kind, kind),
            "directory": "many directories" if directory == OTHERS else directory,
        }
        return ", ".join(shown[feature] for feature in self.changed or FEATURES)


@dataclass(frozen=True)
class _Stretch:
    """Windows from one to before another, and the mean of their shares by feature."""

    start: int
    end: int
    shares: tuple[Floats, ...]

    @property
    def windows(self) -> int:
        return self.end - self.start

    def with_next(self, other: _Stretch) -> _Stretch:
        whole = self.windows + other.windows
        shares = (
            (self.windows * mine + other.windows * its) / whole
            for mine, its in zip(self.shares, other.shares, strict=True)
        )
        return _Stretch(self.start, other.end, tuple(shares))

    def differences(self, other: _Stretch) -> list[float]:
        """Return by feature which share of one would have to change to become the other: 0 to 1."""
        return [
            float(np.abs(mine - its).sum() / 2) for mine, its in zip(self.shares, other.shares, strict=True)
        ]


def phases(makeup: pa.Table, windows: int) -> list[Phase]:
    """Return the phases of a trace of `windows` windows from its ``storage_by_window``; none without such calls."""
    if not makeup.num_rows:
        return []
    rows = makeup.to_pylist()
    timed, calls = (sum(row[name] for row in rows) for name in ("timed", "calls"))
    weight = "total_s" if 2 * timed > calls else "calls"
    amounts: dict[str, dict[int, dict[str, float]]] = {feature: {} for feature in FEATURES}
    for row in rows:
        amounts[row["by"]].setdefault(row["window"], {})[row["name"]] = row[weight] or 0.0
    names = [_names(amounts[feature]) for feature in FEATURES]
    shares = [
        _shares(amounts[feature], feature_names, windows)
        for feature, feature_names in zip(FEATURES, names, strict=True)
    ]
    stretches = [
        _Stretch(window, window + 1, tuple(feature[window] for feature in shares))
        for window in range(windows)
    ]
    return [
        Phase(stretch.start, stretch.end - 1, _largest(stretch, amounts), changed)
        for stretch, changed in _with_changes(_merged(stretches))
    ]


def _names(by_window: Mapping[int, Mapping[str, float]]) -> list[str]:
    return [IDLE, *dict.fromkeys(name for amounts in by_window.values() for name in amounts)]


def _shares(by_window: Mapping[int, Mapping[str, float]], names: Sequence[str], windows: int) -> Floats:
    """Return a row of shares for each window; one without calls is all `IDLE`."""
    shares = np.zeros((windows, len(names)))
    for window, amounts in by_window.items():
        shares[window] = [amounts.get(name, 0.0) for name in names]
    total = shares.sum(axis=1)
    shares[total == 0, 0] = 1
    return _without_gaps(np.asarray(shares / np.where(total == 0, 1, total)[:, None]))


def _without_gaps(shares: Floats) -> Floats:
    """Return the shares with those of the window before (of the first, after) in place of short gaps without calls."""
    windows, filled = len(shares), shares.copy()
    for is_idle, run in groupby(range(windows), key=lambda window: bool(shares[window, 0] == 1)):
        gap = list(run)
        if is_idle and len(gap) < LEAST_IDLE * windows:
            filled[gap] = shares[gap[0] - 1 if gap[0] else gap[-1] + 1]
    return filled


def _merged(stretches: list[_Stretch]) -> list[_Stretch]:
    while len(stretches) > 1:
        pairs = [(max(stretch.differences(other)), stretch, other) for stretch, other in pairwise(stretches)]
        alike = [index for index, (difference, _, _) in enumerate(pairs) if difference < LEAST_DIFFERENCE]
        if not alike and len(stretches) <= MOST_PHASES:
            break
        index = min(alike or range(len(pairs)), key=lambda index: _cost(*pairs[index]))
        stretches = [
            *stretches[:index],
            stretches[index].with_next(stretches[index + 1]),
            *stretches[index + 2 :],
        ]
    return stretches


def _cost(difference: float, stretch: _Stretch, other: _Stretch) -> float:
    """Return what a merge loses: the difference, by the windows that it concerns."""
    return difference**2 * stretch.windows * other.windows / (stretch.windows + other.windows)


def _with_changes(stretches: Sequence[_Stretch]) -> list[tuple[_Stretch, tuple[str, ...]]]:
    """Return the stretches with the features in which each differs from the one before."""
    phases = []
    for index, stretch in enumerate(stretches):
        beside = stretches[index - 1] if index else stretches[min(1, len(stretches) - 1)]
        differences = dict(zip(FEATURES, stretch.differences(beside), strict=True))
        least = min(LEAST_DIFFERENCE, max(differences.values()))
        changed = tuple(name for name, difference in differences.items() if 0 < least <= difference)
        phases.append((stretch, changed))
    return phases


def _largest(stretch: _Stretch, amounts: Mapping[str, Mapping[int, Mapping[str, float]]]) -> dict[str, str]:
    """Return by feature the name that has most of a stretch."""
    largest = {}
    for feature, by_window in amounts.items():
        sums: dict[str, float] = {}
        for window in range(stretch.start, stretch.end):
            for name, amount in by_window.get(window, {}).items():
                sums[name] = sums.get(name, 0.0) + amount
        largest[feature] = max(sums, key=lambda name: sums[name], default=IDLE)
    return largest
