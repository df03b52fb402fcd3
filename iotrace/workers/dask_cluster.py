"""A Dask cluster as workers: one of this machine, or one that runs already."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from iotrace.engine import available_cores
from iotrace.errors import IotraceError, reason
from iotrace.files.temporary import folder_of_process
from iotrace.workers.build import WHAT_HELPS, package_hash
from iotrace.workers.spec import LOCAL, PROTOCOLS, Workers

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S = 10
"""How long a scheduler is waited for."""
JOIN_S = 60
"""How long the first worker is waited for: workers of a batch system start one after the other."""
PACKAGE = "iotrace-toolkit"
TO_INSTALL = "--workers {name} needs the package distributed: pip install '" + PACKAGE + "[cluster]'"


@contextmanager
def connected(name: str) -> Iterator[Workers]:
    """Give the workers of a cluster for a block: `LOCAL`, a scheduler's address, or a scheduler file.

    Raises IotraceError for a cluster that cannot be reached, or whose workers have not this build of iotrace.
    """
    try:
        import distributed
    except ImportError:
        raise IotraceError(TO_INSTALL.format(name=name)) from None
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
        else:
            client = leaving.enter_context(_client(name))
        slots = _joined(client, name)
        _check_versions(client, name)
        yield Workers(client, slots)


def _client(name: str) -> Client:
    from distributed import Client

    is_address = name.partition("://")[0] in PROTOCOLS and "://" in name
    where: dict[str, Any] = {"address": name} if is_address else {"scheduler_file": name}
    try:
        return Client(**where, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = "" if isinstance(error, TimeoutError) else f" ({reason(error)})"
        kind = "no scheduler answers" if is_address else "no scheduler answers that the file names"
        raise IotraceError(f"--workers {name}: {kind} within {CONNECT_S} s{why}") from None


def _joined(client: Client, name: str) -> int:
    """Return how many parts the workers run at the same time, once there is one."""
    try:
        client.wait_for_workers(1, timeout=JOIN_S)
    except TimeoutError:
        raise IotraceError(f"--workers {name}: the scheduler had no workers within {JOIN_S} s") from None
    return sum(client.nthreads().values())


def _check_versions(client: Client, name: str) -> None:
    """Raise IotraceError where the scheduler or a worker has no iotrace, or another version or build of it."""
    local_version = importlib.metadata.version(PACKAGE)
    versions = client.run(importlib.metadata.version, PACKAGE, on_error="return")
    try:
        versions["the scheduler"] = client.run_on_scheduler(importlib.metadata.version, PACKAGE)
    except importlib.metadata.PackageNotFoundError as error:
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
