"""Inputs of commands other than raw traces: stores, curve states, cluster programs, bypass bits and settings files."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from tests.fuzz.corpus import HERE, TESTS, Sample

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
REQUESTS = b"".join(
    b"%d,host,0,%s,%d,8192,9\n"
    % (128166372003061629 + 1000 * n, b"Write" if n % 3 else b"Read", n % 40 * 4096)
    for n in range(200)
)
KEYS = b"".join(b"%d,k%d,2,%d,7,get,60\n" % (n, n % 17, 10 + n % 5) for n in range(200))
BITS = b"phase,operation,level,file,first_segment,segments,through\n,read,local,0,0,,true\n"
STORE = "a.iotrace"
OF_ANY_STORE: Sequence[tuple[str, ...]] = (
    ("info", STORE),
    ("characterize", STORE, "--all"),
    ("advice", STORE),
    ("curve", STORE, "--block", "4K", "--sizes", "64K,1M"),
    ("sql", STORE, "select * from reference limit 5"),
    ("export", STORE, "--to", "csv", "-o", "made.folder"),
    ("report", STORE, "-o", "made.html"),
)
OF_A_STATE: Sequence[tuple[str, ...]] = (
    ("merge-curves", "a.state"),
    ("merge-curves", "a.state", "--sizes", "64K,1M", "--format", "json"),
    ("merge-curves", "a.state", "a.state"),
    ("merge-curves", "a.state", "--state", "-o", "made.state"),
)


def inputs() -> dict[str, list[Sample]]:
    """Return small inputs by kind, each with the commands that read it under its files' names."""
    found: dict[str, list[Sample]] = {}
    with tempfile.TemporaryDirectory(prefix="inputs-") as folder:
        for sample in (*_stores(Path(folder)), *_programs(Path(folder)), *_settings()):
            found.setdefault(sample.format, []).append(sample)
    return found


def _made(folder: Path, *words: str) -> None:
    subprocess.run([PROGRAM, *words], cwd=folder, check=True, capture_output=True)


def _stores(folder: Path) -> Iterator[Sample]:
    """Give a store of each family, and the states of two curves."""
    traces = {
        "calls": ((TESTS / "cli" / "copy.strace").read_bytes(), ("time", STORE)),
        "requests": (REQUESTS, ("write-cache", STORE, "--write-cache", "16M")),
        "keys": (KEYS, ("curve", STORE, "--unit", "bytes")),
        "parallel": (
            (HERE / "samples" / "darshan-dxt.txt").read_bytes(),
            ("patterns", STORE, "--least", "2"),
        ),
    }
    for name, (trace, further) in traces.items():
        (folder / name).write_bytes(trace)
        store = folder / f"{name}.iotrace"
        _made(folder, "ingest", name, "-o", store.name)
        content = {f"{STORE}/{path.name}": path.read_bytes() for path in sorted(store.iterdir())}
        yield Sample("store", content, commands=(*OF_ANY_STORE, further))
    for name, options in (("calls", ("--deletes", "ignore", "--syncs", "ignore")), ("requests", ())):
        state = folder / f"{name}.state"
        _made(folder, "curve", name, "--state", *options, "-o", state.name)
        resumed = ("curve", name, "--state", "--resume", "a.state", *options, "-o", "made.resumed")
        content = {"a.state": state.read_bytes(), name: 2 * traces[name][0]}
        yield Sample("state", content, commands=(*OF_A_STATE, resumed))


def _programs(folder: Path) -> Iterator[Sample]:
    """Give a program of a cluster, and bypass bits for it."""
    _made(folder, "generate", "nests", "tomcatv", "--size", "40", "-o", "nests.parquet")
    program = {"a.parquet": (folder / "nests.parquet").read_bytes()}
    counted = ("cluster", "a.parquet", "--count-only")
    yield Sample("program", program, commands=(("cluster", "a.parquet"), counted, (*counted, "--by", "file")))
    yield Sample("bits", {"a.csv": BITS, **program}, commands=((*counted, "--bypass", "a.csv"),))


def _settings() -> Iterator[Sample]:
    """Give the files of settings that commands take."""
    package = Path(str(files("iotrace")))
    readers: Sequence[tuple[str, tuple[tuple[str, ...], ...]]] = (
        (
            "simulate/disk/drives",
            (
                ("disk", "show", "a.toml"),
                ("write-cache", "trace", "--disk", "a.toml", "--write-cache", "16M"),
            ),
        ),
        ("generate/loops/library", (("generate", "nests", "a.toml", "--size", "40", "-o", "made.parquet"),)),
        (
            "simulate/parallel_fs/overheads",
            (("parallel", "lfp", "--processes", "2", "--trials", "1", "--overheads", "a.toml"),),
        ),
    )
    for folder, commands in readers:
        for path in sorted((package / folder).glob("*.toml")):
            yield Sample("settings", {"a.toml": path.read_bytes(), "trace": REQUESTS}, commands=commands)
