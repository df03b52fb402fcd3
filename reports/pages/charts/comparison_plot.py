"""The plot of ``iotrace attribute``: read misses of attribute caches of every size."""

import pyarrow as pa
from iotrace.reports.pages.charts.svg import SvgLine, svg


def comparison_plot(table: pa.Table) -> str:
    """Draw the read misses of one trace's comparison as SVG: the Unix baseline, the scheme, the best partition."""
    rows = table.to_pylist()
    reads = [
        row["cost"] / row["read_request_miss_ratio"]
        for row in rows
        if row["objective"] == "reads" and row["cost"] and row["read_request_miss_ratio"]
    ]
    lines = [
        SvgLine(label, [(row["total_bytes"], 100 * row[name]) for row in rows if row[name] is not None])
        for label, name in (
            ("Unix baseline", "baseline_read_request_miss_ratio"),
            (rows[0]["scheme"] if rows else "scheme", "read_request_miss_ratio"),
        )
    ]
    if reads:
        best = [(row["total_bytes"], 100 * row["best_cost"] / reads[0]) for row in rows]
        lines.append(SvgLine("best partition", best))
    title = f"{rows[0]['trace']}: read requests that go to the disk" if rows else ""
    return svg(title, lines, "Read requests that miss")
