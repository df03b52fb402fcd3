"""The counters of each application, node, phase or file."""

from collections.abc import Sequence
from dataclasses import fields

import pyarrow as pa

from iotrace.simulate.cluster.outcome import Outcome
from iotrace.simulate.cluster.settings import By, Machine, Settings

Run = tuple[Settings, Outcome]


def counts(runs: Sequence[Run], by: By, files: tuple[str, ...]) -> pa.Table:
    """Return the counters of each application, node, phase or file, a row for each run and one of them.

    Before them stand the settings in which the machines differ, and the discipline.
    """
    tables = []
    apart = _differing(runs)
    for number, (_, outcome) in enumerate(runs):
        table = outcome.by(by)
        if by is By.FILE:
            names = [
                files[number] if number < len(files) else str(number) for number in table["file"].to_pylist()
            ]
            table = table.set_column(0, "file", pa.array(names, pa.string()))
        named = {title: values[number] for title, values in apart.items()}
        named["discipline"] = outcome.discipline.name
        for index, (title, value) in enumerate(named.items()):
            table = table.add_column(index, title, pa.array([value] * table.num_rows, pa.string()))
        tables.append(table)
    return pa.concat_tables(tables)


def _differing(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return the settings in which the machines of runs differ, a value for each run."""
    differing = {}
    for name in (field.name for field in fields(Machine)):
        values = [getattr(machine, name) for machine, _ in runs]
        if len(set(values)) > 1:
            differing[name] = ["inf" if value is None else str(value) for value in values]
    return differing
