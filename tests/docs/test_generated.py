"""The generated pages are what their sources make."""

import subprocess
import sys

from pages import DOCS, pages


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(DOCS / "generate"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_no_page_says_that_it_is_generated_and_is_not() -> None:
    sys.path.append(str(DOCS / "generate"))
    source = (DOCS / "generate" / "__main__.py").read_text("utf-8")
    assert all(name in source for name, page in pages().items() if page.is_generated)
