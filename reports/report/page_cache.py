"""The report's section on the page cache: what Linux reads from the device with more and with less memory."""

from collections.abc import Callable

import pyarrow as pa
from iotrace.reports.pages.figures import Note
from iotrace.reports.pages.schemas import table_schema

from iotrace import queries
from iotrace.analysis.answers.memory import PageReads
from iotrace.analysis.memory.runs import PAGE_BYTES
from iotrace.analysis.memory.sentences import sentences

LINES = {
    "Linux": "page_reads_linux",
    "LRU of single pages": "page_reads_lru",
    "the fewest without reading ahead": "page_reads_optimum",
}
"""The lines of the figure, and their columns."""


def tables(reads: PageReads, progress: Callable[[str], None]) -> tuple[dict[str, pa.Table], dict[str, Note]]:
    """Return the tables of the section, and what to say of them, by figure; without a prediction none has rows."""
    progress("simulating the page cache")
    prediction = reads.prediction
    if prediction is None:
        note = Note(f"Not predicted: {reads.why_not}.", is_not_computed=True)
        empty = {
            "memory_reads": table_schema("figure_line").empty_table(),
            "memory_limits": queries.table_schema("page_cache_memory").empty_table(),
        }
        return empty, dict.fromkeys(empty, note)
    points = [
        {"line": label, "size_bytes": row["limit_bytes"], "value": float(row[column] * PAGE_BYTES)}
        for label, column in LINES.items()
        for row in prediction.rows.to_pylist()
    ]
    results = {
        "memory_reads": pa.Table.from_pylist(points, schema=table_schema("figure_line")),
        "memory_limits": prediction.rows,
    }
    return results, {"memory_reads": Note(" ".join(sentences(prediction)))}
