"""Many files ingested on a Dask cluster: the store of one process, or a sentence and no store."""

import os
import random
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from local_cluster import Started, cluster

from iotrace.analysis.overview import statistics
from iotrace.errors import IotraceError
from iotrace.ingest import pipeline
from iotrace.store.partitions import KEY
from iotrace.store.store import Store
from iotrace.workers import Workers

KILLS = 2


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Five files of a trace, which overlap."""
    draw, folder = random.Random(8), tmp_path_factory.mktemp("trace")
    paths = [folder / f"{number}.csv" for number in range(5)]
    for number, path in enumerate(paths):
        lines = (
            f"{128166372003061629 + 10_000 * (number * 1000 + place + draw.randrange(2000))},host,{draw.randrange(9)},"
            f"{draw.choice(('Read', 'Write'))},{draw.randrange(5000) * 512},{draw.randrange(1, 9) * 512},1000\n"
            for place in range(1500)
        )
        path.write_text("".join(lines))
    return paths


@pytest.fixture(scope="module")
def expected(files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Store:
    return pipeline.ingest(files, tmp_path_factory.mktemp("store") / "one.iotrace")


def same(found: Store, expected: Store) -> None:
    for table in expected.tables:
        assert found.arrow(table).to_pylist() == expected.arrow(table).to_pylist(), table
    assert {name: value for name, value in found.manifest.items() if name != KEY} == expected.manifest


def test_a_cluster_gives_the_store_of_one_process(
    client: Any, files: list[Path], expected: Store, tmp_path: Path
) -> None:
    wanted: Any = Started(client)
    same(pipeline.ingest(files, tmp_path / "all.iotrace", worker_spec=wanted), expected)
    assert [path.name for path in tmp_path.iterdir()] == ["all.iotrace"]


def test_statistics_of_a_cluster_are_those_of_one_process(client: Any, expected: Store) -> None:
    names = ["by_process", "references_by_type", "top_files", "operations"]
    found = statistics(expected, names, {}, None, Workers(client, 2))
    for name, rows in statistics(expected, names, {}).items():
        assert found[name].equals(rows, check_metadata=True), name


def test_workers_killed_at_random_give_the_store_or_a_sentence(
    files: list[Path], expected: Store, tmp_path: Path
) -> None:
    draw, output = random.Random(1), tmp_path / "all.iotrace"
    (tmp_path / "dask").mkdir()
    with cluster(tmp_path / "dask", 2) as client:
        over = threading.Event()

        def kill() -> None:
            for _ in range(KILLS):
                if over.wait(draw.uniform(0.1, 0.6)):
                    return
                pids = list(client.run(os.getpid, on_error="ignore").values())
                with suppress(ProcessLookupError):
                    for pid in draw.sample(pids, min(1, len(pids))):
                        os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        wanted: Any = Started(client)
        try:
            with suppress(IotraceError):
                same(pipeline.ingest(files, output, worker_spec=wanted), expected)
        finally:
            over.set()
            killer.join()
    left = {path.name for path in tmp_path.iterdir()} - {"dask"}
    assert left == ({"all.iotrace"} if output.exists() else set())
