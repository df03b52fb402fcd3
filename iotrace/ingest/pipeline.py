"""From the bytes of a trace to a store, by way of the engine."""

import contextlib
import itertools
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace import __version__, families, formats
from iotrace.errors import IotraceError, UsageError, reason, with_way_out
from iotrace.files.modes import PRIVATE, mode_of
from iotrace.files.names import local_name
from iotrace.files.of_trace import CONVERTED, files_of
from iotrace.files.outputs import unwritable
from iotrace.files.remote import Place, paths_of
from iotrace.formats.reading import siblings
from iotrace.formats.reading.unpacked import limited
from iotrace.formats.typed_columns import as_text
from iotrace.ingest import block, in_parts, job_parts, keys, parallel, rebase, reconstruct
from iotrace.ingest.deriving import Deriving
from iotrace.ingest.fetched import fetched
from iotrace.store import sampled_files
from iotrace.store.folder import STORE_VERSION, is_store
from iotrace.store.skipped import KEY as MAX_SKIPPED
from iotrace.store.skipped import USUAL_PERCENT, SkippedRecords, losses
from iotrace.store.store import Progress, Store, read
from iotrace.store.writer import write_manifest, write_tables, writing
from iotrace.workers import WorkerSpec

DERIVING: Mapping[str, type[Deriving]] = {
    families.CALLS.name: rebase.Calls,
    families.DISKS.name: block.Requests,
    families.PARALLEL.name: parallel.Calls,
    families.KEYS.name: keys.Requests,
    families.JOBS.name: job_parts.Jobs,
}
"""The function that makes a family's derived tables, by its native table."""
NO_LOG = ": is not in format strace: "
"""The engine's words between a trace's name and the reason."""
MOST_NAME = 80
WHAT_HELPS = "iotrace formats lists them; --trace-format names one, iotrace ingest --columns describes others"


def ingest(
    paths: Sequence[Place],
    output: Place,
    *,
    format: str | None = None,
    model: Mapping[str, str] | None = None,
    order: str = "time",
    known_files: Path | None = None,
    replace: bool = False,
    progress: Progress | None = None,
    described: Mapping[str, Any] | None = None,
    align_clocks: bool = False,
    max_unpacked_bytes: int | None = None,
    max_skipped_percent: float = USUAL_PERCENT,
    worker_spec: WorkerSpec | None = None,
    say: Callable[[str], None] = lambda sentence: None,
) -> Store:
    """Read a trace and write its store.

    ``paths`` are the files of one trace (several, or a folder, for ``strace -ff``); ``format`` is guessed from the
    first bytes where it is None; ``known_files`` names the table of sizes that ``iotrace record`` wrote;
    ``described`` goes into the manifest as it is; ``align_clocks`` moves the clocks of a parallel trace's processes
    (see `iotrace.ingest.clocks`); ``max_unpacked_bytes`` is the temporary space that files of archives, and copies
    of compressed files, may take together: half of the free space if None. Where more than ``max_skipped_percent`` of
    the records were skipped, that is the first of the store's warnings, and stands before each verdict. The
    workers of ``worker_spec`` read a file of a block trace each (see `iotrace.ingest.in_parts`); ``say`` gets the
    reason where they cannot. Raises IotraceError where the trace cannot be read or is not a trace, and leaves nothing
    behind then.
    """
    if stores := [path for path in paths if is_store(path)]:
        raise UsageError(f"{stores[0]}: is a store already; ingest the trace from which it was made")
    if not 0 <= max_skipped_percent <= 100:  # not a number is neither
        raise UsageError(f"max_skipped_percent: {max_skipped_percent} is not a percentage from 0 to 100")
    switches = dict(model or {})
    threads = 0 if worker_spec is None else worker_spec.threads or 0

    def start() -> formats.Run:
        with limited(max_unpacked_bytes):
            run = source.start(texts, switches, order, known_files)
            if threads > 1 and isinstance(run, formats.ReadsAhead):
                run.read_ahead(threads)
            return deriving.reading(run)

    with (
        writing(output, replace, _mode_of(paths, known_files)) as folder,
        limited(max_unpacked_bytes),
        fetched(paths) as files,
        as_text(files.paths, format) as texts,
    ):
        heads: list[bytes] = []
        try:
            source = formats.source(texts, format)
            if format is None and source is formats.LAST_RESORT:
                heads = formats.heads_of(files.paths)
            if align_clocks and not source.family.has_ranks:
                raise UsageError("only the ranks of a parallel trace have separate clocks to align")
            if (switches or known_files is not None) and not source.family.has_model:
                raise UsageError(
                    f"a trace of {source.family.rows} has no system calls: neither --model nor --known-files applies"
                    " to it"
                )
            deriving = DERIVING[source.family.name](align_clocks)
            with deriving.in_parts(output, worker_spec, say) as has_parts:
                parts = None
                if worker_spec is not None and not worker_spec.is_one and not has_parts:
                    parts = _in_parts(folder, texts, source, start, worker_spec, say)
                if parts is None:
                    rows, report = write_tables(folder, start, progress, deriving.seen())
                else:
                    rows, report = parts.rows, parts.report | {"partitions": parts.partitions}
            deriving = deriving if parts is None else parts.deriving
            rows |= deriving.derive(folder, rows, report)
        except (ValueError, OSError) as error:
            raise _refused(texts, output, folder, error, heads) from None
        if known_files is not None:
            shutil.copyfile(known_files, folder / "known_file.parquet")
            rows["known_file"] = pq.read_metadata(local_name(known_files)).num_rows
        manifest = {
            "iotrace": __version__,
            "store_version": STORE_VERSION,
            "format": source.name,
            "host": _host(report),
            "sources": [str(path) for path in paths],
            "model": reconstruct.named_model(switches) if source.family.has_model else {},
            **report,
            "counts": {**report["counts"], **reconstruct.derived_counts(folder, rows)},
            **(described or {}),
            MAX_SKIPPED: max_skipped_percent,
            "tables": rows,
        }
        first = [skipped.sentence for skipped in SkippedRecords.too_many_of(manifest)]
        first += [loss.removesuffix(".") for loss in losses(manifest)]
        sampled = sampled_files.sentence(manifest)
        first += [sampled] if sampled else []
        beside = siblings.warnings(source.name, files_of(files.paths))
        manifest["warnings"] = [*first, *manifest["warnings"], *beside]
        write_manifest(folder, files.named(manifest), output)
    pa.default_memory_pool().release_unused()  # a report that follows allocates elsewhere
    return read(output)


def _mode_of(paths: Sequence[Place], known_files: Path | None) -> int:
    """Return the mode of a trace's store: the narrowest of the files of which it is made."""
    with contextlib.suppress(OSError):  # which its reader names
        here = paths_of(paths)
        return mode_of([*here, *files_of(here), *([] if known_files is None else [known_files])])
    return PRIVATE


def _in_parts(
    folder: Path,
    paths: Sequence[Path],
    source: formats.Format,
    start: Callable[[], formats.Run],
    worker_spec: WorkerSpec,
    say: Callable[[str], None],
) -> in_parts.Made | None:
    """Write a store's tables by workers; None, and the folder is empty, where one process must, which is said."""
    result: in_parts.Made | str | None = in_parts.why_whole(source, paths)
    if result is None:
        try:
            with worker_spec.started() as workers:
                result = in_parts.make(folder, paths, source, start, workers) if workers else None
        finally:
            shutil.rmtree(folder / in_parts.AS_READ, ignore_errors=True)
    if isinstance(result, str):
        if worker_spec.threads is not None and source.reads_ahead:
            return None  # threads read ahead
        say(f"--workers: the files are read one after the other, by one process: {result}")
        return None
    return result


def files_by_job(
    paths: Sequence[Path], format: str | None = None, max_unpacked_bytes: int | None = None
) -> dict[str, list[Path]]:
    """Return the files of each job of a parallel trace, by a name that can be part of a file's.

    ``max_unpacked_bytes`` is as in `ingest`. Raises UsageError for formats that know no jobs.
    """
    source = formats.source(paths, format)
    if source.jobs is None:
        raise UsageError(f"--split-jobs: a {source.name} trace has no jobs; those of parallel programs have")
    files_of: dict[str, list[Path]] = {}
    with limited(max_unpacked_bytes):
        jobs = source.jobs(paths)
    for job in jobs:
        parts = [part for part in Path(job.name).parts if part not in CONVERTED]
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", parts[-1] if parts else "")[-MOST_NAME:] or "0"
        number = next(n for n in itertools.count(1) if (name if n == 1 else f"{name}-{n}") not in files_of)
        files_of[name if number == 1 else f"{name}-{number}"] = list(job.files)
    if not files_of:
        raise UsageError("--split-jobs: the trace does not record the jobs of its files")
    return files_of


def _host(report: Mapping[str, Any]) -> str | None:
    """Return the machine on which a trace was recorded, where the trace names one and no other."""
    nodes = report.get("nodes") or []
    return str(nodes[0]) if len(nodes) == 1 else None


def _refused(
    paths: Sequence[Path], output: Place, folder: Path, error: ValueError | OSError, heads: Sequence[bytes]
) -> IotraceError:
    """Name the store where the system refused to write it in its folder, and a file of the trace that it refused to
    read; what the engine says names the trace itself.

    strace is the last resort of the formats: a trace that is none, and was not said to be one, is of no known format;
    only then there are `heads`.
    """
    if isinstance(error, OSError) and error.errno is not None:
        if isinstance(error.filename, str | bytes) and _is_of_trace(error.filename, paths, folder):
            return IotraceError(
                with_way_out(f"{os.fsdecode(error.filename)}: cannot be read: {reason(error)}")
            )
        return unwritable(output, error)
    path, is_no_log, _ = str(error).partition(NO_LOG)
    if any(heads) and is_no_log:
        return IotraceError(f"{path}: {formats.unrecognised_sentence(paths, heads)}; {WHAT_HELPS}")
    return IotraceError(with_way_out(reason(error)))


def _is_of_trace(name: str | bytes, paths: Sequence[Path], folder: Path) -> bool:
    """Return whether a file is one of a trace's, or in one of its folders, and not in the folder that is written."""
    written_path = Path(os.fsdecode(name)).absolute()
    within = {written_path, *written_path.parents}
    return folder.absolute() not in within and any(path.absolute() in within for path in paths)
