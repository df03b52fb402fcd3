"""Which disciplines run on which program: plans are made by a first pass over it, which plays the compiler."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from iotrace.errors import UsageError
from iotrace.option import Option
from iotrace.simulate import sweep
from iotrace.simulate.cluster import bits
from iotrace.simulate.cluster.access_sets import CacheCapacity
from iotrace.simulate.cluster.discipline import SIMPLE, Discipline
from iotrace.simulate.cluster.planning import coarse, find_phases, fine
from iotrace.simulate.cluster.settings import BYPASS, NAMES, Machine, Settings
from iotrace.simulate.programs.program import Program


@dataclass(frozen=True)
class Bypass:
    """A table of bypass bits, and what it is called."""

    name: str
    bits: pa.Table

    @classmethod
    def read(cls, path: Path, program: Program) -> "Bypass":
        """Read bits for a program's files from CSV or Parquet; raises as `bits.read` does."""
        return cls(path.name, bits.read(path, program.files))


def compared(settings: Settings, sweeps: Sequence[str] = (), has_bypass: bool = False) -> list[Settings]:
    """Return the settings to be compared: all disciplines, unless sweeps name some or there are bits to bypass by.

    The disciplines of one place follow one another, bypass bits last. What differs only in a threshold that is not
    used is there once. Raises UsageError for an invalid sweep.
    """
    varied = sweep.varied(settings, sweeps, vary=_vary)
    is_named = "discipline" in sweep.swept_fields(Settings, sweeps)
    settings_of_all: list[Settings] = []
    places: dict[Settings, list[Settings]] = {}
    for varied_setting in varied:
        places.setdefault(varied_setting.place, []).append(varied_setting)
    for first, of_place in places.items():
        if not is_named:
            of_place = [
                replace(setting, discipline=name)
                for name in (() if has_bypass else NAMES)
                for setting in of_place
            ]
        if has_bypass:
            of_place.append(replace(first, discipline=BYPASS))
        settings_of_all += [
            setting if setting.discipline == "run-time" else replace(setting, threshold=0)
            for setting in of_place
        ]
    if not has_bypass and any(setting.discipline == BYPASS for setting in settings_of_all):
        raise UsageError("--discipline bypass needs --bypass")
    return list(dict.fromkeys(settings_of_all))


def _vary(settings: Settings, values: Mapping[Option, Any]) -> Settings:
    """Return settings that say what a sweep set, except for what the name of a discipline says."""
    texts = {
        option: value for option, value in values.items() if option.field not in ("discipline", "threshold")
    }
    return replace(sweep.changed(settings, values), swept=sweep.in_words(texts) or None)


def capacity_of(machine: Machine) -> CacheCapacity:
    """Return the capacity of a machine's global cache for plans: what its harvester does not keep free.

    An unbounded one holds everything.
    """
    blocks = machine.global_blocks if machine.global_blocks is not None else 1 << 40
    return CacheCapacity(
        blocks,
        machine.global_per_file,
        machine.segment_blocks,
        machine.block_bytes,
        free_percent=machine.high_water_percent,
    )


def with_phases(program: pa.Table) -> tuple[pa.Table, str | None]:
    """Return a program that has phases, found by quiet gaps or equal parts where it has none, and what was done."""
    if program["phase"].null_count < program.num_rows or not program.num_rows:
        return program, None
    if program["process"].null_count:
        return program, "self-scheduled records have no phases: fine sees one"
    phased = find_phases(program)
    count = pc.count_distinct(phased["phase"]).as_py()
    return phased, f"the program has no phases: {count} were found by quiet gaps of a second, or equal parts"


def needs_phases(all_settings: Sequence[Settings], bypass: Bypass | None) -> bool:
    """Return whether any discipline distinguishes the phases of a program."""
    is_planned = any(setting.discipline == "fine" for setting in all_settings)
    return is_planned or (bypass is not None and bits.names_phases(bypass.bits))


def cases(
    all_settings: Sequence[Settings], program: pa.Table, bypass: Bypass | None = None
) -> list[tuple[Settings, Discipline, pa.Table]]:
    """Return the discipline of each of the settings with the program that it runs on."""
    return [(setting, _discipline(setting, program, bypass), program) for setting in all_settings]


def _discipline(settings: Settings, program: pa.Table, bypass: Bypass | None) -> Discipline:
    name, capacity = settings.discipline, capacity_of(settings)
    if name in SIMPLE:
        return Discipline.of(name)
    if name == "run-time":
        return Discipline.counters(
            settings.threshold,
            first_access=settings.first_access,
            scope=settings.scope,
            ages=not settings.no_aging,
        )
    if name == "coarse":
        return Discipline.planned(coarse(program, capacity), name=name)
    if name == "fine":
        # what local caches serve does not count for segments
        beyond = replace(capacity, local_blocks=settings.local_blocks or 0)
        return Discipline.planned(fine(program, beyond), name=name)
    assert bypass is not None, "no bits to bypass by"
    return Discipline.planned(bypass.bits, not settings.bypass_default, name=bypass.name)
