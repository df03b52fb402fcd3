"""How near a trace comes to the paper's cells: those on which its preset was fitted, and those held out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.papers.biswas.cells import stands_beside
from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.printed import PrintedRow, Table, is_doubtful, is_fitted, tables
from iotrace.simulate.write_cache.settings import Settings

ALL = "all"
FITTED, HELD_OUT = "fitted", "held out"
MET_PERCENT = 25.0
"""A cell that a preset was fitted on, and that is further off, is not met."""


@dataclass(frozen=True)
class Error:
    """A printed number, and by how much ours is off it."""

    table: str
    metric: str
    is_fitted: bool
    percent: float
    policy: str
    cell: tuple[Any, ...]
    """Its key among the simulations: the same for cells that are printed in two tables."""

    @property
    def is_met(self) -> bool:
        """Whether a fitted cell is as near as a fitted cell must be."""
        return self.is_fitted and self.percent <= MET_PERCENT


def agreement(memos: Sequence[PaperMemo]) -> pa.Table:
    """Return table write_cache_agreement: errors by table, metric and trace, of fitted and of held-out cells.

    Only traces that are like a disk of the paper are compared, with that disk. Rows of `ALL` tables count a cell once
    that several tables print. Doubtful cells, printed zeros, what holds by definition, and the bars of figures, which
    repeat tables, are left out.
    """
    rows = [row for memo in memos for row in _rows(memo.subject.name, list(errors(memo)))]
    return queries.result_table("write_cache_agreement", rows)


def errors(memo: PaperMemo) -> Iterator[Error]:
    """Return the errors of all cells of the disk that a trace is like; one that cannot be simulated has 100 %."""
    if memo.subject.like is None:
        return
    for table in tables():
        if table.of not in ("disk", "four disks") or table.draw == "bars":
            continue
        for row in table.rows:
            if stands_beside(memo, table, row):
                yield from _errors(memo, table, row)


def _errors(memo: PaperMemo, table: Table, row: PrintedRow) -> Iterator[Error]:
    for metric in table.metrics:
        printed = row.printed[metric]
        if not printed or metric in ("reads", "writes") or is_doubtful(table, row, metric):
            continue
        if metric == "w_wc" and not any(setting.write_cache_bytes for setting in row.experiment.settings):
            continue  # 100 % by definition
        ours = memo.value(table, row, metric) or 0.0
        yield Error(
            table.id_for(row.disk),
            metric,
            is_fitted(table, row),
            100 * abs(ours / printed - 1),
            row.policy,
            (row.disk, _simulated(row), metric),
        )


def _simulated(row: PrintedRow) -> tuple[Settings, ...]:
    """Return the settings of a row; without a write cache the unit of purges is all the same."""
    settings = row.experiment.settings
    return tuple(
        setting if setting.write_cache_bytes else replace(setting, unit="track") for setting in settings
    )


def _rows(trace: str, errors: Sequence[Error]) -> Iterator[dict[str, Any]]:
    for name, chosen in [(ALL, once(errors)), *((table, errors) for table in _tables(errors))]:
        for metric in dict.fromkeys(error.metric for error in chosen):
            for fitted in (True, False):
                fit_errors = [
                    error
                    for error in chosen
                    if error.metric == metric and error.is_fitted == fitted and name in (ALL, error.table)
                ]
                percents = [error.percent for error in fit_errors]
                if percents:
                    yield {
                        "table": name,
                        "metric": metric,
                        "cells": FITTED if fitted else HELD_OUT,
                        "trace": trace,
                        "count": len(percents),
                        "met": sum(error.is_met for error in fit_errors) if fitted else None,
                        "median_error": median(percents),
                        "largest_error": max(percents),
                    }


def once(errors: Iterable[Error]) -> list[Error]:
    """Return the errors, that of a cell once which several tables print."""
    return list({error.cell: error for error in sorted(errors, key=lambda error: error.is_fitted)}.values())


def _tables(errors: Sequence[Error]) -> list[str]:
    return list(dict.fromkeys(error.table for error in errors))
