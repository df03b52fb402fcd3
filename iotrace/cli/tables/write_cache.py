"""The table of ``iotrace write-cache`` as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace.cli.output import Output
from iotrace.cli.terminal import warn_of_all

if TYPE_CHECKING:
    import pyarrow as pa


def emit_write_caches(rows: pa.Table, devices: Sequence[str], output: Output) -> None:
    """Write what controllers make of requests, and what was simulated."""
    from iotrace.simulate.write_cache.sentences import notes, policies, refitted

    warn_of_all(refitted(rows))
    if output.is_table:
        output.emit(rows, note="\n".join(notes(rows, devices)), policy=policies(rows))
    else:
        output.emit(rows)
