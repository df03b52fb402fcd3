"""What a page's script reads of its figures: drawings, columns of CSV, and orders of rows."""

import base64
import gzip
import json
import re
from typing import Any

_PACKED = re.compile(r'<script type="text/plain" id="page-data">(.*?)</script>')


def figure_data(html: str) -> dict[str, dict[str, Any]]:
    """Return `plot`, `columns` and `orders` of each figure of a page that shows something."""
    (packed,) = _PACKED.findall(html)
    found: dict[str, dict[str, Any]] = json.loads(gzip.decompress(base64.b64decode(packed)))
    return found
