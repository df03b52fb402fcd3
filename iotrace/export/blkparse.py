"""A block trace as blkparse prints one: the events of each request, in the order of their times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count

from iotrace.export.form import Form, left_out, text_file
from iotrace.export.requests import ROWS, DiskRequests
from iotrace.families import DISKS
from iotrace.files.remote import Place
from iotrace.store.store import Store

OPERATIONS = ("read", "write", "discard", "flush")
EVENTS = """
    with request as (
        select seq, d.device, d.operation, r.flags, coalesce(r.pid, 0) as pid, coalesce(program, '(null)') as program,
               coalesce(d.lbn, 0) as lbn, coalesce(d.blocks, 0) as blocks, coalesce(queued_ns, d.time_ns) as queued_ns,
               allocated_ns, inserted_ns,
               coalesce(completed_ns, queued_ns + d.latency_ns, d.time_ns + d.latency_ns) as completed_ns,
               coalesce(issued_ns, d.time_ns + d.latency_ns - d.service_ns) as issued_ns
        from disk_request r join disk_io d using (seq)
        where d.operation = 'flush' or (d.operation is not null and d.lbn is not null and d.blocks is not null)
    ),
    event as (
        select *, unnest([
            {'action': 'Q', 'place': 0, 'at_ns': queued_ns}, {'action': 'G', 'place': 1, 'at_ns': allocated_ns},
            {'action': 'I', 'place': 2, 'at_ns': inserted_ns}, {'action': 'D', 'place': 3, 'at_ns': issued_ns},
            {'action': 'C', 'place': 4, 'at_ns': completed_ns}], recursive := true)
        from request
    ),
    ordered as (
        select *, row_number() over (
            order by at_ns, action = 'C' and completed_ns > queued_ns desc, seq, place) as number
        from event
        where at_ns is not null
    )
    select number, device, at_ns // 1000000000 as seconds, at_ns % 1000000000 as nanoseconds, pid, action,
           case operation when 'read' then 'R' when 'write' then 'W' when 'discard' then 'D' else 'F' end
           || case when flags like '%forced%' and operation <> 'flush' then 'F' else '' end
           || case when flags like '%read_ahead%' then 'A' else '' end
           || case when flags like '%synchronous%' then 'S' else '' end
           || case when flags like '%metadata%' then 'M' else '' end as letters,
           lbn, blocks, program
    from ordered
    order by number
"""
"""Arrival is an event Q, the dispatch to the device D, completion C, where the trace shows them."""


def write(store: Store, output: Place, force: bool = False) -> tuple[str, ...]:
    """Write a block trace (see `Form`)."""
    requests = DiskRequests(store, OPERATIONS)
    disks = _disks(requests.devices())
    connection = store.sandboxed(["disk_request"])
    with text_file(output, force) as file:
        for batch in connection.sql(EVENTS).to_arrow_reader(ROWS):
            file.writelines(
                _line(disks, *row)
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
            )
    ((lost,),) = connection.execute(
        "select count(*) from disk_io where operation is distinct from 'flush' and"
        " (operation is null or lbn is null or blocks is null)"
    ).fetchall()
    return left_out({"requests of unknown direction or place": lost} if lost else {})


def _disks(names: Sequence[str]) -> list[str]:
    """Return the device numbers of disks: their own where the trace has them, else ones that no other disk has."""
    own = {name for name in names if re.fullmatch(r"\d+,\d+", name)}
    free = (number for minor in count() if (number := f"8,{16 * minor}") not in own)
    return [name if name in own else next(free) for name in names]


def _line(
    disks: list[str],
    number: int,
    device: int,
    seconds: int,
    nanoseconds: int,
    pid: int,
    action: str,
    letters: str,
    lbn: int,
    blocks: int,
    program: str,
) -> str:
    """Return an event in blkparse's default format."""
    name = re.sub(r"[\[\]\n\r]", "_", program)
    return (
        f"{disks[device]:>6}  {0:2} {number:8} {seconds:5}.{nanoseconds:09} {pid:5} {action:>2} {letters:>3}"
        f" {lbn} + {blocks} [{name}]\n"
    )


FORM = Form("blkparse", "the text of blkparse", write, (DISKS,), ("time_ns", "operation", "blocks"))
