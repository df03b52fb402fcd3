"""A Dask cluster as workers: one of this machine, or one that runs already."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from iotrace.engine import available_cores
from iotrace.errors import IotraceError, reason
from iotrace.files.temporary import folder_of_process
from iotrace.workers.build import WHAT_HELPS, package_hash
from iotrace.workers.executor import Workers

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
"""The word for a Dask cluster of this machine's cores."""
PROTOCOLS = ("tcp", "tls", "ucx", "ws", "wss", "inproc")
"""Of addresses of Dask schedulers."""
ENCRYPTED = ("tls", "wss")
CONNECT_S = 10
"""How long a scheduler is waited for."""
JOIN_S = 60.0
"""How long the first worker, and each one that is asked for, is waited for: those of a batch system start one after
the other."""
SETTLED_S = 5.0
"""Unless a number is asked for, the workers are all there when no new one has come for as long."""
LOOK_S = 0.1
CERTIFICATES = ("ca-file", "client.cert", "client.key")
"""Keys that the configuration of Dask needs under distributed.comm.tls for `ENCRYPTED` addresses."""
PACKAGE = "iotrace-toolkit"
TO_INSTALL = "--workers {name} needs the package distributed: pip install '" + PACKAGE + "[cluster]'"


@contextmanager
def connected(name: str, wait_for: int | None = None) -> Iterator[Workers]:
    """Give the workers of a cluster for a block: `LOCAL`, a scheduler's address, or a scheduler file.

    ``wait_for`` is how many workers are waited for; without it, until no new one comes. Raises IotraceError for a
    cluster that cannot be reached, or whose workers have not this build of iotrace.
    """
    try:
        import distributed
    except ImportError:
        raise IotraceError(TO_INSTALL.format(name=name)) from None
    # what ends the run is said in one sentence, without their tracebacks
    for logger in ("distributed", "asyncio"):
        logging.getLogger(logger).setLevel(logging.CRITICAL + 1)
    with ExitStack() as leaving:
        if name == LOCAL:
            cluster = leaving.enter_context(
                distributed.LocalCluster(
                    n_workers=available_cores(),
                    threads_per_worker=1,
                    dashboard_address=":0",
                    silence_logs="CRITICAL",
                    local_directory=str(folder_of_process()),
                )
            )
            client = leaving.enter_context(distributed.Client(cluster))
            wait_for = wait_for or 1  # its workers are there when it has started
        else:
            client = leaving.enter_context(_client(name))
        slots = _joined(client, name, wait_for)
        _check_versions(client, name)
        yield Workers(client, slots, dashboard=_dashboard(client))


def _client(name: str) -> Client:
    from distributed import Client

    protocol = name.partition("://")[0] if "://" in name else ""
    is_address = protocol in PROTOCOLS
    if protocol in ENCRYPTED:
        _check_certificates(name)
    where: dict[str, Any] = {"address": name} if is_address else {"scheduler_file": name}
    try:
        return Client(**where, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = "" if isinstance(error, TimeoutError) else f" ({reason(error)})"
        kind = "no scheduler answers" if is_address else "no scheduler answers that the file names"
        raise IotraceError(f"--workers {name}: {kind} within {CONNECT_S} s{why}") from None


def _check_certificates(name: str) -> None:
    """Raise IotraceError where the configuration has no certificate: distributed retries until the time is over."""
    import dask.config

    missing = [key for key in CERTIFICATES if not dask.config.get(f"distributed.comm.tls.{key}", None)]
    if missing:
        variables = ", ".join(
            f"DASK_DISTRIBUTED__COMM__TLS__{key.upper().replace('-', '_').replace('.', '__')}"
            for key in missing
        )
        raise IotraceError(
            f"--workers {name}: there are no certificates: set {variables} (see docs/scale.md)"
        )


def _dashboard(client: Client) -> str | None:
    """Return the address of the dashboard; None where the scheduler has none."""
    try:
        return client.dashboard_link or None
    except (KeyError, AttributeError):
        return None


def _joined(client: Client, name: str, wait_for: int | None) -> int:
    """Return how many parts the workers run at the same time, once as many are there as are asked for, or all are."""
    since, workers = time.monotonic(), 0
    while True:
        there = client.nthreads()
        now = time.monotonic()
        if len(there) > workers:
            since, workers = now, len(there)
        if there and (now - since >= SETTLED_S if wait_for is None else workers >= wait_for):
            return sum(there.values())
        if now - since > JOIN_S:
            raise IotraceError(f"--workers {name}: {_too_few(workers, wait_for)} within {JOIN_S:g} s")
        time.sleep(LOOK_S)


def _too_few(workers: int, wait_for: int | None) -> str:
    if not workers:
        return "the scheduler had no workers"
    return f"{workers} of {wait_for} workers (--wait-for-workers) came, and no other"


def _check_versions(client: Client, name: str) -> None:
    """Raise IotraceError where the scheduler or a worker has no iotrace, or another version or build of it."""
    from importlib import metadata

    local_version = metadata.version(PACKAGE)
    versions = client.run(metadata.version, PACKAGE, on_error="return")
    try:
        versions["the scheduler"] = client.run_on_scheduler(metadata.version, PACKAGE)
    except metadata.PackageNotFoundError as error:
        versions["the scheduler"] = error
    for address, version in versions.items():
        where = address if address == "the scheduler" else f"worker {address}"
        if isinstance(version, BaseException):
            raise IotraceError(
                f"--workers {name}: {where} has no iotrace: install version {local_version} there"
            )
        if version != local_version:
            raise IotraceError(f"--workers {name}: {where} has iotrace {version}, this is {local_version}")
    for address, build in client.run(package_hash, on_error="return").items():
        if build != package_hash():  # or an error, of a build without this function
            raise IotraceError(
                f"--workers {name}: worker {address} has another build of iotrace {local_version}: {WHAT_HELPS}"
            )
