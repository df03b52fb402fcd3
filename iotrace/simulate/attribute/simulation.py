"""Attribute caches for one trace or several: settings in, tables and what was guessed out."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from iotrace import units
from iotrace.analysis.block_budget import Budget
from iotrace.analysis.curves.cache import Cache
from iotrace.errors import UsageError
from iotrace.simulate.attribute.adapting import adapted
from iotrace.simulate.attribute.advising import advice
from iotrace.simulate.attribute.best import Searches, uncached_by_space
from iotrace.simulate.attribute.comparison import comparison, regrets
from iotrace.simulate.attribute.learning import learnt
from iotrace.simulate.attribute.outcome import assigned_rows, outcome_table, prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.plan import Plan
from iotrace.simulate.attribute.settings import Settings
from iotrace.store.store import Store

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Result:
    """Tables by name (comparison and, of several traces, least_regret; or adaptive; or counts), and warnings."""

    tables: dict[str, pa.Table]
    warnings: list[str]


def run(
    stores: Mapping[str, Store],
    settings: Settings,
    cache: Cache | None = None,
    progress: Progress | None = None,
    budget_blocks: int = Budget.ATTRIBUTE,
) -> Result:
    """Return what attribute caches would do, by the traces' names; of ``cache`` the block size is not used.

    Raises UsageError for invalid settings, and IotraceError for a block trace, SQL that DuckDB refuses,
    requests without a subcache where `strict` forbids them, or more blocks than the budget.
    """
    plan = Plan.of(settings)
    for store in stores.values():
        store.family.check_answers("attribute", store.name)
        if store.counted_from_ns is not None and (settings.adaptive or settings.advise or settings.learn):
            raise UsageError(
                "--since and --last cannot be combined with --adaptive, --advise or --learn, which count from the start"
            )
    memos = {
        name: PassMemo(store, plan.rule, cache or Cache(), settings.strict, progress, budget_blocks)
        for name, store in stores.items()
    }
    if settings.split:
        tables = {"counts": _counts(memos, plan)}
    elif settings.advise:
        tables = advice(memos, plan, settings)
    elif settings.learn:
        tables = learnt(memos, plan, settings)
    elif settings.adaptive:
        tables = {"adaptive": _adaptive(memos, plan, settings, progress)}
    else:
        tables = _comparisons(memos, plan, settings)
    warnings = [line for name, memo in memos.items() for line in _guesses(name, memo, plan, settings)]
    return Result(tables, warnings)


def _counts(memos: Mapping[str, PassMemo], plan: Plan) -> pa.Table:
    parts = []
    for name, memo in memos.items():
        rows = outcome_table(memo, [plan.scheme, plan.baseline], plan.totals_bytes, split=True)
        names = pa.array([name] * rows.num_rows, pa.string())
        field = pa.field("trace", pa.string(), False, {"unit": "name", "description": "The trace."})
        parts.append(rows.add_column(0, field, names))
    return pa.concat_tables(parts)


def _adaptive(
    memos: Mapping[str, PassMemo], plan: Plan, settings: Settings, progress: Progress | None
) -> pa.Table:
    return pa.concat_tables(
        adapted(
            name,
            memo,
            plan.scheme,
            plan.totals_bytes,
            settings.objective,
            settings.period_requests,
            progress,
        )
        for name, memo in memos.items()
    )


def _comparisons(memos: Mapping[str, PassMemo], plan: Plan, settings: Settings) -> dict[str, pa.Table]:
    searches = {}
    for name, memo in memos.items():
        prepare(memo, [plan.scheme, plan.baseline])
        searches[name] = Searches(memo, plan.spaces, settings.objective, settings.cut_off_bytes)
    parts = [comparison(name, search, plan.scheme, plan.totals_bytes) for name, search in searches.items()]
    tables = {"comparison": pa.concat_tables(parts)}
    if len(searches) > 1:
        least = regrets(list(searches), list(searches.values()), plan.scheme, plan.totals_bytes)
        tables["least_regret"] = least
    return tables


def _guesses(name: str, memo: PassMemo, plan: Plan, settings: Settings) -> Iterator[str]:
    """Say which share of the requests has no subcache, and which went by a size that is not known."""
    if not memo.requests:
        yield f"{name}: the trace has no requests"
        return
    left = max(memo.unclassified(assigned) for assigned in assigned_rows(memo, plan.scheme))
    spared = uncached_by_space(memo, settings.spaces, settings.cut_off_bytes) if settings.spaces else 0
    for number, sentence in (
        (spared, "have no subcache in a --space, whose best partition leaves them uncached"),
        (left, "have no subcache and are uncached"),
        (memo.unknown_size_requests, "are to files of unknown size, which count as below the cut-off"),
    ):
        if number:
            yield f"{name}: {units.percent(100 * number / memo.requests)} of the requests {sentence}"
