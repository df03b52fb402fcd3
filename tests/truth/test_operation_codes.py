"""Operations of keys that are numbers: they have the names that --columns gives them, and none by themselves."""

import json
import random
import struct
from pathlib import Path

import pytest
from program import Run

CODES = {"0": "set", "1": "get", "2": "delete"}
COLUMNS = "time=time:ms,key=key,size=size,op=op"
NAMES = ":0=set,1=get,2=delete"
Requests = list[tuple[str, str]]
"""The operation's code and the key of each request."""


@pytest.fixture(scope="module")
def requests() -> Requests:
    draw = random.Random(2)
    return [(draw.choice("001112"), f"k{int(draw.paretovariate(0.8)) % 40}") for _ in range(500)]


@pytest.fixture
def trace(requests: Requests, tmp_path: Path) -> Path:
    lines = [f"{place},{op},{key},10" for place, (op, key) in enumerate(requests)]
    (tmp_path / "keys.csv").write_text("\n".join(["time,op,key,size", *lines, ""]))
    return tmp_path / "keys.csv"


def missed(requests: Requests, size: int) -> tuple[int, int]:
    """Requests that are no deletes, and those of them that an LRU list misses: the slow twin."""
    cached: list[str] = []
    counted = misses = 0
    for op, key in requests:
        is_there = key in cached
        cached = [other for other in cached if other != key]
        if CODES[op] == "delete":
            continue
        counted, misses = counted + 1, misses + (not is_there)
        cached = [key, *cached][:size]
    return counted, misses


def test_codes_do_what_their_names_do(run: Run, trace: Path, requests: Requests) -> None:
    done = run("curve", trace, "--columns", COLUMNS + NAMES, "--sizes", "7", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert b"operation" not in done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["requests"], row["request_misses"]) == missed(requests, 7)


def test_the_native_table_has_the_names(run: Run, trace: Path, requests: Requests) -> None:
    question = "select operation, count(*) as requests from key_io group by 1 order by 1"
    done = run("sql", trace, question, "--columns", COLUMNS + NAMES, "--format", "json")
    found = {row["operation"]: row["requests"] for row in json.loads(done.stdout)}
    assert found == {name: sum(op == code for op, _ in requests) for code, name in CODES.items()}


@pytest.mark.parametrize(
    ("names", "unnamed"), [("", "0 or 1 or 2"), (":0=set,1=get", "2"), (":0=set", "1 or 2")]
)
def test_codes_without_names_are_refused(run: Run, trace: Path, names: str, unnamed: str) -> None:
    done = run("curve", trace, "--columns", COLUMNS + names)
    (said,) = done.stderr.decode().splitlines()
    assert done.returncode == 1
    assert said.startswith(f"iotrace: {trace}: line ")
    assert said.endswith(
        f": what operation {unnamed} does is not known; name each code in --columns, as in"
        " op=op:0=get,1=set,2=delete"
    )


def test_words_can_be_named_too(run: Run, tmp_path: Path) -> None:
    """Words that are known need no name, and the columns that follow are columns."""
    (tmp_path / "t.csv").write_text("k,o,s\na,FETCH_ALL,5\na,drop,5\na,get,5\n")
    columns = "key=k,op=o:fetch_all=get,drop=delete,size=s"
    done = run("curve", tmp_path / "t.csv", "--columns", columns, "--sizes", "1", "--format", "json")
    (row,) = json.loads(done.stdout)
    assert (row["requests"], row["request_misses"], row["bytes"]) == (2, 2, 10)


@pytest.mark.parametrize(
    ("op", "said"),
    [
        ("op=op:0/1", "'0/1' of op is not CODE=OPERATION, as in 0=get"),
        ("op=op:0=get,=set", "'=set' of op is not CODE=OPERATION"),
        ("op=op:0=get,0=set", "code 0 of op is given twice"),
        ("op=op:0=get,1=frob", "frob is not an operation of a cache"),
        ("op=op:0=get,sise=size", "size is not an operation of a cache"),
        ("op=@7", "7 is not an operation of a cache"),
    ],
)
def test_names_that_make_no_sense_are_refused(run: Run, trace: Path, op: str, said: str) -> None:
    done = run("curve", trace, "--columns", f"key=key,{op}")
    assert done.returncode == 2 and said in done.stderr.decode()


def test_a_binary_record_with_a_code_that_has_no_name_is_told(run: Run, tmp_path: Path) -> None:
    """oracleGeneralOpNS, whose operations are libCacheSim's numbers from 1 (get) to 14, and 0 for none."""
    codes = [1, 1, 3, 77, 0, 200, 77]
    records = b"".join(
        struct.pack("<IQIBHq", place, place % 3, 10, code, 0, place + 3) for place, code in enumerate(codes)
    )
    (tmp_path / "keys.oracleGeneralOpNS").write_bytes(records)
    words = ("--trace-format", "oracle-general")
    done = run("ingest", "keys.oracleGeneralOpNS", "-o", "t.iotrace", *words, folder=tmp_path)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert "3 of 7 requests have operations that are not known to read, write or delete" in said
    assert "code 77, code 200" in said
    question = "select operation, count(*) as requests from key_io group by 1 order by 1"
    rows = json.loads(run("sql", "t.iotrace", question, "-f", "json", folder=tmp_path).stdout)
    found = {row["operation"]: row["requests"] for row in rows}
    assert found == {"get": 2, "set": 1, "code 77": 2, "code 200": 1, None: 1}
