"""Tests of jobs' counters use the writer of Darshan's logs, and those of commands their fixtures."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "formats"))
