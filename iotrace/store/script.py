"""The views of a store in DuckDB, by what its manifest says."""

from collections.abc import Mapping
from typing import Any

from iotrace import queries
from iotrace.queries.script import StoreViews
from iotrace.store import manifest as manifests
from iotrace.store import partitions, sampled_files, views


def store_views(
    manifest: Mapping[str, Any], folder: str, of_manifest: bytes | None = None, remedy: str = ""
) -> StoreViews:
    """Return the views of a store with this manifest in a folder; see `StoreViews`."""
    return StoreViews(
        present=sorted(manifest["tables"]),
        folder=folder,
        made=views.selects(manifest),
        names_of={name: partitions.file_names(manifest, name) for name in manifest["tables"]},
        known=queries.facts(
            manifests.has_all_waits(manifest),
            manifests.calibration(manifest),
            manifests.recorded_groups(manifest),
            manifests.started_ns(manifest),
            sampled_files.share(manifest),
        ),
        of_manifest=of_manifest,
        remedy=remedy,
    )
