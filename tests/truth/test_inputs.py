"""Input that does not end: read errors, cut compression, one file of several, and quotes in CSV."""

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from program import Done, Run

sys.path.append(str(Path(__file__).parents[1] / "formats"))

from ingested_traces import MSR, STRACE, information, ingested, told
from samples import SAMPLES

from iotrace import schemas

TRACES = os.environ.get("IOTRACE_TRACES")


# read errors and damage


@pytest.fixture(scope="module")
def breaking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with which reading one file fails behind some bytes, as on a disk with a bad block."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler")
    library = tmp_path_factory.mktemp("shim") / "breaking.so"
    source = Path(__file__).with_name("breaking.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def broken(run: Run, library: Path, trace: Path, after_bytes: int, *words: object) -> Done:
    environment = {
        **run.environment,
        "LD_PRELOAD": str(library),
        "BROKEN_FILE": str(trace),
        "BROKEN_AFTER": str(after_bytes),
    }
    words = tuple(map(str, words))
    program = [str(Path(sys.executable).with_name("iotrace")), *words]
    return subprocess.run(
        program, env=environment, capture_output=True, check=False, timeout=120, cwd=trace.parent
    )


@pytest.mark.parametrize(("name", "text"), [("a.csv", MSR), ("a.strace", STRACE)])
def test_a_read_error_is_said_first_and_the_status_is_1(
    run: Run, breaking: Path, tmp_path: Path, name: str, text: str
) -> None:
    trace = tmp_path / name
    trace.write_text(text)
    whole_lines = text[:1_000_000].count("\n")
    said = f"{trace}: could not be read beyond byte 1000000 (Input/output error)"
    store = tmp_path / "a.iotrace"
    done = broken(run, breaking, trace, 1_000_000, "ingest", trace, "-o", store)
    assert done.returncode == 1 and said in told(done)
    assert "is written, but the trace could not be read to its end" in told(done)
    known = information(run, store)
    assert known["damage"] == [said]
    assert (
        known["lines"] == known["parsed"] == whole_lines
    )  # the line in which the error lies is not a record
    first = run("characterize", store).stdout.decode().splitlines()[0]
    assert first == f"{said}: what follows there is missing from all numbers."
    assert run("characterize", store).returncode == 0
    page = tmp_path / "a.html"
    done = broken(run, breaking, trace, 1_000_000, "report", trace, "-o", page)
    assert done.returncode == 1 and "could not be read to the end" in told(done)
    html = page.read_text()
    verdict = html[html.index('id="verdict"') :]
    assert verdict.index("could not be read beyond byte") < verdict.index("</p>")
    done = broken(run, breaking, trace, 1_000_000, "curve", trace, "--sizes", "1M")
    assert done.returncode == 1 and b"1 MB" in done.stdout
    done = run("curve", trace, "--sizes", "1M")  # the error has gone
    assert done.returncode == 0 and "could not be read" not in told(done)


@pytest.mark.parametrize(("name", "text"), [("a.csv.gz", MSR), ("a.strace.gz", STRACE)])
def test_a_cut_compressed_stream_is_damage(run: Run, tmp_path: Path, name: str, text: str) -> None:
    trace = tmp_path / name
    packed = gzip.compress(text.encode(), mtime=0)
    trace.write_bytes(packed[: len(packed) * 2 // 3])
    for words in (
        ["info"],
        ["time"] if "strace" in name else ["characterize"],
        ["report", "-o", tmp_path / "a.html"],
    ):
        done = run(words[0], trace, *words[1:])
        assert done.returncode == 1, words
        assert "the gzip data are damaged or truncated after" in told(done)
    done, known = ingested(run, trace)
    assert done.returncode == 1
    assert len(known["damage"]) == 1 and known["lines"] == known["parsed"] < text.count("\n")


# one file of several, and archives


def test_one_file_of_a_recording_names_those_of_the_other_processors(run: Run, tmp_path: Path) -> None:
    content = SAMPLES["blktrace-7-little"][1]
    for processor in range(3):
        (tmp_path / f"sda.blktrace.{processor}").write_bytes(content)
    done = run("ingest", tmp_path / "sda.blktrace.0", "-o", tmp_path / "one.iotrace")
    assert done.returncode == 0
    assert "2 files are of the same recording by name and are not read" in told(done)
    assert "each with what another processor did: sda.blktrace.1, sda.blktrace.2;" in told(done)
    done = run("ingest", *sorted(tmp_path.glob("sda.*")), "-o", tmp_path / "all.iotrace")
    assert "same recording" not in told(done)


SAMPLE_FILES = Path(__file__).parents[1] / "fuzz" / "samples"


@pytest.mark.parametrize(
    ("read", "beside", "others"),
    [
        (
            "log.1234",
            ("log.1235", "log.1236.gz", "log.1234.gz", "other.7", "log.txt"),
            "thread did: log.1235, log.1236.gz;",
        ),
        ("0.txt", ("1.txt", "10.txt", "notes.txt"), "process did: 1.txt, 10.txt;"),
        ("app-77.pfw", ("app-78.pfw", "app-78.pfw.gz", "b-79.pfw"), "process did: app-78.pfw;"),
        ("log-0-of-2.pfw", ("log-1-of-2.pfw", "log-0-of-1.pfw"), "process did: log-1-of-2.pfw;"),
    ],
)
def test_one_file_of_a_set_names_the_others(
    run: Run, tmp_path: Path, read: str, beside: tuple[str, ...], others: str
) -> None:
    kind = {"txt": "recorder-text.txt", "pfw": "dftracer.0.pfw"}.get(read.rpartition(".")[2])
    content = (
        STRACE[:3000].rpartition("\n")[0].encode() + b"\n"
        if kind is None
        else (SAMPLE_FILES / kind).read_bytes()
    )
    (tmp_path / read).write_bytes(content)
    _, known = ingested(run, tmp_path / read)
    assert not any("same recording" in warning for warning in known["warnings"])
    shutil.rmtree(tmp_path / f"{read}.store")
    for name in beside:
        (tmp_path / name).write_bytes(content)
    (tmp_path / read.replace("0", "5").replace("7.", "5.").replace("1234", "5")).write_bytes(b"")
    done = run("info", tmp_path / read)
    assert done.returncode == 0, told(done)
    assert others in told(done) and "same recording by name" in told(done)


def packed(members: list[tuple[str, bytes | None]]) -> bytes:
    """Return a tar archive of files; None for a symbolic link."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members:
            header = tarfile.TarInfo(name)
            if content is None:
                header.type, header.linkname = tarfile.SYMTYPE, "elsewhere"
            header.size = len(content or b"")
            archive.addfile(header, io.BytesIO(content or b""))
    return out.getvalue()


def test_of_members_with_one_name_the_last_counts(run: Run, tmp_path: Path) -> None:
    old, new = STRACE[:3000].rpartition("\n")[0] + "\n", STRACE[:9000].rpartition("\n")[0] + "\n"
    members = [("log.7", old.encode()), ("link.9", None), ("./log.7", new.encode())]
    trace = tmp_path / "logs.tar"
    trace.write_bytes(packed(members))
    done, known = ingested(run, trace)
    assert done.returncode == 0 and known["lines"] == new.count("\n")
    assert "the archive holds 1 links, which are not read; the first is link.9" in told(done)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_an_archive_that_is_cut_is_damaged(run: Run, tmp_path: Path, suffix: str) -> None:
    """At the end of a line of a file, behind a header, and within one; an archive may end between two files."""
    line = b'1700000000.000000 read(3</a>, "x"..., 8) = 8 <0.000010>\n'
    whole = packed([("log.7", line * 20), ("log.8", line * 20)])
    second = whole.index(b"log.8")
    ends = {
        "line": second + 512 + 5 * len(line),
        "header": second + 512,
        "within": second + 200,
        "between": second,
    }
    for name, end in ends.items():
        trace = tmp_path / f"{name}.tar{suffix}"
        trace.write_bytes(gzip.compress(whole[:end]) if suffix else whole[:end])
        done = run("info", trace, "--format", "json")
        known = json.loads(done.stdout)
        at = "log.7" if name == "within" else "log.8"
        damage = [] if name == "between" else [f"the archive is cut short at {at}: what follows is missing"]
        assert (done.returncode, known["damage"]) == (name != "between", damage)


def test_of_members_of_a_parallel_trace_the_last_counts(run: Run, tmp_path: Path) -> None:
    whole = (Path(__file__).parents[1] / "fuzz" / "samples" / "dftracer.0.pfw").read_bytes()
    half = b"".join(whole.splitlines(keepends=True)[: whole.count(b"\n") // 2])
    alone = tmp_path / "0.pfw"
    alone.write_bytes(whole)
    _, expected = ingested(run, alone)
    trace = tmp_path / "ranks.tar"
    trace.write_bytes(packed([("0.pfw", half), ("link", None), ("./0.pfw", whole)]))
    done, known = ingested(run, trace)
    assert done.returncode == 0, told(done)
    assert (known["lines"], known["requests"]) == (expected["lines"], expected["requests"])
    assert "the archive holds 1 links" in told(done)


# counts, times, quotes

META = "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n"


def test_a_record_of_many_requests_is_one_line(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "m.csv"
    good = "".join(f"{n},k{n},2,GET,1,10,0,60,u,s\n" for n in range(1000))
    trace.write_text(f"{META}{good}1000,k,2,SET,500,-5,0,60,u,s\n")
    done, known = ingested(run, trace)
    assert done.returncode == 0  # one of 1,002 lines
    assert (known["lines"], known["parsed"], known["requests"]) == (1002, 1001, 1000)
    assert known["skipped"]["negative size"]["lines"] == 1
    trace.write_text(f"{META}9,k1,2,GET,2,10,0,60,u,s\n9,k2,2,SET,30,-5,0,60,u,s\n")
    done, known = ingested(run, trace, "--trace-format", "meta-kv-2024")
    assert (known["lines"], known["parsed"]) == (3, 2)
    assert run("characterize", f"{trace}.store").returncode == 0


def test_a_time_that_cannot_be_read_is_not_silently_null(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "m.csv"
    trace.write_text(f"{META}9,k1,2,GET,2,10,0,60,u,s\nzz,k2,2,SET,30,10,0,60,u,s\n")
    done, known = ingested(run, trace, "--trace-format", "meta-kv-2024")
    assert done.returncode == 1 and known["requests"] == 2
    assert known["skipped"]["no time that can be read"]["lines"] == 1


def test_a_number_of_requests_beyond_the_limit_names_it(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "m.csv"
    trace.write_text("key,op,size,op_count,key_size\nk1,GET,0,2,9\nk1,SET,30,30000000,9\n")
    _, known = ingested(run, trace)
    assert known["skipped"]["a number of requests above 16,777,216"]["lines"] == 1


QUOTED = (
    "time,key,size,op,tenant\n"
    "0,a,1,get,t\n"
    '1,b,1,get,"x\ny"\n'
    '2,"k,1",1,get,"say ""hi"""\n'
    '3,"line\n\nbreaks",1,get,"""quoted"""\n'
    "4,d,1,get,t\n"
)


def keys_of(run: Run, store: Path) -> list[tuple[str, str]]:
    query = (
        "select k.name as key, t.name as tenant from key_io"
        " join key_name k using (key) join tenant_name t using (tenant) order by seq"
    )
    rows = json.loads(run("sql", store, query, "--format", "json").stdout)
    return [tuple(row.values()) for row in rows]


def test_quotes_in_csv_are_as_rfc_4180_says(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "q.csv"
    trace.write_text(QUOTED)
    done, known = ingested(run, trace, "--columns", "time=time,key=key,size=size,op=op,tenant=tenant")
    assert done.returncode == 0, told(done)
    assert (known["requests"], known["skipped"]) == (5, {})
    assert keys_of(run, tmp_path / "q.csv.store") == [
        ("a", "t"),
        ("b", "x\ny"),
        ("k,1", 'say "hi"'),
        ("line\n\nbreaks", '"quoted"'),
        ("d", "t"),
    ]


def test_a_quote_that_is_not_closed_costs_its_line_alone(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "q.csv"
    trace.write_text('0,a,1\n1,"b,1\n' + "".join(f"{n},k{n},1\n" for n in range(2, 300)))
    _, known = ingested(run, trace, "--columns", "time=1,key=2,size=3")
    assert known["requests"] == 299
    assert known["skipped"]["a quote that is not closed"] == {
        "lines": 1,
        "first_line": 2,
        "excerpt": '1,"b,1',
    }


def test_quotes_that_are_never_closed_take_linear_time(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "q.csv"
    trace.write_text("".join(f'{n},"k"{n},1\n{n},{n},1\n' for n in range(20_000)))
    _, known = ingested(run, trace, "--columns", "time=1,key=2,size=3")
    assert known["requests"] == 20_000
    assert known["skipped"]["a quote that is not closed"]["lines"] == 20_000


def test_a_quoted_field_may_lie_across_blocks(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "q.csv"
    rows = [f'{n},"key {n}\nof two lines, {"x" * 200}",{n % 100 + 1}\n' for n in range(60_000)]  # 14 MB
    trace.write_text("".join(rows))
    done, known = ingested(run, trace, "--columns", "time=1,key=2,size=3")
    assert done.returncode == 0, told(done)
    assert known["requests"] == 60_000 and known["skipped"] == {}


def test_quotes_in_a_format_that_the_engine_reads(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "a.csv"
    lines = MSR.splitlines()[:1000]
    lines[500] = lines[500].replace(",web,", ',"we\nb, and ""more""",')
    trace.write_text("\n".join(lines) + "\n")
    done, known = ingested(run, trace)
    assert done.returncode == 0, told(done)
    assert known["requests"] == 1000 and known["skipped"] == {}


def test_the_schema_of_info_names_damage(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "a.csv"
    trace.write_text(MSR[:7000].rpartition("\n")[0] + "\n")
    _, known = ingested(run, trace)
    assert known["damage"] == []
    assert schemas.names()
