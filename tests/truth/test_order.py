"""The same trace gives the same bytes in each run, however many threads compute: no order and no choice is open."""

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from iotrace.queries.rules import FOLDER

from iotrace import queries
from iotrace.analysis.advice import advise
from iotrace.analysis.characterize import characterize
from iotrace.analysis.grouping import Grouping
from iotrace.analysis.times import times
from iotrace.files import memory
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

ROOT = Path(__file__).parents[2]
ROWS = 260_000
"""More than two of DuckDB's row groups, so that several threads share the work."""
FILES = 2_500
THREADS = (1, 2, 8)


def calls() -> Iterator[str]:
    """Calls of equal length on thousands of files by many processes: nearly all that is ranked is tied."""
    for place in range(ROWS // 4):
        pid, start = 100 + place % 40, 1_700_000_000 + (place // 50) / 100
        path, size = f"/data/d{place % 50}/f{place % FILES}", 4096 * (1 + place % 3)
        yield f'{pid} {start:.6f} openat(AT_FDCWD, "{path}", O_RDWR) = 3 <0.000050>\n'
        yield f'{pid} {start + 0.0001:.6f} read(3, "x"..., {size}) = {size} <0.000050>\n'
        yield f'{pid} {start + 0.0002:.6f} write(3, "x"..., {size}) = {size} <0.000050>\n'
        yield f"{pid} {start + 0.0003:.6f} close(3) = 0 <0.000050>\n"


def requests() -> Iterator[str]:
    """Requests to four disks, many at the same time and as many to each extent."""
    yield "time,device,offset,length,op,latency\n"
    for place in range(ROWS):
        lbn = 8 * (place * 7919 % 50_000)
        yield f"{place // 16},d{place % 4},{lbn},4096,{'RW'[place // 4 % 2]},{100 + place % 5}\n"


def objects() -> Iterator[str]:
    """Requests for keys of tenants that ask as often."""
    yield "time,key,size,op,tenant\n"
    for place in range(ROWS):
        yield f"{place // 8},k{place * 7919 % 40_000},100,{'get' if place % 3 else 'set'},t{place % 30}\n"


MADE: dict[str, tuple[str, Callable[[], Iterator[str]], str | None]] = {
    "syscall": ("calls.strace", calls, None),
    "disk_io": (
        "disk.csv",
        requests,
        "csv:time=time:ms,device=device,offset=offset:512,length=length,op=op:R/W,latency=latency:us",
    ),
    "key_io": ("keys.csv", objects, "csv:time=time:s,key=key,size=size,op=op,tenant=tenant"),
}


@pytest.fixture(scope="module", params=MADE)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of each family of which ties can be made by the thousand."""
    name, lines, form = MADE[request.param]
    place = tmp_path_factory.mktemp("ties") / name
    place.write_text("".join(lines()), "ascii")
    made = ingest([place], place.with_suffix(".iotrace"), format=form)
    assert made.family.name == request.param
    return made


def computed(store: Store) -> dict[str, str]:
    """Every statistic, all advice, and the times by all groupings."""
    with store.queried() as connection:
        results = characterize(connection, queries.names(store.family.name), left_out={})
    found: dict[str, str] = {name: repr(table.to_pydict()) for name, table in results.items()}
    if store.family.answers("advice"):
        found["advice"] = repr(advise(store, is_all=True))
    if store.family.answers("time"):
        for top in (None, 10):
            found[f"times {top}"] = repr(times(store, list(Grouping), True, top).rows.to_pydict())
    return found


def test_each_run_gives_the_same_bytes(
    store: Store, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = memory.of_duckdb()
    first: dict[str, str] = {}
    for _ in range(10 if pytestconfig.getoption("--full") else 1):
        for threads in THREADS:
            monkeypatch.setattr(
                memory, "of_duckdb", lambda *_, threads=threads: {**settings, "threads": threads}
            )
            found = computed(store)
            first = first or found
            differing = [name for name, value in found.items() if value != first[name]]
            assert not differing


WINDOWED = (
    r"(?:row_number|rank|dense_rank|ntile|lag|lead|first_value|last_value|nth_value)\([^()]*\)\s*over\s*"
)
NUMBERED = {
    "a number or a neighbour without an order": rf"{WINDOWED}\((?![^()]*order by)(?!\s*\w+\s*\))",
}
LEFT_OPEN = {
    "a value that depends on the order of rows": r"\b(?:first|last|arbitrary|mode)\(",
    "a list without an order": r"\b(?:list|array_agg|string_agg|group_concat)\((?![^()]*order by)",
    "a sum of logarithms whose last digits depend on the order": r"\bregr_\w+\((?!.*order by)",
}
ALLOWED = ("row_number() over ()",)
"""A streaming window numbers rows as they are stored; an order by would sort the whole table."""


def library() -> Iterator[tuple[str, str]]:
    """The files of the SQL library, without comments."""
    folder = files(queries.__name__)
    for name in (queries.BASE, *queries.SUBJECTS, FOLDER):
        for entry in folder.joinpath(name).iterdir():
            if entry.name.endswith(".sql"):
                yield f"{name}/{entry.name}", re.sub(r"--.*", "", entry.read_text("utf-8"))
    for name in ("macros.sql", "metrics.toml"):
        yield name, folder.joinpath(name).read_text("utf-8")


def modules() -> Iterator[tuple[str, str]]:
    """The modules of Python, some of which hold SQL."""
    for folder in ("iotrace", "reports"):
        for module in (ROOT / folder).rglob("*.py"):
            yield str(module.relative_to(ROOT)), module.read_text("utf-8")


def left_open(place: str, text: str, patterns: dict[str, str]) -> Iterator[str]:
    for what, pattern in patterns.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            if not text[match.start() :].startswith(ALLOWED):
                yield f"{place}: {what}: {text[match.start() : match.end() + 20]!r}"


def test_no_statement_leaves_an_order_or_a_choice_open() -> None:
    found = [line for place, sql in library() for line in left_open(place, sql, NUMBERED | LEFT_OPEN)]
    found += [line for place, text in modules() for line in left_open(place, text, NUMBERED)]
    for place, sql in library():
        for match in re.finditer(r"\blimit\b", sql, re.IGNORECASE):
            if not re.search(r"order by[^()]*(?:\([^()]*\)[^()]*)*$", sql[: match.start()], re.IGNORECASE):
                found.append(f"{place}: a limit without an order")
    assert not found, "\n".join(found)
