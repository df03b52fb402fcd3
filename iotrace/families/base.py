"""The subject of a trace, as data."""

from collections.abc import Mapping
from dataclasses import dataclass

from iotrace.errors import IotraceError

SUBJECTS: Mapping[str, str] = {
    "accesses": "comparisons, caches and parts of a trace are made of accesses",
    "time": "iotrace time shows the time in system calls",
    "advice": "iotrace advice has no rules for them",
    "patterns": "patterns are of processes that read and write parts of files",
    "attribute": "attribute caches are for files that programs open by name",
    "nonvolatile": "non-volatile caches are simulated of blocks of files or disks",
    "programs": "clusters and parallel file systems run programs that read and write parts of files",
    "write-cache": "iotrace write-cache simulates requests to disks",
}
"""Questions to which some families have no answer: how a refusal says what it is about."""
HAS_REFERENCE = "seq in (select call_seq from kept_reference)"
"""Whether a part of a trace has a reference of a row; see `iotrace.store.part.row_filter`."""


@dataclass(frozen=True)
class NativeRows:
    """The rows of a native table, as SQL over its columns."""

    length_ns: str = "duration_ns"
    """How long a row takes."""
    process: str = "process"
    file: str = "file"
    """The column with its file; of calls, which have several, see table call_file."""
    is_event: str = "true"
    """Whether it is a call or a request, and no other record."""
    is_on_chosen_file: str = HAS_REFERENCE
    """Whether a part of the trace that is chosen by paths has it."""
    names_sql: str | None = None
    """The names of files as rows have them, by which a part can be chosen, too."""
    files_sql: str | None = None
    """The files of the rows in table kept_call, where a row has several."""


@dataclass(frozen=True)
class Family:
    """A family of traces: those with one native table."""

    name: str
    """That of the native table."""
    title: str
    """A heading over what concerns the family."""
    traces: str
    """The subject of its traces, after "traces of"."""
    rows: str
    """The name of the rows of the native table."""
    row: tuple[str, str]
    """One row and several, in the shortest words."""
    are_runs: bool
    """Whether its traces are runs of programs, of which what takes less time is better."""
    first_statistics: tuple[str, ...]
    """The statistics that follow the verdict and the summary."""
    judged_first: tuple[str, ...]
    """The metrics of a comparison that share half of its error."""
    span_sql: str
    """A query of the first start and the last end, in ns: columns start_ns and end_ns."""
    io_sql: str
    """A query of the time in I/O added up, in ns, the same with what the tracer adds (null where no tracer does), and
    the number of ranks.
    """
    in_io: str
    """The subject of that time."""
    key_figures: tuple[str, ...]
    """The six numbers of the first screen; see `iotrace.analysis.answers.figures`."""
    span_views: tuple[str, ...] = ()
    """The views that `span_sql` needs."""
    io_views: tuple[str, ...] = ()
    """The views that `io_sql` needs."""
    requests_sql: str = "reference where operation in ('read', 'write')"
    """The rows whose number advice states, and of which it needs the lengths: a table and a condition."""
    native: NativeRows = NativeRows()
    other_tables: tuple[str, ...] = ()
    """The tables that its traces can have besides the native one and those of all families."""
    read_in_order: str | None = None
    """Why the files of a trace are read one after the other; None where workers can read one each."""
    has_archives: bool = False
    """Whether a tar archive can be a trace."""
    has_model: bool = False
    """Whether a model of the file system makes the references of its calls."""
    has_programs: bool = False
    """Whether table process has a row for each program that a thread executed, and not one for each process."""
    has_ranks: bool = False
    """Whether its processes are ranks, each of which may have a file and a clock of its own."""
    has_disks: bool = False
    """Whether its files are disks: none is created, opened or deleted, and a part of a trace keeps them all."""
    has_objects: bool = False
    """Whether its files are objects: caches hold them whole, by their keys, and not in blocks."""
    has_counters: bool = False
    """Whether its rows are counters of jobs, and not calls."""
    has_answers_to: tuple[str, ...] = ()
    """Which of `SUBJECTS` its traces have an answer to."""
    instead: str = "iotrace report and iotrace curve"
    """The commands that a refusal names instead."""

    def answers(self, subject: str) -> bool:
        """Return whether its traces have an answer to one of `SUBJECTS`."""
        return subject in self.has_answers_to

    def check_answers(self, subject: str, trace: str) -> None:
        """Raise IotraceError where its traces have no answer to one of `SUBJECTS`."""
        if not self.answers(subject):
            raise IotraceError(
                f"{trace}: is made of {self.rows}, and {SUBJECTS[subject]}; {self.instead} are for this trace"
            )
