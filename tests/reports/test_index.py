"""Reports of several traces: a page each, and a list."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from iotrace.reports.pages import drawings

from iotrace.cli.report_page import _pages, write_reports
from iotrace.errors import IotraceError, UsageError
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

CALLS = (
    '7 1.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.000010>\n'
    '7 1.000100 pread64(3, "", 4096, 0) = 4096 <0.000100>\n'
    '7 1.500000 pread64(3, "", 4096, 0) = 4096 <0.000100>\n'
)


def opened(trace: Path) -> Store:
    return ingest([trace], trace.with_suffix(".iotrace"))


def cells(html: str) -> list[list[str]]:
    """The texts of the rows of the list."""
    body = html[html.index("<tbody>") :]
    rows = re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    return [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in rows
    ]


def test_each_trace_has_a_page_and_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    traces = {}
    for name, text in (
        ("calls", CALLS),
        ("<b>&.x", "ts,lba,sectors\n1,0,8\n2,8,8\n"),
        ("broken", "no trace\n"),
    ):
        trace = tmp_path / name
        trace.write_text(text)
        traces[name] = trace
    folder = tmp_path / "pages"

    def read(trace: Path) -> Store:
        form = "csv:time=ts:s,offset=lba:512,length=sectors:512" if trace.name.startswith("<") else None
        return ingest([trace], tmp_path / f"{list(traces).index(trace.name)}.iotrace", format=form)

    with pytest.raises(IotraceError, match="1 of 3 traces have no report: broken"):
        write_reports(traces, read, folder, force=False)
    assert sorted(path.name for path in folder.iterdir()) == ["b-.x.html", "calls.html", "index.html"]
    html = (folder / "index.html").read_text()
    first, second, third = cells(html)
    assert first[0] == "calls" and first[2:5] == ["500 ms", "8 KB", "4 KB"]
    assert second[0] == "&lt;b&gt;&amp;.x" and second[2:5] == ["1 s", "8 KB", "none"]
    assert (
        third[0] == "broken" and third[1].startswith("No report: no known format") and third[2:5] == [""] * 3
    )
    assert html.count("<svg") == 2 and "<script" not in html and "<b>&.x" not in html
    links = re.findall(r'<a href="([^"]*)"', html)
    assert links == ["calls.html", "b-.x.html"] and all((folder / link).is_file() for link in links)
    headline = re.search(r'<p class="headline"[^>]*><bdi>(.*?)</bdi>', (folder / "calls.html").read_text())
    assert headline is not None and headline[1] == first[1]
    printed = capsys.readouterr()
    assert str(folder / "index.html") in printed.out and "no report of broken: no known format" in printed.err
    with pytest.raises(IotraceError, match="2 of 2"):  # pages of its own are replaced
        write_reports({"broken": traces["broken"], "other": traces["broken"]}, read, folder, force=False)
    assert [row[0] for row in cells((folder / "index.html").read_text())] == ["broken", "other"]


def test_what_is_no_page_of_ours_stays(tmp_path: Path) -> None:
    trace = tmp_path / "calls"
    trace.write_text(CALLS)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "index.html").write_text("mine")
    with pytest.raises(UsageError, match=r"index\.html: exists and is not a report"):
        write_reports({"calls": trace, "again": trace}, opened, tmp_path / "pages", force=False)
    with pytest.raises(UsageError, match="-o names their folder"):
        write_reports({"calls": trace, "again": trace}, opened, None, force=False)
    with pytest.raises(UsageError, match="is not a folder"):
        write_reports({"calls": trace, "again": trace}, opened, trace, force=False)
    assert (tmp_path / "pages" / "index.html").read_text() == "mine"
    assert not trace.with_suffix(".iotrace").exists()


def test_pages_have_different_names() -> None:
    names = ["index", "a b", "a/b", "A-B", "..", "", "a-b-2"]
    pages = _pages(dict.fromkeys(names, Path("trace")))
    assert len({page.lower() for page in pages.values()}) == len(names)
    assert all(re.fullmatch(r"[\w.-]+\.html", page) and page != "index.html" for page in pages.values())


def test_the_spark_line_is_as_high_as_its_amounts() -> None:
    drawing = drawings.spark([(0, 10, 5), (10, 20, 0), (20, 40, 10)], "words")
    found = re.findall(r'x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', drawing)
    assert found == [("0.0", "14.0", "40.0", "14.0"), ("80.0", "0.0", "80.0", "28.0")]


def test_the_command_reports_several_traces(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.log").write_text(CALLS)
    program = Path(sys.executable).with_name("iotrace")

    def run(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([program, "report", *words], cwd=tmp_path, capture_output=True, check=False)

    done = run("a.log", "b.log", "missing.log", "-o", "pages")
    assert done.returncode == 1 and done.stdout == b"pages/index.html\n"
    assert b"1 of 3 traces have no report: missing.log" in done.stderr
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == [
        "a.log.html",
        "b.log.html",
        "index.html",
    ]
    for words, why in (
        (("a.log", "b.log"), b"-o names their folder"),
        (("a.log", "b.log", "--format", "json", "-o", "x"), b"--format json is for one trace"),
        (("a.log", "--figures", "figures", "-o", "x"), b"--figures cannot be combined with --output"),
    ):
        done = run(*words)
        assert done.returncode == 2 and why in done.stderr, done.stderr
