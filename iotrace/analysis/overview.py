"""The output of ``iotrace characterize``: the verdict, the summary, and statistics that go with its family."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.characterize import (
    characterize_store,
    refuse_without,
    short_of_memory,
    why_left_out,
)
from iotrace.analysis.facts import queries_for
from iotrace.analysis.jobs import STATISTIC, first_look
from iotrace.analysis.summary import Summary, summarized, table_of
from iotrace.errors import MemoryLimitError, UsageError
from iotrace.families import FAMILIES
from iotrace.store.store import Store
from iotrace.workers import Workers


def statistics(
    store: Store,
    names: Sequence[str],
    parameters: Mapping[str, str | int],
    left_out: dict[str, str] | None = None,
    workers: Workers | None = None,
) -> dict[str, pa.Table]:
    """Return statistics of a store; ``workers`` compute what merges (see `iotrace.analysis.merging`).

    Raises as `characterize` does, and IotraceError for what DuckDB or workers cannot do.
    """
    if store.kept is not None:
        from iotrace.analysis import kept_statistics

        return kept_statistics.statistics(store, names, parameters, {} if left_out is None else left_out)
    computed: Mapping[str, pa.Table] = {}
    if workers is not None:
        from iotrace.analysis.merging import merged

        computed = merged(store, [name for name in names if name in queries.names()], parameters, workers)
    return characterize_store(store, names, parameters, left_out, computed)


def shown(store: Store, has_all: bool) -> list[str]:
    """Return the statistics of an overview."""
    return queries.names(store.family.name) if has_all else list(store.family.first_statistics)


def overview(
    store: Store,
    parameters: Mapping[str, str | int],
    left_out: dict[str, str],
    has_all: bool = False,
    workers: Workers | None = None,
) -> dict[str, pa.Table]:
    """Return the verdict, the summary and the first statistics, or all that say something of the store's family.

    What cannot be followed is empty; `left_out` gets its names and the reasons. ``workers`` are as in `statistics`.
    """
    names = shown(store, has_all)
    results = statistics(
        store, list(dict.fromkeys([*queries_for(store.family), *names])), parameters, left_out, workers
    )
    is_of_accesses = store.family.answers("accesses")
    try:
        refuse_without(queries_for(store.family), short_of_memory(store, left_out))
        first = summarized(results, store.manifest) if is_of_accesses else first_look(results[STATISTIC])
    except MemoryLimitError as error:
        first = Summary(table_of([]), (f"The verdict could not be computed: {error}.",))
    sentences = pa.table({"sentence": list(first.verdict)}, schema=queries.table_schema("verdict"))
    return {"verdict": sentences, "summary": first.numbers} | {name: results[name] for name in names}


def sentences_of_left_out(
    store: Store, left_out: Mapping[str, str], names: Sequence[str], last: str | None
) -> list[str]:
    """Return why statistics are left out; of partitions, which ``last`` chose, those of these names."""
    if store.kept is None:
        return [f"{name} is left out: {why_left_out(store, name, why)}" for name, why in left_out.items()]
    from iotrace.analysis import kept_statistics

    return list(filter(None, [kept_statistics.sentence(store, left_out, names, last or "")]))


def without_effect(store: Store, names: Sequence[str]) -> list[str]:
    """Return a sentence for each statistic that says nothing of the store's family."""
    known = [queries.query(name) for name in names if name in queries.names()]
    return [
        f"{parameter.name} says something of {' or '.join(FAMILIES[family].rows for family in parameter.families)}"
        f" alone; this trace has {store.family.rows}"
        for parameter in known
        if not parameter.is_of(store.family.name)
    ]


def sql_of(names: Sequence[str]) -> pa.Table:
    """Return the SQL of statistics and of the views below them: result sql; raises UsageError for unknown names."""
    known = {*queries.names(), *queries.views()}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"no statistic is called {', '.join(unknown)}; --list shows them all")
    texts = [queries.query(name).sql for name in names]
    return pa.table({"name": list(names), "sql": texts}, schema=queries.table_schema("sql"))
