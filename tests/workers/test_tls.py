"""The section on TLS of docs/scale.md: its commands run as they stand, and no command without certificates."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from iotrace.analysis.block_budget import BlockBudget
from iotrace.analysis.curves import Cache
from iotrace.analysis.curves.requests import Requests
from iotrace.ingest import pipeline

pytest.importorskip("distributed")
SCALE = Path(__file__).parents[2] / "docs" / "scale.md"
BLOCK = re.compile(r"runs it -->\n```sh\n(.*?)```", re.DOTALL)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Variables of a shell in which `iotrace` and `dask` are this environment's, and no certificates are known."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("DASK_")}
    return known | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "DASK_CONFIG": str(tmp_path),
    }


@pytest.mark.nightly
@pytest.mark.skipif(not shutil.which("openssl"), reason="makes certificates with openssl")
def test_the_documented_commands_give_the_curve_of_one_process(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    trace = tmp_path / "disk.csv"
    lines = (
        f"{128166372003061629 + 10_000 * place},host,0,Read,{place * 7919 % 500 * 4096},4096,1000\n"
        for place in range(3_000)
    )
    trace.write_text("".join(lines))
    store = pipeline.ingest([trace], tmp_path / "disk.iotrace")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (commands,) = BLOCK.findall(SCALE.read_text("utf-8"))
    assert commands.count("8786") == 3
    with subprocess.Popen(
        ["bash", "-euc", commands.replace("8786", str(port))],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as shell:
        assert shell.stdout is not None
        try:
            rows = [shell.stdout.readline().split(",") for _ in range(4)]
        finally:
            os.killpg(shell.pid, signal.SIGTERM)
    expected = Requests(store, BlockBudget(1 << 20, 4096, "")).curves(Cache()).table([65536, 1 << 20])
    misses = rows[0].index("block_misses")
    assert [int(row[misses]) for row in rows[2:]] == expected["block_misses"].to_pylist()


def test_without_certificates_a_command_ends_at_once_in_a_sentence(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "disk.csv").write_text("128166372003061629,host,0,Read,0,4096,1000\n" * 3)
    done = subprocess.run(
        ["iotrace", "curve", "disk.csv", "--workers", "tls://127.0.0.1:1"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "iotrace: --workers tls://127.0.0.1:1: there are no certificates: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE,"
        " DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT, DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY (see docs/scale.md)"
    )
    assert "Traceback" not in done.stderr
