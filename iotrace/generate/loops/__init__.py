"""Out-of-core loop nests: array codes whose arrays are files, from a description in TOML to a program.

After section 4 of Vilayannur et al.: each array is in a separate file, which the code reads and writes explicitly
before and after it computes in memory.
"""

import pyarrow as pa

from iotrace.generate import program
from iotrace.generate.loops.description import Nests
from iotrace.generate.loops.generating import reference_counts, row_count, rows
from iotrace.generate.loops.reading import library, read

__all__ = ["Nests", "generate", "library", "read", "reference_counts", "row_count", "rows"]


def generate(nests: Nests) -> pa.Table:
    """Return table program of the nests; raises IotraceError beyond ``program.MOST_ROWS`` rows (see ``rows``)."""
    return program.table(rows(nests))
