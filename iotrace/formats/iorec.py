"""Recordings of ``iotrace record``, which the engine reads: ``syscalls/recording`` and ``block_trace/recording``."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace import units
from iotrace.errors import IotraceError, UsageError
from iotrace.families import CALLS
from iotrace.formats.disk_io import block_layer
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.format import Format, Run
from iotrace.formats.known_files import read_known_files
from iotrace.formats.reading.batches import Batch, SourceNotes
from iotrace.formats.reading.unpacked import most_bytes

MAGIC = b"\x89IOREC\r\n"
BLOCK_MAGIC = b"\x89IOBLK\r\n"


def _start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
    from iotrace.engine import native

    known = read_known_files(known_files)
    return native.SyscallRun("iorec", [str(_only(paths))], list(model.items()), order, known, most_bytes())


def _only(paths: Sequence[Path]) -> Path:
    if len(paths) != 1:
        raise UsageError(
            "a recording is one file: give each its own store, or append one after the other (iotrace ingest --append)"
        )
    return paths[0]


class RequestSource:
    """A recording of requests to disks being read."""

    def __init__(self, paths: Sequence[Path]) -> None:
        from iotrace.engine import native

        try:
            self._run = native.BlockRecordingRun(_only(paths), most_bytes())
        except ValueError as error:
            raise IotraceError(str(error)) from None
        self.notes = SourceNotes(base="epoch", zero_ns=self._run.epoch_ns)
        self._ended = False

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self._run.progress()

    def next(self) -> Batch | None:
        """Return the next requests; raises IotraceError for a file that cannot be read."""
        if self._ended:
            return None
        try:
            rows = self._run.next()
        except ValueError as error:
            raise IotraceError(str(error)) from None
        if rows is None:
            self._ended = True
            self._report()
        return block_layer.requests(rows, "record")

    def _report(self) -> None:
        """Note what there is to say of the recording."""
        report = self._run.report()
        self.notes.records = report["records"]
        self.notes.remark("commands of disks that are not requests for blocks", report["others"])
        self.notes.remark("requests on all disks that began before the recording", report["begun_before"])
        self.notes.remark("requests on all disks that were not complete at its end", report["unfinished"])
        if report["damage"] is not None:
            self.notes.damage.append(report["damage"])
        if lost := report["lost"]:
            requests = units.plural(lost, "request was", "requests were")
            self.notes.warnings.append(
                f"{requests} lost or dropped by the recorder: the true numbers of requests are at least those shown"
            )


FORMAT = Format(
    name="iorec",
    family=CALLS,
    description="System calls as iotrace record writes them where the kernel runs its BPF programs.",
    endings=".iorec",
    recognises=lambda head: head.startswith(MAGIC),
    start=_start,
    reads_ahead=True,
)
BLOCK = block_format(
    name="iorec-block",
    description="Block requests as iotrace record --block writes them.",
    endings=".iorec",
    recognises=lambda head: head.startswith(BLOCK_MAGIC),
    source=RequestSource,
)
