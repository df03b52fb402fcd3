"""A tiny trace in each format, made by hand: the same four requests, with what the format can state of them.

Their times are 0, 1, 2 and 5 ms from the first; the disk gets 8 blocks read at 100, 16 written at 200, 8 read at 108,
1 written at 4000.
"""

import struct

REQUESTS = [(0, "read", 100, 8), (1, "write", 200, 16), (2, "read", 108, 8), (5, "write", 4000, 1)]
"""Milliseconds, operation, first block, blocks."""
EPOCH_S = 1_600_000_000


def _lines(write: str) -> bytes:
    """Write each request by a template."""
    lines = []
    for ms, operation, lbn, blocks in REQUESTS:
        values = {
            "ms": ms,
            "us": ms * 1000,
            "ns": ms * 1_000_000,
            "epoch_us": EPOCH_S * 10**6 + ms * 1000,
            "epoch_s": EPOCH_S,
            "filetime": 116_444_736_000_000_000 + EPOCH_S * 10**7 + ms * 10_000,
            "vms": 35_067_168_000_000_000 + EPOCH_S * 10**7 + ms * 10_000,
            "op": operation,
            "Op": operation.title(),
            "O": operation[0].upper(),
            "o": operation[0],
            "reads": int(operation == "read"),
            "writes": int(operation == "write"),
            "lbn": lbn,
            "blocks": blocks,
            "offset": lbn * 512,
            "length": blocks * 512,
            "md5": "0123456789abcdef" * 2,
        }
        lines.append(write.format(**values))
    return ("\n".join(lines) + "\n").encode()


def _blktrace(order: str, version: int) -> bytes:
    """Each request is queued, issued 10 µs later and completed 100 µs after its arrival."""
    events = []
    for ms, operation, lbn, blocks in REQUESTS:
        for code, category, after_us in ((1, 1 << 4, 0), (7, 1 << 6, 10), (8, 1 << 7, 100)):
            direction = 1 if operation == "read" else 2
            action = (category | direction | 1 << 8) << 16 | code
            events.append((ms * 1_000_000 + after_us * 1000 + 77, lbn, blocks * 512, action))
    out = b""
    for number, (time, lbn, length, action) in enumerate(sorted(events), 1):
        magic = 0x65617400 | version
        if version == 7:
            out += struct.pack(
                order + "IIQQIIIIIHH", magic, number, time, lbn, length, action, 42, 8 << 20 | 1, 0, 0, 0
            )
        else:
            out += struct.pack(
                order + "IIQQIIQIIHH12x", magic, number, time, lbn, length, 42, action, 8 << 20 | 1, 0, 0, 0
            )
    return out


def _blkparse() -> bytes:
    lines = []
    for ms, operation, lbn, blocks in REQUESTS:
        for action, after_us in (("Q", 0), ("D", 10), ("C", 100)):
            at = f"0.{ms * 1_000_000 + after_us * 1000:09d}"
            end = "[0]" if action == "C" else "[some name]"
            lines.append(
                (
                    at,
                    f"  8,1    0 {len(lines) + 1:8d} {at:>14}    42  {action}   {operation[0].upper()} {lbn}"
                    f" + {blocks} {end}",
                )
            )
    return (
        "\n".join(line for _, line in sorted(lines)).encode()
        + b"\nCPU0 (8,1):\n Reads Queued:           2,        8KiB\n"
    )


def _block_events(write: str, system: str) -> bytes:
    """Return the events of each request as a tool prints them."""
    events = []
    for ms, operation, lbn, blocks in REQUESTS:
        letter = operation[0].upper()
        for name, after_us, command, end in (
            ("bio_queue", 0, "", "[some name]"),
            ("rq_issue", 10, f"{blocks * 512} () ", "be,0,4 [some name]"),
            ("rq_complete", 100, "() ", "be,0,4 [0]"),
        ):
            at = f"77.{ms * 1000 + after_us:06d}"
            fields = f"{system}block_{name}: 8,1 {letter} {command}{lbn} + {blocks} {end}"
            events.append((at, write.format(at=at, fields=fields)))
    return "".join(line for _, line in sorted(events)).encode()


def _nvme_events() -> bytes:
    events = []
    for number, (ms, operation, lbn, blocks) in enumerate(REQUESTS):
        key = f"nvme0: disk=nvme0n1, qid=4, cmdid={number}"
        command = f"cmd=(nvme_cmd_{operation} slba={lbn}, len={blocks - 1}, ctrl=0x0, dsmgmt=0, reftag=0)"
        begun = f"nvme_setup_cmd: {key}, nsid=1, flags=0x0, meta=0x0, {command}"
        done = f"nvme_complete_rq: {key}, res=0x0, retries=0, flags=0x0, status=0x0"
        for fields, after_us in ((begun, 0), (done, 90)):
            at = f"77.{ms * 1000 + after_us:06d}"
            events.append((at, f"       some name-42      [001] d..1. {at}: {fields}\n"))
    return "".join(line for _, line in sorted(events)).encode()


def _vscsi(version: int) -> bytes:
    out = b""
    for number, (ms, operation, lbn, blocks) in enumerate(REQUESTS):
        code = 0x28 if operation == "read" else 0x2A
        if version == 1:
            out += struct.pack("<IIIHHQQ", number, blocks * 512, 1, code, 0x100, lbn, 10**9 + ms * 1000)
        else:
            out += struct.pack("<HHIIIQQQ", code, 0x200, number, blocks * 512, 1, lbn, 10**9 + ms * 1000, 70)
    return out


def _srt() -> bytes:
    header = b"$$TR_IOREC-1.3 (made up)\x00\nversion = 1.3;\ndisks = { 0 -> { sectorsize  = 256, }\n};\n\f"
    record = struct.Struct(">14I")
    return header + b"".join(
        record.pack(
            56,
            0x40001,
            0,
            ms * 1000,
            20,
            90,
            blocks * 512,
            lbn * 2,
            0x8000008,
            4,
            1,
            int(operation == "read"),
            0,
            1,
        )
        for ms, operation, lbn, blocks in REQUESTS
    )


def _oracle(with_operation: bool) -> bytes:
    out = b""
    for ms, operation, lbn, blocks in REQUESTS:
        head = struct.pack("<IQI", 7 + ms // 5, lbn, blocks * 512)
        middle = struct.pack("<BH", 1 if operation == "read" else 3, 0) if with_operation else b""
        out += head + middle + struct.pack("<q", -1)
    return out


SAMPLES: dict[str, tuple[str, bytes]] = {
    "msr-cambridge": ("msr-cambridge", _lines("{filetime},web,0,{Op},{offset},{length},700")),
    "systor17": (
        "systor17",
        b"Timestamp,Response,IOType,LUN,Offset,Size\n"
        + _lines("1600000000.00{ms}000000,0.00007,{O},3,{offset},{length}"),
    ),
    "alibaba": ("alibaba", _lines("64,{O},{offset},{length},{epoch_us}")),
    "tencent": ("tencent", _lines("{epoch_s},{lbn},{blocks},{writes},1058")),
    "spc": ("spc", _lines("0, {lbn},  {length},{o},0.00{ms},7,whatever")),
    "fiu": ("fiu", _lines("{ns} 4892 syslogd {lbn} {blocks} {O} 6 0 {md5}")),
    "disksim": ("disksim", _lines("{ms}.000000\t30\t{lbn}\t{blocks}\t{reads}")),
    "mqsim": ("mqsim", _lines("{ns} 0 {lbn} {blocks} {reads}")),
    "disksim-validate": (
        "disksim-validate",
        b"R Hit 100 8 70.000000 930.000000\nW Hit 200 16 70.000000 930.000000\n"
        b"R Hit 108 8 70.000000 2930.000000\nW Hit 4000 1 70.000000 1.500000\n",
    ),
    "fio-iolog-3": (
        "fio-iolog",
        b"fio version 3 iolog\n0 /dev/sdb add\n0 /dev/sdb open\n"
        + _lines("{us} /dev/sdb {op} {offset} {length}")
        + b"6000 /dev/sdb close\n",
    ),
    "fio-iolog-2": (
        "fio-iolog",
        b"fio version 2 iolog\nf add\nf open\nf read 51200 4096\nf wait 1000 0\nf write 102400 8192\nf wait 1000 0\n"
        b"f read 55296 4096\nf wait 3000 0\nf write 2048000 512\nf close\n",
    ),
    "biosnoop": (
        "biosnoop",
        b"TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n"
        + _lines("0.00{ms}070    my program     77     sda     {O} {lbn:<10} {length:<6} 0.07"),
    ),
    "hp-srt": ("hp-srt", _srt()),
    "vscsi-1": ("vscsi", _vscsi(1)),
    "vscsi-2": ("vscsi", _vscsi(2)),
    "oracle-general": ("oracle-general-blocks", _oracle(False)),
    "oracle-general-opns": ("oracle-general-blocks", _oracle(True)),
    "vms-io": (
        "vms-io",
        b"# iotrace vms-io 1\ntime_vms,node,device,pid,function,modifiers,file_id,vbn,lbn,byte_count,status,"
        b"duration_100ns\n"
        + _lines("{vms},AIR01,$1$DUA12,0x20400A1C,{op}VBLK,,(12,5,0),17,{lbn},{length},1,700"),
    ),
    "blktrace-7-little": ("blktrace", _blktrace("<", 7)),
    "blktrace-7-big": ("blktrace", _blktrace(">", 7)),
    "blktrace-8-little": ("blktrace", _blktrace("<", 8)),
    "blktrace-8-big": ("blktrace", _blktrace(">", 8)),
    "blkparse": ("blkparse", _blkparse()),
    "block-events": (
        "block-events",
        _block_events("       some name-42      [001] d..1. {at}: {fields}\n", ""),
    ),
    "block-events of perf": (
        "block-events",
        _block_events("       some name    42 [001] {at}:      {fields}\n", "block:"),
    ),
    "nvme-events": ("nvme-events", _nvme_events()),
    "csv": (
        "csv:time=ts:us,offset=lba:512,length=sectors:512,op=rw:0/1",
        b"ts,sectors,rw,lba\n" + _lines("{us},{blocks},{writes},{lbn}"),
    ),
}
"""For each sample the format that it is in, and its bytes."""

NAMED = ("csv:", "oracle-general-blocks")
"""Formats that are never guessed."""
COARSE = ("tencent", "oracle-general", "oracle-general-opns")
"""Formats whose times are to the second."""
