"""The options that choose a part of a trace, which all commands that analyse share."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from iotrace.cli.options.groups import Group, declared
from iotrace.cli.terminal import print
from iotrace.errors import IotraceError, UsageError
from iotrace.option.rules import Caches, Kind

if TYPE_CHECKING:
    from iotrace.store.part.build import TracePart
    from iotrace.store.part.selection import Selection
    from iotrace.store.store import Store
    from iotrace.store.traces import Traces


SINCE = "Start at this time: 10s, 00:10:00, 14:05."
UNTIL = "End before this time."
LAST = "Only the last TIME (before --until, if given): 30s."
PROCESS = "Only these processes, by number."
PROGRAM = "Only programs whose path matches: cc1, '/usr/*' (repeatable)."
PATH = "Only files whose path matches: '*.h', '/home/*' (repeatable)."
WHERE = "Only references that meet this SQL condition, and their calls."
BEGINNINGS = {"--since": "both say where the part begins"}
COUNTED_FROM_START = dict.fromkeys(["--adaptive", "--advise", "--learn"], "it counts from the start")


def of_part(
    help: str, metavar: str, conflicts: Mapping[str, str] = MappingProxyType({}), **others: Any
) -> Any:
    """Declare an option that chooses a part of a trace."""
    return declared(None, help, metavar=metavar, kind=Kind.PART, conflicts=conflicts, **others)


def of_warmed_part(help: str, metavar: str, conflicts: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Declare the same where earlier requests warm the caches, which are of blocks."""
    return of_part(help, metavar, conflicts, only_for=Caches.BLOCKS, rare=True)


@dataclass(frozen=True)
class PartOptions(Group):
    """Which part of a trace is analysed."""

    since: str | None = of_part(SINCE, "TIME")
    until: str | None = of_part(UNTIL, "TIME")
    last: str | None = of_part(LAST, "TIME", BEGINNINGS)
    process: str | None = of_part(PROCESS, "PID,...")
    program: list[str] | None = of_part(PROGRAM, "GLOB")
    path: list[str] | None = of_part(PATH, "GLOB")

    @property
    def condition(self) -> str | None:
        """The condition in SQL, of commands that have it here."""
        return None

    @property
    def is_used(self) -> bool:
        """Whether a part is asked for."""
        given = (self.since, self.until, self.last, self.process, self.program, self.path, self.condition)
        return any(value is not None and value != [] for value in given)

    def of(self, store: "Store", is_interactive: bool = False, name: str = "") -> "Store":
        """Return the part of a store, and print what it covers: with the answer if that is to be read there.

        The store is called by its `name` where there are several.
        """
        if not self.is_used:
            return store
        from iotrace.store.part.build import part_of

        return self._shown(part_of(store, self.selection(store)), is_interactive, name)

    def of_partitions(
        self,
        store: "Store",
        names: Sequence[str] = (),
        parameters: Mapping[str, str | int] = MappingProxyType({}),
        is_interactive: bool = False,
    ) -> "Store | None":
        """Return the last partitions of a store that grows, by what was kept of them; None for another part.

        They are several that end in the last time. Where one of these statistics needs their requests, it is the part
        with the requests of these partitions.
        """
        if self.last is None or replace(self, last=None).is_used:
            return None
        from iotrace.analysis import kept_statistics
        from iotrace.store.part.time_spec import length_ns

        chosen = kept_statistics.covering(store, length_ns(self.last))
        if not chosen:
            return None
        if any(kept_statistics.why_not(name, store.family.name, parameters) for name in names):
            return self._shown(kept_statistics.with_requests(store, chosen), is_interactive)
        part = kept_statistics.of_partitions(store, chosen)
        return self._shown(part, is_interactive)

    def of_traces(self, stores: "Mapping[str, Store]") -> "Store | Traces":
        """Return the part of each store of several, by their names, or that of one."""
        from iotrace.store.traces import Traces

        if len(stores) == 1:
            (store,) = stores.values()
            return self.of(store)
        return Traces({name: self.of(store, name=f"{name}:") for name, store in stores.items()})

    def of_caches(self, store: "Store", is_interactive: bool = False) -> "Store":
        """Return the same for caches, which the references before the part warm."""
        if not self.is_used:
            return store
        from iotrace.store.part.build import warmed_part_of

        return self._shown(warmed_part_of(store, self.selection(store)), is_interactive)

    def of_simulated_caches(self, store: "Store", is_interactive: bool = False, name: str = "") -> "Store":
        """Return the same for simulated machines, whose caches the requests before the part warm."""
        if not self.is_used:
            return store
        from iotrace.store.part.build import warmed_requests_of

        return self._shown(warmed_requests_of(store, self.selection(store)), is_interactive, name)

    def _shown(self, part: "TracePart", is_interactive: bool, name: str = "") -> "Store":
        print(
            *([] if is_interactive else ["iotrace:"]),
            *([name] if name else []),
            part.sentence,
            file=sys.stdout if is_interactive else sys.stderr,
        )
        return part.store

    def selection(self, store: "Store") -> "Selection":
        """Return what is selected; raises UsageError for invalid values, and IotraceError without times."""
        from iotrace.store.part.selection import Selection

        since_ns, until_ns = self._times(store)
        return Selection(
            since_ns,
            until_ns,
            _numbers(self.process),
            _globs(self.program, "--program"),
            _globs(self.path, "--path"),
            self.condition,
        )

    def _times(self, store: "Store") -> tuple[int | None, int | None]:
        from iotrace.store.part.selection import moment
        from iotrace.store.part.time_spec import EXAMPLES, length_ns, moment_ns

        given = [name for name in ("since", "until", "last") if getattr(self, name) is not None]
        if not given:
            return None, None
        times, whole_ns = store.manifest["times"], store.length_ns
        if whole_ns is None:
            raise IotraceError(f"{store.name}: has no times, so --{given[0]} cannot choose a part of it")
        first_ns = times["first_ns"] if times["base"] == "epoch" else None
        since_ns, until_ns = (
            None if text is None else moment_ns(text, option, first_ns, whole_ns)
            for option, text in (("--since", self.since), ("--until", self.until))
        )
        if self.last is not None:
            try:
                since_ns = (whole_ns if until_ns is None else min(until_ns, whole_ns)) - length_ns(self.last)
            except UsageError:
                raise UsageError(f"--last: {self.last.strip()!r} is not a time; {EXAMPLES}") from None
        if since_ns is not None and until_ns is not None and since_ns >= until_ns:
            raise UsageError(f"--until ({moment(until_ns)}) is not after --since ({moment(since_ns)})")
        if since_ns is not None and since_ns > whole_ns:
            raise IotraceError(
                f"{store.name}: ends at {moment(whole_ns)}, before --since ({moment(since_ns)});"
                f" --last {self.since} counts from the end"
            )
        if until_ns is not None and until_ns <= 0:
            raise IotraceError(f"{store.name}: begins at or after --until ({moment(until_ns)})")
        return None if since_ns is None else max(since_ns, 0), until_ns


def _numbers(text: str | None) -> tuple[int, ...]:
    numbers = [] if text is None else [word.strip() for word in text.split(",")]
    if wrong := [word for word in numbers if not (word.isascii() and word.isdigit() and len(word) <= 18)]:
        raise UsageError(
            f"--process: {wrong[0]!r} is not the number of a process; give numbers, as in 4711,4712"
        )
    return tuple(dict.fromkeys(map(int, numbers)))


def _globs(given: list[str] | None, option: str) -> tuple[str, ...]:
    if given is not None and "" in given:
        raise UsageError(f"{option} is empty")
    return tuple(given or ())


def _condition(where: str | None) -> str | None:
    if where is not None and not where.strip():
        raise UsageError("--where is empty")
    return where


@dataclass(frozen=True)
class PartWithWhere(PartOptions):
    """The same with a condition in SQL, of commands whose caches have none."""

    where: str | None = of_part(WHERE, "SQL")

    @property
    def condition(self) -> str | None:
        """The condition in SQL; raises UsageError for an empty one."""
        return _condition(self.where)


@dataclass(frozen=True)
class ReportPart(PartWithWhere):
    """The same of the report, which has statistics of the part, and caches warmed by what precedes it."""

    job: str | None = declared(
        None, "Only this job of several: its number, or the name of its log.", metavar="JOB", kind=Kind.PART
    )

    def of_report(self, store: "Store") -> "Store":
        """Return the part, with its store for caches, and print what it covers to standard error."""
        if self.job is not None:
            from iotrace.store.part.job import job_of

            store = self._shown(job_of(store, self.job), is_interactive=False)
        if (partitions := self.of_partitions(store)) is not None:
            return partitions
        part = self.of(store)
        if part is store or not (self.since or self.last):
            return part
        from iotrace.store.part.build import warmed_part_of

        return replace(part, warmed=warmed_part_of(store, self.selection(store)).store)


@dataclass(frozen=True)
class CachePart(PartOptions):
    """The same of commands whose caches are warmed by what precedes the part; ``--help-all`` shows them."""

    since: str | None = of_warmed_part(f"{SINCE} Earlier requests warm the cache.", "TIME")
    until: str | None = of_warmed_part(UNTIL, "TIME")
    last: str | None = of_warmed_part(LAST, "TIME", BEGINNINGS)
    process: str | None = of_warmed_part(PROCESS, "PID,...")
    program: list[str] | None = of_warmed_part(PROGRAM, "GLOB")
    path: list[str] | None = of_warmed_part(PATH, "GLOB")


@dataclass(frozen=True)
class CachePartWithWhere(CachePart):
    """The same with a condition in SQL, of ``iotrace attribute``, whose caches have none."""

    since: str | None = of_warmed_part(
        f"{SINCE} Earlier requests warm the cache.", "TIME", COUNTED_FROM_START
    )
    last: str | None = of_warmed_part(LAST, "TIME", {**BEGINNINGS, **COUNTED_FROM_START})
    where: str | None = of_warmed_part(WHERE, "SQL")

    @property
    def condition(self) -> str | None:
        """The condition in SQL; raises UsageError for an empty one."""
        return _condition(self.where)


WARM = "Earlier requests warm the caches."


@dataclass(frozen=True)
class SimulatedPart(PartWithWhere):
    """The same of simulated machines, whose caches what precedes the part warms; ``--help-all`` shows them."""

    since: str | None = of_part(f"{SINCE} {WARM}", "TIME", rare=True)
    until: str | None = of_part(UNTIL, "TIME", rare=True)
    last: str | None = of_part(f"{LAST} {WARM}", "TIME", BEGINNINGS, rare=True)
    process: str | None = of_part(PROCESS, "PID,...", rare=True)
    program: list[str] | None = of_part(PROGRAM, "GLOB", rare=True)
    path: list[str] | None = of_part(PATH, "GLOB", rare=True)
    where: str | None = of_part(WHERE, "SQL", rare=True)
