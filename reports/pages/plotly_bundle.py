"""The part of plotly.js that pages carry, which packaging/plotly builds from its npm package."""

import base64
import hashlib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Bundle:
    """A script that the page unpacks and runs: gzip in base64, the hash that permits it, and its licence."""

    packed: str
    hash: str
    notice: str


NOTICE = "plotly.js v4.1.1, in part. Copyright 2012-2026, Plotly, Inc. Licensed under the MIT license"
"""It begins the script, and stands on pages."""


def plotly_bundle() -> Bundle:
    """Return the lines, bars, maps of values and icicles of plotly.js: nothing is fetched."""
    here = files(__package__)
    packed = here.joinpath("plotly.min.js.gz").read_bytes()
    return Bundle(
        base64.b64encode(packed).decode(), here.joinpath("plotly.sha256").read_text("utf-8").strip(), NOTICE
    )


def script_hash(script: str) -> str:
    """Return what a content security policy calls an inline script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
