"""The compiled engine."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any

import pyarrow as pa

from iotrace.formats.known_files import KnownFiles

class Drive:
    """A drive, immutable and cheap to share: geometry, rotation, seeks, overheads.

    `description` is JSON, as made by `iotrace.simulate.disk.Description` from a drive's file. Raises ValueError,
    naming the key, for contradictions or impossible numbers.
    """

    def __init__(self, description: str) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def blocks(self) -> int:
        """The capacity in blocks of 512 bytes."""

    @property
    def cylinders(self) -> int: ...
    @property
    def surfaces(self) -> int: ...
    @property
    def revolution_ns(self) -> int:
        """The time of one revolution in ns, rounded up."""

    def place(self, lbn: int) -> tuple[int, int, int]:
        """Return a block's cylinder, surface, and slot on the track before skew; ValueError beyond the end."""

    def blocks_of_track(self, track: int) -> tuple[int, int]:
        """Return a track's first block and the one after its last; tracks are counted in the order of blocks."""

    def sector_starts_ns(self, lbn: int, from_ns: int) -> int:
        """Return the first time not before `from_ns` at which the block's start is under its head."""

    def seek_ns(self) -> list[int]:
        """Return the seek times in ns of all distances, from 0 cylinders."""

    def closed_loop(
        self, lbn: pa.Array, blocks: pa.Array, write: pa.Array, after_ns: pa.Array
    ) -> pa.RecordBatch:
        """Serve requests in sequence, each `after_ns` after the last one's end, with buffer and bus.

        `lbn` and `blocks` are uint64, `write` bool, `after_ns` int64. The result has a row for each: time_ns (the
        arrival), service_ns, and its parts overhead_ns, seek_ns, rotation_ns and transfer_ns. Raises ValueError,
        naming the row, for a request that is not on the drive, has no blocks or too many (`closed_loop_limits`), or
        has an `after_ns` that is negative or too long.
        """

def closed_loop_limits() -> dict[str, int]:
    """Return the most blocks of a request and the longest `after_ns` that `Drive.closed_loop` takes."""

def check_model(model: list[tuple[str, str]]) -> None:
    """Raise ValueError, with the valid ones, for an unknown switch or value of the file-system model."""

def first_bytes(path: str | PathLike[str], count: int) -> bytes:
    """Return at most the first `count` bytes of a file, decompressed; none for a folder or damaged compressed data.

    Raises OSError if the file cannot be read.
    """

def trace_limits() -> dict[str, int]:
    """Return the largest values in traces of any format.

    The latest time_ns, from the format's base, and the longest duration_ns: a time further than that from a trace's
    usual one is damaged. Lines of more than line_bytes are left out.
    """

class TraceBytes:
    """The bytes of a trace, decompressed; ``-`` is standard input. Raises OSError if it cannot be opened.

    Of a file that is not compressed `part` can be read alone: from one byte to before another, both at starts of lines.
    Read it either by lines or by counts of bytes. Damage (a truncated compressed file, for example) raises OSError
    after all data before it have been returned. Both methods release the GIL.
    """

    def __init__(self, path: str | PathLike[str], part: tuple[int, int] | None = None) -> None: ...
    def lines(self) -> bytes:
        """Return about a megabyte of complete lines; none at the end. The very last line may lack its newline."""

    def read(self, count: int) -> bytes:
        """Return the next `count` bytes, fewer only at the end or before damage."""

    def long_lines(self) -> int:
        """Return the number of too long lines so far; each is replaced by a short, invalid line."""

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read so far, as stored, and their total if known."""

def block_limits() -> dict[str, int]:
    """Return the most disk_blocks, and the most request_blocks of requests other than discards; in 512-byte blocks.

    A request has fewer blocks, and its first block a smaller number.
    """

def block_lines(parts: Sequence[bytes], form: str) -> BlockRows:
    """Read the lines of a block trace; each part has complete ones.

    `form` is JSON, as made by `iotrace.formats.disk_io.parsed_lines.LineForm`. Raises ValueError for an invalid form.
    Releases the GIL.
    """

def block_fields(records: Sequence[tuple[int, str | Sequence[str]]], form: str) -> BlockRows:
    """Read records of a block trace in which fields are in quotes.

    Each has the place of its first line, from 0, and is a line without quotes, or else its fields: none where a quote
    has no end. Otherwise as `block_lines`.
    """

def call_limits() -> dict[str, int]:
    """Return the largest number of a process, place in a file and length of a call, in bytes, of parallel traces."""

def recorder_lines(block: bytes, rank: int) -> CallRows:
    """Read complete lines of Recorder's text (`iotrace.formats.recorder_text`), of the file of a rank.

    A line is a call if it makes sense (see `iotrace.formats.parallel_io.checks`, which has the same
    reasons); calls of other libraries are counted in `remarks`. Releases the GIL.
    """

def recorder_arguments(name: str, arguments: Sequence[str]) -> dict[str, Any] | None:
    """Return what the arguments of a call of Recorder say; None for calls that move no bytes of files.

    A call's layer, file, offset, whence, length, requested and flags, or the reason to skip it.
    """

class DftracerEvents:
    """Reads the lines of a DFTracer trace (`iotrace.formats.dftracer`)."""

    def __init__(self) -> None: ...
    def read(self, block: bytes) -> CallRows:
        """Read further complete lines: calls, the names of hashes, and the unit of times.

        An event is a call if it makes sense (see `iotrace.formats.parallel_io.checks`, which has the same
        reasons). Releases the GIL.
        """

    def fork(self) -> DftracerEvents:
        """Return a reader of further lines alone, which may be read before others, in another thread."""

    def merge(self, next: DftracerEvents) -> bool:
        """Take what a fork learned of the lines that come next.

        Return False, and take nothing, if it read them in another unit of times than is known now: read them again.
        """

    def name(self, hash: str) -> str | None:
        """Return the name that the lines read so far give for a hash."""

    @property
    def is_since_epoch(self) -> bool | None:
        """Whether times count from 1970, by that of the first call; None before it."""

class DxtLog:
    """Reads a log of Darshan's extended tracing as text (`iotrace.formats.darshan_dxt`)."""

    def __init__(self) -> None: ...
    def read(self, block: bytes) -> CallRows:
        """Read further complete lines.

        A row is a call if it makes sense (see `iotrace.formats.parallel_io.checks`, which has the same
        reasons). Releases the GIL.
        """

class DarshanLog:
    """A binary log of Darshan (`iotrace.formats.darshan`), from the bytes of its file; `len` is its number of records.

    Formats 1.21 to 3.41, of any byte order and compression, also compressed as a whole with gzip or bzip2. Of a damaged
    log what can be read is read. ``with_accesses`` reads extended tracing, too. Raises ValueError, with the format and
    the reason, if nothing can be read.
    """

    def __init__(self, file: bytes, with_accesses: bool) -> None: ...
    def __len__(self) -> int: ...
    @property
    def about(self) -> dict[str, Any]:
        """The log without its rows.

        ``format``, ``byte_order``, ``compression``, ``job_id``, ``uid``, ``start_s``, ``start_part_ns``, ``run_ns``,
        ``processes``, ``program``, ``metadata`` (names with values) and ``mounts`` (paths with types) of the job;
        ``modules``, each with name, version, is_partial, region_bytes and records; ``damage``, a sentence for each;
        ``has_accesses`` and ``nodes``; ``traced`` and ``counted``, the operations and bytes of each layer that extended
        tracing holds and that counters count (these with is_partial); ``mpi_calls``, the columns of table mpi_file by
        file.
        """

    @property
    def files(self) -> list[str]:
        """The names of the files of its records, in the order of first sight."""

    def calls(self) -> CallRows:
        """Take away the reads and writes of extended tracing, a line each."""

class DarshanTables:
    """Rows of tables darshan_record and darshan_counter, of logs one after the other.

    `len` is the number of counters that wait.
    """

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def add(self, log: DarshanLog, job: int, files: Sequence[int], start: int) -> int:
        """Add the records of a log from one on, until many rows wait; return the number of the next record.

        ``files`` are the numbers of the log's files. Raises ValueError where one is missing.
        """

    def take(self) -> tuple[pa.RecordBatch, pa.RecordBatch]:
        """Take away the rows that wait: of table darshan_record, and of table darshan_counter."""

def darshan_job(file: bytes) -> dict[str, Any]:
    """Return `DarshanLog.about` of a log of which no record is read; raises ValueError as it does."""

def darshan_counters() -> list[tuple[str, list[tuple[str, bool]]]]:
    """Return the modules of Darshan, each with its counters in order: the name, and whether it is a real number."""

class UmdText:
    """Reads UMD traces as text (`iotrace.formats.umd_ascii`), a file after the other."""

    def __init__(self) -> None: ...
    def read(self, block: bytes) -> CallRows:
        """Read further complete lines: the header, the names of files, and records.

        A record is a call if it makes sense (see `iotrace.formats.parallel_io.checks`, which has the same
        reasons); each has the list-I/O call of which it is a part. Releases the GIL.
        """

    def end(self) -> dict[str, Any]:
        """Return what is known of the file at its end, and expect another.

        ``announced`` are the counts of processes, files and records in its header, None without one; ``names`` and
        ``records`` the true counts of files and records, ``processes`` the numbers of processes, ``unnamed`` those of
        files without names with the counts of their records, -1 for numbers that are too large, ``cut_lists`` how many
        list-I/O calls have fewer records than announced.
        """

class CallRows:
    """Calls of a parallel trace, from a block of its text, and which of its lines are none.

    `len` is the number of calls.
    """

    def __len__(self) -> int: ...
    @property
    def lines(self) -> int:
        """The lines of the block."""

    @property
    def processes(self) -> list[tuple[int, int]]:
        """The processes of the calls, in the order of first sight, each with its machine's place in `hosts`, -1 for
        none."""

    @property
    def skipped(self) -> int:
        """The number of lines that are not calls."""

    @property
    def wrong_durations(self) -> dict[str, int]:
        """The numbers of durations of calls that are none: unreadable_durations and negative_durations."""

    def skips(self, first: int) -> pa.RecordBatch:
        """Return the lines that are not calls: record, as in `calls`, and reason."""

    @property
    def files(self) -> list[str]:
        """The names of files likewise, ``hash:`` before one that is a hash."""

    @property
    def hosts(self) -> list[str]:
        """The names of machines likewise."""

    @property
    def remarks(self) -> list[tuple[str, int]]:
        """Remarks on calls that are not kept, in order, and the number of lines of each."""

    @property
    def warnings(self) -> list[str]:
        """Lines in which a log says that it is incomplete."""

    @property
    def is_in_range(self) -> bool:
        """Whether all times and durations are those of a clock: few traces have others."""

    def summary(self) -> dict[str, int]:
        """Return counts of calls: rows, moves and placed_moves (reads and writes, and those with an
        offset).

        And the first, least and greatest time, the latest end, and the clock's step (ns), all 0 without calls.
        """

    def unsorted(self, reached_ns: int) -> int:
        """Return how many calls came before an earlier one in time, if those before them reached to `reached_ns`."""

    def calls(self, first: int) -> pa.RecordBatch:
        """Return the calls: record (numbered from `first` on), time_ns, duration_ns, process, key (its place in
        `processes`), thread, layer, operation, offset, length, file and host (their places in `files` and `hosts`),
        descriptor, whence, requested and flags."""

    def table(
        self,
        first_seq: int,
        zero_ns: int,
        processes: Sequence[int],
        files: Sequence[int],
        nodes: Sequence[int],
    ) -> pa.RecordBatch:
        """Take the calls away as rows of table parallel_io, with times from `zero_ns` on.

        Processes have the numbers given, and so have files and nodes (of `files` and `hosts`). Raises ValueError where
        a number is missing.
        """

class Redaction:
    """Replaces names in paths that match one of these globs (``*`` any text, ``?`` one character) by `redacted-N`.

    N is the same for the same name; names are bytes. What looks like a replacement is replaced, too.
    """

    def __init__(self, globs: Sequence[bytes]) -> None: ...
    def path(self, path: bytes) -> bytes:
        """Return a path with its names replaced."""

    def argument(self, argument: bytes) -> bytes:
        """Return a program's argument with names replaced, also those next to a space or a mark (`--file=NAME`)."""

    def original(self, path: bytes) -> bytes:
        """Return the path for which `path` gave this one."""

class ContentsFilter:
    """Takes an strace log in blocks of bytes, and gives it without contents.

    Each quoted text becomes `""...` but those that iotrace reads (paths, targets of links, arguments of programs:
    without `keeps_arguments` only the first) and addresses of sockets.
    """

    def __init__(self, keeps_arguments: bool = True, redaction: Redaction | None = None) -> None: ...
    def feed(self, block: bytes) -> bytes:
        """Return the lines that end in this block."""

    def finish(self) -> bytes:
        """Return what is left, a line that strace did not end."""

class CallOrder:
    """Counts calls after one of the same process and thread that began and ended later.

    With `by_access` only calls on the same file of the same layer and operation are compared.
    """

    def __init__(self, by_access: bool) -> None: ...
    @property
    def broken(self) -> int:
        """How many there were."""

    def see(self, calls: pa.RecordBatch) -> None:
        """Count further rows of table parallel_io. Raises ValueError for a column of another type."""

class CallReferences:
    """The reference stream of a parallel trace, of its calls in the order of time (see `iotrace.ingest.parallel`).

    `higher_files` are those of which only the calls of higher layers were traced.
    """

    def __init__(self, higher_files: Sequence[int]) -> None: ...
    @property
    def seen(self) -> dict[str, int]:
        """empty_requests, unknown_offsets, appends_of_unknown_offset, and higher, reads and writes of higher layers."""

    def references(self, calls: pa.RecordBatch) -> pa.RecordBatch:
        """Return the references that further rows of table parallel_io are, as rows of table reference.

        Raises ValueError for a column of another type, or an unknown operation.
        """

    def offsets(self, calls: pa.RecordBatch) -> pa.RecordBatch:
        """Return of further rows is_taken, whether they are on files and of layers that count, and the offset of those.

        A read or write without one has that of its file pointer, null where that is unknown. Raises ValueError
        likewise.
        """

    def uses(self) -> pa.RecordBatch:
        """Return the uses of files, as rows of table use."""

class BlktraceRun:
    """blktrace's files, merged by time and paired into requests; of each, `read_bytes` are read at a time.

    Raises OSError if one cannot be opened.
    """

    def __init__(self, paths: Sequence[str | PathLike[str]], read_bytes: int) -> None: ...
    def progress(self) -> tuple[int, int]:
        """Return the bytes read so far, as stored, and those of the files whose size is known."""

    def next(self, records: int) -> bool:
        """Follow the events of so many records, or more; return False if the trace had ended before.

        Raises ValueError if a file does not begin with a record. Releases the GIL.
        """

    def requests(self) -> pa.RecordBatch | None:
        """Return the requests whose fate is known, as `BlockPairing` does: all at the trace's end."""

    def stacks(self) -> list[tuple[str, str, int, int]]:
        """Return the same as `BlockPairing.stacks`."""

    def counts_by_file(self) -> list[tuple[str, int, int]]:
        """Return the name of each file, how many records were read of it, and how many of these were skipped."""

    def news(self) -> dict[str, Any]:
        """Return what there is to say since the last time.

        Members: ``records`` (their number), ``remarks`` (kind and count), ``skipped`` (record, its bytes, why),
        ``damage`` (sentences), ``lost_bytes`` (of no record), and ``zero_ns`` (when the machine's clock was 0, since
        1970, None if unknown).
        """

class BlockPairing:
    """Pairs events of the block layer into requests.

    A request without a completion is passed on when `waiting_rows` others wait behind it.
    """

    def __init__(self, waiting_rows: int = ...) -> None: ...
    def take(self, events: Iterable[tuple[Any, ...]]) -> None:
        """Follow more events, as `iotrace.formats.disk_io.block_layer.Event` has them."""

    def requests(self, is_last: bool) -> pa.RecordBatch | None:
        """Return the requests that no earlier one holds back any more, if they are many: all of them at the end.

        The columns are those of `iotrace.formats.disk_io.block_layer.COLUMNS`.
        """

    def remarks(self) -> list[tuple[str, int]]:
        """Return what does not pair up, by kind, since the last time."""

    def stacks(self) -> list[tuple[str, str, int, int]]:
        """Return each device that passes requests on, the one below, how many were queued at both, and their blocks."""

class BlockRecordingRun:
    """A recording of requests to disks, as `iotrace record --block` writes it.

    One that is compressed, or comes through a pipe, is copied to a temporary file of at most `most_unpacked_bytes`.
    Raises ValueError if it cannot be read, or is no such recording.
    """

    def __init__(self, path: str | PathLike[str], most_unpacked_bytes: int) -> None: ...
    @property
    def epoch_ns(self) -> int:
        """When the clock of the requests was 0, since 1970."""

    def next(self) -> pa.RecordBatch | None:
        """Return the next requests, of which there may be none, with the columns of `BlockPairing.requests`.

        Returns None at the end. Raises ValueError if the file cannot be read. Releases the GIL.
        """

    def progress(self) -> tuple[int, int]:
        """Return the bytes read so far, and those of the file."""

    def report(self) -> dict[str, Any]:
        """Return what there is to say of what was read.

        Members: ``records`` (of requests), ``others`` (records that neither read, write, discard nor flush), ``lost``
        (requests for which there was no room), ``begun_before`` and ``unfinished`` (requests on all disks under way at
        the recording's beginning and end), and ``damage`` (why the end is missing, None if it is not).
        """

class BlockEventText:
    """Events of the block layer as text of ftrace, trace-cmd or perf script, paired into requests.

    With `nvme_block_bytes`, commands of the NVMe driver are the requests; a logical block has this many bytes.
    """

    def __init__(self, nvme_block_bytes: int | None = None) -> None: ...
    def take(self, block: bytes, first: int) -> None:
        """Follow the events of complete lines, of which the first has this number. Releases the GIL."""

    def requests(self, is_last: bool) -> pa.RecordBatch | None:
        """Return the same as `BlockPairing.requests`. Releases the GIL."""

    def stacks(self) -> list[tuple[str, str, int, int]]:
        """Return the same as `BlockPairing.stacks`."""

    def found(self) -> dict[str, Any]:
        """Return what there is to say since the last time.

        Members: ``lines`` (their number), ``remarks`` (kind and count), ``skipped`` (number of a line, its bytes, why),
        ``lost_events`` (which the trace says were lost), ``losses`` (how often it does not say how many).
        """

def block_records(block: bytes, kind: str) -> BlockRows:
    """Read the records of a block: `kind` is vscsi1, vscsi2, oracle_general or oracle_general_ops.

    All are of one device, called disk; the last record may be cut short. Raises ValueError for another kind. Releases
    the GIL.
    """

def neighbours(block: bytes, width: int) -> tuple[int, int, int | None]:
    """Compare the objects of oracleGeneral's records of `width` bytes with those of the next higher number.

    Returns how many different objects (but that of the highest number) are longer than 512 bytes at their first
    request, how many of these are followed by an object with the next number, and the place, from 0, of the first
    request for one that is.
    """

class BlockRows:
    """Requests of a block trace, from a block of its text or records, and why other records are none.

    Requests are those that make sense (see `iotrace.formats.disk_io.checks`, which has the same reasons).
    """

    records: int
    """The lines or records of the block."""
    blank: int
    """How many lines are blank."""
    @property
    def devices(self) -> list[str]:
        """The names of the requests' devices, in the order of first sight."""

    @property
    def hosts(self) -> list[str]:
        """The names of machines likewise; none where the format has none."""

    def summary(self) -> dict[str, int]:
        """Return counts of requests, and the first, least and greatest time, the latest end, and the clock's step (ns).

        `rows` is the number of requests. The other members are 0 without them.
        """

    def unsorted(self, reached_ns: int) -> int:
        """Return how many requests came before an earlier one; that before these had times up to `reached_ns`."""

    def requests(self, first: int) -> pa.RecordBatch:
        """Return the requests as `iotrace.formats.disk_io.requests` has them.

        The columns are record (counted from `first` at the block's start on), time_ns, device, operation, lbn, blocks,
        latency_ns, host and unaligned (bool: no whole blocks).
        """

    def skipped(self, first: int) -> pa.RecordBatch:
        """Return the records that are not requests and not blank: record, as in `requests`, and reason."""

    def table(
        self,
        first_seq: int,
        zero_ns: int,
        devices: Sequence[int],
        host_numbers: Sequence[int],
        hosts: Sequence[str],
    ) -> pa.RecordBatch:
        """Return the requests as rows of table disk_io, numbered from `first_seq` on, times from `zero_ns` on.

        `devices` and `host_numbers` are the numbers of `self.devices` and `self.hosts`; `hosts` are the names of all
        machines by their numbers. The requests are taken away: call it last. Releases the GIL.
        """

def write_strace(
    entries: pa.RecordBatchReader,
    inherited: Sequence[tuple[int, int, str, bool]],
    zero_ns: int | None,
    path: str | PathLike[str],
) -> int:
    """Write a store's calls, as rows of the query ``entry``, as a log of strace.

    `inherited` are the rows of table ``inherited_descriptor``; times count from `zero_ns` since 1970, None for a trace
    without times. Replaces an existing file. Returns how many ends of tracing were left out. Raises OSError if the file
    cannot be written, ValueError for invalid rows.
    """

def write_ultrix(entries: pa.RecordBatchReader, path: str | PathLike[str]) -> int:
    """Write a store's calls, as rows of the query ``entry``, as an ULTRIX call trace; return the number of rows.

    Replaces an existing file. Raises OSError if the file cannot be written, ValueError for invalid rows.
    """

class SyscallRun:
    """A trace of system calls being converted to tables, batch by batch.

    `format` is strace, ultrix, perf, ftrace, opensnoop or iorec. `paths` are a log, ``-`` for standard input, or the
    logs (a folder, several files, a tar archive) of ``strace -ff``, whose order is "time" or "concatenate". `model`
    holds switches as `check_model` takes them. `known` is what was recorded along with the trace. The files of an
    archive may take `most_unpacked_bytes` of temporary space in total. Raises OSError for unreadable input, and
    ValueError for input that cannot be parsed.
    """

    def __init__(
        self,
        format: str,
        paths: Sequence[str | PathLike[str]],
        model: Sequence[tuple[str, str]],
        order: str,
        known: KnownFiles,
        most_unpacked_bytes: int = ...,
    ) -> None: ...
    @staticmethod
    def of_entries(
        entries: pa.RecordBatchReader,
        model: Sequence[tuple[str, str]],
        known: KnownFiles,
        inherited: Sequence[tuple[int, int, str, bool]],
    ) -> SyscallRun:
        """Return a run over a store's calls, as rows of the query ``entry``; it does not return table syscall.

        `inherited` are the rows of the store's table inherited_descriptor.
        """

    def read_ahead(self, threads: int) -> None:
        """Have one thread read the calls before their turn, however many there may be; the file table follows them."""

    def tables(self) -> list[str]:
        """Return the names of the tables of this run."""

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read until batches are complete, and return them; None at the end.

        The columns are those of the tables' schemas, in order. Raises OSError and ValueError like the
        constructor. Releases the GIL.
        """

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes of input read so far, and their total if known."""

    def report(self) -> dict[str, Any]:
        """Return the manifest's entries about the run: counts, skipped lines, warnings, agreement with paths.

        ``rebases`` and ``late_durations`` (see `iotrace.ingest.rebase`) are corrections still to be applied to
        references, and do not belong in a manifest. Complete only after `next` returned None.
        """

class StackEngine:
    """Exact LRU caches of every size over one stream of references (Richardson 1994, 2.4; Mattson 1970).

    `options` is JSON, as returned by `iotrace.analysis.curves.cache.Cache.for_engine`. `is_slice`: the stream is a
    slice and ends with ``finish_slice``. `is_sparse`: its blocks lie far from each other, as those of a sample do.
    Raises ValueError for invalid settings, and those with which slices do not merge.
    """

    def __init__(self, options: str, *, is_slice: bool = False, is_sparse: bool = False) -> None: ...
    def push(self, references: Any) -> None:
        """Take a record batch with the columns file (int32), operation (dictionary of int32 to string),
        offset and length (int64), and optionally file_size, time_ns (int64), component (int32), is_inode,
        synchronous (bool). Operations are those of table reference, and evict, which removes a file's blocks from the
        caches and writes dirty ones to the disk.

        Raises ValueError, naming the row, for an invalid row. Releases the GIL.
        """

    def tally(self) -> dict[str, int]:
        """Return counts of the stream so far: rows, requests, and what was guessed or left out."""

    def finish(self, *, overhead_ns: int, transfer_ns_per_kb: int) -> StackCurve:
        """End the stream; the engine is empty afterwards."""

    def finish_slice(self) -> StackState:
        """End the slice; the engine is empty afterwards."""

def references_of_disks(requests: Any, file_of_device: Any = None) -> Any:
    """Return a record batch of references with the columns that can be made of those of table disk_io.

    `requests` is a record batch; of its columns device, operation, lbn, blocks and flags come file, operation, flags,
    offset and length. `file_of_device` is an array of int32, None where a device and its file have one number. The
    operation of a request that is not a reference is null.

    Raises ValueError for a device without a file, and a request beyond 63 bits. Releases the GIL.
    """

def extremes(column: Any) -> tuple[int, int] | None:
    """Return the least and the largest of an Arrow array of whole numbers; None without any, or of another type.

    Releases the GIL.
    """

def disk_uses(requests: pa.RecordBatch) -> tuple[int, list[int], list[int]]:
    """Return how many requests are references, how many move data, and how many blocks.

    `requests` has the columns device, operation and blocks of table disk_io. The lists have numbers of reads and of
    writes, of device 0, then of device 1, and so on to the last that moves data. Raises ValueError for other types.
    Releases the GIL.
    """

def touched_blocks(references: Any, block_bytes: int) -> tuple[int, int]:
    """Return how many references are reads and writes, and how many blocks they touch.

    `references` is a record batch with the columns operation (dictionary of int32 to string) and length (int64), and
    optionally offset and file_size. A request of unknown length reaches to the file's end, if known, and else touches
    no block. Releases the GIL.
    """

def interval_classes() -> list[str]:
    """Return the classes of intervals of threads, each at the number by which `wall_time` takes it."""

def wall_time(intervals: Any, all_waits_recorded: bool) -> list[tuple[int | None, str, int]]:
    """Return how long each process, and all together (None), were in which state: view wall_time of the queries.

    `intervals` is a reader of record batches of process (int32; null for the clock), class (uint8: a place in
    `interval_classes`), start_ns and end_ns (int64), in the order of the lesser of both times. Raises ValueError for
    other columns, classes that are not known, and another order. Releases the GIL.
    """

class StatisticsPass:
    """A pass over references in order: the streamed views of ``queries/base``, as `iotrace.store.streamed` has them.

    `settings_json`: runs_may_mix (bool, gives the views of runs), windows and loads (width_ns and windows),
    intervals (bool), block_bytes (gives the views of written blocks), disks (bool), on_threads (bool); what is not
    there is not followed. Raises ValueError for invalid settings.
    """

    def __init__(self, settings_json: str) -> None: ...
    def push(self, references: Any) -> None:
        """Take a record batch of the view ordered_reference. Releases the GIL.

        Raises ValueError, naming the row, where its file, type or operation is unknown, or seq does not grow.
        """

    def finish(self) -> dict[str, Any]:
        """End the stream, and return record batches by the views' names.

        Those of footprints and of intervals are not there where requests are far from the order of time.
        """

class DiskStreamsPass:
    """A pass over requests to disks in order: the streamed views of table disk_io.

    Settings: streams (bool), seeks (bool), arrivals (bool: queues and busy periods), blocks (object with block_bytes,
    most_blocks and distances (bool): how blocks are accessed again), on_threads (bool); what is not there is not
    followed. Raises ValueError for invalid settings.
    """

    def __init__(self, settings_json: str) -> None: ...
    def push(self, requests: Any) -> None:
        """Take a record batch of the view ordered_disk_request. Releases the GIL.

        Raises ValueError, naming the row, where seq does not grow.
        """

    def finish(self) -> dict[str, Any]:
        """End the stream, and return record batches by the views' names.

        Those of arrivals are not there where requests are far from the order of time, those of blocks where requests
        touch more blocks than 64 each and most_blocks.
        """

class KeyAccessesPass:
    """A pass over requests for keys in order: the streamed views of how keys are requested again.

    That of distances is among them where `distances` are asked for.
    """

    def __init__(self, distances: bool) -> None: ...
    def push(self, requests: Any) -> None:
        """Take a record batch of the view ordered_key_request. Releases the GIL.

        Raises ValueError, naming the row, where seq does not grow.
        """

    def finish(self) -> dict[str, Any]:
        """End the stream, and return record batches by the views' names."""

class StackState:
    """The result of a pass over a slice, from which the states of neighbours merge exactly."""

    @staticmethod
    def read(rows: Any, *, is_short: bool, looks_back: bool) -> StackState:
        """Read it from record batches of table curve_state, a stream or a table of Arrow.

        Raises ValueError for invalid rows. Releases the GIL.
        """

    def rows(self) -> Any:
        """Return it as a stream of record batches of table curve_state; the state is empty afterwards."""

    def cut(self, largest_blocks: int) -> None:
        """Keep what caches of at most so many blocks need."""

    def end(self) -> None:
        """Take the slice for the whole stream: the counts of its curve remain, and none of its blocks."""

    def merge(self, right: StackState, *, largest_blocks: int | None = None) -> None:
        """Add the slice that follows, which is empty afterwards.

        With `largest_blocks`, at which both were cut, the sum is cut, too. Raises ValueError where what the right slice
        touches depends on this one; this state is empty then.
        """

    @property
    def distinct_blocks(self) -> int:
        """The number of distinct blocks that were kept."""

    @property
    def is_short(self) -> bool:
        """Whether blocks were left out, since there are more than the largest size."""

    @property
    def looks_back(self) -> bool:
        """Whether what a request touches depends on a file's size from an earlier slice."""

    def finish(self, *, block_bytes: int, overhead_ns: int, transfer_ns_per_kb: int) -> StackCurve:
        """Return the counts of the slice as if it were the whole stream; the state is empty afterwards."""

class StackCurve:
    """The counts of a finished engine."""

    @property
    def components(self) -> int:
        """The number of components."""

    def rows(self, component: int) -> Any:
        """Return the rows of `table` without sizes as a stream of record batches, made as they are asked for."""

    def change_points(self, component: int) -> Any:
        """Return the sizes in blocks at which a count may change, ascending, 1 first, as an Arrow array of uint32."""

    def table(self, component: int, sizes_blocks: Sequence[int] | None = None) -> Any:
        """Return one component's rows as a record batch: component (int32), then the columns of table curve.

        One row for each size at which a count changes, or for each of ``sizes_blocks`` (ascending, distinct).
        """

class SampledCaches:
    """LRU caches of every size, and caches of chosen policies, over a sample of the blocks of one stream.

    `options` are those of `StackEngine`; `sampling` is JSON: `rate`, above 0 and at most 1; `most_blocks`, the most
    blocks of a sample of fixed size, whose rate halves from `rate` on, or null; `seed`; `groups` of blocks of which one
    is left out at a time, 0 or a power of two up to 128; `head_blocks`, up to which caches are simulated exactly beside
    it, 0 for none; `has_whole_files`, false unless given: no request states a file's size, and removals and syncs are
    of whole files, so that sampled blocks are numbered without gaps, in less memory. `policies` are (name, blocks) of
    the whole stream's caches. Raises ValueError for invalid settings.
    """

    def __init__(
        self,
        options: str,
        sampling: str,
        *,
        policies: Sequence[tuple[str, int]],
        protected_percent: int = 75,
        threads: int = 1,
    ) -> None: ...
    def push(self, references: Any) -> None:
        """Take a record batch like ``StackEngine.push``, and raise ValueError like it."""

    def push_keys(self, keys: Any) -> None:
        """Take reads of single blocks, known by number: an array of uint64. Raises ValueError with an exact head."""

    def tally(self) -> dict[str, int]:
        """Return the counts of ``StackEngine.tally`` of the whole stream, except for distinct blocks: 0."""

    @property
    def demands(self) -> list[list[int]]:
        """The whole stream's read requests, blocks that they touch, write requests, and their blocks, by component."""

    @property
    def has_requests_of_several_blocks(self) -> bool:
        """Whether any request touched more than one block."""

    def finish(
        self, *, overhead_ns: int, transfer_ns_per_kb: int
    ) -> tuple[float, int, list[StackCurve], list[Any], StackCurve | None]:
        """End the stream: return the sample's rate and number of blocks, its curve and those without each group, the
        tables of the policies' caches likewise, and the exact curve of small caches.

        Nothing is scaled: the policies' caches have the size times the rate, rounded down, and one block more. Without
        groups, and for a sample of all blocks, there is one curve.
        """

class SampledSlice:
    """A slice of a stream: the touches of its sampled blocks, and the state of the small exact caches.

    `options` and `sampling` are those of `SampledCaches`, without `most_blocks`, policies and what states refuse (see
    `StackEngine` with `is_slice`). Raises ValueError for invalid settings.
    """

    def __init__(self, options: str, sampling: str) -> None: ...
    def push(self, references: Any) -> None:
        """Take a record batch like ``StackEngine.push``, and raise ValueError like it with `is_slice`."""

    def tally(self) -> dict[str, int]:
        """Return the counts of ``StackEngine.tally`` of the whole slice, except for distinct blocks: 0."""

    @property
    def demands(self) -> list[list[int]]:
        """The whole slice's read requests, blocks that they touch, write requests, and their blocks, by component."""

    @property
    def has_requests_of_several_blocks(self) -> bool:
        """Whether any request touched more than one block."""

    @property
    def looks_back(self) -> bool:
        """Whether what some request touches depends on a file's size from an earlier slice."""

    def finish(self) -> tuple[float, list[Any], StackState | None]:
        """End the slice: return the sample's rate, its touches, and the exact caches' state, cut at `head_blocks`.

        The touches are record batches as ``StackEngine.push`` takes them, with one more column, `group`: 255 for what
        happens to files, which is in no group.
        """

class StackKeys:
    """Reads of single blocks that are known by a 64-bit key: exact LRU caches of every size at once.

    `threads` above 1 numbers the keys on one thread and counts on another. Memory is about 28 bytes for each distinct
    key.
    """

    def __init__(self, *, threads: int = 1) -> None: ...
    def push(self, keys: list[Any]) -> None:
        """Take the next reads, arrays of uint64 in turn; the GIL is released.

        Raises ValueError for arrays of another type or with nulls, and beyond 2^31 - 1 distinct keys.
        """

    def distances(self, keys: Any) -> Any:
        """Take the next reads, an array of uint64, on one thread; return an array of uint32 with the distance of each.

        It is the number of distinct keys since the key's last read, the key itself included, and null for its first.
        Raises ValueError as ``push``.
        """

    @property
    def reads(self) -> int: ...
    @property
    def distinct_blocks(self) -> int: ...
    def change_points(self) -> Any:
        """Return the sizes in blocks at which the number of hits changes, as an ascending array of uint32."""

    def hits(self, sizes_blocks: Any) -> Any:
        """Return the hits so far in caches of these sizes, as an array of uint64.

        `sizes_blocks` is an ascending array of uint32. Raises ValueError for any other array.
        """

class ObjectCaches:
    """LRU caches of many sizes over requests for objects, which weigh their bytes, or one each.

    `options` is a JSON object with `unit` ("objects" or "bytes"), `sizes` (a list, or null for eight to each
    doubling), `expiry` ("ignore", "eager" or "lazy"), `by_tenant` and `writes`. Memory is about 80 bytes for each
    distinct key, and 16 more for each size below the largest object.
    """

    def __init__(self, options: str) -> None: ...
    def push(self, requests: Any) -> None:
        """Take the next requests, a record batch; the GIL is released.

        Columns: `key` uint64; where they are known, `size` int64 in bytes (null: that of the request before),
        `action` uint8 (0 reads, 1 sets, 2 deletes), `tenant` uint32, `time_ns` int64 in ascending order, and `ttl_ns`
        int64 (null: the object does not expire). Raises ValueError for other types, nulls elsewhere, and negative
        sizes.
        """

    @property
    def without_size(self) -> int:
        """Requests for objects that had no size in them, and none before; they count as 0 bytes."""

    def table(self) -> Any:
        """Return a record batch: tenant, size, requests, request_misses, bytes, byte_misses, so far."""

    def write_table(self) -> Any:
        """Return a record batch, if `writes` is true in the options: size, writes, writes_absorbed, dirty_at_end,
        bytes_written, bytes_absorbed, bytes_dirty_at_end; null for sizes below the largest object.
        """

class ObjectPolicyCaches:
    """Caches of objects under several policies.

    `options` is a JSON object with `unit` and `expiry` as `ObjectCaches` has them, and `caches`, pairs of a policy's
    name and a size. Raises ValueError for names that are not those of `object_policies`.
    """

    def __init__(self, options: str) -> None: ...
    def push(self, requests: Any) -> None:
        """Take the next requests, as `ObjectCaches.push` does."""

    def table(self) -> Any:
        """Return a record batch, a row for each cache: size, requests, request_misses, bytes, byte_misses."""

class FlashLogCache:
    """A model of a cache in flash: a log of segments.

    `options` is a JSON object with `size_bytes`, `segment_bytes`, `reinserts` and `expiry`.
    """

    def __init__(self, options: str) -> None: ...
    def push(self, requests: Any) -> None:
        """Take the next requests, as `ObjectCaches.push` does."""

    def table(self) -> Any:
        """Return a record batch of one row; see results.toml, flash_log."""

class PrefixCaches:
    """LRU caches of all sizes over the blocks of prompts, a block being of use only with all blocks before it.

    `sizes_blocks` are sizes; None: eight to each doubling. Memory is about 60 bytes for each distinct block.
    """

    def __init__(self, sizes_blocks: list[int] | None = None) -> None: ...
    def push(self, blocks: Any) -> None:
        """Take the next blocks, a record batch; the GIL is released.

        Columns: `key` uint64, `request` int64 (rows with the same number that follow each other are a request, its
        blocks from the first on), and `size` int64 in bytes, if it is known. Raises ValueError for other types and
        for nulls.
        """

    def finish(self) -> Any:
        """Return a record batch: size, requests, request_misses, requests_without_hit, blocks, block_misses, bytes,
        byte_misses.
        """

class KeyNumbers:
    """Dense numbers for the keys of a cache, in the order of first sight, and the sizes of their objects.

    Keys are compared whole. Memory is about 20 bytes for each distinct integer, and 50 bytes and its text for each
    name; 24 bytes more where sizes are known.
    """

    def __init__(self) -> None: ...
    def __len__(self) -> int:
        """Return the number of distinct keys so far."""

    def numbers(self, keys: Any) -> Any:
        """Return the number of each key, an array of int64; the GIL is released.

        `keys` is an array of uint64 or large_string. Raises ValueError for arrays of another type or with nulls, for
        both kinds in one trace, and beyond 2^31 - 1 distinct keys.
        """

    def see_sizes(self, numbers: Any, sizes: Any) -> None:
        """Take the sizes of requests in bytes, null where unknown, and the numbers of their keys: arrays of int64.

        Raises ValueError for arrays of other types or lengths, and for numbers that no key has.
        """

    def next_rows(self, most: int) -> Any:
        """Return what the next keys are, at most as many, as a record batch; None at the end. No keys may follow.

        Columns key, number, name, size_first_bytes, size_last_bytes, size_largest_bytes. `number` is null and `name`
        is not unless every key is an integer from 0 below 2^64, written without a sign or leading zeros.
        """

def key_records(block: bytes, kind: str) -> KeyRows:
    """Read the records of a key trace: `kind` is oracle_general or oracle_general_ops.

    The last record may be cut short. Raises ValueError for another kind. Releases the GIL.
    """

class KeyRows:
    """Requests of a key trace, from a block of its records. Its length is their number."""

    def __len__(self) -> int: ...
    @property
    def is_cut(self) -> bool:
        """Whether the last record is cut short, and left out."""

    @property
    def operations(self) -> list[int]:
        """The numbers of the requests' operations, 0 for none, in the order of first sight; none without operations."""

    @property
    def tenants(self) -> list[int]:
        """The numbers of tenants likewise."""

    def summary(self) -> dict[str, int]:
        """Return as `BlockRows.summary`: rows, zero_sizes and what times show of their clock."""

    def unsorted(self, reached_ns: int) -> int:
        """Return how many requests came before an earlier one; that before these had times up to `reached_ns`."""

    def requests(self, first: int) -> pa.RecordBatch:
        """Return the requests as a record batch: columns record (counted from `first` on), time_ns, number and size.

        Also operation and tenant, as numbers, where records have them.
        """

    def table(
        self,
        keys: KeyNumbers,
        first_seq: int,
        zero_ns: int,
        operations: dict[int, int],
        tenants: dict[int, int],
    ) -> pa.RecordBatch:
        """Return the requests as a record batch of table key_io, once, and have `keys` take them; the GIL is released.

        Rows are numbered from `first_seq` on, and times count from `zero_ns`. `operations` and `tenants` have the
        numbers in the table; those of operations have no names yet. Raises ValueError as `KeyNumbers.numbers`.
        """

def object_limits() -> dict[str, int]:
    """Return the largest size of an object in bytes, which also limits the sum of all."""

def object_policies(unit: str) -> list[tuple[str, str]]:
    """Return the policies of caches whose sizes count `unit` (objects or bytes), with the variant of each.

    Raises ValueError for another unit.
    """

def cache_limits() -> dict[str, int]:
    """Return the most blocks of a cache of blocks, and the largest block_bytes."""

class ParquetEncoder:
    """Encodes one Parquet file of flat columns: its row groups in order, then its footer.

    A form for each column of the schema: its codec, "lz4" or "zstd"; its encoding, "plain", "differences" of integers,
    or a "dictionary" where that is smaller; and whether row groups have its number of nulls, and its least and largest
    integer. `metadata` is the footer's. Columns are int32, int64, double, bool, string, or a dictionary of strings
    with int32 codes. Raises ValueError for another type or form.
    """

    def __init__(
        self, schema: pa.Schema, forms: list[tuple[str, str, bool]], metadata: list[tuple[bytes, bytes]]
    ) -> None: ...
    def row_group(self, batch: pa.RecordBatch) -> bytes:
        """Return the file's next bytes, which hold a batch as one row group; the GIL is released.

        Raises ValueError for columns of another type, for nulls where there may be none, and for a page beyond 2 GiB.
        """

    def amended_group(
        self, layout: ParquetLayout, number: int, stored: bytes, newer: pa.RecordBatch | None = None
    ) -> bytes:
        """Return the file's next bytes: row group `number` of another file, with the columns of a batch instead of its
        own; the GIL is released.

        `stored` are the group's bytes. Raises ValueError where the other file has other columns, the batch other rows,
        and as `row_group`.
        """

    def end(self) -> bytes:
        """Return the last bytes of the file."""

class ParquetLayout:
    """Where the row groups of a file are that `ParquetEncoder` made, by its footer (without its length).

    Raises ValueError for another footer.
    """

    def __init__(self, footer: bytes) -> None: ...
    def groups(self) -> list[tuple[int, int, int]]:
        """Return the place of each row group, its bytes and its rows."""

def policies() -> list[tuple[str, str]]:
    """Return the name of each replacement policy, and the variant of it that is simulated."""

def policies_of_files() -> list[tuple[str, str]]:
    """Return the same of what is simulated of blocks of files only: the page cache of Linux."""

def policy_hits(policy: str, size_blocks: int, blocks: Any, *, protected_percent: int = 75) -> Any:
    """Return which references to single blocks hit in one cache, as an array of bool.

    `blocks` is an array of uint32, each below 2^31; memory is proportional to the largest. Raises ValueError for
    invalid settings. Releases the GIL.
    """

class PageCaches:
    """Page caches of Linux with several limits over one stream of events.

    `kernel` is JSON: `readahead_pages`, the longest read-ahead window; `device_request_pages`, the device's largest
    request; `dirty_background_percent`, the share of dirty pages down to which the flusher writes; `dirty_expire_ns`,
    after which a dirty file is written, and `dirty_wake_ns`, how often the kernel looks for these. `limits` is a JSON
    list: `pages`; `has_other`, whether the memory of events ``memory`` is the limit's, too; `large_folios`, whether the
    file system has folios of several pages; `statistics`, whether those that reclaim reads are as old as the events
    ``memory`` leave them (``recorded``), up to two seconds old (``interval``), not old (``current``) or ``never`` added
    up; `touches`, whether mapped pages are touched at ``faults`` only, between any two ``rounds`` of reclaim, too, or
    once more ``after_eviction``, until the recorded kernel evicts them; `flusher`, whether dirty pages that reclaim
    meets are written because it has ``woken`` the flusher, when events ``write_begun`` and ``write_ended`` say so
    (``recorded``; files without event ``writes_shown`` as if woken), or ``late``, when they are too old or too many;
    `write_page_ns`, how long a flusher that reclaim has woken writes a page (0: no time); `dirty_start_percent`, the
    share of dirty pages from which the flusher starts (null: never); and `is_compared`, whether LRU and Belady's policy
    are run beside it. Raises ValueError for invalid settings.
    """

    def __init__(self, kernel: str, limits: str, *, threads: int = 1) -> None: ...
    def push(self, events: Any) -> None:
        """Take a record batch with the columns of view page_cache_request, and no more than 2^30 pages in all.

        Column event is a dictionary of strings, file and open are int32, the others int64. Raises ValueError for
        another type, an unknown event, a negative number and too many pages.
        """

    def tally(self) -> dict[str, int]:
        """Return the counts of requests, of those left out (unplaced), and of pages that they touch.

        ``direct_pages`` of these go past the cache, and ``mapped_pages`` are of ranges that are mapped.
        """

    def finish(self) -> Any:
        """End the stream; return a record batch with a row for each limit. Raises ValueError after the end.

        Its columns are limit_pages; page_reads, from the device; page_insertions, page_refaults and page_evictions;
        pages_beyond_limit, for which nothing could be evicted; most_cached_pages; page_reads_lru and
        page_reads_optimum, null where they are not asked for.
        """

class StreamSimulator:
    """Caches over one stream of references."""

    def push(self, references: Any) -> None:
        """Take a record batch like ``StackEngine.push``, and raise ValueError like it."""

    def tally(self) -> dict[str, int]:
        """Return the counts of ``StackEngine.tally``."""

    def finish(self, *, overhead_ns: int, transfer_ns_per_kb: int) -> Any:
        """End the stream; return a record batch with a row for each cache. Raises ValueError after the end."""

def policy_simulator(
    options: str, choices: Sequence[tuple[str, int]], *, protected_percent: int = 75, threads: int = 1
) -> StreamSimulator:
    """Return write-back caches of the chosen policies and sizes (name, blocks); see `StackEngine`.

    A name may be one of `policies_of_files`, too, for blocks of 4096 bytes: references may then have columns `open`,
    the number of the open file (int32), and `requested`, how many bytes a read asked for (int64), each null where it is
    unknown.
    The columns are policy (string) and those of table curve; ``finish`` raises ValueError for the optimum over a
    stream of 2^32 block references or more. Raises ValueError for invalid settings.
    """

def disk_access_simulator(
    options: str, caches: str, sizes_blocks: Sequence[int], *, threads: int = 1
) -> StreamSimulator:
    """Return LRU caches of these sizes that fetch ahead and coalesce writes; see `StackEngine` for the options.

    `caches` is JSON: `fetch_blocks`, the blocks of a fetch block (1 to 1024), `budget_blocks`, the most blocks of fetch
    blocks that no request has touched, beyond which ``push`` raises ValueError, and `coalesce_percent`, the percentage
    of a cache's blocks, at the end of its LRU stack, in which dirty blocks are coalesced (0 for none). The columns are
    the counts of the result disk_accesses. Raises ValueError for invalid settings.
    """

def write_back_simulator(options: str, sizes_blocks: Sequence[int], *, threads: int = 1) -> StreamSimulator:
    """Return LRU caches of these sizes of which the disk writes are counted; see `StackEngine` for the options.

    A dirty block that is evicted is written together with the dirty blocks on both sides of it in its file, and so are
    neighbours that a sync writes. The columns are size_blocks, disk_writes, blocks_written and write_service_time_ns,
    a row for each distinct size, ascending. Raises ValueError for invalid settings.
    """

def nonvolatile_write_policies() -> list[str]:
    """Return the write policies of caches of limited non-volatile memory."""

def nonvolatile_simulator(options: str, choices: str, *, threads: int = 1) -> StreamSimulator:
    """Return LRU caches with a non-volatile part; see `StackEngine` for the options.

    `choices` is JSON, a list with for each its `memory` (volatile_blocks, nonvolatile_blocks, process_blocks: what each
    running process takes of the volatile part), the `write_policy` for dirty blocks in its volatile part (a name, or
    for periodic and deadline {name: ns}), and whether it `spares_what_may_be_lost`: such data are not secured. The
    references' column synchronous (bool) marks the writes that wait, component (int32) above 0 the data that may be
    lost; processes (int32) is the number of processes that run. ``push`` raises ValueError for a reference without a
    time if a write policy needs it. The columns are the counts of the result limited_nonvolatile. Raises ValueError
    for invalid settings.
    """

def adaptive_partitions(options: str, partitions: str) -> StreamSimulator:
    """Return partitioned caches whose parts grow and shrink; see `StackEngine` for the options.

    `partitions` is a list in JSON, of caches whose parts have the same block sizes. Each has the `parts` (block_bytes,
    initial quanta of space, weight of a miss); space moves by `quantum_bytes`, a multiple of every part's blocks, at
    most once in `period_requests` (0: never); then the counts are multiplied by `fade`; `counts_writes` says whether
    writes count, too. `component` of a reference is the number of its part; other numbers mean no part. ``tally`` has
    moves, the number of quanta moved in all. Of each cache there is a row for each part, and a last one for requests
    that no part takes, with the columns of the result adaptive_partition without its first, and the cache's moves.
    Raises ValueError for invalid settings.
    """

def cluster_limits() -> dict[str, int]:
    """Return the largest length and offset of a request in bytes, threshold, and frames of a cache that can fill."""

class ClusterStop:
    """Stops the simulations that it was passed to, with ValueError, from another thread."""

    def __init__(self) -> None: ...
    def stop(self) -> None: ...

class ClusterSimulator:
    """A program on a cluster with two levels of caches; with a clock if `clock` is given.

    `settings` is JSON, as returned by `iotrace.simulate.cluster.engine.for_engine`; `processes` has each one's
    application and node. `bits` are rules, and whether segments without a rule go through at the global level; at the
    local one they do. A rule is phase or None, is write, is global, file, first segment, the one after the last, goes
    through. A clock has costs, the JSON of the fields of `iotrace.simulate.cluster.costs.Components`, and the network.
    The rows of `warm`, as `push` takes them, warm the caches first: they take no time, and are not counted. Raises
    ValueError for invalid values.
    """

    def __init__(
        self,
        settings: str,
        processes: Sequence[tuple[int, int]],
        *,
        bits: tuple[Sequence[tuple[int | None, bool, bool, int, int, int, bool]], bool],
        clock: tuple[str, str] | None = None,
        warm: Sequence[pa.RecordBatch] = (),
        stop: ClusterStop | None = None,
    ) -> None: ...
    def push(self, rows: pa.RecordBatch) -> None:
        """Take the next rows of the program: application and file (uint32), process and phase (int32, may be null),
        operation (uint8: 0 read, 1 write, 2 sync_write, 3 compute), offset and length (uint64), compute_ns (int64).

        Raises ValueError, naming the row, for an invalid row.
        """

    def finish(self) -> None:
        """Run to the end, and until no block is dirty."""

    def table(self, name: str) -> pa.RecordBatch:
        """Return counts (by application, node, phase, file), requests (if logged), resources, or processes."""

    @property
    def execution_ns(self) -> int | None:
        """The end of the last process in ns; None without a clock."""

    @property
    def drained_ns(self) -> int | None:
        """The time in ns when the last dirty block was written; None without a clock."""

    @property
    def distinct_blocks(self) -> int: ...
    @property
    def thresholds(self) -> tuple[int, int] | None:
        """The final thresholds of the run-time scheme, smallest and largest over the global caches."""

def ultrix_calls() -> list[tuple[str, str, bool]]:
    """Return the calls of ULTRIX call traces: name, arguments in order, and whether the classic list has it."""

def write_cache_words() -> dict[str, list[str]]:
    """Return the names of the values of each enum setting of a write cache, by setting."""

def parallel_words() -> dict[str, list[str]]:
    """Return the names of the values of each enum setting of a parallel file system, by setting."""

def parallel_limits() -> dict[str, int]:
    """Return the most processes and files of a program, and the largest values of a parallel file system's settings."""

class WriteCacheSimulator:
    """Disk controllers with caches, all over one stream of requests.

    `settings` is JSON, a list of the results of `iotrace.simulate.write_cache.settings.for_engine`, with equal disks
    and replay. Raises ValueError for invalid settings.
    """

    def __init__(self, drive: Drive, settings: str, *, threads: int = 1) -> None: ...
    def push(self, requests: pa.RecordBatch) -> None:
        """Take the next requests; the columns, none null, and in any order, are time_ns (int64), disk (uint32),
        operation (uint8: 0 read, 1 write, 2 discard, 3 flush, 4 forced write), lbn and blocks (uint64).

        Raises ValueError, naming the request, for one that is out of order or not on the disk.
        """

    def count_from_next(self) -> None:
        """Have the requests so far only warm the caches: what is counted begins with the next one.

        Purges count that begin later; of requests that came before, nothing does.
        """

    def finish(self) -> pa.RecordBatch:
        """Answer all waiting requests, and return the counts: a row for each of the settings, times in nanoseconds."""

class ParallelProgram:
    """The records of a parallel program's processes, to be run on any parallel file system.

    `records` is a table program (schemas/program.toml), as any stream of Arrow batches; the column operation is a
    dictionary of strings, or strings. `application_of` has each process's application. Raises ValueError, naming the
    row, for an invalid row.
    """

    def __init__(self, records: Any, application_of: Sequence[int]) -> None: ...
    @property
    def processes(self) -> int: ...
    @property
    def records(self) -> int: ...
    def run(
        self,
        settings: str,
        *,
        drives: Sequence[Drive | None] | None = None,
        threads: int = 1,
        progress: Callable[[int], object] | None = None,
    ) -> tuple[pa.RecordBatch, pa.RecordBatch, pa.RecordBatch, pa.RecordBatch]:
        """Run it with each of the settings; return totals, processes, windows and log.

        `settings` is JSON, a list. Defaults are those of the base of Kotz and Ellis (1991, 4.1), without
        overheads: block_bytes (1024), disks (20), stripe_blocks (1), first_disk (zero, or file: the file's number),
        service_ns (30000000; `drives` has each run's drive, if any), buffers (80 in each file's cache; 0: no cache),
        shared_cache (false: one cache for all files), write_policy (WriteThru, WriteBack, WriteFree, WriteFull),
        replacement (toss, lru, fifo), claim_order (random, fifo, lifo, lowest), prefetch (none, one-block, portion),
        writes_while_writing (true), files_exist (false: a block has no contents before it is first written), seed (1),
        windows (0: the number of equal parts of the time), log (false), and overheads: jitter_ns (10000),
        read_management_ns, write_management_ns, disk_request_ns, write_start_ns, copy_ns_per_kbyte (all 0),
        copy_piece_bytes (256), spread_permille (500).

        totals has a row for each run: execution_ns, ideal_ns and its parts, counts, hit_ratio (null without accesses),
        busy_ns of all disks and busiest_ns, and the sums of the processes' times; events are ends of delays and of disk
        operations (clock_events) and wake-ups of processes. processes has a row for each process of each run; its times
        (computing, overhead, waiting for reads, buffers, writes) sum to finished_ns. windows has a row for each window:
        integrals over it, in units times nanoseconds; buffers are free (can be reused immediately), dirty (or being
        written) or clean (the rest). log has a row for each event of the runs with a log.

        `progress` is called at intervals with the number of completed runs. Releases the GIL, and can be interrupted.
        Raises ValueError for invalid settings.
        """
