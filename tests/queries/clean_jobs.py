"""Jobs with nothing to mend, of which no rule says anything."""

from collections.abc import Callable, Mapping

from counted_jobs import KB, MB, USUAL, Made, checkpoint, mpiio, own_files, posix
from defective_jobs import small_own


def _large(kind: str, size: int, **counters: float) -> Callable[[], Made]:
    def make() -> Made:
        made = Made()
        own_files(made, kind, 100, size, **counters)
        return made

    return make


def _shared_clean(
    kind: str, size: int, library: str | None, collective: bool | None, share: float = 1.0, **counters: float
) -> Callable[[], Made]:
    """Return a shared file of large pieces, through MPI-IO by collective or independent calls, or by POSIX alone."""

    def make() -> Made:
        made = Made()
        requests = 6_400
        seconds = USUAL.takes(requests, size)
        file = made.file("/scratch/shared.h5")
        one = posix(
            kind, requests, size, share * seconds, opens=64, slowest_s=1.2 * share * seconds / 64, **counters
        )  # type: ignore[arg-type]
        made.add("POSIX", file, **one)
        if collective is not None:
            calls = mpiio(kind, requests, size, seconds, collective=collective, slowest_s=1.1 * seconds / 64)
            made.add("MPI-IO", file, **calls)
        if library:
            made.add(library, file, opens=64)
        made.io_s = seconds
        return made

    return make


def _buffered() -> Made:
    """Return small collective pieces that aggregators put together."""
    made = Made(hints="romio_cb_write=enable;cb_nodes=4")
    seconds = USUAL.takes(1_250, 16 * MB) * 16
    file = made.file("/scratch/field.h5")
    made.add(
        "MPI-IO",
        file,
        **mpiio("write", 640_000, 32 * KB, seconds, collective=True, slowest_s=1.02 * seconds / 64),
    )
    made.add("POSIX", file, **posix("write", 1_250, 16 * MB, 0.9 * seconds / 16, alignment=MB, opens=64))
    made.io_s = seconds
    return made


def _headers_of_rank_0() -> Made:
    """Return collective data of HDF5, and a few small independent writes of rank 0 for the headers."""
    made = _shared_clean("write", 16 * MB, "H5F", True)()
    module, file, rank, counters = made.records[1]
    made.records[1] = (module, file, rank, counters | {"indep_writes": 120, "size_write_agg_1k_10k": 120})
    return made


def _wide() -> Made:
    made = _shared_clean("write", 4 * MB, None, None, alignment=MB)()
    made.stripes[1] = (MB, 48, 48)
    return made


def _one_stripe_each() -> Made:
    made = _large("write", 8 * MB)()
    made.stripes.update(dict.fromkeys(made.names, (MB, 1, 96)))
    return made


def _small_shared() -> Made:
    """Return a shared file of 64 MB on one target: more would not help."""
    made = Made()
    checkpoint(made)
    file = made.file("/lustre/small.dat")
    seconds = USUAL.takes(64, MB + 1)
    made.add(
        "POSIX", file, **posix("write", 64, MB + 1, seconds, alignment=MB, opens=64, slowest_s=seconds / 60)
    )
    made.stripes[file] = (MB, 1, 96)
    made.io_s += seconds
    return made


def _aggregators() -> Made:
    """Return 8 of 64 ranks that write for the others, evenly."""
    made = Made()
    for rank in range(0, 64, 8):
        file = made.file(f"/scratch/group.{rank}")
        made.add("POSIX", file, rank, **posix("write", 400, 16 * MB, USUAL.takes(400, 16 * MB)))
    made.io_s = 8 * USUAL.takes(400, 16 * MB)
    return made


def _alone() -> Made:
    made = Made(ranks=1)
    made.add("POSIX", made.file("/data/in"), 0, **posix("read", 2_000, 8 * MB, USUAL.takes(2_000, 8 * MB)))
    made.io_s = USUAL.takes(2_000, 8 * MB)
    return made


def _uneven() -> Made:
    """Return ranks of which the slowest takes a third longer than the mean."""
    made = Made()
    for rank in range(64):
        file = made.file(f"/scratch/part.{rank}")
        seconds = USUAL.takes(100, 8 * MB) * (1 + rank % 2 / 1.5)
        made.add("POSIX", file, rank, **posix("write", 100, 8 * MB, seconds))
        made.io_s += seconds
    return made


def _few_small() -> Made:
    """Return large reads of own files, and one small one in twenty."""
    made = _large("read", 16 * MB)()
    made.records = [
        (module, file, rank, counters | {"reads": 105, "size_read_1k_10k": 5})
        for module, file, rank, counters in made.records
    ]
    return made


def _text_log() -> Made:
    made = _large("write", 16 * MB)()
    file = made.file("/home/user/run.log")
    made.add("STDIO", file, 0, opens=1, writes=4_000, bytes_written=200_000, f_write_time=0.02)
    made.io_s += 0.02
    return made


def _computing() -> Made:
    """Return small requests that take next to nothing of a long run."""
    made = small_own("write", 4 * KB, USUAL)()
    made.loss_s = 0
    return made


def _two_ranks() -> Made:
    made = Made(ranks=2)
    own_files(made, "read", 500, 8 * MB)
    return made


CLEAN: Mapping[str, tuple[Callable[[], Made], float]] = {
    "large writes of own files": (_large("write", 16 * MB), 0.9),
    "large reads of own files": (_large("read", 8 * MB), 0.8),
    "large unaligned writes of own files": (_large("write", 9_000_001, unaligned=1), 0.7),
    "collective writes that are buffered": (_buffered, 0.6),
    "collective writes of HDF5": (_headers_of_rank_0, 0.8),
    "collective reads": (_shared_clean("read", 16 * MB, None, True, 0.8), 0.7),
    "collective reads of PnetCDF": (_shared_clean("read", 8 * MB, "PNETCDF_FILE", True, 0.9), 0.5),
    "independent large writes": (_shared_clean("write", 16 * MB, None, False, 0.98), 0.9),
    "independent large reads": (_shared_clean("read", 8 * MB, None, False, 0.98), 0.6),
    "aligned writes of a shared file": (_shared_clean("write", 4 * MB, None, None, alignment=MB), 0.9),
    "aligned reads of a shared file": (_shared_clean("read", 8 * MB, None, None, alignment=4 * MB), 0.5),
    "many stripes": (_wide, 0.8),
    "own files of one stripe": (_one_stripe_each, 0.9),
    "a small shared file of one stripe": (_small_shared, 0.5),
    "ranks that write for groups": (_aggregators, 0.1),
    "one process": (_alone, 0.9),
    "two ranks": (_two_ranks, 0.8),
    "ranks that differ by a third": (_uneven, 0.7),
    "few small reads among large ones": (_few_small, 0.9),
    "a log of text beside the data": (_text_log, 0.6),
    "small writes in a run that computes": (_computing, 0.004),
    "metadata in a tenth of the time": (_large("write", 32 * MB, meta_s=0.3), 0.15),
}
"""Each with the share of the run that it spends in I/O."""


def clean(name: str) -> bytes:
    """Return the log of a job with nothing to mend."""
    make, share = CLEAN[name]
    made = make()
    return made.log(made.io_s / (made.ranks * share))
