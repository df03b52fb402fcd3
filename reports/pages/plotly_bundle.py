"""plotly.js as the page carries it: the file that comes with plotly's Python package, compressed."""

import base64
import gzip
import hashlib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Bundle:
    """A script that the page unpacks and runs: gzip in base64, the hash that permits it, and its licence."""

    packed: str
    hash: str
    notice: str


def plotly_bundle() -> Bundle:
    """Return plotly.js, which is the installed package's own: nothing is fetched.

    The package ships only the full build. Compressed it takes 2 MB of the page, less than any partial build
    would take as it is.
    """
    script = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes().decode("utf-8")
    # what a page's text holds, an HTML parser has normalised
    script = script.replace("\r\n", "\n").replace("\r", "\n")
    notice = script[: script.index("*/") + 2].strip("/* \n") if script.startswith("/*") else "plotly.js"
    packed = gzip.compress(script.encode(), compresslevel=6, mtime=0)
    return Bundle(
        base64.b64encode(packed).decode(), script_hash(script), " ".join(notice.replace("*", " ").split())
    )


def script_hash(script: str) -> str:
    """Return what a content security policy calls an inline script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
