"""A store's calls as UMD text."""

from iotrace.errors import IotraceError
from iotrace.export.accesses import Accesses
from iotrace.export.form import Form, left_out, text_file
from iotrace.files.remote import Place
from iotrace.formats import umd_ascii
from iotrace.store.store import Store


def write(store: Store, output: Place, force: bool = False) -> tuple[str, ...]:
    """Write a store's calls (see `Form`).

    Processes have the trace's own numbers where each has one to itself; otherwise those of their rows.
    Of a parallel trace reads, writes, opens, closes, seeks to a place and list-I/O calls are written, of others reads
    and writes; times are the trace's own. Raises IotraceError for a trace
    without times.
    """
    if not store.has_times:
        raise IotraceError(f"{store.name}: the trace has no times, which UMD text needs")
    zero_ns = store.manifest["times"]["first_ns"] or 0
    accesses = Accesses(store, needs_process=True, further=("open", "close", "seek", "list_io"))
    numbers = accesses.numbers()
    processes = {numbers[row] for frame in accesses.batches() for row in frame["process"].unique()}
    records = accesses.written
    parts = accesses.parts()
    calls = (
        {
            **row,
            "process": numbers[row["process"]],
            "time_ns": zero_ns + row["time_ns"],
            "count": parts.get(row["list_call"], 0) if row["operation"] == "list_io" else 1,
        }
        for frame in accesses.batches()
        for row in frame.iter_rows(named=True)
    )
    with text_file(output, force) as file:
        file.writelines(umd_ascii.text(calls, accesses.files(), len(processes), records))
    return left_out(accesses.left_out)


FORM = Form("umd-ascii", "UMD text of reads and writes by process", write)
