"""A store's reads and writes as a pattern of parallel access."""

from __future__ import annotations

from collections.abc import Iterator

from iotrace.export.accesses import Accesses
from iotrace.export.form import Form, left_out, text_file
from iotrace.files.remote import Place
from iotrace.formats import pattern
from iotrace.libraries import pl
from iotrace.store.store import Store


def write(store: Store, output: Place, force: bool = False) -> tuple[str, ...]:
    """Write a store's reads and writes (see `Form`), without times and computation.

    Processes are numbered from 0, in the order of their rows; what a thread was before an exec is the same process.
    """
    accesses = Accesses(store, needs_process=False)

    def program() -> Iterator[pl.DataFrame]:
        is_synchronous = pl.col("flags").fill_null("").str.contains("synchronous", literal=True)
        waits = (pl.col("operation") == "write") & is_synchronous
        for frame in accesses.batches():
            operation = pl.when(waits).then(pl.lit("sync_write")).otherwise("operation")
            yield frame.with_columns(operation=operation, compute_ns=pl.lit(0))

    threads: dict[int, int] = {}
    dense = {row: threads.setdefault(own, len(threads)) for row, own in sorted(accesses.numbers().items())}
    rows = (
        {**row, "process": dense.get(row["process"])}
        for frame in program()
        for row in frame.iter_rows(named=True)
    )
    with text_file(output, force) as file:
        file.writelines(pattern.text(rows, accesses.files()))
    return left_out(accesses.left_out)


FORM = Form("pattern", "a pattern of reads and writes by process", write)
