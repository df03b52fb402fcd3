"""Durations that a trace states and that are none: they are unknown, counted and said, in every family of formats."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import Run

GOOD, NONE, NEGATIVE = 20, 3, 2
"""How many requests have a duration, how many one that is not a number, and how many one below 0."""

LINES = {
    # name: the options, a first line, a line with a number and a duration, the durations: good, none, below 0, empty
    "msr-cambridge": ((), "", "1281663720030{at:05},web,0,Read,{at}512,512,{took}", ("700", "7x0", "-5", "")),
    "systor17": ((), "", "14557{at:05}.5,{took},R,1,{at}512,512", ("0.5", "0_5", "-0.5", "")),
    "columns-disk": (
        ("--columns", "time=time,offset=offset,latency=took"),
        "time,offset,took",
        "{at},{at}512,{took}",
        ("0.5", "0:5", "-0.5", ""),
    ),
    "columns-keys": (
        ("--columns", "time=time,key=key,latency=took"),
        "time,key,took",
        "{at},k{at},{took}",
        ("0.5", "0:5", "-0.5", ""),
    ),
    "docker-registry": (
        (),
        "",
        '{{"timestamp": "2017-06-20T02:{at:02}:00.000Z", "http.request.uri": "v2/{at}", "http.request.method": "GET",'
        ' "http.response.status": 200, "http.response.written": 10, "http.request.remoteaddr": "a",'
        ' "http.request.duration": "{took}"}}',
        ("0.5", "soon", "-0.5", ""),
    ),
    "recorder-text": ((), "", "{at}.100000 {took} write 0 0 ( /a 0x7 100 )", ("99.0", "9.9.9", "0.0", None)),
    "darshan-dxt": (
        (),
        "# darshan log version: 3.21\n# start_time: 1000\n# DXT, file_id: 77, file_name: /a\n# DXT, rank: 3",
        " X_POSIX 3 write {at} {at}00 16 {at}.5 {took}",
        ("99.0", "9.9.9", "0.0", None),
    ),
    "dftracer": (
        (),
        "[",
        '{{"id":{at},"name":"read","cat":"POSIX","pid":5,"tid":6,"ts":{at}0,"dur":{took},"ph":"X",'
        '"args":{{"fname":"/f","hostname":"n","ret":10,"count":20,"fd":18}}}}',
        ("3", '"x"', "-3", None),
    ),
}


def known(run: Run, trace: Path, *words: str) -> tuple[dict[str, Any], str]:
    """Ingest a trace; return what is known of the store, and what was said."""
    store = trace.with_name("made.store")
    done = run("ingest", trace, "-o", store, *words)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(run("info", store, "--format", "json").stdout)
    return found, done.stderr.decode()


@pytest.mark.parametrize("name", LINES)
def test_a_duration_that_is_none_is_counted_and_said(run: Run, tmp_path: Path, name: str) -> None:
    words, first, line, (good, none, negative, empty) = LINES[name]
    durations = [good] * GOOD + [none] * NONE + [negative] * NEGATIVE + [empty] * (empty is not None)
    lines = [line.format(at=10 + at, took=took) for at, took in enumerate(durations)]
    trace = tmp_path / "trace.txt"
    trace.write_text("\n".join([*([first] if first else []), *lines]) + "\n")
    found, said = known(run, trace, *words)
    assert found["requests"] == len(durations) and found["skipped"] == {}
    counts = [found["seen"][key] for key in found["seen"] if key.startswith(("unreadable_", "negative_"))]
    assert counts == [NONE, NEGATIVE]
    for count, why in (
        (NONE, "cannot be read, and so are unknown"),
        (NEGATIVE, "are negative, and so unknown"),
    ):
        assert re.search(rf"\b{count} (latencies|durations) of {len(durations)} (requests|calls) {why}", said)


def test_those_of_files_that_are_read_at_the_same_time_add_up(run: Run, tmp_path: Path) -> None:
    _, _, line, (good, none, _, _) = LINES["msr-cambridge"]
    files = [tmp_path / f"{number}.csv" for number in range(2)]
    for number, file in enumerate(files):
        file.write_text(
            "".join(line.format(at=10 + at, took=(good, none)[at == number]) + "\n" for at in range(9))
        )
    done = run("ingest", *files, "-o", tmp_path / "made.store", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert "2 latencies of 18 requests cannot be read, and so are unknown" in done.stderr.decode()


def test_a_trace_whose_durations_are_durations_says_nothing(run: Run, tmp_path: Path) -> None:
    words, first, line, (good, _, _, empty) = LINES["columns-keys"]
    trace = tmp_path / "trace.txt"
    trace.write_text(
        "\n".join([first, *(line.format(at=at, took=(good, empty)[at % 2]) for at in range(20))]) + "\n"
    )
    found, said = known(run, trace, *words)
    assert "unknown" not in said.replace("unknown_operations", "")
    assert {found["seen"][key] for key in found["seen"] if "durations" in key} == {0}


def test_times_of_a_parquet_of_recorder_are_counted(run: Run, tmp_path: Path) -> None:
    """A start that is none skips the call; an end that is none, or before the start, leaves the duration unknown."""
    nan = float("nan")
    starts = [0.5, nan, None, 3.5, 4.5, 5.5]
    ends = [0.6, 1.6, 2.6, nan, None, 5.4]
    trace = tmp_path / "r.parquet"
    columns = {
        "rank": [0] * 6,
        "tstart": starts,
        "tend": ends,
        "func_id": ["write"] * 6,
        "file_name": ["/a"] * 6,
        "size": [100] * 6,
    }
    pq.write_table(pa.table(columns), trace)
    store = tmp_path / "made.store"
    done = run("ingest", trace, "-o", store, "--max-skipped", "50")
    assert done.returncode == 0, done.stderr
    found = json.loads(run("info", store, "--format", "json").stdout)
    assert found["skipped"]["no time that can be read"]["lines"] == 2 and found["requests"] == 4
    assert (found["seen"]["unreadable_durations"], found["seen"]["negative_durations"]) == (2, 1)
    assert "2 durations of 4 calls cannot be read, and so are unknown" in done.stderr.decode()
