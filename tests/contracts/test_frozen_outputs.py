"""Outputs that scripts rely on stay as they are: columns, names and numbers.

Where one changes on purpose, ``python -P tests/contracts/outputs.py NAME`` freezes the new one; the commit says why.
"""

from itertools import islice

import outputs
import pytest


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> outputs.Inputs:
    return outputs.Inputs(tmp_path_factory.mktemp("contracts"))


@pytest.mark.parametrize("name", outputs.commands()["outputs"])
def test_an_output_is_as_it_was_frozen(inputs: outputs.Inputs, name: str) -> None:
    assert list(islice(outputs.differences(outputs.frozen(name), inputs.output(name)), 5)) == []


def test_shapes_of_tables_are_as_they_were_frozen() -> None:
    assert list(islice(outputs.differences(outputs.frozen("shapes"), outputs.shapes()), 5)) == []
