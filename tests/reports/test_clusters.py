"""The report's section on caches of a cluster: what iotrace cluster prints, for traces that have processes."""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from browser import browse, needs_chromium
from figure_data import figure_data
from iotrace.reports.report import cluster, page
from iotrace.reports.report.figures import Extra, sections_of

from iotrace import schemas
from iotrace.errors import IotraceError
from iotrace.ingest.pipeline import ingest
from iotrace.simulate.cluster.settings import Machine
from iotrace.simulate.programs.columns import COMPUTE, program_table
from iotrace.store import store

sys.path.append(str(Path(__file__).parents[1] / "cli"))
from program import Run


def job(ranks: int, hosts: int, requests: int, folder: Path) -> store.Store:
    """A trace of `ranks` ranks on `hosts` hosts; each rank makes `requests` requests, two per block of one file."""
    lines = ["# darshan log version: 3.41", "# DXT, file_id: 1, file_name: /a"]
    for rank in range(ranks):
        lines.append(f"# DXT, rank: {rank}, hostname: h{rank * hosts // ranks}")
        lines.append(f"# DXT, write_count: 0, read_count: {requests}")
        for number in range(requests):
            start = 0.01 * number + 0.001 * rank
            offset = 4096 * (number // 2 * ranks + rank)
            lines.append(f" X_POSIX {rank} read {number} {offset} 4096 {start:.4f} {start + 0.0005:.4f}")
    log = folder / "job.dxt.txt"
    log.write_text("\n".join([*lines, ""]))
    return ingest([log], folder / "job.iotrace")


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> store.Store:
    return job(10, 5, 40, tmp_path_factory.mktemp("clusters"))


@pytest.fixture(scope="module")
def html(ranks: store.Store) -> str:
    return page.report(ranks)


def test_the_report_has_what_the_verb_prints(ranks: store.Store, tmp_path: Path) -> None:
    """Five nodes, as the trace names them, not four."""
    made, notes = cluster.tables(ranks, lambda doing: None)
    shown = Run(tmp_path)("cluster", ranks.path, "--nodes", "5", "--format", "json")
    printed = json.loads(shown.stdout)
    for name, columns in cluster.TABLES.items():
        assert made[name].to_pylist() == [{column: row[column] for column in columns} for row in printed]
    assert notes["cluster_disciplines"].text.startswith(
        "The trace names 5 nodes, each with a separate cache."
    )
    assert "modulo" not in "".join(note.text for note in notes.values())
    assert "these times are of the paper's machine" in notes["cluster_times"].text
    assert not any(note.is_not_computed for note in notes.values())


def test_ranks_without_nodes_are_not_spread(tmp_path: Path) -> None:
    place = tmp_path / "lu.iotrace"
    made = Run(tmp_path)("generate", "imitation", "lu", "-o", place)
    assert made.returncode == 0, made.stderr
    tables, notes = cluster.tables(store.read(place), lambda doing: None)
    assert [table.num_rows for table in tables.values()] == [0, 0, 0, 0]
    why = "Not simulated: the trace does not name the nodes of its processes"
    assert notes.keys() == cluster.TABLES.keys()
    assert all(note.text.startswith(why) and note.is_not_computed for note in notes.values())


def test_nodes_are_those_of_the_trace() -> None:
    records = program(4, 2)
    column = records.schema.get_field_index("node")

    def named(nodes: list[int | None]) -> pa.Table:
        return records.set_column(
            column, records.schema.field(column), pa.array(nodes, records.schema.field(column).type)
        )

    dense, count = cluster.on_own_nodes(named([7, 7, 70, 70, 7, 7, 3, 3]))
    assert (dense["node"].to_pylist(), count) == ([1, 1, 2, 2, 1, 1, 0, 0], 3)
    # a row may lack the node that others of its process have
    assert cluster.on_own_nodes(named([7, None, 70, 70, 7, 7, 3, 3]))[1] == 3
    with pytest.raises(IotraceError, match="the nodes of 1 of 4 processes"):
        cluster.on_own_nodes(named([7, 7, 70, 70, None, None, 3, 3]))
    with pytest.raises(IotraceError, match="the nodes of its processes"):
        cluster.on_own_nodes(records)


def test_long_traces_are_cut_aloud(ranks: store.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no time of the program is given: only a part of it ran."""
    monkeypatch.setattr(cluster.first_part, "__defaults__", (100, 10_000))
    made, notes = cluster.tables(ranks, lambda doing: None)
    assert made["cluster_hits"].num_rows == 11 and made["cluster_times"].num_rows == 0
    assert made["cluster_disciplines"].num_rows == 11 and made["cluster_machine"].num_rows == 0
    words = "The first 100 of 400 requests, by when they come, were simulated; iotrace cluster simulates all."
    assert notes["cluster_hits"].text == words and words in notes["cluster_disciplines"].text
    assert notes["cluster_times"].text.startswith(words)
    assert (
        "no execution times are given, since only a part of it was simulated" in notes["cluster_times"].text
    )


def test_one_cache_for_several_nodes_says_so(html: str) -> None:
    assert html.count("The requests of 5 nodes go to one cache") == 3
    drawn = str(figure_data(html))
    assert "Misses per request" in drawn and "Requests that miss" not in html + drawn


def program(processes: int, each: int):
    """Each process reads `each` whole blocks, and computes after each for a time that depends on its number."""
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
    kept, message = cluster.first_part(records, Machine(), requests=13)
    # the first process computes nothing, the others 1, 2 and 3 µs: each has come once, and the first to its end
    assert kept["process"].to_pylist() == [0] * 10 + [1, 2, 3]
    assert message is not None and message.startswith("the first 13 of 40 requests")
    kept, message = cluster.first_part(records, Machine(), blocks=40)
    assert kept.equals(records) and message is None
    assert cluster.first_part(records, Machine(), blocks=39)[0].num_rows == 39
    with pytest.raises(IotraceError, match="the first request alone is for more than 0 blocks"):
        cluster.first_part(records, Machine(), blocks=0)


def test_computing_is_no_request() -> None:
    only = {"application": [0] * 3, "process": [0] * 3, "operation": [COMPUTE] * 3, "compute_ns": [5] * 3}
    records = program_table({name: np.array(values) for name, values in only.items()}, 3)
    assert records.schema.equals(schemas.schema("program"))
    assert cluster.first_part(records, Machine(), requests=1) == (records, None)


def read_of(length: int, folder: Path) -> store.Store:
    """A trace of one rank that reads `length` bytes."""
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
    assert [table.num_rows for table in made.values()] == [0, 0, 0, 0]
    assert len(notes) == 4 and all(note.text.startswith(why) for note in notes.values())


def test_a_trace_without_data_has_empty_figures(tmp_path: Path) -> None:
    made, _ = cluster.tables(read_of(0, tmp_path), lambda doing: None)
    assert [table.num_rows for table in made.values()] == [0, 0, 0, 0]


def test_only_reports_of_parallel_traces_have_the_section() -> None:
    having = {
        family
        for family in ("syscall", "disk_io", "parallel_io")
        if "cluster" in {section.id for section in sections_of((family,))}
    }
    assert having == {"parallel_io"}


def test_times_on_the_papers_machine_are_for_those_who_ask(html: str, ranks: store.Store) -> None:
    shown = {figure.id for section in sections_of(("parallel_io",)) for figure in section.figures}
    with_paper = {
        figure.id for section in sections_of(("parallel_io",), [Extra.PAPER]) for figure in section.figures
    }
    assert with_paper - shown == set(cluster.OF_TIMES)
    titles = ("Disciplines on the paper's machine", "How long the program would take on the paper's machine")
    page_with_paper = page.report(ranks, extras=[Extra.PAPER]).replace("&#39;", "'")
    for title in titles:
        assert title in page_with_paper and title not in html.replace("&#39;", "'")


def test_the_section_is_on_the_page(html: str) -> None:
    assert '<section id="cluster">' in html and "What would caches on a cluster do?" in html
    local, global_ = figure_data(html)["cluster_hits"]["plot"]["traces"]
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
