"""A store's calls, run through the file table again, give the tables of the log.

Of the kernel's paths the store keeps those of descriptors from before the trace, which are all that is taken.
"""

from pathlib import Path
from typing import Any

import pytest
from test_file_table_cases import CASES
from tiny_log import TABLES, switches

from iotrace.ingest.pipeline import ingest
from iotrace.ingest.reconstruct import reconstruct

PLACED = ("disagreement", "inherited_descriptor")


@pytest.mark.parametrize("case", [case for case in CASES if str(case.id).startswith("attached")])
def test_a_store_run_again_gives_the_same_tables(case: dict[str, Any], tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(case["log"], "utf-8")
    model = switches(case)
    store = ingest([log], tmp_path / "log.iotrace", format="strace", model=model)
    again = reconstruct(store, tmp_path / "again.iotrace", model, [])
    for name in (*TABLES, *PLACED):
        assert again.arrow(name).to_pylist() == store.arrow(name).to_pylist()
    assert again.manifest["seen"] == store.manifest["seen"]
    assert again.manifest["counts"] == store.manifest["counts"]
