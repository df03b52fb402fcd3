"""The first screens of pages that compare or show one subject: the sentence, the changes and the picture."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from browser import in_browser, needs_chromium
from first_screens import written
from iotrace.queries import result_table
from iotrace.reports.pages import compare, curve, drawings

from iotrace.analysis.answers.screen import words
from iotrace.analysis.compare import compare as compared
from iotrace.analysis.compare.changes import known, table
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

LOG = """
7 1700000000.000000 execve("/bin/w", ["w"], 0x7 /* 1 var */) = 0 <0.000100>
7 1700000000.100000 openat(AT_FDCWD, "/data/f", O_WRONLY|O_CREAT, 0666) = 3 <0.000100>
{writes}7 1700000009.000000 close(3) = 0 <0.000100>
"""


def a_store(folder: Path, name: str, writes: int) -> Store:
    lines = [
        f'7 {1700000001 + place / 1000:.6f} write(3, "x"..., {4096 // writes}) = {4096 // writes} <0.000100>\n'
        for place in range(writes)
    ]
    (folder / f"{name}.strace").write_text(LOG.format(writes="".join(lines)).lstrip())
    return ingest([folder / f"{name}.strace"], folder / f"{name}.iotrace")


@pytest.fixture(scope="module")
def comparison_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("compared")
    before, after = a_store(folder, "before", 64), a_store(folder, "after", 4)
    comparison = compared([before], [after])
    advice = result_table("advice_changes", [])
    return compare.page(comparison, table(known(comparison)), {}, None, advice, ("before", "after"))


def first_of(html: str) -> str:
    return html.partition('<section id="first"')[2].partition("<nav")[0]


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_a_comparison_begins_with_the_verdict_and_the_largest_changes(comparison_page: str) -> None:
    first = first_of(comparison_page)
    headline = unescape(re.findall(r'data-answer="headline"><bdi>(.*?)</bdi>', first)[0])
    assert headline == "4 writes instead of 64. Times: cannot tell from one run each; three are enough."
    assert "writes 64 → 4 (0.0625x)" in text_of(first)
    assert "writes 64 before, 4 after" in unescape(first)
    csv = unescape(re.findall(r'data-csv="(.*?)"', first, re.S)[0])
    assert "writes,requests,64.0,4.0,0.0625,," in csv
    assert "<script" not in first


def test_bars_before_and_after_are_in_the_measure_of_the_larger() -> None:
    drawing = drawings.pairs([drawings.Pair("reads", (50.0, 100.0), ("50", "100"), (40.0, 60.0))], "words")
    widths = {
        kind: float(wide)
        for kind, wide in re.findall(r'class="(\w+)" x="[^"]*" y="[^"]*" width="([^"]*)"', drawing)
    }
    assert widths["read"] == pytest.approx(widths["both"] / 2, rel=0.01)
    assert widths["noise"] == pytest.approx(widths["both"] / 5, rel=0.01)


def test_parts_of_a_bar_fill_it() -> None:
    drawing = drawings.bar([("good", 999_999), ("bad", 1)], "words")
    widths = [float(wide) for wide in re.findall(r'width="([^"]*)"', drawing)]
    assert sum(widths) == pytest.approx(drawings.WIDTH, abs=0.1)
    assert min(widths) > 1


def test_a_curve_begins_with_what_the_smallest_and_the_largest_cache_miss() -> None:
    counts = {"read_requests": 10, "write_requests": 0, "write_request_misses": 0, "block_references": 8}
    rows = [
        {**counts, "size_bytes": 4096, "read_request_misses": 9, "block_misses": 6},
        {**counts, "size_bytes": 1 << 20, "read_request_misses": 1, "block_misses": 1},
    ]
    import pyarrow as pa

    html = curve.page(pa.Table.from_pylist(rows), "a log", "4 KB")
    assert "A cache of 1 MB misses 12.5 % of block references, one of 4 KB 75 %." in text_of(first_of(html))
    assert unescape(re.findall(r'data-csv="(.*?)"', html, re.S)[0]) == (
        "size_bytes,misses_percent\n4096,75.0\n1048576,12.5\n"
    )


@pytest.mark.parametrize("mark", [None, (8192, "8 KB today")])
def test_a_size_is_marked_where_one_is_known(mark: tuple[int, str] | None) -> None:
    drawing = drawings.curve([(4096, 90.0), (8192, 40.0), (16384, 5.0)], mark, True, "words")
    assert ('class="knee"' in drawing) == ("8 KB today" in drawing) == (mark is not None)


def test_sentences_are_short(comparison_page: str) -> None:
    (headline,) = re.findall(r'data-answer="headline"><bdi>(.*?)</bdi>', comparison_page)
    assert words(headline) <= 25


SAVE = """
const saved = {};
HTMLAnchorElement.prototype.click = function () { saved[this.download] = this.href.slice(0, 30); };
const waiting = setInterval(async () => {
  if (!document.documentElement.dataset.drawn) return;
  clearInterval(waiting);
  for (const button of document.querySelectorAll(".save button")) button.click();
  setTimeout(() => {
    const buttons = document.querySelectorAll(".save button").length;
    document.documentElement.dataset.noted = encodeURIComponent(JSON.stringify({ saved, buttons }));
  }, 20000);
}, 50);
"""
KINDS = {"csv": "blob:", "png": "data:image/png;base64,", "svg": ("data:image/svg+xml,", "blob:")}


@needs_chromium
def test_every_figure_is_saved_as_csv_png_and_svg(tmp_path: Path) -> None:
    from urllib.parse import unquote

    from iotrace.reports.report import page

    store = ingest([written("disks", tmp_path)], tmp_path / "disks.iotrace")
    noted = json.loads(unquote(unescape(in_browser(page.report(store), SAVE, tmp_path / "page.html"))))
    saved = noted["saved"]
    assert len(saved) == noted["buttons"] > 20
    for name, link in saved.items():
        assert link.startswith(KINDS[name.rpartition(".")[2]]), name
    for picture in ("first-time", "first-cache", "first-addresses_over_time"):
        kinds = {name.rpartition(".")[2] for name in saved if f"-{picture}." in name}
        assert kinds == KINDS.keys(), picture
