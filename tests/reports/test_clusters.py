"""The report's section on caches of a cluster: what iotrace cluster prints, for traces that have processes."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from browser import browse, needs_chromium
from iotrace.reports import cluster
from iotrace.reports.registry import sections_of

from iotrace import reports, schemas, store
from iotrace.errors import IotraceError
from iotrace.ingest import ingest
from iotrace.simulate.cluster import Machine
from iotrace.simulate.programs.columns import COMPUTE, program_table

sys.path.append(str(Path(__file__).parents[1] / "cli"))
from program import Run


@pytest.fixture(scope="module")
def lu(tmp_path_factory: pytest.TempPathFactory) -> store.Store:
    place = tmp_path_factory.mktemp("clusters") / "lu.iotrace"
    made = Run(place.parent)("generate", "imitation", "lu", "-o", place)
    assert made.returncode == 0, made.stderr
    return store.read(place)


@pytest.fixture(scope="module")
def html(lu: store.Store) -> str:
    return reports.report(lu)


def test_the_report_has_what_the_verb_prints(lu: store.Store, tmp_path: Path) -> None:
    made, notes = cluster.tables(lu, lambda doing: None)
    shown = Run(tmp_path)("cluster", lu.path, "--format", "json")
    printed = json.loads(shown.stdout)
    for name, columns in cluster.TABLES.items():
        assert made[name].to_pylist() == [{column: row[column] for column in columns} for row in printed]
    assert notes.keys() == {"cluster_disciplines"}
    assert "ranks become nodes" in notes["cluster_disciplines"]


def test_long_traces_are_cut_aloud(lu: store.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster.first_part, "__defaults__", (500, 10_000))
    made, notes = cluster.tables(lu, lambda doing: None)
    assert made["cluster_hits"].num_rows == 12
    words = (
        "The first 500 of 18,240 requests, by when they come, were simulated; iotrace cluster simulates all."
    )
    assert notes["cluster_hits"] == notes["cluster_times"] == words
    assert notes["cluster_disciplines"].startswith(words)


def program(processes: int, each: int):
    """Each process reads so many whole blocks, and its number decides how long it computes after each."""
    process = np.repeat(np.arange(processes), each)
    block = np.tile(np.arange(each), processes)
    columns = {
        "application": np.zeros(len(block), np.int64),
        "process": process,
        "operation": np.zeros(len(block), np.int64),
        "file": np.zeros(len(block), np.int64),
        "offset": block * 4096,
        "length": np.full(len(block), 4096),
        "compute_ns": process * 1000,
    }
    return program_table(columns, len(block))


def test_the_first_part_is_of_all_processes() -> None:
    records = program(4, 10)
    kept, said = cluster.first_part(records, Machine(), requests=13)
    # the first process computes nothing, the others 1, 2 and 3 µs: each has come once, and the first to its end
    assert kept["process"].to_pylist() == [0] * 10 + [1, 2, 3]
    assert said is not None and said.startswith("the first 13 of 40 requests")
    kept, said = cluster.first_part(records, Machine(), blocks=40)
    assert kept.equals(records) and said is None
    assert cluster.first_part(records, Machine(), blocks=39)[0].num_rows == 39
    with pytest.raises(IotraceError, match="the first request alone is for more than 0 blocks"):
        cluster.first_part(records, Machine(), blocks=0)


def test_computing_is_no_request() -> None:
    only = {"application": [0] * 3, "process": [0] * 3, "operation": [COMPUTE] * 3, "compute_ns": [5] * 3}
    records = program_table({name: np.array(values) for name, values in only.items()}, 3)
    assert records.schema.equals(schemas.schema("program"))
    assert cluster.first_part(records, Machine(), requests=1) == (records, None)


def read_of(length: int, folder: Path) -> store.Store:
    """The trace of a rank that reads so many bytes."""
    log = folder / "t.dxt.txt"
    lines = ["# darshan log version: 3.41", "# DXT, file_id: 1, file_name: /a", "# DXT, rank: 0, hostname: h"]
    lines += ["# DXT, write_count: 0, read_count: 1", f" X_POSIX 0 read 0 0 {length} 0.1 0.2", ""]
    log.write_text("\n".join(lines))
    return ingest([log], folder / "t.iotrace")


@pytest.mark.parametrize(
    ("length", "why"),
    [
        (1 << 37, "Not simulated: row 0 of the program: more than"),
        (1 << 33, "Not simulated: the first request"),
    ],
)
def test_what_cannot_be_simulated_leaves_empty_figures(length: int, why: str, tmp_path: Path) -> None:
    made, notes = cluster.tables(read_of(length, tmp_path), lambda doing: None)
    assert [table.num_rows for table in made.values()] == [0, 0, 0]
    assert len(notes) == 3 and all(words.startswith(why) for words in notes.values())


def test_a_trace_without_data_has_empty_figures(tmp_path: Path) -> None:
    made, _ = cluster.tables(read_of(0, tmp_path), lambda doing: None)
    assert [table.num_rows for table in made.values()] == [0, 0, 0]


def test_only_reports_of_parallel_traces_have_the_section() -> None:
    having = {
        family
        for family in ("syscall", "disk_io", "parallel_io")
        if "cluster" in {section.id for section in sections_of(family)}
    }
    assert having == {"parallel_io"}


def test_the_section_is_on_the_page(html: str) -> None:
    assert '<section id="cluster">' in html and "What would caches on a cluster do?" in html
    (hits,) = re.findall(r'id="data-cluster_hits">(.*?)</script>', html)
    local, global_ = json.loads(hits)["traces"]
    assert local["y"][:4] == ["none", "local", "global", "local+global"]
    assert [value is None for value in local["x"][:4]] == [True, False, True, False]
    assert [value is None for value in global_["x"][:4]] == [True, True, False, False]


@needs_chromium
@pytest.mark.parametrize("width", [1280, 400])
def test_in_a_browser(html: str, tmp_path: Path, width: int) -> None:
    place = tmp_path / "lu.html"
    place.write_text(html, "utf-8")
    seen = browse(place, tmp_path / "profile", width)
    assert seen.console == ()
    plots = html.count('<div class="plot"')
    assert f'data-drawn="{plots}"' in seen.document
