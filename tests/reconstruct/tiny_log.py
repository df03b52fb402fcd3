"""A log as a string, ingested; and the tables that come out, as rows of plain values."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from iotrace.ingest.pipeline import ingest

Rows = list[dict[str, Any]]
RICHEST = {"atime": "strict", "exec": "whole"}
"""The switches with which a log gives the most references."""

# An object is shown by its file's first path, and the second object that had that path first by `~2`.
NAMED = """
create view named as
select file, path || case when n > 1 then '~' || n else '' end as name, of_file
from (select *, row_number() over (partition by path order by file) as n from file);
create view object as
select f.file, coalesce(f.name, o.name) as name from named f left join named o on o.file = f.of_file;
"""
TABLES = {
    "reference": """
        select r.* exclude (file, process), o.name as file, p.thread
        from reference r left join object o using (file) join process p using (process) order by r.seq""",
    "file": """
        select f.* exclude (file), o.name as file
        from file f join object o using (file) where kind <> 'inode' order by f.file""",
    "use": """
        select u.* exclude (file, process), o.name as file, p.thread
        from use u join object o using (file) join process p using (process) order by u.use""",
    "process": "select * from process order by process",
    "mapping": """
        select m.* exclude (file, process), o.name as file, p.thread
        from mapping m join object o using (file) join process p using (process)""",
    "call_file": """
        select c.* exclude (file), o.name as file, s.call
        from call_file c join syscall s on s.seq = c.call_seq left join object o using (file) order by s.seq""",
}


def switches(case: Mapping[str, Any]) -> dict[str, str]:
    """Return the model of a case: its own, else the switches that make the most references."""
    own: dict[str, str] = case.get("model", {})
    return own if "model" in own else RICHEST | own


def tables(log: str, model: Mapping[str, str] | None = None) -> tuple[dict[str, Rows], dict[str, Any]]:
    """Return the rows of tables reference, file, use, process, mapping and call_file of a log; and the manifest."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "log"
        trace.write_text(log, "utf-8")
        store = ingest([trace], Path(folder) / "log.iotrace", format="strace", model=model)
        connection = store.connect(views=[])
        connection.execute(NAMED)
        result = {name: connection.sql(query).to_arrow_table().to_pylist() for name, query in TABLES.items()}
        return result, store.manifest
