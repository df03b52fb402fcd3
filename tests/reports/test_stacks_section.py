"""The section of functions that call and wait."""

import json
from pathlib import Path

import pytest
from iotrace.reports.pages.charts import icicle
from iotrace.reports.report import page

from iotrace.ingest.pipeline import ingest

CALLS = '7 1.000000 pread64(3, "", 10, 0) = 10 <0.000100>\n{}7 1.000200 close(3) = 0 <0.000050>\n'
FRAMES = " > /lib/libc.so.6(pread+0x1) [0x9]\n > /x/prog(main+0x2) [0x8]\n"


def test_functions_of_a_stack_are_levels() -> None:
    rows = [
        {"functions": "main;outer", "call": "read", "s": 3.0},
        {"functions": "main", "call": "read", "s": 1.0},
        {"functions": "main;outer", "call": None, "s": 2.0},
    ]
    measures = [{"column": "s", "label": "by time", "unit": "s"}]
    plot = icicle.tree(
        rows,
        {"levels": ["functions", "call"], "parted": "functions", "whole": "all", "measures": measures},
    )
    assert plot is not None
    (trace,) = plot.traces
    own = {tuple(json.loads(name)): value for name, value in zip(trace["ids"], trace["values"], strict=True)}
    assert own == {
        (): 0,
        ("main",): 0,
        ("main", "outer"): 2,
        ("main", "outer", "read"): 3,
        ("main", "read"): 1,
    }


@pytest.mark.parametrize("frames", ["", FRAMES])
def test_the_section_is_there_where_the_trace_has_stacks(tmp_path: Path, frames: str) -> None:
    (tmp_path / "log").write_text(CALLS.format(frames))
    html = page.report(ingest([tmp_path / "log"], tmp_path / "log.iotrace"))
    assert ('<section id="stacks">' in html) == bool(frames)
    assert ("main;pread" in html) == bool(frames)
    assert 'class="failed"' not in html
