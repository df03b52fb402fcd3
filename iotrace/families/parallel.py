"""Calls of parallel programs' ranks."""

from iotrace.families.base import Family, NativeRows

PARALLEL = Family(
    name="parallel_io",
    title="Parallel programs",
    traces="parallel programs",
    rows="calls of ranks",
    row=("call", "calls"),
    are_runs=True,
    first_statistics=("references_by_type", "reads_and_writes_by_requests"),
    judged_first=("wall_time",),
    span_sql="select min(time_ns) as start_ns, max(time_ns + coalesce(duration_ns, 0)) as end_ns from parallel_io",
    # what MPI-IO takes holds what the layers below take
    io_sql="select greatest(sum(duration_ns) filter (layer = 'mpiio'),"
    " sum(duration_ns) filter (layer is distinct from 'mpiio')), null, greatest(1, count(distinct process))"
    " from parallel_io where operation not in ('barrier', 'compute', 'list_io')",
    in_io="the calls that the trace holds",
    key_figures=("ranks", "duration", "io_share", "bytes", "bandwidth", "metadata_share"),
    native=NativeRows(is_on_chosen_file="file in (select file from chosen_file)"),
    other_tables=("mpi_file",),
    read_in_order="where a call reads depends on its process's calls before, which may be in other files",
    has_archives=True,
    has_ranks=True,
    has_answers_to=("accesses", "advice", "patterns", "attribute", "nonvolatile", "programs"),
    instead="iotrace report and iotrace cluster",
)
