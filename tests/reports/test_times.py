"""What the page says of time: of logs without time stamps, and of such as are to the second."""

import re
from html import unescape
from pathlib import Path

import pytest
from iotrace.reports.report import figures as registry
from iotrace.reports.report import page
from traces import log

from iotrace.ingest.pipeline import ingest

READS = 'openat(AT_FDCWD, "/a", O_RDONLY) = 3\nread(3, ""..., 4096) = 4096\nclose(3) = 0\n'
WRITES = 'openat(AT_FDCWD, "/b", O_RDWR|O_CREAT, 0666) = 3\nwrite(3, ""..., 4096) = 4096\nclose(3) = 0\n'
GONE = 'unlink("/b") = 0\n'
NO_STAMPS = "The trace has no time stamps"
SECONDS = "The log's time stamps are to 1 s"


def figures(folder: Path, text: str) -> dict[str, str]:
    """Return the text of each figure of a log's report, from its title to its foot."""
    raw = folder / "log.strace"
    raw.write_text(text)
    html = page.report(ingest([raw], folder / "log.iotrace", format="strace", replace=True))
    found = re.findall(r'<figure id="(\w+)".*?</h3>(.*?)</figure>', html, re.S)
    texts = {
        name: unescape(re.sub(r"<script.*?</script>|<[^>]+>", "", body, flags=re.S)) for name, body in found
    }
    (left_out,) = re.findall(r'<p id="left-out"[^>]*>Left out: (.*?)\.</p>', html, re.S)
    reasons = re.findall(r"(.*?) \(((?:[^()]|\([^()]*\))*)\)(?:; |$)", unescape(left_out))
    missing = {
        one.id: reason
        for one in registry.figures(("syscall",))
        for listed, reason in reasons
        if one.title in listed
    }
    return missing | texts


def stamped(text: str, stamp: str) -> str:
    """Write stamps before calls, one a minute; %d is the minute."""
    return "".join(
        f"100 {stamp % minute} {line}\n" if stamp else f"100 {line}\n"
        for minute, line in enumerate(text.splitlines())
    )


def test_without_time_stamps_each_figure_says_what_is_missing(tmp_path: Path) -> None:
    gone = figures(tmp_path, stamped(READS + WRITES + GONE, ""))
    for name in ("requests_over_time", "working_set_over_time", "working_set_by_window", "interarrival"):
        assert gone[name] == NO_STAMPS
    assert f"{NO_STAMPS}, so ages are unknown" in gone["lifetimes"]
    assert re.search(r"deleted\s*1\s*100 %", gone["lifetimes"])
    assert "Nothing that the trace wrote was read again" in gone["read_after_write"]


@pytest.mark.parametrize("text", [READS, READS + WRITES])
@pytest.mark.parametrize("stamp", ["", "1700000%03d.000001"])
def test_nothing_that_was_written_is_gone(tmp_path: Path, text: str, stamp: str) -> None:
    found = figures(tmp_path, stamped(text, stamp))["lifetimes"]
    assert "Nothing that the trace wrote was overwritten or deleted before its end" in found
    assert NO_STAMPS not in found


def test_stamps_to_the_second_are_said_where_they_matter(tmp_path: Path) -> None:
    found = figures(tmp_path, stamped(READS + WRITES + GONE, "10:%02d:00"))
    assert f"{SECONDS}: a shorter time shows as 0, or as 1 s." in found["interarrival"]
    assert SECONDS not in found["requests_over_time"]  # a window of minutes is long enough
    short = figures(tmp_path, stamped(READS + WRITES + GONE, "10:00:%02d"))
    assert f"{SECONDS}: a window cannot be shorter." in short["requests_over_time"]
    assert not [name for name, text in figures(tmp_path, log(["/a"])).items() if "time stamps are" in text]
