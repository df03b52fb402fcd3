"""The made jobs lose what they say, and their logs say how long they ran."""

import pytest
from clean_jobs import CLEAN, clean
from defective_jobs import DEFECTS, defective, strongest

from iotrace.engine import native


def test_there_are_defects_and_clean_jobs_enough() -> None:
    assert len(DEFECTS) >= 20 and len(CLEAN) >= 20


@pytest.mark.parametrize("name", DEFECTS)
def test_a_job_loses_the_share_that_is_asked_for(name: str) -> None:
    made = DEFECTS[name][0]()
    for loss in (0.004, 0.02, strongest(name)):
        about = native.DarshanLog(defective(name, loss)[0], False).about
        assert about["run_ns"] is not None and about["damage"] == []
        run_s = about["run_ns"] / 1e9
        assert made.loss_s / (made.ranks * run_s) == pytest.approx(loss, rel=0.35)
        assert made.io_s <= made.ranks * run_s * 1.01


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_job_is_read_whole(name: str) -> None:
    assert native.DarshanLog(clean(name), False).about["damage"] == []
