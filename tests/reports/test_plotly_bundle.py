"""The part of plotly.js that pages carry is the one that its build script wrote."""

import base64
import gzip
import json
from pathlib import Path

from iotrace.reports.pages.plotly_bundle import NOTICE, plotly_bundle, script_hash

ROOT = Path(__file__).parents[2]


def test_the_bundle_has_its_hash_its_notice_and_the_version_that_is_built() -> None:
    bundle = plotly_bundle()
    script = gzip.decompress(base64.b64decode(bundle.packed)).decode()
    assert bundle.hash == script_hash(script)
    assert script.startswith(f"/* {NOTICE} */\n")
    wanted = json.loads((ROOT / "packaging/plotly/package.json").read_text("utf-8"))["dependencies"][
        "plotly.js"
    ]
    assert f"v{wanted}," in NOTICE
    assert f"plotly.js {wanted} (MIT)" in (ROOT / "reports/pages/plotly.LICENSE").read_text("utf-8")
    assert "\r" not in script  # an HTML parser would normalise it, and its hash would be another
