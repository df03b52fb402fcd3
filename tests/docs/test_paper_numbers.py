"""The results that the pages on papers state are those of the reproductions."""

from pathlib import Path

import pytest
from paper_numbers import REPRODUCTIONS, read
from shown import Reader


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_the_pages_state_what_is_reproduced(name: str, reader: Reader, tmp_path: Path) -> None:
    wrong = [
        f"{stated.page.name}: {stated.row}, {stated.column}: {read(stated)}; it is {stated.text}"
        for stated in REPRODUCTIONS[name](reader, tmp_path)
        if read(stated) != stated.text
    ]
    assert not wrong, "\n".join(wrong)
