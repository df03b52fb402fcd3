"""Lines of parallel traces in odd spellings, each between plain ones: it is read as one of these, or skipped."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calls_read import read_calls
from tables_read import Row

from iotrace.formats.reading.skips import shown


@dataclass(frozen=True)
class OddLines:
    """Lines of a format: those with which a file begins, and a plain one."""

    format: str
    header: str
    plain: str

    def calls(
        self, tmp_path: Path, *lines: str, header: str | None = None
    ) -> tuple[list[Row], dict[str, Any]]:
        """Return the calls of some lines after the header, and the report of the run."""
        path = tmp_path / "7.txt"
        header = self.header if header is None else header
        path.write_text(header + "".join(f"{line}\n" for line in lines), newline="")
        return read_calls(path, self.format)

    def read_as_plain(self, tmp_path: Path, line: str) -> Row:
        """Return the call of a line, which has to be that of the plain one."""
        rows, report = self.calls(tmp_path, self.plain, line)
        assert report["skipped"] == {} and len(rows) == 2
        assert rows[0] == rows[1]
        return rows[1]

    def check_skipped(self, tmp_path: Path, line: str, reason: str, *before: str) -> None:
        """Check that a line after the plain one, and after others that say nothing, is skipped alone, and why."""
        rows, report = self.calls(tmp_path, self.plain, *before, line, self.plain)
        assert len(rows) == 2 and rows[0] == rows[1]
        number = self.header.count("\n") + 2 + len(before)
        assert report["skipped"] == {reason: {"lines": 1, "first_line": number, "excerpt": shown(line)}}
