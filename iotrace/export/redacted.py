"""A store with names of files replaced, to be exported."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from iotrace.files.temporary import temporary_folder
from iotrace.formats.known_files import with_start_directory
from iotrace.ingest.contents import Contents
from iotrace.libraries import pa
from iotrace.store.store import Store, read
from iotrace.store.writer import write_manifest

PATHS = {
    "file": ("path", "path_last"),
    "inherited_descriptor": ("path",),
    "known_file": ("path", "interpreter"),
    "process": ("program",),
    "stack_frame": ("module",),
    "syscall": ("path", "path2"),
}
"""The columns that hold paths."""
ARGUMENTS = {"process": ("arguments",)}
"""Those that hold the arguments of programs, as a log shows them."""

REDACTED_FROM = "redacted_from"
"""The member of the manifest of a copy, which is gone after the export."""


@contextlib.contextmanager
def redacted(store: Store, kept: Contents) -> Iterator[Store]:
    """Give a copy of a store in which names are replaced in all paths and arguments; itself where none are to be."""
    if not kept.redact:
        yield store
        return
    with temporary_folder() as folder:
        copy = folder / store.path.name
        copy.mkdir()
        for name in store.stored_tables:
            changes = {
                **dict.fromkeys(PATHS.get(name, ()), kept.path),
                **dict.fromkeys(ARGUMENTS.get(name, ()), kept.arguments_shown),
            }
            for path in store.table_paths(name):
                if changes:
                    _rewrite(path, copy / path.name, changes)
                else:
                    (copy / path.name).symlink_to(path.resolve())
        write_manifest(copy, {**store.manifest, REDACTED_FROM: str(store.path)})
        yield read(copy)


def _rewrite(path: Path, copy: Path, changes: dict[str, Callable[[str], str]]) -> None:
    """Copy a table, a row group at a time."""
    with contextlib.ExitStack() as open_files:
        file = open_files.enter_context(pq.ParquetFile(path))
        schema = (
            with_start_directory(file.schema_arrow, changes["path"])
            if "path" in changes
            else file.schema_arrow
        )
        writer = open_files.enter_context(pq.ParquetWriter(copy, schema, compression="zstd"))
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            for name, change in changes.items():
                place = table.schema.get_field_index(name)
                if place >= 0:
                    table = table.set_column(place, table.schema.field(name), _changed(table[name], change))
            writer.write_table(table.cast(schema))


def _changed(column: pa.ChunkedArray, change: Callable[[str], str]) -> pa.ChunkedArray:
    """Return a column of texts with each changed."""
    texts = column.cast(pa.string())
    distinct = pc.unique(texts).drop_null()
    changed = pa.array([change(text) for text in distinct.to_pylist()], pa.string())
    return changed.take(pc.index_in(texts, distinct)).cast(column.type)
