"""Asks the rules of ``queries/advice`` of a store, and ranks what they find by what is at stake."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import duckdb

from iotrace import queries, units
from iotrace.analysis.advice import predicted
from iotrace.analysis.advice.cards import (
    LEAST_PERCENT,
    MOST_EVIDENCE,
    SHORT_PATH,
    SHORT_PLACE,
    Advice,
    Card,
    Evidence,
    Seconds,
    Whole,
    leads,
)
from iotrace.analysis.advice.words import amount, is_idle
from iotrace.analysis.characterize import each, prepared
from iotrace.analysis.times import (
    TracersPart,
    clock_split,
    no_calls,
    not_recorded,
    storage_parts,
    tracers_part,
)
from iotrace.analysis.verdict import unseen_sentences
from iotrace.families import JOBS, Family, counts_jobs
from iotrace.files import memory
from iotrace.queries.rules import CONFIDENCES, Rule, rules
from iotrace.store import sampled_files
from iotrace.store.appended import between_ns
from iotrace.store.manifest import shows_disks, shows_waits
from iotrace.store.store import Store


def advise(store: Store, names: Sequence[str] = (), is_all: bool = False, has_split: bool = False) -> Advice:
    """Ask all rules of the store's family, or those named; `is_all` keeps what has little at stake, too.

    With `has_split` the advice on system calls says how the clock's time divides. Raises KeyError for unknown rules.
    """
    store.family.check_answers("advice", store.name)
    if store.manifest["counts"].get("calls") == 0:
        raise no_calls(store)
    asked = asked_of(store, names)
    is_split = has_split and store.family.answers("time") and store.has_times
    views = [*needs(store, names), *(["wall_time"] if is_split else [])]
    with store.queried(memory.BESIDE_TABLES_BYTES) as connection, prepared(connection, views, {}):
        advice = answered(connection, store, asked, is_all or bool(names))
        return replace(advice, split=clock_split(connection)) if is_split else advice


def needs(store: Store, names: Sequence[str] = ()) -> list[str]:
    """Return the views on which the rules of a store build, or those named, and the measure of what is at stake."""
    named = [need for rule in asked_of(store, names) for need in rule.needs if need not in queries.TABLES]
    return list(dict.fromkeys([*named, *adviser(store).io_views]))


def answered(
    connection: duckdb.DuckDBPyConnection, store: Store, asked: Sequence[Rule], is_all: bool = False
) -> Advice:
    """Ask rules on a connection that is prepared for what they need."""
    is_of_jobs = counts_jobs(store.tables)
    whole = _whole_of_jobs(connection) if is_of_jobs else _whole(connection, store)
    predicted.fill(connection, store, asked)
    # what is predicted is known on this connection alone
    apart = [rule for rule in asked if predicted.VIEW in rule.needs]
    found = each(connection, card_of, [rule for rule in asked if rule not in apart])
    cards = [card for card in (*found, *(card_of(connection, rule) for rule in apart)) if card is not None]
    if is_of_jobs:
        used = _used(connection)
        cards = [
            replace(card, snippets=tuple(one for one in card.rule.snippets if one[0] in used))
            for card in cards
        ]
    if whole.is_bound:  # of calls without a length nothing is known, and not that they take no time
        cards = [card if card.at_stake_s else replace(card, at_stake_s=None) for card in cards]
    ranked = sorted(cards, key=lambda card: (not leads(card, whole), *_rank(card, whole)))
    ranked = counted_once(ranked)
    if is_all:
        return Advice(tuple(ranked), 0, whole)
    if is_idle(whole) and not any(leads(card, whole) for card in cards):
        if store.family.answers("time"):
            whole = replace(whole, has_unseen=bool(unseen_sentences(connection)))
        return Advice((), len(cards), whole)
    kept = [card for card in ranked if _matters(card, whole)]
    return Advice(tuple(kept), len(cards) - len(kept), whole)


def adviser(store: Store) -> Family:
    """Return the family whose rules are asked of a store: where it has counters of jobs, those on counters."""
    return JOBS if counts_jobs(store.tables) else store.family


def asked_of(store: Store, names: Sequence[str] = ()) -> list[Rule]:
    """Return the rules that are asked of a store, or those named; raises KeyError for unknown ones."""
    known = known_for(store)
    return [known[name] for name in names] if names else list(rules(adviser(store).name).values())


def known_for(store: Store) -> dict[str, Rule]:
    """Return the rules that can be asked of a store: of one with counters and accesses those on either."""
    return rules(store.family.name) | rules(adviser(store).name)


def counted_once(cards: Sequence[Card]) -> list[Card]:
    """Return cards of which each leaves out the seconds at stake that the cards before it count, too.

    Rules on counters name the seconds of which a part is at stake; several have no more at stake than these.
    """
    taken: dict[str, float] = {}
    counted = []
    for card in cards:
        shared_s = 0.0
        for name, seconds in card.seconds.items():
            before_s = taken.get(name, 0.0)
            left_s = math.inf if seconds.whole_s is None else max(0.0, seconds.whole_s - before_s)
            own_s = min(seconds.at_stake_s, left_s)
            shared_s += seconds.at_stake_s - own_s
            taken[name] = before_s + own_s
        if card.at_stake_s is not None and shared_s:
            card = replace(card, at_stake_s=max(0.0, card.at_stake_s - shared_s), shared_s=shared_s)
        counted.append(card)
    return counted


OF_DATA = "reference where operation in ('read', 'write')"


def _whole(connection: duckdb.DuckDBPyConnection, store: Store) -> Whole:
    """Return what the advice is measured by, of a connection that is prepared for all rules of the family."""
    ((requests, timed),) = connection.execute(
        f"select count(*), count(duration_ns) from {store.family.requests_sql}"
    ).fetchall()
    ((io_ns, recorded_ns, ranks),) = connection.execute(store.family.io_sql).fetchall()
    ((data_bytes,),) = connection.execute(
        f"select coalesce(sum(length) filter (type in ('datafile', 'executable', 'disk')), 0)::bigint from {OF_DATA}"
    ).fetchall()
    return Whole(
        wall_s=None if store.length_ns is None else (store.length_ns - between_ns(store.manifest)) / 1e9,
        data_bytes=int(data_bytes),
        requests=int(requests),
        io_s=None if io_ns is None else float(io_ns) / 1e9,
        recorded_s=None if recorded_ns is None else float(recorded_ns) / 1e9,
        io_in=store.family.in_io,
        ranks=int(ranks),
        is_bound=bool(100 * (requests - timed) >= LEAST_PERCENT * requests > 0),
        tracers=tracers_part(store.manifest),
        not_recorded=not_recorded(store.manifest),
        shows_waits=shows_waits(store.manifest),
        is_sampled=sampled_files.share(store.manifest) is not None,
        parts=storage_parts(connection) if shows_disks(store.manifest) else None,
    )


def _whole_of_jobs(connection: duckdb.DuckDBPyConnection) -> Whole:
    """Return the same of counters of jobs: the run is ranks times run time."""
    ((requests, moved_bytes, io_s, available_s, ranks),) = connection.execute(
        "select coalesce(sum(reads::double + writes), 0), coalesce(sum(coalesce(bytes_read, 0)::double"
        " + coalesce(bytes_written, 0)), 0), sum(io_s), sum(available_s), coalesce(sum(ranks), 0)"
        " from job_io join darshan_job using (job)"
    ).fetchall()
    ranks = max(1, int(ranks))
    return Whole(
        wall_s=None if available_s is None else available_s / ranks,
        data_bytes=int(moved_bytes),
        requests=int(requests),
        io_s=io_s,
        io_in=JOBS.in_io,
        ranks=ranks,
        is_of_jobs=True,
    )


def _used(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the libraries and file systems, as rules name them, that the jobs use or could use."""
    ((modules, mounts),) = connection.execute(
        "select (select string_agg(modules, ', ') from darshan_job), (select string_agg(type, ', ') from darshan_mount)"
    ).fetchall()
    named = set((modules or "").split(", "))
    found = {"POSIX", "MPI-IO"}
    found |= {"HDF5"} if named & {"H5F", "H5D"} else set()
    found |= {"PnetCDF"} if named & {"PNETCDF_FILE", "PNETCDF_VAR"} else set()
    return found | ({"Lustre"} if "LUSTRE" in named or "lustre" in (mounts or "") else set())


def card_of(connection: duckdb.DuckDBPyConnection, rule: Rule) -> Card | None:
    """Return what a rule finds on a connection that is prepared for it; None for nothing."""
    rows = connection.execute(
        f"{rule.evidence_sql} order by at_stake_s desc nulls last, at_stake_bytes desc nulls last, number desc, path,"
        " process"
    ).fetchall()
    if not rows:
        return None
    seconds: dict[str, Seconds] = {}
    if rule.is_of_counters:
        evidence = [Evidence(*(*row[:-3], row[-1])) for row in rows]
        for piece, (*_, time_of, time_s, _) in zip(evidence, rows, strict=True):
            before_s = seconds[time_of].at_stake_s if time_of in seconds else 0.0
            seconds[time_of] = Seconds(before_s + (piece.at_stake_s or 0.0), time_s)
    else:
        evidence = [Evidence(*row) for row in rows]
    times = [piece.at_stake_s for piece in evidence if piece.at_stake_s is not None]
    sizes = [piece.at_stake_bytes for piece in evidence if piece.at_stake_bytes is not None]
    title, short = _titles(rule, evidence)
    return Card(
        rule=rule,
        title=title,
        at_stake_s=math.fsum(times) if times else None,
        at_stake_bytes=int(sum(sizes)) if sizes else None,
        evidence=tuple(evidence[:MOST_EVIDENCE]),
        places=len(evidence),
        number=None if evidence[0].unit in ("s", "bytes") else math.fsum(piece.number for piece in evidence),
        short=short,
        seconds=seconds,
    )


def _titles(rule: Rule, evidence: Sequence[Evidence]) -> tuple[str, str]:
    """Return the rule's title: the sum of the numbers, the place with most at stake, its number, what else there is.

    The second has the place shortened, and not what else there is. A place is a path, whichever processes use it.
    """
    places: dict[str, list[Evidence]] = {}
    for piece in evidence:
        places.setdefault(piece.path or piece.process or "", []).append(piece)
    place = max(places, key=lambda name: _weight(places[name]))
    unit, others = evidence[0].unit, len(places) - 1
    whole, part = (math.fsum(piece.number for piece in pieces) for pieces in (evidence, places[place]))
    values = {
        "number": amount(whole, unit),
        "first": amount(part, unit),
        "most": "all" if not others else "most" if 2 * part > whole else amount(part, unit),
    }
    more = f" (and {others:,} more like it)" if others else ""
    return (
        rule.title.format(**values, path=place, others=more),
        rule.title.format(
            **values,
            path=units.shortened(place, SHORT_PATH if place.startswith("/") else SHORT_PLACE),
            others=f" (and {others:,} more)" if others else "",
        ),
    )


def _weight(evidence: Sequence[Evidence]) -> tuple[float, int, float]:
    """Return what is at stake in seconds and in bytes, and the number."""
    return (
        math.fsum(piece.at_stake_s or 0 for piece in evidence),
        sum(piece.at_stake_bytes or 0 for piece in evidence),
        math.fsum(piece.number for piece in evidence),
    )


def _matters(card: Card, whole: Whole) -> bool:
    if whole.is_of_jobs:
        return leads(card, whole)
    times = (
        whole.wall_s and card.at_stake_s is not None and 100 * card.at_stake_s >= LEAST_PERCENT * whole.wall_s
    )
    sizes = (
        whole.data_bytes
        and card.at_stake_bytes is not None
        and 100 * card.at_stake_bytes >= LEAST_PERCENT * whole.data_bytes
    )
    is_unknown = card.at_stake_bytes is None and (whole.is_bound or card.at_stake_s is None)
    return bool(times or sizes or is_unknown)


def _rank(card: Card, whole: Whole) -> tuple[float, float, float, float, int, str]:
    """Return what sorts cards: by seconds, bytes, and, of those of which neither is known, the number of calls.

    By the number first where seconds are upper bounds.
    """
    confidence = CONFIDENCES.index(card.rule.confidence)
    return (
        -(card.number or 0.0) if whole.tracers is TracersPart.CONTAINED else 0.0,
        -(card.whole_stake_s or 0.0),
        -(card.at_stake_bytes or 0),
        -(card.number or 0.0),
        confidence,
        card.rule.name,
    )
