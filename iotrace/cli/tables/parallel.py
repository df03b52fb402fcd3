"""The table of ``iotrace parallel`` as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace.cli.output import Output

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.simulate.parallel_fs.settings import Settings
    from iotrace.simulate.parallel_fs.workloads import Workload


def emit_parallel(
    rows: pa.Table, workload: Workload | None, all_settings: Sequence[Settings], output: Output
) -> None:
    """Write cases: for a person the measures of one, a line each, or of several, and what to say of them."""
    from iotrace.queries.shown import measures, shown
    from iotrace.simulate.parallel_fs.sentences import notes
    from iotrace.simulate.parallel_fs.simulation import lives_s

    if not output.is_table:
        output.emit(rows)
        return
    is_one = rows.num_rows == 1
    table = shown(rows, is_one=is_one, life_s=lives_s(rows))
    note = "\n".join(notes(rows, workload, all_settings))
    output.emit(measures(table, rows["workload"][0].as_py()) if is_one else table, note=note)
