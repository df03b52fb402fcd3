"""The tables of a store as separate files."""

import contextlib
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from iotrace import queries, schemas
from iotrace.export.form import failures
from iotrace.files import partial_folder, place_folder, renaming, unfinished_prefix
from iotrace.files.inputs import umask
from iotrace.files.names import local_name
from iotrace.files.outputs import refuse_in_folder, refuse_no_folder
from iotrace.store.store import Store
from iotrace.store.writer import TableWriters

TEXT_FORMS = {"csv": "format csv, header", "json": "format json"}
FORMS = (*TEXT_FORMS, "parquet")


def write(
    store: Store, folder: Path, form: str, names: Sequence[str] | None = None, force: bool = False
) -> list[Path]:
    """Write a store's tables, or those named, into a folder as ``csv``, ``json`` or ``parquet``; return the files.

    Raises IotraceError for a table that the store has not, UsageError where
    the place is not a folder, and for a file that exists unless ``force`` is set.
    """
    refuse_no_folder(folder)
    wanted = list(names or store.tables)
    for name in wanted:
        store.check_has(name)
    targets = {name: folder / f"{name}.{form}" for name in wanted}
    refuse_in_folder(folder, [target.name for target in targets.values()], force)
    connection = store.connect(views=[])
    with _gathered(folder, targets.values(), force) as gathered:
        for name in wanted:
            partial = gathered / targets[name].name
            if form == "parquet" and name in store.stored_tables and not store.is_partitioned(name):
                shutil.copyfile(store.table_path(name), partial)
            elif form == "parquet":
                with contextlib.closing(TableWriters(gathered)) as writers:
                    writers.empty(name)
                    for batch in store.batches(name, schemas.schema(name).names):
                        writers.write(name, batch)
            else:
                quoted = queries.literal(local_name(partial))
                connection.execute(f'copy (from "{name}") to {quoted} ({TEXT_FORMS[form]})')
    return list(targets.values())


@contextlib.contextmanager
def _gathered(folder: Path, targets: Collection[Path], force: bool) -> Iterator[Path]:
    """Give a folder in which files are made that take their places when the block ends without an error.

    A folder that is not there yet takes its place as a whole.
    """
    is_new = not folder.exists()
    parent, prefix = (folder.parent, unfinished_prefix(folder)) if is_new else (folder, ".partial-")
    with failures(folder):
        parent.mkdir(parents=True, exist_ok=True)
        with partial_folder(parent, prefix) as gathered:
            yield gathered
            if is_new:
                gathered.chmod(0o777 & ~umask())
                place_folder(gathered, folder, replace=False)
                return
            for target in targets:
                copy = gathered / target.name
                copy.replace(target) if force else renaming.rename_noreplace(copy, target)
