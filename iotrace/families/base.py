"""What a trace is of, as data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """A family of traces: those with one native table."""

    name: str
    """That of the native table."""
    title: str
    """A heading over what concerns the family."""
    traces: str
    """What its traces are of, after "traces of"."""
    rows: str
    """What the rows of the native table are."""
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
    """What that is the time of."""
    span_views: tuple[str, ...] = ()
    """The views that `span_sql` needs."""
    io_views: tuple[str, ...] = ()
    """The views that `io_sql` needs."""
