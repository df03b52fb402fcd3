"""Conditions on metrics, as ``--fail-if`` takes them: ``read_latency_p99 > 1.2x``."""

import difflib
import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iotrace.analysis.compare.compare import Basis, Comparison, MetricRow
from iotrace.analysis.compare.words import too_few
from iotrace.errors import IotraceError, UsageError
from iotrace.families import FAMILIES, Family
from iotrace.queries.metrics import metrics

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
EXAMPLES = "'read_latency_p99 > 1.2x', 'bytes_written > +10%' or 'syncs > 0'"
_FORM = re.compile(
    r"\s*(?P<metric>\w+)\s*(?P<operator><=|>=|<|>)\s*(?P<number>[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)\s*(?P<kind>x|%|)"
    r"(?P<significant>\s+and\s+significant)?\s*"
)


@dataclass(frozen=True)
class Condition:
    """A bound on a metric's ratio (``1.2x``, ``+20%``), or on its value after in the metric's unit (``500``)."""

    text: str
    metric: str
    operator: str
    number: float
    is_ratio: bool
    is_significant: bool
    """Whether it holds only for changes beyond noise."""

    def holds(self, comparison: Comparison) -> bool:
        """Return whether it holds; raises IotraceError where that cannot be judged."""
        row = comparison.row(self.metric)
        if row.a is None or row.b is None:
            raise IotraceError(
                f"--fail-if {self.text!r}: cannot be judged, since a trace does not record {self.metric}"
            )
        is_of_time = metrics(comparison.family.name).by_name[self.metric].is_of_time
        if comparison.basis is Basis.NOTHING and (is_of_time or self.is_significant):
            raise IotraceError(f"--fail-if {self.text!r}: {too_few(comparison)}")
        if is_of_time and not comparison.is_alike_traced:
            raise IotraceError(
                f"--fail-if {self.text!r}: what the tracer adds is taken off the times of some of these traces only"
            )
        if self.is_significant and row.significant is None and row.a != row.b:
            raise IotraceError(
                f"--fail-if {self.text!r}: cannot be judged, since these traces do not show the noise of {self.metric}"
            )
        if self.is_significant and not row.significant:
            return False
        return OPERATORS[self.operator](_ratio(row) if self.is_ratio else row.b, self.number)


def _ratio(row: MetricRow) -> float:
    """Return b over a, where nothing over nothing is no change."""
    if row.ratio is not None:
        return row.ratio
    return math.inf if row.b else 1.0


def conditions(texts: Sequence[str]) -> list[Condition]:
    """Read conditions; raises UsageError for what is none, and for metrics of no family."""
    return [_read(text) for text in texts]


def _read(text: str) -> Condition:
    match = _FORM.fullmatch(text)
    if match is None:
        raise UsageError(f"--fail-if {text!r}: is not a condition such as {EXAMPLES}")
    every = [name for family in FAMILIES for name in metrics(family).by_name]
    _refuse_unknown(text, match["metric"], list(dict.fromkeys(every)))
    number = float(match["number"])
    is_percent = match["kind"] == "%"
    if is_percent and match["number"][0] not in "+-":
        raise UsageError(
            f"--fail-if {text!r}: a change has a sign: +{match['number']}% or -{match['number']}%;"
            " a value after has no %"
        )
    return Condition(
        text=text.strip(),
        metric=match["metric"],
        operator=match["operator"],
        number=1 + number / 100 if is_percent else number,
        is_ratio=bool(match["kind"]),
        is_significant=match["significant"] is not None,
    )


def check(conditions: Sequence[Condition], family: Family) -> None:
    """Raise UsageError for metrics that traces of a family do not have."""
    for condition in conditions:
        _refuse_unknown(condition.text, condition.metric, list(metrics(family.name).by_name))


def _refuse_unknown(text: str, metric: str, known: Sequence[str]) -> None:
    if metric not in known:
        alike = difflib.get_close_matches(metric, known, 5, 0.5) or known
        raise UsageError(f"--fail-if {text!r}: no metric is called {metric}; there are {', '.join(alike)}")
