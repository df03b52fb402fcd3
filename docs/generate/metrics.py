"""The page of metrics of compare, from queries/metrics.toml."""

import elements
from iotrace.queries.metrics import PERCENTILES, metrics

from iotrace.families import FAMILIES

INTRODUCTION = """\
`iotrace compare A B` shows these metrics of both traces, with `b` over `a`, and names them in column `metric`;
`--fail-if` takes the same names. They are data: `queries/metrics.toml` has the SQL of each.

Column `verdict` says, in one word:

- `better`, `worse`: times of repeated runs of a program; less is better;
- `more`, `less`: counts and loads (calls, requests, bytes, rates): more of them is neither better nor worse;
- `different`: all else that changed beyond noise;
- `not_different`: noise explains the change;
- `cannot_tell`: noise is not judged; or all runs after are above all runs before, or below, by less than so few runs
  can show.

`low` and `high` are the band of ratios that noise alone explains; a change beyond it is `significant`. All metrics of
one comparison together are wrongly called changed once in 100 comparisons: each metric has a level of its own, and the
levels add up to 1 % (Bonferroni). The first metrics of a family share half of it: wall time of programs, the medians of
read and write latency of disks. The others share the other half.

- **Three or more runs on each side**, `A1 A2 A3 vs B1 B2 B3`. `a` and `b` are means over the runs, and the band is
  that of a t test with the relative variance pooled over both sides. Three runs can agree by accident, so the
  standard deviation is taken to be at least 5 % of times, 1 % of bytes, sizes and shares, half an event of counts,
  and 1 µs of latencies, which strace states to the microsecond. A percentile is judged if at least 10 values of each
  trace lie above it. Only this sees differences from run to run, such as a warm page cache. Record before and after
  in turn: if the load of the machine changes between all runs before and all runs after, the load is what is found.
  Recorded times vary least on one CPU, where strace and the program take turns: `taskset -c 0 iotrace record ...`,
  for programs that need no more.
- **Fewer runs of a program.** Noise is not judged. Counts and bytes are stated without a verdict; `--fail-if` refuses
  conditions on times.
- **One period of disks or key-value stores against one, or two parts of one trace.** Each one's time is divided into 50
  windows of equal length. Blocks of 10 windows in a row are resampled with replacement, 2,000 times with a fixed seed
  (a circular block bootstrap). The band is symmetric in the logarithm (Hall 1988) and widened as few blocks need
  (Hesterberg 2015). Blocks count as independent: what goes on for longer than a fifth of a trace can look like a
  change. The cause cannot be told from one period each, so no verdict is better or worse. Noise is not judged where
  windows cannot show it: for wall time, working set, cache misses and the times of single ranks; with fewer than 25
  windows in which something happens; in traces without times."""


def page() -> str:
    """Return the page of metrics."""
    return elements.page("Metrics of compare", INTRODUCTION, *map(_family, FAMILIES))


def _family(family: str) -> str:
    rows = []
    for metric in dict.fromkeys(metrics(family).by_name.values()):
        ends = ", ".join(f"`_{end}`" for end in PERCENTILES) if metric.percentiles else ""
        name = elements.code(metric.name) + (f" + {ends}" if ends else "")
        rows.append((name, metric.unit, metric.kind, metric.description))
    return f"## {FAMILIES[family].title}\n\n" + elements.table(("metric", "unit", "kind", "meaning"), rows)
