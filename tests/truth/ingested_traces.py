"""Traces whose end is damaged, how they are ingested, and the messages about it."""

import json
from pathlib import Path
from typing import Any

from program import Done, Run

NO_END = "the last line has no end: it may be cut"
LEFT_OUT = "it is left out"
MSR = "".join(
    f"{128166372003061629 + 10_000 * place},web,0,{('Read', 'Write')[place % 3 == 0]},{4096 * (place * 7919 % 999)},"
    f"{4096 * (1 + place % 3)},700\n"
    for place in range(30_000)
)
STRACE = "".join(
    f'7 {1_700_000_000 + place / 1000:.6f} pread64(3</d/a>, "x"..., 4096, {4096 * place}) = 4096 <0.000010>\n'
    for place in range(20_000)
)


def told(done: Done) -> str:
    return done.stderr.decode()


def information(run: Run, store: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("info", store, "--format", "json").stdout)
    return found


def ingested(run: Run, trace: Path, *words: str) -> tuple[Done, dict[str, Any]]:
    store = trace.with_name(f"{trace.name}.store")
    done = run("ingest", trace, "-o", store, "--force", *words)
    return done, information(run, store) if store.exists() else {}
