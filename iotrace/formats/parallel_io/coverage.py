"""How much of what a program did its trace holds, where the trace's own counters say how much there was."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MOST = (1 << 63) - 1
LAYER_NAMES = {"posix": "POSIX", "stdio": "STDIO", "mpiio": "MPI-IO"}
LOWEST = ("posix", "stdio")
"""Layers of which neither is made of the other."""


@dataclass
class OfLayer:
    """Reads and writes of one layer: those that the trace holds, and those that its counters count."""

    operations: int = 0
    bytes: int = 0
    counted_operations: int = 0
    counted_bytes: int = 0
    is_partial: bool = False
    """Whether the counters are incomplete too, so that there were more operations than they count."""

    def limited(self) -> dict[str, Any]:
        """Return the fields, none beyond the largest number of a manifest; damaged logs can have any value."""
        return {
            name: value if isinstance(value, bool) else min(value, MOST) for name, value in vars(self).items()
        }


@dataclass
class Coverage:
    """Reads and writes of all logs, by layer."""

    layers: dict[str, OfLayer] = field(default_factory=dict)

    def add(self, layer: str, operations: int, moved_bytes: int, counted: Mapping[str, Any] | None) -> None:
        """Add what a log holds of a layer, and what its counters say, where it has them."""
        total = self.layers.setdefault(layer, OfLayer())
        total.operations += operations
        total.bytes += moved_bytes
        total.counted_operations += counted["operations"] if counted else operations
        total.counted_bytes += counted["bytes"] if counted else moved_bytes
        total.is_partial |= bool(counted and counted["is_partial"])

    def as_dict(self) -> dict[str, Any] | None:
        """Return what a manifest holds: the lowest layers together, then each; None without counters."""
        if not self.layers:
            return None
        lowest = [part for name, part in self.layers.items() if name in LOWEST] or list(self.layers.values())
        whole = OfLayer(
            sum(part.operations for part in lowest),
            sum(part.bytes for part in lowest),
            sum(part.counted_operations for part in lowest),
            sum(part.counted_bytes for part in lowest),
            any(part.is_partial for part in lowest),
        )
        return {**whole.limited(), "layers": {name: part.limited() for name, part in self.layers.items()}}


def sentence(coverage: Mapping[str, Any] | None) -> str | None:
    """Say what share of the reads and writes a trace holds, from a manifest's entry; None if it holds all."""
    if not coverage:
        return None
    lacking = {
        name: part
        for name, part in coverage["layers"].items()
        if part["operations"] < part["counted_operations"]
    }
    if not lacking:
        return None
    operations, counted = coverage["operations"], coverage["counted_operations"]
    by_layer = ", ".join(
        f"{LAYER_NAMES.get(name, name)} {part['operations']:,} of {part['counted_operations']:,}"
        for name, part in lacking.items()
    )
    most = "at most " if coverage["is_partial"] else ""
    share = f" ({most}{100 * operations / counted:.3g} %)" if counted else ""
    moved = coverage["counted_bytes"]
    if coverage["bytes"] < 0.9995 * moved:  # else it would read 100 %
        share += f" and {most}{100 * coverage['bytes'] / moved:.3g} % of their bytes"
    return (
        f"the trace holds {operations:,} of the {counted:,} reads and writes that the log's counters count{share};"
        f" missing in: {by_layer}"
    )
