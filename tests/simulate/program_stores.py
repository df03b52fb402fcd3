"""Small stores of a few processes' requests, for tests of what runs programs."""

from pathlib import Path

import pyarrow as pa
from manifests import finish

from iotrace import schemas
from iotrace.store import store, writer

THREADS = [70, 71, 70, 72]
"""The thread of each row of table process: row 2 is what row 0 became by an exec."""
PATHS = ["/a", "/b", None]
FILE = {"kind": "regular", "created": False, "deleted": False}


def table(name: str, rows: list[dict]) -> pa.Table:
    """Return rows as a store's table; what they leave out is null."""
    schema = schemas.schema(name)
    return pa.table(
        [
            pa.array(
                [row.get(one.name) for row in rows],
                one.type.value_type if pa.types.is_dictionary(one.type) else one.type,
            ).cast(one.type)
            for one in schema
        ],
        schema=schema,
    )


def stored(
    references: list[dict], folder: Path, name: str = "made.iotrace", uses: list[dict] | None = None
) -> store.Store:
    tables = {
        "reference": table("reference", [{"seq": i} | row for i, row in enumerate(references)]),
        "file": table("file", [FILE | {"file": i, "path": path} for i, path in enumerate(PATHS)]),
        "process": table(
            "process", [{"process": i, "thread": one, "pid": one} for i, one in enumerate(THREADS)]
        ),
    }
    if uses is not None:
        rest = {"type": "datafile", "mode": "read", "references": 0, "bytes_read": 0, "bytes_written": 0}
        tables["use"] = table("use", [rest | {"use": i} | use for i, use in enumerate(uses)])
    with writer.writing(folder / name) as place:
        writers = writer.TableWriters(place)
        for title, rows in tables.items():
            writers.empty(title)
            for batch in rows.to_batches():
                writers.write(title, batch)
        finish(writers, place, {title: rows.num_rows for title, rows in tables.items()})
    return store.read(folder / name)


def request(time: int | None, process: int = 0, **columns: object) -> dict:
    common = {"time_ns": time, "process": process, "duration_ns": 5, "file": 0, "type": "datafile"}
    return common | {"operation": "read", "offset": 0, "length": 10} | columns
