"""Numbers of thousands of digits are refused in a line, wherever one is typed."""

from pathlib import Path

import pytest
from program import Run, refused

LONG = "1" * 5000


@pytest.mark.parametrize(
    "words",
    [
        ("curve", "STORE", "--sizes", LONG),
        ("curve", "STORE", "--warm-up", LONG),
        ("attribute", "STORE", "--scheme", f"{LONG}/100"),
        ("cluster", "STORE", "--local", LONG),
        ("cluster", "STORE", "--threshold", LONG),
        ("cluster", "STORE", "--sweep", f"nodes={LONG}"),
        ("parallel", "gw", "--block", LONG),
        ("parallel", "gw", "--record", f"1/{LONG}"),
        ("parallel", "gw", "--service", f"{LONG}ms"),
        ("ingest", "STORE", "--columns", f"offset={LONG}"),
    ],
)
def test_no_number_is_too_long_to_be_refused(run: Run, shared_store: Path, words: tuple[str, ...]) -> None:
    given = [str(shared_store) if word == "STORE" else word for word in words]
    assert "defect" not in refused(run(*given), code=2)
