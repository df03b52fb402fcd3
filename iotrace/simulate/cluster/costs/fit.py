"""How the components of ``presets/vilayannur.toml`` were fitted: ``python -m iotrace.simulate.cluster.costs.fit``.

Needs SciPy (``pip install 'iotrace-toolkit[fit]'``); nothing else of iotrace does. The time of every row is linear in
the components, so each cell of tables 1 and 2 is one row of a matrix, taken from the model itself, over the printed
time. A mixed-integer program finds the non-negative components with the least

    number of cells off by more than 10 % + the sum of all relative errors' sizes,

on the 196 cells together, where no cell of one or two blocks may be off by more than 20 %: the micro-benchmark is
made of those (figures 3 and 4), and without that 4-KB hits in the global cache come out a quarter too cheap. The
search ends after a number of nodes, not after a time, so that it ends alike everywhere that the same version of the
solver runs.

Some components are distinguished by few cells or none, and have a least value by what they are (`LEAST_MS`).
"""

import sys
from dataclasses import fields

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from iotrace.simulate.cluster.costs.components import Components
from iotrace.simulate.cluster.costs.rows import KB, Row
from iotrace.simulate.cluster.costs.tables import NS_PER_HUNDREDTH, printed

TOLERANCE = 0.0999
"""A little below 10 %, so that rounding to nanoseconds leaves a cell inside."""
LARGEST_ERROR = 0.6
"""No cell may be off by more."""
LARGEST_ERROR_OF_BLOCKS = 0.2
"""The same, for requests of at most `BLOCKS_KB` kilobytes:"""
BLOCKS_KB = 8
NODES = 4000
UNIT_NS = 1_000_000
LEAST_MS = {
    "call_ns": 0.05,
    "local_look_up_ns": 0.05,
    "message_ns": 0.05,
    # 1024 bytes at 100 Mb/s, with the headers of Ethernet, IP and TCP and the gap between frames
    "network_ns_per_kb": 0.0863,
}
"""A call, a look-up and a message are not free; the medium is not faster than its rate."""


def _names() -> list[str]:
    """Return the components on which the tables depend: no cell is an open or a close."""
    return [field.name for field in fields(Components) if field.name != "metadata_ns"]


def matrix() -> tuple[np.ndarray, np.ndarray]:
    """Return the milliseconds of each cell for a component of 1 ms, and the printed milliseconds."""
    names = _names()
    units = [
        Components(metadata_ns=0, **{name: UNIT_NS * (name == component) for name in names})
        for component in names
    ]
    cells = printed()
    times = [[unit.time_ns(row, size * KB, iods) / UNIT_NS for unit in units] for row, iods, size in cells]
    return np.array(times), np.array([value * NS_PER_HUNDREDTH / UNIT_NS for value in cells.values()])


def fit(nodes: int = NODES) -> dict[str, float]:
    """Return the components in milliseconds."""
    times, known = matrix()
    ratios = times / known[:, None]
    cells, components = ratios.shape
    names = _names()
    one, none = np.eye(cells), np.zeros((cells, cells))
    most = [LARGEST_ERROR_OF_BLOCKS if size <= BLOCKS_KB else LARGEST_ERROR for _, _, size in printed()]
    beyond = np.diag(np.array(most) - TOLERANCE)
    constraints = [
        LinearConstraint(np.hstack([ratios, -beyond, none]), -np.inf, 1 + TOLERANCE),
        LinearConstraint(np.hstack([ratios, beyond, none]), 1 - TOLERANCE, np.inf),
        LinearConstraint(np.hstack([ratios, none, -one]), -np.inf, 1),
        LinearConstraint(np.hstack([ratios, none, one]), 1, np.inf),
    ]
    least = [LEAST_MS.get(name, 0.0) for name in names] + [0.0] * (2 * cells)
    largest = [10.0] * components + [1.0] * cells + [np.inf] * cells
    solution = milp(
        np.concatenate([np.zeros(components), np.ones(2 * cells)]),
        constraints=constraints,
        integrality=np.concatenate([np.zeros(components), np.ones(cells), np.zeros(cells)]),
        bounds=Bounds(np.array(least), np.array(largest)),
        options={"node_limit": nodes},
    )
    if solution.x is None:
        raise SystemExit(f"no components were found: {solution.message}")
    return dict(zip(names, solution.x[:components], strict=True))


def main() -> None:
    """Print the components as the preset has them, and how well they fit."""
    components_ms = {name: round(value, 6) for name, value in fit().items()}
    fitted = Components(
        metadata_ns=0, **{name: round(value * UNIT_NS) for name, value in components_ms.items()}
    )
    errors = np.array(
        [
            fitted.time_ns(row, size * KB, iods) / (value * NS_PER_HUNDREDTH) - 1
            for (row, iods, size), value in printed().items()
        ]
    )
    for name, value in components_ms.items():
        print(f"{name.replace('_ns', '_ms', 1)} = {value:.6f}")
    sizes = abs(errors)
    print(
        f"# within 10 %: {(sizes <= 0.1).sum()} of {len(sizes)}; median {np.median(sizes):.4f}",
        file=sys.stderr,
    )
    by_row = {str(row): sizes[[cell[0] is row for cell in printed()]] for row in Row}
    for label, own in by_row.items():
        print(f"# {label}: {(own <= 0.1).sum()} of {len(own)}, median {np.median(own):.4f}", file=sys.stderr)


if __name__ == "__main__":
    main()
