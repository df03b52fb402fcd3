"""Jobs with a known loss each, and the rule of the advice that must see it."""

from collections.abc import Callable, Mapping

from counted_jobs import (
    FAST,
    KB,
    MB,
    SLOW,
    USUAL,
    Machine,
    Made,
    both,
    checkpoint,
    mpiio,
    own_files,
    posix,
)


def small_own(kind: str, size: int, machine: Machine) -> Callable[[], Made]:
    def make() -> Made:
        made = Made()
        own_files(made, kind, 20_000, size, machine)
        made.loss_s = made.ranks * 20_000 * machine.request_s
        return made

    return make


def _shared_posix(kind: str, size: int, in_order: float, machine: Machine) -> Callable[[], Made]:
    """Return a shared file in small pieces, in order or not."""

    def make() -> Made:
        made = Made()
        checkpoint(made)
        requests = 640_000
        seconds = machine.takes(requests, size)
        file = made.file("/scratch/shared.dat")
        mean = seconds / made.ranks
        made.add(
            "POSIX",
            file,
            **posix(kind, requests, size, seconds, in_order=in_order, opens=64, slowest_s=1.1 * mean),
        )
        made.io_s += seconds
        made.loss_s = requests * machine.request_s
        return made

    return make


def _random_own() -> Made:
    made = Made()
    own_files(made, "read", 10_000, 64 * KB, SLOW, in_order=0.5)
    made.loss_s = made.ranks * 10_000 * SLOW.request_s
    return made


def _unaligned(kinds: tuple[str, ...], size: int, alignment: int) -> Callable[[], Made]:
    """Return a shared file whose pieces begin within a stripe: locks take as long again as moving the bytes."""

    def make() -> Made:
        made = Made()
        file = made.file("/scratch/records.dat")
        counters: dict[str, float] = {}
        for kind in kinds:
            seconds = 2 * USUAL.takes(64 * 100, size)
            one = posix(
                kind, 6_400, size, seconds, unaligned=1, alignment=alignment, opens=64, slowest_s=seconds / 60
            )
            counters = both(counters, one) if counters else one
            made.io_s += seconds
            made.loss_s += seconds / 2
        made.add("POSIX", file, **counters)
        return made

    return make


def _independent(kind: str, size: int, library: str | None, machine: Machine) -> Callable[[], Made]:
    def make() -> Made:
        made = Made()
        checkpoint(made)
        requests = 320_000
        seconds = machine.takes(requests, size)
        file = made.file("/scratch/grid.h5")
        made.add("MPI-IO", file, **mpiio(kind, requests, size, 1.02 * seconds, slowest_s=1.1 * seconds / 64))
        made.add(
            "POSIX", file, **posix(kind, requests, size, seconds, opens=64, slowest_s=1.1 * seconds / 64)
        )
        if library == "H5F":
            made.add("H5F", file, opens=64, use_mpiio=1)
        elif library:
            made.add(library, file, opens=64)
        made.io_s += 1.02 * seconds
        made.loss_s = requests * machine.request_s
        return made

    return make


def _unaggregated(kind: str) -> Callable[[], Made]:
    """Return collective calls below which each rank moves its own small pieces."""

    def make() -> Made:
        made = Made(hints="cb_nodes=4")
        requests, size = 320_000, 32 * KB
        seconds = USUAL.takes(requests, size)
        file = made.file("/scratch/field.nc")
        made.add(
            "MPI-IO",
            file,
            **mpiio(kind, requests, size, 1.05 * seconds, collective=True, slowest_s=1.1 * seconds / 64),
        )
        made.add(
            "POSIX", file, **posix(kind, requests, size, seconds, opens=64, slowest_s=1.1 * seconds / 64)
        )
        made.io_s = 1.05 * seconds
        made.loss_s = requests * USUAL.request_s
        return made

    return make


def _sieved_writes(collective: bool) -> Callable[[], Made]:
    """Return strided writes of 4 MB a call: MPI-IO reads blocks of 512 KB, and writes them back."""

    def make() -> Made:
        made = Made()
        calls, size = 6_400, 4_000_000
        blocks = 4 * calls * size // (512 * KB)
        moved_s = 2 * USUAL.takes(blocks, 512 * KB)
        file = made.file("/scratch/strided.dat")
        made.add(
            "MPI-IO",
            file,
            **mpiio("write", calls, size, 1.2 * moved_s, collective=collective, slowest_s=1.3 * moved_s / 64),
        )
        below = [posix(kind, blocks, 512 * KB, moved_s / 2, opens=64) for kind in ("read", "write")]
        made.add("POSIX", file, **both(*below))
        made.io_s = 1.2 * moved_s
        made.loss_s = made.io_s - calls * size / USUAL.bytes_per_s
        return made

    return make


def _sieved_reads() -> Made:
    """Return reads of a tenth of a file, which MPI-IO reads whole."""
    made = Made()
    calls, size = 6_400, 2_000_000
    blocks = 10 * calls * size // (4 * MB)
    moved_s = USUAL.takes(blocks, 4 * MB)
    file = made.file("/scratch/columns.dat")
    made.add("MPI-IO", file, **mpiio("read", calls, size, moved_s, slowest_s=1.1 * moved_s / 64))
    made.add("POSIX", file, **posix("read", blocks, 4 * MB, moved_s, opens=64))
    made.io_s, made.loss_s = moved_s, 0.9 * moved_s
    return made


def _read_by_all(reduced: bool) -> Callable[[], Made]:
    """Return a file of 512 MB that each rank reads from start to end."""

    def make() -> Made:
        made = Made()
        checkpoint(made)
        requests, size = 128, 4 * MB
        seconds = USUAL.takes(requests, size)
        file = made.file("/scratch/input.dat")
        if reduced:
            whole = posix(
                "read", 64 * requests, size, 64 * seconds, opens=64, span=512 * MB, slowest_s=1.1 * seconds
            )
            made.add("POSIX", file, **whole)
        else:
            for rank in range(64):
                made.add("POSIX", file, rank, **posix("read", requests, size, seconds))
        made.io_s += 64 * seconds
        made.loss_s = 63 * seconds
        return made

    return make


def _headers_by_all() -> Made:
    """Return a file of HDF5 whose data are read by collective calls, and its headers by each rank."""
    made = Made()
    file = made.file("/scratch/mesh.h5")
    headers, size = 64 * 400, 512
    seconds = SLOW.takes(headers, size)
    data_s = USUAL.takes(640, 16 * MB)
    of_data = mpiio("read", 640, 16 * MB, data_s, collective=True)
    of_headers = mpiio("read", headers, size, seconds)
    counters = {**of_headers, **{k: v for k, v in of_data.items() if k.startswith(("coll_reads", "size"))}}
    counters["f_read_time"], counters["bytes_read"] = seconds + data_s, headers * size + 640 * 16 * MB
    made.add("MPI-IO", file, **counters)
    below = posix("read", headers, size, seconds, in_order=0.6, opens=64)
    below |= {"reads": headers + 640, "bytes_read": headers * size + 640 * 16 * MB, "size_read_10m_100m": 640}
    below |= {
        "max_byte_read": 640 * 16 * MB,
        "f_read_time": seconds + data_s,
        "seq_reads": round(0.6 * headers) + 640,
    }
    made.add("POSIX", file, **below)
    made.add("H5F", file, opens=64, use_mpiio=1)
    made.io_s, made.loss_s = seconds + data_s, 63 / 64 * seconds
    return made


def _few_stripes(count: int, targets: int, ranks: int, collective: bool) -> Callable[[], Made]:
    """Return a shared file of 64 GB on few targets: the bytes wait for these."""

    def make() -> Made:
        made = Made(ranks=ranks)
        requests, size = 16_000, 4 * MB
        seconds = ranks * requests * size / (500e6 * count)
        file = made.file("/lustre/restart.dat")
        counters = posix(
            "write", requests, size, seconds, alignment=MB, opens=ranks, slowest_s=1.1 * seconds / ranks
        )
        if collective:
            slowest_s = 1.05 * seconds / ranks
            calls = mpiio("write", requests, size, seconds, collective=True, opens=ranks, slowest_s=slowest_s)
            made.add("MPI-IO", file, **calls)
            counters |= {"f_write_time": 0.9 * seconds}
        made.add("POSIX", file, **counters)
        made.stripes[file] = (MB, count, targets)
        made.io_s = seconds
        made.loss_s = seconds * (1 - count / min(targets, ranks))
        return made

    return make


def _reopened() -> Made:
    """Return a file that each rank opens and closes before and after each of its few writes."""
    made = Made()
    checkpoint(made)
    file = made.file("/scratch/history.dat")
    moved_s, meta_s = USUAL.takes(64_000, 2 * MB) / 4, 64_000 * 0.02
    counters = posix(
        "write", 16_000, 2 * MB, moved_s, opens=64_000, meta_s=meta_s, slowest_s=1.1 * (moved_s + meta_s) / 64
    )
    made.add("POSIX", file, **counters | {"stats": 64_000})
    made.io_s += moved_s + meta_s
    made.loss_s = 0.95 * meta_s
    return made


def _slow_opens_of_mpi() -> Made:
    made = Made()
    file = made.file("/scratch/series.nc")
    moved_s, meta_s = USUAL.takes(6_400, 16 * MB), 500.0
    made.add(
        "MPI-IO",
        file,
        **mpiio(
            "write",
            6_400,
            16 * MB,
            moved_s,
            collective=True,
            opens=64_000,
            meta_s=meta_s,
            slowest_s=1.05 * (moved_s + meta_s) / 64,
        ),
    )
    made.add("POSIX", file, **posix("write", 6_400, 16 * MB, moved_s, opens=64_000, meta_s=meta_s / 2))
    made.add("PNETCDF_FILE", file, opens=64_000)
    made.io_s, made.loss_s = moved_s + meta_s, 0.95 * meta_s
    return made


def _straggler_own() -> Made:
    """Return one rank of 64 that takes six times as long for the same bytes; the others wait for it."""
    made = Made()
    own_files(made, "write", 200, 8 * MB)
    one_s = USUAL.takes(200, 8 * MB)
    module, file, rank, counters = made.records[17]
    made.records[17] = (module, file, rank, counters | {"f_write_time": 6 * one_s})
    made.io_s += 5 * one_s
    made.loss_s = 5 * one_s * 63
    return made


def _straggler_shared() -> Made:
    made = Made()
    requests, size = 6_400, 8 * MB
    seconds = USUAL.takes(requests, size)
    mean = seconds / 64
    file = made.file("/scratch/particles.dat")
    made.add(
        "POSIX",
        file,
        **posix(
            "write",
            requests,
            size,
            seconds,
            opens=64,
            slowest_s=8 * mean,
            slowest_rank=30,
            slowest_bytes=100 * size,
        ),
    )
    made.io_s, made.loss_s = seconds, 7 * mean * 63
    return made


def _stdio(kind: str) -> Callable[[], Made]:
    """Return data that each rank moves through a stream, in pieces of its buffer."""

    def make() -> Made:
        made = Made()
        calls, size = 40_000, 4 * KB
        seconds = USUAL.takes(calls, size)
        past = {"read": "read", "write": "written"}[kind]
        for rank in range(64):
            file = made.file(f"/scratch/stream.{rank}")
            made.add(
                "STDIO",
                file,
                rank,
                **{"opens": 1, f"{kind}s": calls, f"bytes_{past}": calls * size, f"f_{kind}_time": seconds},
            )  # type: ignore[arg-type]
        made.io_s, made.loss_s = 64 * seconds, 64 * calls * USUAL.request_s
        return made

    return make


def _one_rank(kind: str, through_mpi: bool) -> Callable[[], Made]:
    """Return rank 0 that moves all data in large pieces, while 63 ranks wait."""

    def make() -> Made:
        made = Made()
        requests, size = 2_000, 16 * MB
        seconds = USUAL.takes(requests, size)
        file = made.file("/scratch/all.dat")
        made.add("POSIX", file, 0, **posix(kind, requests, size, seconds))
        if through_mpi:
            made.add("MPI-IO", file, 0, **mpiio(kind, requests, size, seconds, opens=1))
        made.io_s = seconds
        made.loss_s = 63 * seconds
        return made

    return make


def _small_files(kind: str, size: int) -> Callable[[], Made]:
    """Return many files that each rank opens, reads or writes whole, and closes."""

    def make() -> Made:
        made = Made(ranks=16)
        for rank in range(16):
            for number in range(150):
                file = made.file(f"/scratch/samples/{rank}/{number:05}.npy")
                made.add("POSIX", file, rank, **posix(kind, 1, size, USUAL.takes(1, size), meta_s=0.02))
        one_s = USUAL.takes(1, size) + 0.02
        made.io_s = 16 * 150 * one_s
        made.loss_s = 16 * 150 * (one_s - size / USUAL.bytes_per_s)
        return made

    return make


DEFECTS: Mapping[str, tuple[Callable[[], Made], str]] = {
    "small writes of own files": (small_own("write", 4 * KB, USUAL), "small_requests"),
    "small reads of own files": (small_own("read", 8 * KB, FAST), "small_requests"),
    "small writes of a shared file": (_shared_posix("write", 32 * KB, 1, SLOW), "small_requests"),
    "small reads of a shared file": (_shared_posix("read", 64 * KB, 1, USUAL), "small_requests"),
    "random reads of own files": (_random_own, "random_requests"),
    "random reads of a shared file": (_shared_posix("read", 16 * KB, 0.02, SLOW), "random_requests"),
    "random writes of a shared file": (_shared_posix("write", 8 * KB, 0.05, USUAL), "random_requests"),
    "unaligned writes": (_unaligned(("write",), 1_500_000, MB), "unaligned_requests"),
    "unaligned reads and writes": (_unaligned(("read", "write"), 4_300_000, 4 * MB), "unaligned_requests"),
    "independent writes": (_independent("write", 16 * KB, None, USUAL), "independent_calls"),
    "independent reads": (_independent("read", 64 * KB, None, SLOW), "independent_calls"),
    "independent writes of HDF5": (_independent("write", 48 * KB, "H5F", FAST), "independent_calls"),
    "independent writes of PnetCDF": (
        _independent("write", 8 * KB, "PNETCDF_FILE", USUAL),
        "independent_calls",
    ),
    "collective writes without buffering": (_unaggregated("write"), "collective_calls_without_buffering"),
    "collective reads without buffering": (_unaggregated("read"), "collective_calls_without_buffering"),
    "sieved collective writes": (_sieved_writes(True), "data_sieving"),
    "sieved independent writes": (_sieved_writes(False), "data_sieving"),
    "sieved reads": (_sieved_reads, "data_sieving"),
    "input read by all ranks": (_read_by_all(True), "same_bytes_by_all_ranks"),
    "input read by all ranks, a record each": (_read_by_all(False), "same_bytes_by_all_ranks"),
    "headers read by all ranks": (_headers_by_all, "same_bytes_by_all_ranks"),
    "one stripe for 128 ranks": (_few_stripes(1, 96, 128, False), "few_stripes"),
    "four stripes below collective writes": (_few_stripes(4, 96, 512, True), "few_stripes"),
    "a file opened again and again": (_reopened, "metadata_time"),
    "slow opens of MPI-IO": (_slow_opens_of_mpi, "metadata_time"),
    "a slow rank": (_straggler_own, "slow_ranks"),
    "a slow rank of a shared file": (_straggler_shared, "slow_ranks"),
    "data written to streams": (_stdio("write"), "data_through_streams"),
    "data read from streams": (_stdio("read"), "data_through_streams"),
    "rank 0 writes all": (_one_rank("write", False), "one_rank_for_all"),
    "rank 0 reads all through MPI-IO": (_one_rank("read", True), "one_rank_for_all"),
    "small files are written": (_small_files("write", 20 * KB), "many_small_files"),
    "small files are read": (_small_files("read", 100 * KB), "many_small_files"),
}
"""Each with the rule that must see it."""


def defective(name: str, loss: float) -> tuple[bytes, str]:
    """Return the log of a job that loses that share of its run, and the rule that must see it."""
    make, rule = DEFECTS[name]
    made = make()
    return made.log(made.loss_s / (made.ranks * loss)), rule


def strongest(name: str) -> float:
    """Return the loss of a strong defect: half of the run, or less where its job would then be in I/O all the time."""
    made = DEFECTS[name][0]()
    return min(0.5, 0.9 * made.loss_s / made.io_s)
