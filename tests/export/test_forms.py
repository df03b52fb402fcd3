"""Calls in the forms that `iotrace formats ultrix` lists."""

from pathlib import Path

import pytest

from iotrace.formats.ultrix import FORMAT
from iotrace.ingest.pipeline import ingest


@pytest.mark.parametrize(
    ("flags", "syncs"),
    [
        ("", 1),
        (" -", 0),
        (" SYNC_FILE_RANGE_WRITE", 1),
        (" flags=SYNC_FILE_RANGE_WRITE", 1),
        (" SYNC_FILE_RANGE_WAIT_BEFORE", 0),
        (" 0", 0),
    ],
)
def test_sync_file_range_syncs_unless_its_flags_say_otherwise(tmp_path: Path, flags: str, syncs: int) -> None:
    lines = [
        "# iotrace ultrix-calls 2",
        "0 0 7 C open /a O_RDWR",
        "1 1 7 R open 3 -",
        f"2 2 7 C sync_file_range 3 0 4096{flags}",
        "3 3 7 R sync_file_range 0 -",
    ]
    trace = tmp_path / "trace"
    trace.write_text("\n".join([*lines, ""]))
    store = ingest([trace], tmp_path / "o.iotrace", format="ultrix")
    assert store.manifest["counts"]["skipped_lines"] == 0
    found = store.connect(views=[]).sql("""select "offset", length from reference where operation = 'sync'""")
    assert found.fetchall() == [(0, 4096)] * syncs


def test_the_flags_of_sync_file_range_are_listed() -> None:
    assert FORMAT.calls is not None
    (form,) = [call for call in FORMAT.calls() if call[0] == "sync_file_range"]
    assert "fd offset count [flags]" in form
