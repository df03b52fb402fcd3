"""A log without contents gives the same tables as the whole log."""

import os
import subprocess
from pathlib import Path

import pytest
from recorders import needs_strace

from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.ingest import tracing
from iotrace.ingest.contents import Contents
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

TRACES = Path(os.environ.get("IOTRACE_TRACES", "/nonexistent")) / "strace"
MOST_BYTES = 12_000_000
"""How much of a large log is read."""
BLOCK_BYTES = 65_537


def same_without_contents(log: bytes, folder: Path) -> int:
    """Check that the tables are the same; return how many bytes the contents were."""
    kept = Contents().filter()
    blocks = [kept.feed(log[at : at + BLOCK_BYTES]) for at in range(0, len(log), BLOCK_BYTES)]
    text = b"".join([*blocks, kept.finish()])
    stores: list[Store] = []
    for name, data in (("whole", log), ("blank", text)):
        place = folder / name / "run.strace"
        place.parent.mkdir()
        place.write_bytes(data)
        stores.append(ingest([place], folder / name / "run.iotrace"))
    whole, blank = stores
    assert whole.tables == blank.tables
    for table in whole.tables:
        assert whole.arrow(table).equals(blank.arrow(table)), table
    for member in ("counts", "skipped", "seen", "remarks", "path_agreement"):
        found, expected = (store.manifest[member] for store in (blank, whole))
        if member == "skipped":  # lines that are not read have excerpts, without contents
            found, expected = ({why: row["lines"] for why, row in each.items()} for each in (found, expected))
        assert found == expected
    return len(log) - len(text)


@pytest.mark.parametrize("name", ["cad-chip-build", "document-preparation-t"])
def test_large_logs(name: str, tmp_path: Path) -> None:
    log = TRACES / f"{name}.strace.zst"
    if not log.exists():
        pytest.skip("IOTRACE_TRACES has no such log")
    text = native.first_bytes(log, MOST_BYTES)
    assert same_without_contents(text[: text.rindex(b"\n") + 1], tmp_path) > 0


def test_a_small_log(tmp_path: Path) -> None:
    log = (Path(__file__).parents[1] / "cli" / "copy.strace").read_bytes()
    assert same_without_contents(log, tmp_path) > 0


@needs_strace
def test_a_log_of_now(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = "ls -l /etc | sort >a; cat a a >b; ln -s a c; readlink c; cat c | gzip >d; rm a"
    subprocess.run([*tracing.find_strace(), "-o", log, "--", "sh", "-c", script], cwd=tmp_path, check=True)
    assert same_without_contents(log.read_bytes(), tmp_path) > 0


@pytest.mark.parametrize("glob", ["", "a/b", "/"])
def test_a_glob_that_is_not_for_one_name_is_refused(glob: str) -> None:
    with pytest.raises(UsageError, match="without /"):
        Contents(redact=(glob,))
