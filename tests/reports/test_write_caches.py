"""Block traces compared with the paper on write caches, and the report's section on them: drawn, and nothing runs."""

import re
from pathlib import Path

import pytest
from block_traces import as_store, block_trace
from browser import browse, needs_chromium
from figure_data import figure_data
from iotrace.reports.pages.figures import Note
from iotrace.reports.report import page as report_page
from iotrace.reports.report import write_cache
from iotrace.reports.report.figures import sections_of
from traces import HOSTILE

from iotrace.papers.biswas.labels import labels
from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.printed import tables
from iotrace.papers.biswas.reproduction import made
from iotrace.papers.biswas.subject import Subject, like
from iotrace.papers.reproduction import PaperPart
from iotrace.store import store


def small(folder: Path, operations: tuple[str | None, ...] = ("read", "write", "write")) -> store.Store:
    rows = [(25 * i, operations[i % len(operations)], 5000 * (i * 7919 % 150), 1 + i % 9) for i in range(900)]
    return store.read(as_store(block_trace(rows, [i % 5 % 4 for i in range(900)]), folder / "small.iotrace"))


@pytest.fixture(scope="module")
def memos(tmp_path_factory: pytest.TempPathFactory) -> list[PaperMemo]:
    store = small(tmp_path_factory.mktemp("disks"))
    return [
        PaperMemo(Subject.of(HOSTILE[3], store)),
        PaperMemo(Subject.of("claim", store, like("sci-off"), "ra81")),
    ]


@pytest.fixture(scope="module")
def html(memos: list[PaperMemo]) -> str:
    return made(memos, PaperPart.PAGE).html


def test_every_table_and_figure_is_on_the_page(html: str) -> None:
    for table in tables():
        assert f"<h3>{table.title}</h3>" in html
    assert "Figure 3.1" in html and '<section id="findings">' in html and '<section id="misprints">' in html
    assert {metric for table in tables() for metric in table.metrics} <= labels().keys()


def test_the_page_has_our_numbers_and_the_printed_ones(html: str, memos: list[PaperMemo]) -> None:
    (table,) = re.findall(r'<figure id="4-4-\d+".*?</figure>', html, re.DOTALL)
    cells = re.findall(r"<td[^>]*>(?:<bdi[^>]*>)?([^<]*)", table)
    ours = memos[0].metrics(tables_row("4.4", "free_piggyback"))
    assert "134.43" in cells and f"{ours['read_service_ms']:,.2f}" in cells
    assert "Off-Day † ‡" in cells  # a doubtful row, and a fitted one


def tables_row(id_: str, policy: str):
    (table,) = (one for one in tables() if one.id == id_)
    return next(row.experiment.settings[0] for row in table.rows if row.policy == policy)


def test_there_is_a_file_for_each_table_and_figure(memos: list[PaperMemo]) -> None:
    names = set(made(memos, PaperPart.PAGE).tables)
    expected = {f"table_{table.id.replace('.', '_')}" for table in tables() if " " not in table.id}
    assert names == expected | {"agreement", "conservation", "findings", "figure_3_1"} | {
        f"figure_4_{n}" for n in range(1, 9)
    }


@needs_chromium
@pytest.mark.parametrize("width", [1280, 400])
def test_in_a_browser(html: str, tmp_path: Path, width: int) -> None:
    place = tmp_path / "index.html"
    place.write_text(html, "utf-8")
    seen = browse(place, tmp_path / "profile", width)
    assert seen.console == ()
    assert not re.search(r"<html[^>]*data-ran=", seen.document)
    plots = html.count('<div class="plot"')
    assert plots == 1 + sum(table.draw is not None for table in tables())
    assert f'data-drawn="{plots}"' in seen.document


def test_the_report_compares_policies(tmp_path: Path) -> None:
    section, notes = write_cache.tables(small(tmp_path), lambda doing: None)
    rows = section["write_cache_policies"].to_pylist()
    assert [row["policy"] for row in rows] == [label for label, _ in write_cache.POLICIES]
    assert rows[0]["writes_percent"] == 100 and rows[0]["piggybacking_percent"] == 0
    assert rows[0]["dirty_at_end_blocks"] == 0 and rows[3]["dirty_at_end_blocks"] > 0
    assert 0 < rows[3]["dirty_at_end_percent"] <= 100
    points = section["write_cache_sizes"].to_pylist()
    assert {point["line"] for point in points} == {label for label, _, _ in write_cache.SWEPT}
    assert len(points) == len(write_cache.SWEPT) * len(write_cache.SIZES_BYTES)
    at_256_mb = next(point for point in points if point["size_bytes"] == 256 << 20)
    assert 100 * at_256_mb["value"] == pytest.approx(rows[3]["writes_percent"])
    assert notes["write_cache_sizes"].text == "Device 0, the busiest of 4, on a drive of 7,200 rpm, 4 TB."


def test_the_report_says_where_nothing_tells_reads_from_writes(tmp_path: Path) -> None:
    section, notes = write_cache.tables(small(tmp_path, (None,)), lambda doing: None)
    assert [table.num_rows for table in section.values()] == [0, 0]
    message = "Not simulated: the trace: has no reads and writes: without operations no write cache can be simulated."
    assert notes == dict.fromkeys(section, Note(message, is_not_computed=True))


def test_only_reports_of_disks_have_the_section() -> None:
    def ids(family: str) -> set[str]:
        return {section.id for section in sections_of((family,))}

    assert "write_cache" in ids("disk_io") and "write_cache" not in ids("syscall")


def test_a_report_of_disks_has_the_section(tmp_path: Path) -> None:
    lines = [
        f"{i * 9000} /dev/d {'read' if i % 3 else 'write'} {i * 7919 % 900 * 512} 4096" for i in range(500)
    ]
    log = tmp_path / "t.iolog"
    log.write_text("\n".join(["fio version 3 iolog", *lines, ""]))
    from iotrace.ingest.pipeline import ingest

    html = report_page.report(ingest([log], tmp_path / "t.iotrace"))
    assert '<section id="write_cache">' in html and "What would a write cache do?" in html
    assert len(figure_data(html)["write_cache_sizes"]["plot"]["traces"]) == len(write_cache.SWEPT)
