"""The page of a job, of which the log has counters, with or without accesses."""

import struct
from pathlib import Path

import pytest
from counted_jobs import MB, Made, mpiio, posix
from darshan_logs import Region, dxt, heat_map, log
from iotrace.reports.report import data, figures, page
from iotrace.reports.report.data import Evidence, collect
from traces import HOSTILE

from iotrace.analysis.periodicity import table
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

IN_ORDER = (
    "job", "job_time", "job_ranks", "job_rhythm", "job_collective", "job_sizes",
    "job_files", "job_targets", "job_metadata", "trust",
)  # fmt: skip


def made_job() -> Made:
    made = Made(ranks=4, hints="cb_nodes=2")
    file = made.file(HOSTILE[0])
    made.add("MPI-IO", file, **mpiio("write", 400, 1000, 12.0, collective=True, meta_s=2, slowest_s=5))
    made.add("POSIX", file, **posix("write", 100, MB, 6.0, alignment=MB, meta_s=1, slowest_s=4))
    made.add("POSIX", made.file("/home/u/config"), 2, **posix("read", 10, 100, 1.0))
    made.stripes[file] = (MB, 2, 8)
    return made


def of_job(folder: Path, content: bytes) -> tuple[Store, Evidence]:
    (folder / "t.darshan").write_bytes(content)
    store = ingest([folder / "t.darshan"], folder / "t.iotrace")
    return store, collect(store, figures.figures(figures.families_of(store)))


def test_the_page_of_a_job_has_its_questions_in_order(tmp_path: Path) -> None:
    store, evidence = of_job(tmp_path, made_job().log(10))
    assert tuple(section.id for section in figures.sections_of(figures.families_of(store))) == IN_ORDER
    assert not any(note.is_not_computed for note in evidence.notes.values())
    tables = {name: table.to_pylist() for name, table in evidence.tables.items()}
    (job,) = tables["job_header"]
    assert (job["ranks"], job["run_s"], job["hints"], job["status"]) == (4, 10.5, "cb_nodes=2", "whole")
    assert [(row["layer"], row["io_s"]) for row in tables["job_time_by_layer"]] == [
        ("mpiio", 14),
        ("posix", 8),
    ]
    assert [row["io_s"] for row in tables["job_files_by_time"]] == [14, 1]
    assert [row["times_mean"] for row in tables["shared_ranks"]] == [5 / 3.5]
    assert [(row["collective_percent"], row["times_moved"]) for row in tables["mpi_calls"]] == [
        (100, MB / 4000)
    ]
    assert {(row["used"], row["sharing"]) for row in tables["files_by_category"]} == {
        ("written only", "all ranks"),
        ("read only", "one rank"),
    }
    assert next((row["alignment"], row["stripes"]) for row in tables["alignment_by_file"]) == (MB, 2)
    assert [row["meta_s"] for row in tables["metadata_by_file"]] == [2]
    assert evidence.screen.cache is None and evidence.screen.change is not None
    assert evidence.screen.headline.sentence.startswith("I/O is 35.7 % of the run (15 s")


def test_the_page_is_written_and_no_name_is_a_tag(tmp_path: Path) -> None:
    store, evidence = of_job(tmp_path, made_job().log(10))
    html = page.render(store, evidence)
    assert (
        html.index("What ran?")
        < html.index("How much of the run is I/O?")
        < html.index("What should I change?")
    )
    assert HOSTILE[0] not in html and "cache of" not in evidence.screen.headline.sentence
    assert "What would a cache do?" not in html


def test_heat_maps_are_drawn_in_rows_of_ranks(tmp_path: Path) -> None:
    """Three ranks of eight bins, of which the last has seven."""
    regions = {"HEATMAP": heat_map("<")}
    content = log(regions, names={16592106915301738621: b"heatmap:POSIX"}, ranks=3)
    _, evidence = of_job(tmp_path, content)
    rows = evidence.tables["job_rank_bytes"].to_pylist()
    assert {row["row"] for row in rows} == {0, 1, 2} and {row["window"] for row in rows} == set(range(8))
    assert sum(row["bytes_written"] for row in rows) == 2 * sum(range(1, 9)) + sum(range(1, 8))
    assert "rank_bytes_over_time" in evidence.over_time


def test_a_log_with_accesses_has_both(tmp_path: Path) -> None:
    made = made_job()
    accesses = [(0, 16, 0.5, 0.6)]
    region: Region = dxt(1, "<", False, [(1, 0, "n", accesses, [])])
    made_regions = {"DXT_POSIX": region}
    store, evidence = of_job(tmp_path, made.log(10, made_regions))
    asked = [section.id for section in figures.sections_of(figures.families_of(store))]
    assert asked[:3] == list(IN_ORDER[:3]) and {"time", "trust"} <= {*asked}
    assert not {"cache", "cluster"} & {*asked} and evidence.screen.cache is None
    families = figures.families_of(store)
    with_caches = collect(store, figures.figures(families, [figures.Extra.CACHES]))
    more = {section.id for section in figures.sections_of(families, [figures.Extra.CACHES])} - {*asked}
    assert more == {"cache", "cluster"} and with_caches.screen.cache is not None
    assert with_caches.tables["unified"].num_rows and not evidence.tables.get("unified")
    assert [card.rule.family for card in evidence.advice.cards] in (
        [],
        ["darshan_job"] * len(evidence.advice.cards),
    )


def test_a_page_over_several_jobs_says_which_and_who_cost_most(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(7):
        made = Made(ranks=2)
        made.add("POSIX", made.file("/scratch/data"), **posix("write", 10, MB, 1.0 if number else 4.0))
        log = made.log(
            10, job_id=10 + number, start=3600 * (number + 1), uid=1 + number // 6, program="/bin/ior -w"
        )
        (logs / f"{number}.darshan").write_bytes(log)
    store = ingest([logs], tmp_path / "logs.iotrace", format="darshan-jobs")
    evidence = collect(store, figures.figures(figures.families_of(store)))
    tables = {name: table.to_pylist() for name, table in evidence.tables.items()}
    assert {"job_header", "job_time_by_layer"}.isdisjoint(tables)
    assert tables["jobs_by_time"][0]["job_id"] == 10 and len(tables["jobs_by_time"]) == 7
    assert [(row["job_id"], row["slower"], row["alike"]) for row in tables["slower_jobs"]] == [(10, 4, 6)]
    assert [
        (row["program"], row["jobs"], row["users"], row["io_s"]) for row in tables["programs_by_time"]
    ] == [("ior", 7, 2, 10)]
    assert [(row["uid"], row["io_s"]) for row in tables["users_by_time"]] == [(1, 9), (2, 1)]
    assert [row["hour"] for row in tables["hours_by_time"]] == [1, 2, 3, 4, 5, 6, 7]
    assert [(row["from_percent"], row["jobs"]) for row in tables["jobs_by_io_share"]] == [(0, 6), (10, 1)]
    assert not any(note.is_not_computed for note in evidence.notes.values())
    html = page.render(store, evidence)
    assert html.index("Which jobs cost most?") < html.index("Who and what costs most?")
    assert "What ran?" not in html


def test_a_table_of_many_rows_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "MOST_ROWS", 1)
    _, evidence = of_job(tmp_path, made_job().log(10))
    assert len(evidence.tables["job_files_by_time"]) == 1
    assert evidence.notes["job_files_by_time"].text == "The first 1 of 2 rows."
    assert len(evidence.tables["job_time_by_layer"]) == 2


def test_extended_tracing_of_a_job_with_checkpoints(tmp_path: Path) -> None:
    writes = [(number * MB, MB, 10.0 + 30 * number, 12.0 + 30 * number) for number in range(12)]
    regions = {"DXT_POSIX": dxt(1, "<", False, [(1, rank, "n", writes, []) for rank in range(4)])}
    (tmp_path / "a.darshan").write_bytes(log(regions, run=400))
    (row,) = table(ingest([tmp_path / "a.darshan"], tmp_path / "a.iotrace")).to_pylist()
    assert (row["moved"], row["layer"], row["source"], row["periodic"]) == (
        "writes",
        "posix",
        "extended tracing",
        "yes",
    )
    assert row["period_s"] == pytest.approx(30, rel=0.03) and row["bursts"] == 12


def test_heat_maps_of_a_job_without_it(tmp_path: Path) -> None:
    bins = [MB if number % 10 == 4 else 0 for number in range(120)]
    content = struct.pack("<Qqdqqq", 16592106915301738621, 0, 0.5, len(bins), 0, 0) + struct.pack(
        "<120q120q", *bins, *[0] * 120
    )
    names = {16592106915301738621: b"heatmap:POSIX"}
    (tmp_path / "a.darshan").write_bytes(log({"HEATMAP": Region(1, content)}, names=names, run=60))
    (row,) = table(ingest([tmp_path / "a.darshan"], tmp_path / "a.iotrace")).to_pylist()
    assert (row["source"], row["periodic"], row["bursts"]) == ("heat map", "yes", 12)
    assert row["period_s"] == pytest.approx(5, rel=0.03)


def test_targets_over_time_are_drawn_of_logs_with_stripes_and_accesses(tmp_path: Path) -> None:
    made = made_job()
    accesses = [(number * MB, MB, 0.5 + number, 0.6 + number) for number in range(6)]
    store, evidence = of_job(
        tmp_path, made.log(10, {"DXT_POSIX": dxt(1, "<", False, [(1, 0, "n", accesses, [])])})
    )
    rows = evidence.tables["target_bytes"].to_pylist()
    assert {row["target"] for row in rows} == {0, 1}
    assert [sum(row["bytes_written"] for row in rows if row["target"] == target) for target in (0, 1)] == [
        3 * MB
    ] * 2
    assert "Which storage targets are busy when?" in page.render(store, evidence)
