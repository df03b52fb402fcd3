"""Predict reads of mapped files with every touch known: what the model is off by, apart from what no event shows.

``python -P tests/groundtruth/known_touches.py RECORDINGS [NAME...]``: of recordings by ``python -P tests/groundtruth``.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

sys.path.append(str(Path(__file__).parent))

from judge import PAGE, Run
from workloads import BY_NAME, MB, Workload, compiled

from iotrace.analysis.characterize import prepared
from iotrace.analysis.memory import prediction
from iotrace.analysis.memory.runs import ModelRun
from iotrace.store.store import read

NAMES = ("mapped zipf", "mapped scan")
"""Workloads of one program that maps one file."""
Touch = tuple[int, int, bool]
"""A page, when it is touched, and whether an event shows that."""


def touches(workload: Workload) -> list[int]:
    """Return the pages that a workload touches, in order."""
    with tempfile.TemporaryDirectory() as folder:
        workload.prepare(Path(folder))
        words = [*workload.command(Path(folder), compiled(Path(folder))), "print"]
        return [int(line) for line in subprocess.check_output(words, text=True).split()]


def timed(pages: list[int], events: list[tuple[str, int, int, int]]) -> list[Touch]:
    """Return the touches with times: an event shows some, the others come right after the one before.

    Raises ValueError where events are not of these touches.
    """
    found: list[Touch] = []
    place, time_ns = 0, 0

    def covers(page: int) -> bool:
        return place < len(events) and events[place][1] <= page < events[place][1] + events[place][2]

    for page in pages:
        is_shown = covers(page)
        if is_shown:
            name, _, _, time_ns = events[place]
            place += 1
            if name == "fault" and covers(page) and events[place][0] == "mapped":
                place += 1
        found.append((page, time_ns, is_shown))
    if place != len(events):
        raise ValueError(f"{len(events) - place} of {len(events)} events are not of the touches")
    return found


def judged(done: Run, recordings: Path, pages: list[int]) -> str:
    """Return a row: reads of the kernel, as predicted, and as predicted with all touches."""
    store = read(recordings / done.recording)
    chosen = (
        f"(file is null or file in (select file from opened_file where device_number = {done.device_number}))"
    )
    run = ModelRun("", done.limit_mb * MB // PAGE, has_other=True)
    with store.queried() as connection, prepared(connection, prediction.NEEDED, {}, once=True):
        events = connection.execute(
            f'select event, "offset" // {PAGE}, length // {PAGE}, time_ns, file from page_cache_request'
            f" where event in ('fault', 'mapped') and {chosen} order by seq"
        ).fetchall()
        known = timed(pages, [event[:4] for event in events])
        ((reads,),) = connection.execute(
            "select sum(pages)::bigint from page_cache_event where event = 'added'"
            f" and device_number = {done.device_number}"
        ).fetchall()

        def counted(rows: Iterator[pa.RecordBatch]) -> int:
            count: int = prediction._run(rows, [run], prediction.READAHEAD_BYTES)[0][0]["page_reads"]
            return count

        predicted = counted(prediction._events(connection, chosen, False))
        connection.register(
            "known_touch",
            pa.table({"page": [page for page, _, _ in known], "time_ns": [time for _, time, _ in known]}),
        )
        connection.execute(
            "create or replace temp table page_cache_request as"
            " select row_number() over (order by time_ns, seq) as seq, * exclude (seq) from ("
            "  from page_cache_request where event not in ('fault', 'mapped')"
            "  union all by name select 1e15::bigint as seq, 'touch' as event, "
            f'  {events[0][4]}::int as file, page * {PAGE} as "offset", {PAGE}::bigint as length,'
            "   (select max(file_size) from page_cache_request) as file_size, time_ns, time_ns as end_ns"
            "   from known_touch)"
        )
        all_known = counted(prediction._events(connection, chosen, False))
    cells: list[Any] = [done.workload, done.limit_mb, f"{reads:,}"]
    for count in (predicted, all_known):
        cells += [f"{count:,}", f"{100 * (count - reads) / reads:+.1f}"]
    cells += [f"{len(known):,}", f"{sum(is_shown for _, _, is_shown in known):,}"]
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    recordings, names = Path(sys.argv[1]), sys.argv[2:] or NAMES
    pages = {name: touches(BY_NAME[name]) for name in names}
    print("| workload | limit MB | kernel reads | linux | % | with all touches | % | touches | shown |")
    print("|---|---|---|---|---|---|---|---|---|")
    for line in (recordings / "runs.jsonl").read_text().splitlines():
        if (done := Run(**json.loads(line))).workload in pages:
            try:
                print(judged(done, recordings, pages[done.workload]), flush=True)
            except ValueError as error:
                print(f"{done.recording}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
