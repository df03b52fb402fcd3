"""What a wheel holds of others is named, and what builds it is pinned."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMIT = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)+$")


def test_actions_are_pinned_by_commit() -> None:
    used = [
        line.strip().removeprefix("- ")
        for path in ROOT.joinpath(".github/workflows").glob("*.yml")
        for line in path.read_text().splitlines()
        if "uses:" in line
    ]
    assert used and not [line for line in used if not COMMIT.fullmatch(line)]


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_all_that_can_be_fuzzed_is_fuzzed_at_night() -> None:
    matrix = re.search(r"target: \[(.*)\]", (ROOT / ".github/workflows/nightly.yml").read_text())
    targets = (ROOT / "iotrace/engine/fuzz/fuzz_targets").glob("*.rs")
    assert matrix is not None
    assert matrix[1].split(", ") == sorted(target.stem for target in targets)


def test_the_crates_of_the_engine_are_named_with_their_licences(tmp_path: Path) -> None:
    script = ROOT / "packaging" / "notices.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    notices = (tmp_path / "crates.txt").read_text()
    bill = json.loads((tmp_path / "crates.cdx.json").read_text())
    named = {one["name"]: one for one in bill["components"]}
    assert {"arrow-array", "pyo3", "zstd-sys"} <= named.keys() and "iotrace-core" not in named
    for name, one in named.items():
        assert one["licenses"], name
        assert f"\n{name} {one['version']} (" in notices
    # of the C library in zstd-sys
    assert "Meta Platforms, Inc. and affiliates" in notices
    assert "has no file" not in notices
