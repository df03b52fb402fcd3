"""Numbers that the engine does not take are refused with the option's name, whatever else is asked for."""

import pytest
from program import Run

from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.simulate.parallel_fs.settings import Settings


@pytest.mark.parametrize("name", ["buffers", "disks"])
def test_the_largest_number_is_the_engine_s(name: str) -> None:
    most = native.parallel_limits()[name]
    Settings(**{name: most})
    with pytest.raises(UsageError, match=rf"^{name}: {most + 1:,} is not from \d to {most:,}$"):
        Settings(**{name: most + 1})


def test_an_option_beyond_it_is_a_usage_error(run: Run) -> None:
    done = run("parallel", "gw", "--buffers", "50000000")
    assert (done.returncode, done.stderr) == (
        2,
        b"iotrace: --buffers: 50,000,000 is not from 0 to 16,777,216\n",
    )
