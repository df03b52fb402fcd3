"""The page of metrics of compare, from queries/metrics.toml."""

import elements
from iotrace.queries.metrics import PERCENTILES, metrics

INTRODUCTION = """\
`iotrace compare A B` shows these metrics of both traces, with `b` over `a`, and names them in column `metric`;
`--fail-if` takes the same names. They are data: `queries/metrics.toml` has the SQL of each.

`low` and `high` are the band of ratios that noise alone explains, with 99 % for each metric on its own; a ratio
outside is `significant`. Of 100 metrics that did not change, about one is called significant.

- **One trace before and one after.** Each trace's time is divided into 50 windows of equal length. Blocks of 5
  windows in a row are resampled with replacement, 2,000 times with a fixed seed (a circular block bootstrap). The
  band is symmetric in the logarithm (Hall 1988) and widened as few blocks need (Hesterberg 2015). Blocks count as
  independent: what goes on for longer than a tenth of a trace can look like a change. In 200 simulated pairs of
  traces without a change, 0 to 2.5 % were called significant, by the metric, where windows are independent; 0.5 to 4
  % where the correlation of one window with the next is 0.6; 8 to 20 % where it is 0.9. Noise is not judged where
  windows cannot show it: for wall time, working set, cache misses and the times of single ranks; with fewer than 25
  windows in which something happens; with fewer than 10 values above a percentile; in traces without times.
- **Repeated traces**, `A1 A2 A3 vs B1 B2 B3`. `a` and `b` are means over the traces, and the band is that of Welch's
  t test, relative to the means. A single trace on one side is taken to vary as those on the other do. (With three and
  three, a rank or permutation test could not go under p = 0.1.) This sees differences from run to run, such as a warm
  page cache or another load on the machine, which windows of one run cannot show.

Where the traces record it, lower is better unless a metric says higher."""
FAMILIES = {"syscall": "System calls", "disk_io": "Disks", "parallel_io": "Parallel programs"}


def page() -> str:
    """Return the page of metrics."""
    return elements.page("Metrics of compare", INTRODUCTION, *map(_family, FAMILIES))


def _family(family: str) -> str:
    rows = []
    for metric in dict.fromkeys(metrics(family).by_name.values()):
        ends = ", ".join(f"`_{end}`" for end in PERCENTILES) if metric.percentiles else ""
        name = elements.code(metric.name) + (f" + {ends}" if ends else "")
        rows.append((name, metric.unit, metric.better, metric.sentence))
    return f"## {FAMILIES[family]}\n\n" + elements.table(("metric", "unit", "better", "meaning"), rows)
