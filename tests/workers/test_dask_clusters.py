"""`--workers` on a Dask cluster of this machine: the answers of one process, or a sentence, whatever workers do."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from operator import add
from pathlib import Path
from typing import Any

import pytest
from local_cluster import cluster
from test_map_merge import leaf

from iotrace.analysis.block_budget import BlockBudget
from iotrace.analysis.curves import Cache
from iotrace.analysis.curves.cost_of_slices import estimated
from iotrace.analysis.curves.requests import Requests
from iotrace.analysis.curves.sampling import Sampling
from iotrace.errors import IotraceError
from iotrace.ingest import pipeline
from iotrace.store.store import Store, read
from iotrace.store.store_ref import StoreRef
from iotrace.workers import Workers, dask_cluster, map_merge

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The store of 20,000 requests to two disks."""
    draw, trace = random.Random(3), tmp_path_factory.mktemp("trace") / "disk.csv"
    lines = (
        f"{128166372003061629 + 10_000 * place},host,{draw.choice('01')},{draw.choice(('Read', 'Write'))},"
        f"{int(draw.paretovariate(0.4)) % 5000 * 4096},{draw.randrange(1, 9) * 4096},1000\n"
        for place in range(20_000)
    )
    trace.write_text("".join(lines))
    pipeline.ingest([trace], trace.with_suffix(".iotrace"))
    return read(trace.with_suffix(".iotrace"))


def requests(store: Store, where: str | None = None) -> Requests:
    return Requests(store, BlockBudget(1 << 20, 4096, "give more"), where)


def test_results_are_merged_in_order(client: Any) -> None:
    for count in (1, 2, 3, 17, 64):
        assert map_merge(client, leaf, add, list(range(count))) == sum(map(leaf, range(count)), ())


@pytest.mark.parametrize("slots", [1, 2, 3, 20])
@pytest.mark.parametrize("where", [None, "file = 0"])
def test_a_curve_is_that_of_one_pass(client: Any, store: Store, slots: int, where: str | None) -> None:
    """With any number of parts, every column of every row, and the metadata."""
    if where and slots > 3:
        pytest.skip("a query for each part, of which few show the same")
    asked, cache = requests(store, where), Cache()
    table = asked.curves(cache, workers=Workers(client, slots)).table()
    assert table.equals(requests(store, where).curves(cache).table(), check_metadata=True)


@pytest.mark.parametrize("slots", [1, 3])
def test_an_estimated_curve_is_that_of_one_pass(client: Any, store: Store, slots: int) -> None:
    """Estimates, bands and the exact head."""
    sampling, cache = Sampling(rate=0.1, head_blocks=100), Cache()
    table = requests(store).sampled(cache, sampling, workers=Workers(client, slots)).table()
    assert table.equals(requests(store).sampled(cache, sampling).table(), check_metadata=True)


@pytest.mark.parametrize("slots", [1, 3])
@pytest.mark.parametrize("largest_blocks", [None, 64])
def test_rows_at_sizes_are_made_on_a_worker(
    client: Any, store: Store, slots: int, largest_blocks: int | None
) -> None:
    """Of the curve of all sizes nothing comes here; the rows and the counts are those of one pass."""
    sizes = [4096, 64 * 4096]
    alone = requests(store).curves(Cache(), largest_blocks=largest_blocks)
    curves = requests(store).curves(
        Cache(), workers=Workers(client, slots), largest_blocks=largest_blocks, sizes_bytes=sizes
    )
    assert curves.table(sizes).equals(alone.table(sizes), check_metadata=True)
    exact = requests(store).curves(Cache()).table(sizes)
    known = curves.table(sizes)
    assert known.equals(exact.select(known.column_names))


@pytest.mark.parametrize("written_blocks", [(), (1, 64)])
def test_one_worker_makes_the_curve_in_one_pass(
    client: Any, store: Store, written_blocks: tuple[int, ...]
) -> None:
    """The rows and the counts are those of this process; a budget that they exceed is refused here, too."""
    sizes, workers = [4096, 64 * 4096], Workers(client, 2)
    made = requests(store).curves_of_one_worker(workers, Cache(), None, sizes[::-1], written_blocks)
    alone = requests(store).curves(Cache(), written_blocks=written_blocks)
    assert made.table(sizes).equals(alone.table(sizes), check_metadata=True)
    assert made.write_times_ns == alone.write_times_ns
    scarce = replace(requests(store), budget=BlockBudget(0, 1, "give more"))
    with pytest.raises(IotraceError, match="give more"):
        scarce.curves_of_one_worker(workers, Cache(), None, sizes)


def test_a_person_reads_the_rows_that_one_worker_made(client: Any, store: Store) -> None:
    """Sentences on sizes between them need the curve of all sizes, which stays on the worker."""
    words = ["curve", store.path, "--sizes", "4K,256K", "--syncs", "ignore"]
    on_one = ["--workers", client.scheduler.address, "--force-workers", "--wait-for-workers", "1"]
    rows = []
    for further in ([], on_one):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "iotrace", *map(str, words), *further],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        lines = (line.strip() for line in done.stdout.splitlines())
        rows.append([line for line in lines if re.match(r"\W*(4 KB|256 KB) ", line)])
    assert rows[0] == rows[1] and len(rows[0]) == 2


def test_a_scan_is_cheaper_in_one_process_and_many_references_to_few_blocks_on_workers() -> None:
    scan = estimated(20_000_000, 11_300_000, 3_000_000, parts=4, slots=2)
    assert not scan.pays
    assert scan.sentence.startswith("estimated: one process 5 s and ")
    reused = estimated(4_000_000_000, 100_000, 100_000, parts=40, slots=16)
    assert reused.pays
    assert reused.elapsed_s < reused.slices_s / 8


def test_the_first_slices_say_how_many_blocks_a_slice_has(store: Store) -> None:
    """The slices are those that would run, and the pass has all references."""
    costs = requests(store).costs_of_slices(Workers(None, 2), Cache())  # type: ignore[arg-type]
    assert costs.parts == 4
    assert costs.pass_s == pytest.approx(20_000 * 240e-9)


def test_workers_are_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of them, or until no new one comes; a number that never comes is an error that says how many came."""
    monkeypatch.setattr(dask_cluster, "SETTLED_S", 3.0)
    with cluster(tmp_path, 1) as client:
        name = client.scheduler.address
        later = threading.Timer(1.0, client.cluster.scale, [2])
        later.start()
        with dask_cluster.connected(name) as workers:
            assert workers.slots == 2
        later.join()
        with dask_cluster.connected(name, 2) as workers:
            assert workers.slots == 2
        monkeypatch.setattr(dask_cluster, "JOIN_S", 0.5)
        with (
            pytest.raises(
                IotraceError, match=r"2 of 3 workers \(--wait-for-workers\) came, and no other within 0.5 s"
            ),
            dask_cluster.connected(name, 3),
        ):
            pass


def raising(part: int) -> int:
    if part == 5:
        raise IotraceError("bad part")
    return part


def test_what_a_part_raises_is_raised(client: Any) -> None:
    with pytest.raises(IotraceError, match=r"^bad part$"):
        map_merge(client, raising, add, range(9))


def test_another_store_in_its_place_is_refused(client: Any, store: Store, tmp_path: Path) -> None:
    other = Store(store.path, {**store.manifest, "host": "elsewhere"})
    with pytest.raises(IotraceError, match=r"on worker .* is not the store that the command opened"):
        requests(other).curves(Cache(), workers=Workers(client, 2))
    with pytest.raises(IotraceError, match=r"gone\.iotrace: .* it must be on storage that they see"):
        StoreRef(str(tmp_path / "gone.iotrace"), "").open()


def slow(part: int) -> tuple[int, ...]:
    time.sleep(0.05)
    return leaf(part)


def slow_add(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    time.sleep(0.02)
    return left + right


KILLS = 6
"""More would keep a busy machine from ever starting workers again in time."""


@pytest.mark.parametrize("seed", range(3))
def test_workers_killed_at_random_give_the_result_or_a_sentence(
    tmp_path: Path, store: Store, seed: int
) -> None:
    """Parts of a worker that ended run again on others; one that ends several is given up, with a sentence."""
    draw = random.Random(seed)
    expected = requests(store).curves(Cache()).table()
    with cluster(tmp_path, 2) as client:
        over = threading.Event()

        def kill() -> None:
            for _ in range(KILLS):
                if over.wait(draw.uniform(0.2, 1.5)):
                    return
                pids = list(client.run(os.getpid, on_error="ignore").values())
                with suppress(ProcessLookupError):
                    for pid in draw.sample(pids, min(1, len(pids))):
                        os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            with suppress(IotraceError):
                assert map_merge(client, slow, slow_add, range(40)) == sum(map(leaf, range(40)), ())
            with suppress(IotraceError):
                table = requests(store).curves(Cache(), workers=Workers(client, 12)).table()
                assert table.equals(expected, check_metadata=True)
        finally:
            over.set()
            killer.join()


def deadly(part: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_part_that_ends_every_worker_is_given_up(tmp_path: Path) -> None:
    with (
        cluster(tmp_path, 1) as client,
        pytest.raises(IotraceError, match="ended 4 workers, one after the other: killed, or out of memory"),
    ):
        map_merge(client, deadly, add, [1])


def test_a_scheduler_that_goes_away_is_an_error(tmp_path: Path) -> None:
    """The scheduler is a process of its own here, as on a cluster."""
    import subprocess
    import sys

    file = tmp_path / "scheduler.json"
    start = [sys.executable, "-P", "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--port", "0"]
    scheduler = subprocess.Popen(
        [*start, "--scheduler-file", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not file.exists():
            time.sleep(0.1)
        with distributed.Client(scheduler_file=str(file), timeout=10, set_as_default=False) as client:
            threading.Timer(1.0, scheduler.kill).start()
            with pytest.raises(IotraceError, match=r"the connection to the scheduler tcp://.* was lost"):
                map_merge(client, time.sleep, add, range(9))  # there are no workers that could finish it
    finally:
        scheduler.kill()
        scheduler.wait()
