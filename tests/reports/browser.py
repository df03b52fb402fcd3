"""A page in headless Chromium: its document after every script has run, and what the console said."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
"""What stops scripts that are not the page's own."""

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@dataclass(frozen=True)
class Seen:
    """What the browser made of a page."""

    document: str
    console: tuple[str, ...]


def browse(page: Path, profile: Path, width: int = 1280) -> Seen:
    """Open a page, let its scripts finish, and return the result."""
    assert CHROMIUM is not None
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        f"--user-data-dir={profile}",
        f"--window-size={width},900",
        "--enable-logging=stderr",
        "--virtual-time-budget=120000",
        "--dump-dom",
        page.as_uri(),
    ]
    ran = subprocess.run(
        command, capture_output=True, timeout=180, check=True, env={**os.environ, "LANG": "C.UTF-8"}
    )
    console = re.findall(r"CONSOLE[:(].*", ran.stderr.decode("utf-8", "replace"))
    return Seen(ran.stdout.decode("utf-8", "replace"), tuple(console))


def in_browser(html: str, script: str, page: Path) -> str:
    """Return what a script that is added to the page notes in attribute data-noted of its root."""
    page.write_text(POLICY.sub("", html).replace("</body>", f"<script>{script}</script></body>"), "utf-8")
    found = browse(page, page.parent / "profile")
    assert found.console == ()
    noted = re.search(r'<html[^>]*data-noted="([^"]*)"', found.document)
    return noted[1] if noted else ""
