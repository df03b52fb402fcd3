"""The drawings by the names that figures.toml gives them."""

from collections.abc import Callable

import pyarrow as pa
from iotrace.reports.pages.charts import (
    activity,
    banded_lines,
    bars,
    block_lines,
    comparisons,
    curve_lines,
    disks,
    distributions,
    icicle,
    measured_and_published,
    offsets,
    ranks,
    timelines,
    trace_lines,
    trace_types,
)
from iotrace.reports.pages.charts.plot import Arguments, Plot, Rows

DRAWINGS: dict[str, Callable[[Rows, Arguments], Plot | None]] = {
    "shares": bars.shares,
    "divided": bars.divided,
    "crossed": bars.crossed,
    "by_type": bars.by_type,
    "size_classes": bars.size_classes,
    "ranking": bars.ranking,
    "groups": bars.groups,
    "bins": distributions.bins,
    "request_sizes": distributions.request_sizes,
    "durations": distributions.durations,
    "answers": distributions.answers,
    "lifetimes": distributions.lifetimes,
    "requests_over_time": timelines.requests,
    "transfers_over_time": timelines.transfers,
    "working_set_over_time": timelines.working_set,
    "working_set_by_window": timelines.windows,
    "comparison": comparisons.comparison,
    "curves": curve_lines.curves,
    "banded": banded_lines.banded,
    "over_sizes": trace_lines.over_sizes,
    "over_types": trace_types.over_types,
    "policies": measured_and_published.policies,
    "along": measured_and_published.along,
    "offsets_over_time": offsets.over_time,
    "interprocess_reuse": offsets.reuse,
    "timeline": activity.timeline,
    "latencies": activity.latencies,
    "icicle": icicle.tree,
    "ranks_over_time": ranks.over_time,
    "targets_over_time": ranks.of_targets,
    "volumes": disks.volumes,
    "disk_load": disks.load,
    "addresses": disks.addresses,
    "seeks": disks.seeks,
    "alignment": disks.alignment,
    "dispersion": block_lines.dispersion,
    "cumulative": block_lines.cumulative,
    "latency_by_size": block_lines.latency_by_size,
    "latency_by_depth": block_lines.latency_by_depth,
    "depths": block_lines.depths,
    "ranked": block_lines.ranked,
    "differential_icicle": icicle.differential,
}


def draw(name: str, table: pa.Table, arguments: Arguments) -> Plot | None:
    """Draw a table; None if there is nothing to draw."""
    rows = table.to_pylist()
    return DRAWINGS[name](rows, arguments) if rows else None
