"""A block trace's reads and writes as the text of VMS traces."""

from pathlib import Path
from typing import TextIO

from iotrace.errors import IotraceError
from iotrace.export.form import Form, left_out, text_file
from iotrace.formats import vms_io
from iotrace.store.store import Store

LACKING = {"time_ns": "times", "operation": "operations", "blocks": "lengths"}


def write(store: Store, output: Path, force: bool = False) -> tuple[str, ...]:
    """Write a block trace's reads and writes (see `Form`).

    Times are cut to 100 ns; service times and flags have no place. Raises IotraceError for a store of another family,
    or of a trace without times, operations or lengths.
    """
    if "disk_io" not in store.tables:
        raise IotraceError(f"{store.name}: is not a block trace: vms-io is made of requests to disks")
    if lacking := [LACKING[name] for name in store.manifest.get("lacks", ()) if name in LACKING]:
        raise IotraceError(f"{store.name}: the trace has no {' and no '.join(lacking)}, which vms-io needs")
    with text_file(output, force) as file:
        _, lost = _write(store, file)
    return left_out({"discards, flushes and requests of unknown direction": lost} if lost else {})


def _write(store: Store, file: TextIO) -> tuple[int, int]:
    times = store.manifest["times"]
    zero_ns = times["first_ns"] + vms_io.EPOCH_TICKS * vms_io.TICK_NS if times["base"] == "epoch" else 0
    relative = [] if times["base"] == "epoch" else [vms_io.RELATIVE]
    file.write("\n".join([vms_io.MAGIC, *relative, vms_io.COLUMNS]) + "\n")
    written = left_out = 0
    rows = store.sandboxed(["disk_request"]).sql("from disk_request order by seq")
    for batch in rows.to_arrow_reader(65536):
        lines = [
            vms_io.line(row, zero_ns) for row in batch.to_pylist() if row["operation"] in ("read", "write")
        ]
        file.writelines(lines)
        written += len(lines)
        left_out += batch.num_rows - len(lines)
    return written, left_out


FORM = Form("vms-io", "the VMS text of requests to disks", write)
