"""Events of DFTracer in odd spellings: each is read as a plain one, or skipped for a reason."""

import json
from pathlib import Path
from typing import Any

import pytest
from odd_lines import OddLines

FILE_NAME = '{"name":"FH","cat":"dftracer","pid":3,"ph":"M","args":{"name":"/a b","value":8}}'
HOST_NAME = '{"name":"HH","cat":"dftracer","pid":3,"ph":"M","args":{"name":"n1","value":7}}'
HEADER = f"[\n{FILE_NAME}\n{HOST_NAME}\n"
ARGUMENTS = {"hhash": 7, "fhash": 8, "fd": 5, "ret": 16, "count": 32, "offset": 512}
EVENT = {"name": "pread", "cat": "POSIX", "pid": 3, "tid": 4, "ts": 250, "dur": 500, "ph": "X"}


def event(arguments: dict[str, Any] | None = None, **members: Any) -> str:
    """Return an event with some members and arguments changed; those that are `...` are left out."""
    args = {key: value for key, value in {**ARGUMENTS, **(arguments or {})}.items() if value is not ...}
    given = {key: value for key, value in {**EVENT, "args": args, **members}.items() if value is not ...}
    return json.dumps(given, separators=(",", ":"))


PLAIN = event()
DEEP = "[" * 90 + "]" * 90
ODD = [
    f"\t {json.dumps(json.loads(PLAIN))} ,,\N{NO-BREAK SPACE}\r",
    PLAIN + " , ",
    PLAIN + "]",
    PLAIN + "],",
    json.dumps(json.loads(PLAIN), separators=("\t,\r", " : ")),
    event({"ret": "0016", "count": "32"}, pid="3", tid="04", ts="250", dur="500"),
    event({"ret": 16.4, "fd": 4.5 + 0.1}, pid=3.0, tid=4e0, ts=2.5e2, dur=499.5),
    event({"hhash": "7", "fhash": "8"}, ph=1, name="pread64"),
    event(ph=1.0),
    PLAIN.replace('"name":"pread"', '"name":5,"na\\u006de":"\\u0070read"'),
    PLAIN.replace('"fd":5', '"fd":null,"f\\u0064":5'),
    PLAIN.replace(
        '"pid":3', '"pid":3,"more":[1,{"a":null,"args":{}},[],{}],"x":NaN,"y":-Infinity,"z":1E+400'
    ),
    PLAIN.replace(
        '"pid":3', '"pid":3,"is":true,"is":false,"text":"\\"\\\\\\/\\b\\f\\n\\r\\t\\ud800\N{SNOWMAN}"'
    ),
    PLAIN.replace('"pid":3', f'"pid":3,"many":-{"9" * 400}.{"0" * 40}e-5,"deep":{DEEP}'),
    event({"flags": None, "whence": "far", "mode": [1], "size": -1, "level": 10**30}),
    event({"fname": "/else", "hostname": "else"}, cat="POSIX"),
]
NO_JSON, NO_EVENT = "no JSON that can be read", "no event"
SKIPPED = [
    ("read", NO_JSON),
    ("[1", NO_JSON),
    (PLAIN[:-1], NO_JSON),
    (PLAIN[1:], NO_JSON),
    (f"[{PLAIN}", NO_JSON),
    (f"[{PLAIN}]", NO_JSON),
    (PLAIN + PLAIN, NO_JSON),
    (PLAIN + "]]", NO_JSON),
    (PLAIN.replace('"', "'"), NO_JSON),
    (PLAIN.replace('"ph":"X",', '"ph":"X",,'), NO_JSON),
    (PLAIN.replace("}}", "},}"), NO_JSON),
    (PLAIN.replace("}}", ",}}"), NO_JSON),
    (PLAIN.replace('"pid":', '"pid"'), NO_JSON),
    (PLAIN.replace('"pid"', "pid"), NO_JSON),
    (PLAIN.replace(":3", ":03"), NO_JSON),
    (PLAIN.replace(":3", ":+3"), NO_JSON),
    (PLAIN.replace(":3", ":3."), NO_JSON),
    (PLAIN.replace(":3", ":.3"), NO_JSON),
    (PLAIN.replace(":3", ":3e"), NO_JSON),
    (PLAIN.replace(":3", ":-"), NO_JSON),
    (PLAIN.replace(":3", ":nan"), NO_JSON),
    (PLAIN.replace(":3", ":-NaN"), NO_JSON),
    (PLAIN.replace(":3", ":True"), NO_JSON),
    (PLAIN.replace(":3", ":[3"), NO_JSON),
    (PLAIN.replace(":3", ":[3,]"), NO_JSON),
    (PLAIN.replace(":3", ":[3}"), NO_JSON),
    (PLAIN.replace(":3", ':"3'), NO_JSON),
    (PLAIN.replace("pread", "p\\read\\q"), NO_JSON),
    (PLAIN.replace("pread", "\\u00e"), NO_JSON),
    ('{"name":"\\u12g4"}', NO_JSON),
    (PLAIN.replace(":3", ":" + "[" * 5000 + "]" * 5000), NO_JSON),
    ("1", NO_EVENT),
    ("NaN", NO_EVENT),
    ("null", NO_EVENT),
    ('"read"', NO_EVENT),
    ("[]", NO_EVENT),
    ('[{"name":"read"}, 1]', NO_EVENT),
    ("{}", NO_EVENT),
    (event(name=...), NO_EVENT),
    (event(name=None), NO_EVENT),
    (event(name=["read"]), NO_EVENT),
    (event(pid=...), "no process that can be read"),
    (event(pid="x3"), "no process that can be read"),
    (event(pid="+3"), "no process that can be read"),
    (event(pid=True), "no process that can be read"),
    (event(pid="9" * 21), "no process that can be read"),
    (event(ts=...), "no time that can be read"),
    (event(ts="soon"), "no time that can be read"),
    (event(ts=1e300), "no time that can be read"),
    (event(pid=-3), "process out of range"),
    (event(pid=2**31), "process out of range"),
    (event(pid=10**30), "process out of range"),
    (event(pid="9" * 20), "process out of range"),
    (event(tid=10**19), "thread out of range"),
    (event({"fd": 10**19}), "descriptor out of range"),
    (event({"offset": -1}), "negative offset"),
    (event({"offset": 2**62}), "offset out of range"),
    (event({"offset": 10**19}), "offset out of range"),
    (event({"ret": 2**44 + 1}), "length out of range"),
    (event({"ret": 10**40}), "length out of range"),
    (event({"count": 10**19}), "requested out of range"),
    (event({"size": -1}, name="fread"), "negative length"),
    (event({"size": 2**41}, name="fread"), "length out of range"),
    (event({"ret": 2**40, "size": 2**40}, name="fwrite"), "length out of range"),
    (event(ts=5 * 10**15), "time out of range"),
    (event(ts=10**20), "time out of range"),
    (event(dur=10**17), "duration out of range"),
    (event({"offset": -1}, pid=...), "no process that can be read"),
    (event(pid=..., tid=10**19), "thread out of range"),
]
REMARKS = [
    (event(ph="C"), "events that are not calls"),
    (event(ph=...), "events that are not calls"),
    (event(ph=2), "events that are not calls"),
    (event(cat="APP"), "events of layer APP"),
    (event(cat="\N{SNOWMAN}" * 41), "events of layer " + "\N{SNOWMAN}" * 40),
    (event(cat='A"'), 'events of layer A"'),
    (event({"ret": -1}), "calls that failed"),
    (event({"ret": "-1"}, pid=...), "calls that failed"),
]
OF_NAMES = {
    "stat": "stat", "__xstat": "stat", "__fxstat64": "stat", "access": "access", "opendir": "opendir",
    "readdir64": "readdir", "closedir": "closedir", "mkdir": "mkdir", "rmdir": "rmdir", "rename": "rename",
    "symlink": "link", "readlink": "readlink", "chmod": "set_attributes", "utime": "set_attributes",
    "fcntl": "other", "MPI_Barrier": "other", "pread6464": "other", "STAT": "other",
}  # fmt: skip
LINES = OddLines("dftracer", HEADER, PLAIN)


@pytest.mark.parametrize("line", ODD)
def test_an_odd_event_is_read_as_a_plain_one(tmp_path: Path, line: str) -> None:
    row = LINES.read_as_plain(tmp_path, line)
    assert (row["file"], row["process"], row["thread"], row["descriptor"]) == ("/a b", 3, 4, 5)
    assert (row["offset"], row["length"], row["requested"], row["duration_ns"]) == (512, 16, 32, 500_000)


@pytest.mark.parametrize(("line", "reason"), SKIPPED)
def test_a_line_that_is_no_call_has_a_reason(tmp_path: Path, line: str, reason: str) -> None:
    LINES.check_skipped(tmp_path, line, reason, "", "[", " ],", HOST_NAME)


@pytest.mark.parametrize("name", OF_NAMES)
def test_a_call_on_names_is_an_operation_with_its_time(tmp_path: Path, name: str) -> None:
    failed = event({"ret": -1}, name=name, dur=3)
    rows, report = LINES.calls(tmp_path, event(name=name), failed)
    shown = [(row["operation"], row["duration_ns"], row["file"], row["length"]) for row in rows]
    assert shown == [(OF_NAMES[name], 500_000, "/a b", None), (OF_NAMES[name], 3_000, "/a b", None)]
    assert report["remarks"] == {} and report["warnings"] == [] and report["skipped"] == {}
    assert report["counts"]["requests"] == 0


@pytest.mark.parametrize("unnamed", [{"fhash": ...}, {"fhash": 8.5}, {"fhash": True, "fname": 5}])
def test_a_call_that_names_no_file_keeps_its_time(tmp_path: Path, unnamed: dict[str, Any]) -> None:
    rows, report = LINES.calls(tmp_path, event(unnamed), PLAIN, event(unnamed, name="umask"))
    shown = [(row["operation"], row["file"], row["length"], row["duration_ns"]) for row in rows]
    assert shown == [
        ("read", None, 16, 500_000),
        ("read", "/a b", 16, 500_000),
        ("other", None, None, 500_000),
    ]
    (warning,) = report["warnings"]
    assert warning.startswith("the trace does not say on which file 1 of 3 calls were")


@pytest.mark.parametrize(("line", "remark"), REMARKS)
def test_an_event_that_is_not_kept_is_counted(tmp_path: Path, line: str, remark: str) -> None:
    rows, report = LINES.calls(tmp_path, PLAIN, line, PLAIN, line)
    assert len(rows) == 2 and report["skipped"] == {}
    assert report["remarks"] == {remark: 2}


@pytest.mark.parametrize(
    ("duration", "seen"),
    [
        (-1, "negative_durations"),
        ("soon", "unreadable_durations"),
        (1e300, "unreadable_durations"),
        (0, None),
    ],
)
def test_a_duration_that_is_none_is_unknown_and_counted(
    tmp_path: Path, duration: Any, seen: str | None
) -> None:
    rows, report = LINES.calls(tmp_path, event(dur=duration))
    assert [row["duration_ns"] for row in rows] == [None if seen else 0]
    counts = {key: count for key, count in report["seen"].items() if "durations" in key and count}
    assert counts == ({seen: 1} if seen else {})


def test_a_duration_that_is_not_stated_is_unknown(tmp_path: Path) -> None:
    rows, report = LINES.calls(tmp_path, event(dur=...), event(dur=None))
    assert [row["duration_ns"] for row in rows] == [None, None]
    assert not any(count for key, count in report["seen"].items() if "durations" in key)


def test_the_unit_of_times_holds_for_what_follows(tmp_path: Path) -> None:
    units = [
        json.dumps({"name": "CM", "ph": 4, "args": {"name": "time_metric", "value": unit}})
        for unit in ("ns", "MS", "d")
    ]
    lines = [
        event(ts=3_000, dur=1),
        units[0],
        event(ts=4_000_000, dur=1),
        units[1],
        event(ts=5, dur=1),
        units[2],
    ]
    rows, _ = LINES.calls(tmp_path, *lines, event(ts=6, dur="1"))
    assert [row["time_ns"] for row in rows] == [0, 1_000_000, 2_000_000, 3_000_000]
    assert [row["duration_ns"] for row in rows] == [1_000, 1, 1_000_000, 1_000_000]


def test_names_are_of_hashes_in_any_spelling(tmp_path: Path) -> None:
    files = [event({"fhash": value}) for value in (8, "8", -8, "-8", 10**30, "a\\f", "8f", 9)]
    told = FILE_NAME.replace(":8", ":-8").replace("/a b", "/\\ud83d\\ude00\\ud800")
    last = FILE_NAME.replace(":8", ':"8f"').replace("/a b", "\\u002fhex")
    rows, report = LINES.calls(tmp_path, *files, told, last, event({"fhash": None, "fname": "/p\ud800"}))
    assert [row["file"] for row in rows] == [
        "/a b", "/a b", "/\N{GRINNING FACE}?", "/\N{GRINNING FACE}?",
        f"fhash {10**30}", "fhash a\\f", "/hex", "fhash 9", "/p?",
    ]  # fmt: skip
    assert report["warnings"] == [
        "the trace does not record the names of some files: they are called fhash N"
    ]


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(
        event({"fhash": ..., "fname": "/a?", "ret": 1})
        .replace("?", "\udcff")
        .encode(errors="surrogateescape")
    )
    rows, _ = LINES.calls(tmp_path, path.read_bytes().decode("utf-8", "replace"))
    assert [row["file"] for row in rows] == ["/a\N{REPLACEMENT CHARACTER}"]
