"""The printed times that components miss by more than a tenth, and whether their neighbours explain it."""

from dataclasses import dataclass
from enum import Enum
from math import sqrt

from iotrace.simulate.cluster.costs.components import Components
from iotrace.simulate.cluster.costs.rows import KB
from iotrace.simulate.cluster.costs.tables import NS_PER_HUNDREDTH, Cell, printed

NEAR = 0.1


class Reason(Enum):
    """Why components miss a cell."""

    PRINT = "printed time jumps against its neighbours"
    """By a tenth or more, to the side on which the model misses it: no smooth model meets it and them."""
    EDGE = "no neighbours on both sides"
    MODEL = "neighbours agree with it"
    """The model is at fault, or the whole row is."""


@dataclass(frozen=True)
class Unreached:
    """A cell that is missed."""

    cell: Cell
    error: float
    """The model's time over the printed one, less 1."""
    against_sizes: float | None
    """The printed time over the geometric mean of those of half and twice the size, less 1; None at an end."""
    against_daemons: float | None
    """The same for one daemon fewer and one more."""

    @property
    def reason(self) -> Reason:
        """Why it is missed."""
        jumps = [jump for jump in (self.against_sizes, self.against_daemons) if jump is not None]
        if any(abs(jump) >= NEAR and jump * self.error < 0 for jump in jumps):
            return Reason.PRINT
        return Reason.MODEL if jumps else Reason.EDGE


def unreached(components: Components) -> list[Unreached]:
    """Return the cells of tables 1 and 2 that components miss by more than a tenth, in the tables' order."""
    missed = []
    for (row, iods, size), value in printed().items():
        error = components.time_ns(row, size * KB, iods) / (value * NS_PER_HUNDREDTH) - 1
        if abs(error) > NEAR:
            sizes = _jump(value, (row, iods, size // 2), (row, iods, 2 * size))
            daemons = _jump(value, (row, iods - 1, size), (row, iods + 1, size))
            missed.append(Unreached((row, iods, size), error, sizes, daemons))
    return missed


def _jump(value: int, before: Cell, after: Cell) -> float | None:
    if before not in printed() or after not in printed():
        return None
    return value / sqrt(printed()[before] * printed()[after]) - 1
