"""Every simulator has one face: ``iotrace.simulate.NAME.simulation.run`` of an input and settings."""

import importlib
import inspect
from collections.abc import Sequence
from dataclasses import is_dataclass
from pathlib import Path

import pytest

import iotrace
from iotrace import queries
from iotrace.option import options

RESULTS = {
    "attribute": ["attribute_comparison", "attribute_regret", "attribute_adaptive", "attribute_cache"],
    "cluster": ["cluster"],
    "nonvolatile": ["limited_nonvolatile"],
    "parallel_fs": ["parallel", "parallel_processes", "parallel_windows"],
    "write_cache": ["write_cache"],
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_simulator_runs_an_input_with_settings(name: str) -> None:
    simulation, settings = (
        importlib.import_module(f"iotrace.simulate.{name}.{module}") for module in ("simulation", "settings")
    )
    assert is_dataclass(settings.Settings) and options(settings.Settings)
    _, second, *_ = inspect.signature(simulation.run, eval_str=True).parameters.values()
    takes_one = name == "attribute"  # several tables of one scheme, not one table of several
    assert second.annotation == (settings.Settings if takes_one else Sequence[settings.Settings])


@pytest.mark.parametrize("result", [result for own in RESULTS.values() for result in own])
def test_its_results_are_described(result: str) -> None:
    schema = queries.table_schema(result)
    assert all(field.metadata[b"description"] for field in schema)


def test_printed_tables_that_simulations_run_with_name_their_source() -> None:
    tables = list(Path(iotrace.__file__).with_name("simulate").rglob("*.csv"))
    assert tables and all(path.read_text("utf-8").startswith("# source: (") for path in tables)
