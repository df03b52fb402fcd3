"""Which disk the disk times are of: presets, their numbers in the help, and their names next to every time."""

import json
from pathlib import Path

import pytest
from program import LOG, Run

from iotrace.analysis.curves import Cache
from iotrace.analysis.curves.device import DEVICE_1994, DEVICES, SSD, named
from iotrace.cli.options.device import HELP

FIGURES = Path(__file__).parents[2] / "reports" / "report" / "figures.toml"


def disk_ns(run: Run, *options: str) -> int:
    """Return the disk time of one access for one KB."""
    done = run("curve", LOG, "--sizes", "1M", "-f", "json", *options)
    assert done.returncode == 0, done.stderr
    _, row = json.loads(done.stdout)
    return int(row["read_service_time_ns"] + row["write_service_time_ns"])


def test_help_has_the_numbers_of_every_preset() -> None:
    lines = {line.split()[0]: line.split()[1:3] for line in HELP.splitlines() if line.startswith(" ")}
    assert lines == {
        name: [f"{device.overhead_ms:g}", f"{device.transfer_ms_per_kb:g}"]
        for name, device in DEVICES.items()
    }


@pytest.mark.parametrize("verb", ["curve", "attribute", "nonvolatile"])
def test_commands_take_a_device(run: Run, verb: str) -> None:
    assert run(verb, LOG, "--device", "nvme").returncode == 0
    done = run(verb, LOG, "--device", "tape")
    assert done.returncode == 2 and b"--device" in done.stderr


def test_times_are_those_of_the_ssd_unless_given(run: Run) -> None:
    assert disk_ns(run) == disk_ns(run, "--device", "ssd")
    assert disk_ns(run) == disk_ns(run, "--overhead", "0.1", "--transfer", "0.0019")
    assert disk_ns(run, "--device", "nvme") < disk_ns(run) < disk_ns(run, "--device", "hdd")
    assert disk_ns(run, "--device", "1994") == disk_ns(run, "--overhead", "20", "--transfer", "0.5")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ([], "ssd preset"),
        (["--device", "1994"], "1994 preset"),
        (["--overhead", "7"], "as given"),
        (["--device", "hdd", "--transfer", "0.25"], "as given"),
    ],
)
def test_the_device_is_named_next_to_its_times(run: Run, options: list[str], name: str) -> None:
    text = run("curve", LOG, *options).stdout.decode()
    assert f"disk time ({name})" in text and f"Disk time, {name}:" in text
    text = run("attribute", LOG, "--total", "64K", "--best", "time", *options).stdout.decode()
    assert f"Disk time, {name}:" in text


def test_given_times_replace_those_of_the_device(run: Run) -> None:
    text = run("curve", LOG, "--device", "hdd", "--overhead", "7").stdout.decode()
    assert "7 ms for each access and 0.0059 ms for each KB" in text


@pytest.mark.parametrize("asked", [["--policy", "arc"], ["--sample", "0.5"]])
def test_a_device_is_refused_where_no_time_is_known(run: Run, asked: list[str]) -> None:
    words = ("curve", LOG, "--sizes", "1M", *asked)
    for costs in (["--device", "hdd"], ["--overhead", "7"], ["--transfer", "0.5"]):
        done = run(*words, *costs)
        assert done.returncode == 2 and b"--coalesce none" in done.stderr and costs[0].encode() in done.stderr


def test_policies_have_the_time_of_a_device(run: Run) -> None:
    words = ("curve", LOG, "--sizes", "1M", "--policy", "arc", "--coalesce", "none", "--device", "hdd")
    text = run(*words).stdout.decode()
    assert "disk time (hdd preset)" in text and "Disk time, hdd preset:" in text


def test_the_report_names_the_device_with_its_numbers() -> None:
    text = FIGURES.read_text("utf-8")
    numbers = f"{SSD.overhead_ms:g} ms each and {SSD.transfer_ms_per_kb:g} ms per KB (ssd preset)"
    assert text.count(numbers) == 2 and "20 ms" not in text


def test_names() -> None:
    assert named(SSD.overhead_ms, SSD.transfer_ms_per_kb) == "ssd preset" == Cache().device
    assert named(DEVICE_1994.overhead_ms, SSD.transfer_ms_per_kb) == "as given"
