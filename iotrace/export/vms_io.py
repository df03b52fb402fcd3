"""A block trace's reads and writes as the text of VMS traces."""

from typing import TextIO

from iotrace.export.form import WORDS, Form, left_out, text_file
from iotrace.families import DISKS
from iotrace.files.remote import Place
from iotrace.formats import vms_io
from iotrace.store.store import Store


def write(store: Store, output: Place, force: bool = False) -> tuple[str, ...]:
    """Write a block trace's reads and writes (see `Form`).

    Times are cut to 100 ns; service times and flags have no place.
    """
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


FORM = Form("vms-io", "the VMS text of requests to disks", write, (DISKS,), tuple(WORDS))
