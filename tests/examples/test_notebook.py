"""The notebook of examples/ runs, and shows what it gives."""

import json

from notebook import NOTEBOOK, refreshed


def test_every_cell_gives_what_the_notebook_shows() -> None:
    shown = NOTEBOOK.read_text("utf-8")
    assert json.dumps(refreshed(json.loads(shown)), indent=1, ensure_ascii=False) + "\n" == shown
