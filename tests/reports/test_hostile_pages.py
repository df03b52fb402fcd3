"""Every page that the program writes, of traces whose files, programs, disks, hosts and jobs are named as scripts."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from browser import browse, needs_chromium
from iotrace.reports.pages.plotly_bundle import script_hash
from traces import HOSTILE, RUN, log

sys.path.append(str(Path(__file__).parents[1] / "cli"))
from program import Run

NAMES = (
    *HOSTILE,
    f"line\u2028paragraph\u2029<script>{RUN}</script>",
    "\x1b]0;title\x07\x1b[31mred\x1b[0m",
    f"javascript:{RUN}",
    f"';{RUN};//",
    f"\\u003cscript\\u003e{RUN}",
)
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
RAN = re.compile(r"<html[^>]*data-ran=")
LINK = re.compile(
    r"<[a-zA-Z][^<>]*\s(?:href|src|action|xlink:href)\s*=\s*[\"']?\s*javascript:", re.IGNORECASE
)
Page = Callable[[Path], Path]


def iotrace(folder: Path, *words: object) -> None:
    """Run the program with its caches in a folder."""
    done = Run(folder / "cache")(*words)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]


def system_calls(folder: Path) -> Path:
    """A log whose own name, program and files are hostile."""
    trace = folder / f"{HOSTILE[3]}.strace"
    trace.write_text(log(NAMES, program=f"/bin/{HOSTILE[3]}"), "utf-8")
    return trace


def requests(folder: Path) -> Path:
    """Block requests of hostile disks, programs, files and hosts, as a store."""
    lines = ["ts\trw\tlba\tsize\tdisk\tcomm\tname\thost"]
    for number in range(160):
        name = NAMES[number % len(NAMES)].replace('"', "'")
        way = "r" if number % 3 else "w"
        lines.append(f"{number * 1000}\t{way}\t{8 * number}\t4096\t" + "\t".join([name] * 4))
    text = folder / "requests.txt"
    text.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
    columns = "separator=tab,time=ts:us,offset=lba:512,length=size,op=rw,device=disk,program=comm,host=host"
    store = folder / "requests.iotrace"
    iotrace(folder, "ingest", text, "--columns", columns, "-o", store)
    return store


def parallel(folder: Path) -> Path:
    """A job of hostile hosts and files, on which four ranks work, as a store."""
    lines = [
        "# darshan log version: 3.21",
        f"# exe: {HOSTILE[2]}",
        f"# jobid: {HOSTILE[2]}",
        "# start_time: 1000",
    ]
    for file, name in enumerate(NAMES):
        lines.append(f"# DXT, file_id: {file + 77}, file_name: /{name}")
        for rank in range(4):
            lines.append(f"# DXT, rank: {rank}, hostname: {NAMES[(file + rank) % len(NAMES)]}")
            lines.append(
                "# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)"
            )
            lines += [
                f" X_POSIX  {rank}  {way}  {row}  {4096 * (20 * rank + row)}  4096  {at:.4f}  {at + 0.0005:.4f}"
                for row in range(20)
                for way, at in (("write", 0.001 * row + 0.1), ("read", 0.001 * row + 0.5))
            ]
    text = folder / "job.darshan.txt"
    text.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
    store = folder / "job.iotrace"
    iotrace(folder, "ingest", text, "-o", store, "--trace-format", "darshan-dxt")
    return store


def page_of(*words: object, trace: Callable[[Path], Path], option: str = "-o") -> Page:
    def write(folder: Path) -> Path:
        page = folder / "page.html"
        iotrace(folder, words[0], trace(folder), *words[1:], option, page, "--force")
        return page

    return write


def of_paper(name: str, trace: Callable[[Path], Path] | None = None) -> Page:
    def write(folder: Path) -> Path:
        iotrace(folder, "paper", name, *([trace(folder)] if trace else []), "-o", folder / name)
        return folder / name / "index.html"

    return write


PAGES: dict[str, Page] = {
    "report of system calls": page_of("report", trace=system_calls),
    "report of a disk": page_of("report", trace=requests),
    "report of a parallel job": page_of("report", trace=parallel),
    "patterns": page_of("patterns", "--least", "1", trace=parallel),
    "curve": page_of("curve", trace=system_calls, option="--plot"),
    "curve by path": page_of("curve", "--by", "path", trace=system_calls, option="--plot"),
    "paper richardson": of_paper("richardson", system_calls),
    "paper biswas": of_paper("biswas", requests),
    "paper kotz": of_paper("kotz"),
    "paper vilayannur": of_paper("vilayannur"),
}


@pytest.fixture(scope="module", params=PAGES, ids=lambda name: name.replace(" ", "-"))
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return PAGES[request.param](tmp_path_factory.mktemp("page"))


def test_the_policy_is_strict(page: Path) -> None:
    html = page.read_text("utf-8")
    (policy,) = POLICY.findall(html)
    assert html.index("Content-Security-Policy") < html.index("<script")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    allowed = rules["script-src"].split()
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/=]{44}'", one) for one in allowed)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.S)
    assert f"'{script_hash(script)}'" in allowed
    data = re.findall(r"<script ([^>]*)>", html)
    assert all(re.match(r'type="text/plain" id="(?:page-data|plotly)"$', one) for one in data)


def test_no_character_of_a_name_acts(page: Path) -> None:
    html = page.read_text("utf-8")
    assert not LINK.search(html)
    # line separators end lines in scripts; escapes act where a page is shown in a terminal
    assert not set("\u2028\u2029\u202e\x1b\x07") & set(html)


@needs_chromium
def test_nothing_from_the_trace_runs_even_without_the_policy(page: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.html"
    bare.write_text(POLICY.sub("", page.read_text("utf-8")), "utf-8")
    seen = browse(bare, tmp_path / "profile")
    assert 'data-drawn="' in seen.document
    assert seen.console == ()
    assert not RAN.search(seen.document) and not LINK.search(seen.document)
