"""Damage of a raw trace is said, and is the exit status, in every command that takes one."""

import bz2
import gzip
import io
import json
import lzma
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from program import LOG, Run

STRACE = "".join(
    f'7 {1_700_000_000 + place / 1000:.6f} pread64(3</d/a>, "x"..., 4096, {4096 * (place * 7919 % 999)}) = 4096'
    " <0.000010>\n"
    for place in range(3000)
)
DISK = "".join(
    f"{128166372003061629 + 10_000 * place},web,0,{('Read', 'Write')[place % 3 == 0]},{4096 * (place * 7919 % 999)},"
    f"4096,700\n"
    for place in range(3000)
)
PARALLEL = "[\n" + "".join(
    f'{{"id":{place},"name":"read","cat":"POSIX","pid":5,"tid":6,"ts":{place}0,"dur":3,"ph":"X",'
    f'"args":{{"fname":"/f{place * 7919 % 97}","hostname":"n","ret":10,"count":20,"fd":18}}}}\n'
    for place in range(3000)
)
KEYS = "time,key,size\n" + "".join(f"{at},k{at * 7919 % 999},{100 + at % 50}\n" for at in range(3000))
VALIDATE = "".join(f"{'RW'[at % 2]} Hit {at * 7919 % 9999} 8 70.000000 930.000000\n" for at in range(3000))
TEXTS = {"syscall": STRACE, "disk": DISK, "parallel": PARALLEL, "key": KEYS, "validate": VALIDATE}
OF_KEYS = "--columns time=time,key=key,size=size"
COMMANDS = [
    *(
        ("syscall", words)
        for words in (
            "ingest TRACE -o made",
            "info TRACE",
            "time TRACE",
            "advice TRACE",
            "characterize TRACE totals",
            "curve TRACE --sizes 1M",
            "sql TRACE totals",
            "attribute TRACE",
            "nonvolatile TRACE",
            "cluster TRACE",
            "export TRACE --to csv -o made",
            "report TRACE -o made.html",
            "compare TRACE WHOLE",
            "compare WHOLE TRACE",
        )
    ),
    *(
        ("disk", words)
        for words in ("info TRACE", "write-cache TRACE --disk ra82", "report TRACE -o made.html")
    ),
    *(("parallel", words) for words in ("info TRACE", "patterns TRACE", "parallel TRACE", "advice TRACE")),
    *(("key", f"{words} {OF_KEYS}") for words in ("info TRACE", "curve TRACE --sizes 1M")),
    ("validate", "disk validate TRACE --disk ra82"),
]


def zstd(content: bytes) -> bytes:
    if shutil.which("zstd") is None:
        pytest.skip("needs zstd")
    return subprocess.run(["zstd", "-q", "-c"], input=content, capture_output=True, check=True).stdout


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": lambda content: bz2.compress(content, 1),
    "zst": zstd,
}


def cut(folder: Path, family: str, ending: str = "gz") -> Path:
    """Write the first three quarters of a compressed trace."""
    trace = folder / f"t.{ending}"
    # bzip2 and zstd give whole blocks only
    content = (TEXTS[family] * (10 if ending in ("bz2", "zst") else 1)).encode()
    packed = PACKED[ending](content)
    trace.write_bytes(packed[: len(packed) * 3 // 4])
    return trace


@pytest.mark.parametrize(("family", "words"), COMMANDS)
def test_every_command_says_damage_and_returns_1(run: Run, tmp_path: Path, family: str, words: str) -> None:
    trace = cut(tmp_path, family)
    places = {"TRACE": trace, "WHOLE": LOG}
    done = run(*(places.get(word, word) for word in words.split()), folder=tmp_path)
    said = done.stderr.decode()
    assert done.returncode == 1, said
    # a drive is held against all requests of a validation trace or none
    refused = f"{trace}: Compressed file ended before the end"
    expected = refused if family == "validate" else f"{trace}: the gzip data are damaged or truncated after"
    assert expected in said
    assert "Traceback" not in said


@pytest.mark.parametrize("ending", PACKED)
def test_the_damage_of_each_compression_is_in_the_store_and_before_each_verdict(
    run: Run, tmp_path: Path, ending: str
) -> None:
    store = tmp_path / "made.iotrace"
    assert run("ingest", cut(tmp_path, "syscall", ending), "-o", store).returncode == 1
    known = json.loads(run("info", store, "--format", "json").stdout)
    (damage,) = known["damage"]
    assert "damaged or truncated" in damage and known["calls"] > 0
    for command in ("characterize", "time", "advice"):
        done = run(command, store)
        first = done.stdout.decode().splitlines()[0]
        assert (done.returncode, first) == (
            0,
            f"{damage}: what follows there is missing from all numbers.",
        ), command


@pytest.mark.parametrize("words", [(), ("--trace-format", "msr-cambridge"), OF_KEYS.split()])
def test_an_archive_of_a_trace_of_requests_is_no_text(
    run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Its headers would pass for damaged lines, and each of several files with one name would count."""
    trace = tmp_path / "t.tar.gz"
    with tarfile.open(trace, "w:gz") as archive:
        for _ in range(2):
            header = tarfile.TarInfo("a.csv")
            header.size = len(DISK)
            archive.addfile(header, io.BytesIO(DISK.encode()))
    done = run("info", trace, *words)
    assert done.returncode == 1
    assert f"{trace}: is a tar archive, of a trace of format" in done.stderr.decode()
    assert done.stderr.decode().endswith(": unpack it first\n")
