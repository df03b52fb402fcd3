"""The counters of many logs, read in parts that are kept until the store is there, so that none is read twice.

A part is some logs that follow one another. Its rows, with numbers of their own, are written into a folder beside the
store (`.NAME.parts`), by this process or by workers; the folder is removed when the store's tables are written. Where
an ingest was killed, the next one of the same store takes the parts that are there: a part is called after a hash of
the version of iotrace and of the place, size, inode and times of each of its logs. Logs of archives are not kept, as
they are unpacked anew.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import add
from pathlib import Path

import pyarrow as pa

from iotrace import __version__
from iotrace.errors import IotraceError
from iotrace.files.remote import Address, Place
from iotrace.files.temporary import folder_of_process
from iotrace.formats.darshan import DarshanSource, JobsSource
from iotrace.formats.format import Run
from iotrace.formats.parallel_io.darshan_jobs import LogPart
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.parallel_io.run import ParallelRun
from iotrace.formats.reading.names import Numbers
from iotrace.ingest import parallel
from iotrace.store.folder import STORE_VERSION
from iotrace.workers import Workers, WorkerSpec, map_merge

PART_LOGS = 1000
PART_BYTES = 16 << 20
"""A part has at most as many logs, and ends with the one that reaches as many bytes."""
TABLES = ("darshan_record", "darshan_counter")
ABOUT = "part.json"


@dataclass(frozen=True)
class _Logs:
    """The logs of a part, for a worker."""

    names: Sequence[str]
    paths: Sequence[Path]
    folder: Path
    key: str
    log_bytes: int

    @property
    def kept(self) -> Path:
        """The folder of what was read of them."""
        return self.folder / self.key


class Jobs(parallel.Calls):
    """The derivation for logs of which the counters are read, which come in parts where they are many."""

    def __init__(self, align_clocks: bool = False) -> None:
        super().__init__(align_clocks)
        self._folder: Path | None = None
        self._workers: Workers | None = None
        self._say: Callable[[str], None] = lambda sentence: None

    @contextmanager
    def in_parts(
        self, output: Place, worker_spec: WorkerSpec | None, say: Callable[[str], None]
    ) -> Iterator[bool]:
        """Keep parts beside the output, and have workers read them, while a block reads the logs."""
        self._folder, self._say = parts_place(output), say
        with (worker_spec or WorkerSpec()).started() as self._workers:
            yield True
        shutil.rmtree(self._folder, ignore_errors=True)

    def reading(self, run: Run) -> Run:
        """Return the run, whose logs come from parts if there are several."""
        if isinstance(run, ParallelRun) and isinstance(run.source, JobsSource) and self._folder is not None:
            parts = _split(run.source, self._folder)
            if len(parts) > 1:
                run.source.parts = self._read(parts)
        return super().reading(run)

    def _read(self, parts: Sequence[_Logs]) -> Iterator[LogPart]:
        """Give the parts in their order; those that are not kept are read first."""
        kept = sum(len(part.paths) for part in parts if (part.kept / ABOUT).exists())
        if kept:
            logs = sum(len(part.paths) for part in parts)
            self._say(f"{kept:,} of {logs:,} logs were read before, and are in {parts[0].folder}")
        if self._workers is not None:
            missing = [part for part in parts if not (part.kept / ABOUT).exists()]
            if missing:
                map_merge(self._workers.executor, _keep, add, missing)
        for part in parts:
            read = _kept(part)
            if read is None:
                _keep(part)
                read = _kept(part)
            if read is None:
                raise IotraceError(f"{part.kept}: what was read of logs is not there any more")
            yield read


def parts_place(output: Place) -> Path:
    """Return the folder in which the parts of a store are kept: of one on object storage, until the process ends."""
    if isinstance(output, Address):
        return folder_of_process() / f"{output.name}.parts"
    return output.absolute().with_name(f".{output.name}.parts")


def _split(source: JobsSource, folder: Path) -> list[_Logs]:
    """Return the parts of a source's logs; none if some are not files that stay where they are."""
    paths = source.paths
    if source.members.names or not all(path.is_file() for path in paths):
        return []
    parts: list[_Logs] = []
    chosen: list[Path] = []
    log_bytes, key = 0, _version()
    for number, path in enumerate(paths, 1):
        status = path.stat()
        chosen.append(path)
        log_bytes += status.st_size
        described = [
            str(path.absolute()),
            status.st_size,
            status.st_ino,
            status.st_mtime_ns,
            status.st_ctime_ns,
        ]
        key.update(json.dumps(described).encode())
        if len(chosen) == PART_LOGS or log_bytes >= PART_BYTES or number == len(paths):
            names = [source.members.name_of(path) for path in chosen]
            absolute = [path.absolute() for path in chosen]
            parts.append(_Logs(names, absolute, folder, key.hexdigest()[:32], log_bytes))
            chosen, log_bytes, key = [], 0, _version()
    return parts


def _version() -> hashlib._Hash:
    return hashlib.sha256(f"{__version__} {STORE_VERSION}".encode())


def _keep(logs: _Logs) -> list[str]:
    """Read logs and keep their rows; return the part's name."""
    for path in (logs.folder.parent, *logs.paths[:1]):
        if not path.exists():
            raise IotraceError(
                f"on worker {socket.gethostname()}: {path}: is not there (workers read the logs and write what they"
                " hold beside the store: both must be on storage that they see under the same path)"
            )
    logs.folder.mkdir(mode=0o700, exist_ok=True)
    written = Path(tempfile.mkdtemp(prefix=f"{logs.key}-", dir=logs.folder))
    source, files = DarshanSource(Members([]), logs.paths, with_accesses=False), Numbers()
    with (
        (written / TABLES[0]).open("wb") as records,
        (written / TABLES[1]).open("wb") as counters,
    ):
        streams: dict[str, pa.RecordBatchStreamWriter] = {}
        for name, batch in _rows(source, files):
            if name not in streams:
                streams[name] = pa.ipc.new_stream(
                    records if name == TABLES[0] else counters,
                    batch.schema,
                    options=pa.ipc.IpcWriteOptions(compression="zstd"),
                )
            streams[name].write_batch(batch)
        for stream in streams.values():
            stream.close()
    jobs = [row | {"log": name} for row, name in zip(source.jobs.jobs, logs.names, strict=True)]
    about = {"jobs": jobs, "mounts": source.jobs.mounts, "files": list(files.of)}
    (written / ABOUT).write_text(json.dumps(about), "utf-8")
    try:
        written.rename(logs.kept)
    except OSError:  # another process kept it meanwhile, or what is there is damaged
        shutil.rmtree(logs.kept, ignore_errors=True)
        written.rename(logs.kept)
    return [logs.key]


def _rows(source: DarshanSource, files: Numbers) -> Iterator[tuple[str, pa.RecordBatch]]:
    while source.read_next() is not None:
        yield from source.further_rows(files)
    yield from source.counted()


def _kept(logs: _Logs) -> LogPart | None:
    """Return a part that was kept; None if it is not there or damaged."""
    try:
        about = json.loads((logs.kept / ABOUT).read_text("utf-8"))
        rows = [(name, batch) for name in TABLES for batch in _batches(logs.kept / name)]
        return LogPart(about["jobs"], about["mounts"], about["files"], rows, logs.log_bytes)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _batches(path: Path) -> list[pa.RecordBatch]:
    with path.open("rb") as file, pa.ipc.open_stream(file) as stream:
        return list(stream)
