"""The trace that ships with the package, as a temporary store."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files

from iotrace.files.temporary import temporary_folder
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Progress, Store


@contextmanager
def demo_store(progress: Progress | None = None) -> Iterator[Store]:
    """Ingest the trace, and what is known of its files, and give its store for a block."""
    with as_file(files("iotrace") / "demo") as folder, temporary_folder() as temporary:
        (trace,) = folder.glob("*.strace*")
        known = next(iter(folder.glob("*.known-files.parquet")), None)
        yield ingest([trace], temporary / "demo.iotrace", known_files=known, progress=progress)
