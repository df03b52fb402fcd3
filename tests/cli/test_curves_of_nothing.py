"""A condition that no request fulfils gives empty curves and a warning, by a column too."""

from pathlib import Path

import pytest
from program import Run


@pytest.mark.parametrize("form", ["table", "csv"])
@pytest.mark.parametrize("syncs", ["honour", "ignore"])
def test_no_request_fulfils_the_condition(run: Run, shared_store: Path, form: str, syncs: str) -> None:
    words = ("--where", "operation = 'x'", "--by", "path", "--syncs", syncs, "-f", form)
    done = run("curve", shared_store, *words)
    assert done.returncode == 0, done.stderr
    assert b"no request fulfils --where" in done.stderr
    assert b"size" in done.stdout
