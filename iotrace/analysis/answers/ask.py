"""The first screen of a store: what the answers need is asked of it once, and each family has its answers."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import duckdb
import pyarrow as pa

from iotrace.analysis import jobs
from iotrace.analysis.advice import Advice
from iotrace.analysis.advice.ask import answered, asked_of, needs
from iotrace.analysis.answers import cache as caches
from iotrace.analysis.answers import time as times
from iotrace.analysis.answers.about import about
from iotrace.analysis.answers.caution import SAMPLED, cautions
from iotrace.analysis.answers.change import change
from iotrace.analysis.answers.figures import NEEDED, QUERIES, Known, figures_of, key_figures
from iotrace.analysis.answers.headline import before_damage, headline
from iotrace.analysis.answers.memory import PageReads, of_memory
from iotrace.analysis.answers.screen import Answer, Cache, FirstScreen, Time, fitting
from iotrace.analysis.characterize import cursor, each, refuse_without, result, share, short_of_memory
from iotrace.analysis.curves.sizing import CurveHits
from iotrace.analysis.lines.hits import RunHits
from iotrace.analysis.lines.runs import RunMemo
from iotrace.analysis.times import is_partly_unknown
from iotrace.errors import IotraceError, UnusableStoreError, damage, is_interruption, reason
from iotrace.families import CALLS, DISKS, PARALLEL, counts_jobs
from iotrace.queries.rules import Rule
from iotrace.store.sampled_files import share as share_of_files
from iotrace.store.store import Store

Answering = Callable[[Store, Mapping[str, pa.Table], str], Time]
How = tuple[Answering, Sequence[str], str]
TIMES: Mapping[str, How] = {
    CALLS.name: (times.of_calls, times.OF_CALLS, "time {trace}"),
    DISKS.name: (times.of_disks, times.OF_DISKS, "characterize {trace} answer_times busy_and_idle_periods"),
    PARALLEL.name: (times.of_ranks, times.OF_RANKS, "characterize {trace} rank_time"),
}
"""How the families that have it answer where the time goes: from which statistics, and which command says more."""
OF_JOBS: How = (times.of_jobs, times.OF_JOBS, "jobs {trace}")
"""The same for traces that have counters of jobs."""
MOST_REFERENCES = 10_000_000
"""Of longer traces, `first_screen` leaves caches and advice to their commands."""
OF_BOTH = ("timed_call",)
"""The views of calls that take long, and on which both advice and the page cache build."""
MEMORY = "memory {trace}"
"""The command that says more of the page cache."""
LONGEST_NAME = 60
"""A trace with a longer name is TRACE in commands."""


def _how(store: Store) -> How | None:
    return OF_JOBS if counts_jobs(store.tables) else TIMES.get(store.family.name)


def queries_of(store: Store) -> list[str]:
    """Return the statistics of which a store's first screen is made."""
    how = _how(store)
    of_time = how[1] if how else ()
    figures = figures_of(store.family, has_jobs=how is OF_JOBS)
    of_figures = [NEEDED[name] for name in figures if name in NEEDED]
    of_sample = [] if share_of_files(store.manifest) is None else [SAMPLED]
    return list(dict.fromkeys([*QUERIES, *of_time, *of_figures, *of_sample]))


def first_screen(store: Store, progress: Callable[[str], None] = lambda words: None) -> FirstScreen:
    """Return the first screen of a store; what cannot be computed says why."""
    if store.manifest["counts"]["references"] > MOST_REFERENCES:
        with store.queried() as connection:
            results, _, _ = _asked(store, connection, [], progress)
        caches_left_out = _left_out(store) if asks_of_caches(store) else None
        return composed(store, results, None, _takes_long(store, "advice {trace}"), caches_left_out)
    with store.queried() as connection, ThreadPoolExecutor(1) as beside:
        if store.family.has_model:
            share(connection, OF_BOTH)
        sharing = replace(store, cursor=partial(cursor, connection)) if store.family.has_model else store
        simulated = beside.submit(cache, sharing)
        results, advice, why_no_advice = _asked(store, connection, asked_of(store), progress)
        progress("simulating caches")
        return composed(store, results, advice, why_no_advice, simulated.result())


def _asked(
    store: Store,
    connection: duckdb.DuckDBPyConnection,
    rules: Sequence[Rule],
    progress: Callable[[str], None],
) -> tuple[dict[str, pa.Table], Advice | None, str | None]:
    """Return the statistics of the first screen, what the rules find, and why they could not be asked."""
    wanted = queries_of(store)
    progress("computing statistics")
    needed = needs(store) if rules else []
    short = short_of_memory(store, share(connection, [*wanted, *needed]))
    refuse_without(wanted, short)
    results = dict(zip(wanted, each(connection, result, wanted), strict=True))
    progress("looking for what to change")
    try:
        refuse_without(needed, short, may_lack=())
        return results, answered(connection, store, rules) if rules else None, None
    except (IotraceError, duckdb.Error) as error:
        if is_interruption(error) or isinstance(error, UnusableStoreError) or damage(error):
            raise
        return results, None, reason(error).splitlines()[0].rstrip(".")


def _left_out(store: Store) -> Cache:
    """Return the answer on caches of a long trace, which is left to its command."""
    words = MEMORY if store.family.has_model else "curve {trace}"
    answer = cache_of_blocks(store, None, _takes_long(store, words))
    return replace(answer, command=command_for(store, words))


def _takes_long(store: Store, words: str) -> str:
    """Return why an answer on a long trace is left to its command."""
    return f"it takes long here ({command_for(store, words)})"


def cache(store: Store) -> Cache | None:
    """Return the answer on caches, of a store of which no curve is known yet; None where nobody asks for it."""
    if not asks_of_caches(store):
        return None
    try:
        if store.family.has_objects:
            return cache_of_objects(store, caches.ObjectCurves(store))
        reads = PageReads(store, is_first_screen=True) if store.family.has_model else None
        if (answer := cache_of_memory(store, reads)) is not None:
            return answer
        why = caches.refusal(store)
        return cache_of_blocks(store, caches.memo_of(store) if why is None else None, why, reads)
    except IotraceError as error:
        return cache_of_blocks(store, None, str(error))


def asks_of_caches(store: Store) -> bool:
    """Return whether the first screen has an answer on caches: not on a job's counters, with accesses or without."""
    return store.family.answers("accesses") and not counts_jobs(store.tables)


def cache_of_objects(store: Store, curves: caches.ObjectCurves) -> Cache:
    """Return the answer on caches of objects."""
    return caches.of_objects(curves, command_for(store, "curve {trace}"))


def cache_of_memory(store: Store, reads: PageReads | None) -> Cache | None:
    """Return the answer on the page cache of Linux; None where its model does not apply."""
    if reads is None or reads.why_not or reads.prediction is None:
        return None
    return of_memory(reads.prediction, command_for(store, MEMORY))


def cache_of_blocks(
    store: Store, memo: RunMemo | None, why_not: str | None = None, reads: PageReads | None = None
) -> Cache:
    """Return the answer on caches of blocks, or why they are not simulated, and why it is not on memory (`reads`)."""
    answer = _of_blocks(store, memo, why_not)
    return answer if reads is None else replace(answer, why_not_memory=reads.why_not)


def _of_blocks(store: Store, memo: RunMemo | None, why_not: str | None) -> Cache:
    command = command_for(store, "curve {trace}")
    if memo is None:
        first = (why_not or "").partition(";")[0]
        said = [
            f"Caches are not simulated: {why}." for why in (why_not, first, "requests touch too many blocks")
        ]
        return Cache(fitting(said), command=command)
    return caches.of_blocks(RunHits(memo.counts(caches.DATA)), command)


def cache_of_curve(store: Store, hits: CurveHits | None, why_not: str | None) -> Cache:
    """Return the answer on caches of partitions by their curve, which merges, or why there is none."""
    if hits is None:
        return cache_of_blocks(store, None, why_not)
    return caches.of_blocks(hits, command_for(store, "merge-curves {trace}"))


def command_for(store: Store, words: str) -> str:
    """Return a command on the trace."""
    return f"iotrace {words.format(trace=named(store))}"


def named(store: Store) -> str:
    """Return the trace's name in commands, as a shell reads it; TRACE for a long one or one with control characters."""
    name = shlex.quote(store.name)
    return name if len(name) <= LONGEST_NAME and name.isprintable() else "TRACE"


def composed(
    store: Store,
    results: Mapping[str, pa.Table],
    advice: Advice | None,
    why_no_advice: str | None,
    cache: Cache | None,
) -> FirstScreen:
    """Return the first screen from what is known of a store: the statistics of `queries_of`, advice, and a curve."""
    family, info = store.family, command_for(store, "info {trace}")
    time = None
    if how := _how(store):
        answer, _, words = how
        time = answer(store, results, command_for(store, words))
        time = time if time.amounts else replace(time, command=info)
    is_asked = family.answers("advice")
    advice = advice if is_asked else None
    is_bound = _is_partial(time)
    has_calls = store.manifest["counts"].get("calls") != 0
    advise = command_for(store, "advice {trace}") if has_calls else info
    to_change = change(advice, why_no_advice, is_bound, advise) if is_asked else None
    has_leader = advice is not None and advice.leader is not None
    report = command_for(store, "report {trace}")
    known = Known(results, advice.whole if advice is not None else None)
    says_more = [
        to_change if has_leader else None,
        time if time and time.amounts and (time.is_of_jobs or family.answers("time")) else None,
        cache if cache and cache.points else None,
    ]
    next_command = next((answer.command for answer in says_more if answer), info)
    first = headline(time, advice, to_change, cache, is_bound, report)
    return FirstScreen(
        store.name,
        about(store, known.facts, results.get(jobs.STATISTIC)),
        before_damage(first) if store.manifest.get("damage") else first,
        time,
        to_change,
        cache,
        key_figures(figures_of(family, has_jobs=counts_jobs(store.tables)), known),
        (report, next_command),
        cautions(store.manifest, known.facts, results.get(SAMPLED)),
    )


def _is_partial(time: Time | None) -> bool:
    """Return whether much of the time is in calls of unknown length."""
    parts = {amount.key: round(1e9 * (amount.value or 0)) for amount in time.amounts} if time else {}
    return is_partly_unknown(parts)


def unanswered(store: Store, why: str) -> FirstScreen:
    """Return a first screen that says why there are no answers."""
    said = [f"The answers could not be computed: {words}." for words in (why, why.partition(";")[0])]
    sentence = fitting([*said, "The answers could not be computed."])
    commands = (command_for(store, "report {trace}"), command_for(store, "info {trace}"))
    return FirstScreen(store.name, (), Answer(sentence, command=commands[1]), None, None, None, (), commands)
