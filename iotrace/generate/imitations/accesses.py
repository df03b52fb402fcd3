"""The accesses of a process, collected piece by piece, and those of all processes taken by turns."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from iotrace.generate import program
from iotrace.generate.program import Operation, Rows

Columns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Phase, operation, file, offset, length."""


@dataclass
class Accesses:
    """The accesses of one process, in order."""

    largest_bytes: int
    """A longer access is several requests."""
    parts: list[Columns] = field(default_factory=list)

    def add(self, file: int, offset: int, length: int, write: bool = False, phase: int = 0) -> None:
        """Append an access to ``length`` bytes that lie together."""
        starts = np.arange(offset, offset + length, self.largest_bytes)
        self.add_each(file, starts, np.minimum(self.largest_bytes, offset + length - starts), write, phase)

    def add_each(
        self, file: int, offset: np.ndarray, length: np.ndarray | int, write: bool = False, phase: int = 0
    ) -> None:
        """Append an access at each of these offsets."""
        count = len(offset)
        operation = Operation.WRITE if write else Operation.READ
        whole = np.broadcast_to(np.asarray(length, np.int64), count)
        self.parts.append(
            (np.full(count, phase), np.full(count, operation), np.full(count, file), offset, whole)
        )

    def columns(self) -> Columns:
        """Return everything in order."""
        nothing = (np.zeros(0, np.int64),) * 5
        columns = zip(nothing, *self.parts, strict=True)
        phase, operation, file, offset, length = (np.concatenate(pieces) for pieces in columns)
        return phase, operation, file, offset, length


def by_turns(processes: Iterable[Accesses], compute_ns: int) -> pa.Table:
    """Return table program: processes, each on a separate node, take turns, an access each.

    Raises IotraceError beyond ``program.MOST_ROWS`` rows.
    """
    columns = [accesses.columns() for accesses in processes]
    counts = [len(column[0]) for column in columns]
    program.refuse_too_many(sum(counts))
    process = np.repeat(np.arange(len(columns)), counts)
    order = np.lexsort((process, np.concatenate([np.arange(count) for count in counts])))
    phase, operation, file, offset, length = (
        np.concatenate([column[index] for column in columns])[order] for index in range(5)
    )
    rows = Rows(
        process=process[order],
        node=process[order],
        phase=phase,
        operation=operation,
        file=file,
        offset=offset,
        length=length,
        compute_ns=np.full(len(order), compute_ns),
    )
    return program.table([rows])
