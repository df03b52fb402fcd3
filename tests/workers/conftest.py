"""One Dask cluster of two processes for the tests of a run."""

from collections.abc import Iterator
from typing import Any

import pytest
from local_cluster import cluster


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made
