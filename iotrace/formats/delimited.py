"""Block traces that are CSV, or fields separated by white space: for each its fields, and what they say.

``line`` is what a line looks like, by which the format is recognised; ``fields`` are its fields in order; ``requests``
makes columns of `iotrace.formats.disk_io.requests.FIELDS` of them by the expressions of `disk_io.fields` (it is called
late, because polars loads late). ``usual`` has the fields in the engine's words: it reads the lines in that form, fast,
and the expressions read the others. What else a format may say is a `disk_io.delimited.Layout`. CONTRIBUTING.md has the
recipe for another one.
"""

from iotrace.formats.disk_io.fields import (
    decimal_ns,
    direction,
    filetime_ns,
    hexadecimal,
    one_of,
    steps_ns,
    text,
    unknown_word,
    whole,
)
from iotrace.formats.disk_io.format import delimited_format
from iotrace.formats.disk_io.usual import UsualLine
from iotrace.formats.reading.clock import NS_PER_MS, NS_PER_S, NS_PER_US
from iotrace.formats.reading.durations import stated_ns

# The block traces of Microsoft Research Cambridge (Narayanan et al., FAST '08; SNIA 387), one file per disk: Windows'
# clock in steps of 100 ns, Read or Write, bytes, and a response time in steps of 100 ns. Disks are numbered within
# hosts. The order is not promised.
MSR_CAMBRIDGE = delimited_format(
    name="msr-cambridge",
    sentence="Microsoft Research Cambridge (SNIA): CSV with Windows times, host, disk, operation, bytes, response.",
    endings=".csv",
    line=rb"\d{17,18},[^,]*,\d+,(?i:read|write),-?\d+,-?\d+,-?\d*",
    header="(?i)timestamp,hostname,",
    fields="timestamp hostname disk type offset size response_time",
    at_least=6,
    requests=lambda: {
        "time_ns": filetime_ns("timestamp"),
        "device": text("{}_{}", "hostname", "disk"),
        "operation": one_of("type", {"Read": "read", "Write": "write"}),
        "offset_bytes": whole("offset"),
        "length_bytes": whole("size"),
        "latency_ns": stated_ns("response_time", steps_ns("response_time", 100)),
        "host": text("{}", "hostname"),
    },
    base="epoch",
    usual=UsualLine(
        "filetime host name operation offset_bytes length_bytes latency_100ns",
        device="{}_{}",
        operations={"Read": "read", "Write": "write"},
    ),
)

# The VDI traces of SYSTOR '17 (Lee et al.; SNIA 4964): seconds since 1970 at the arrival, seconds until the answer, R
# or W, bytes. Answer and type are empty where no answer was seen. Not in order of time.
SYSTOR17 = delimited_format(
    name="systor17",
    sentence="SYSTOR '17 (SNIA): CSV with seconds, response, R or W, LUN, bytes.",
    endings=".csv.gz",
    line=rb"\d{10}\.\d+,(\d+(\.\d+)?)?,[RW]?,\d+,\d+,\d+",
    header="Timestamp,Response,IOType,LUN,Offset,Size",
    fields="timestamp response type lun offset size",
    requests=lambda: {
        "time_ns": decimal_ns("timestamp", NS_PER_S),
        "device": text("LUN {}", "lun"),
        "operation": one_of("type", {"R": "read", "W": "write"}),
        "reason": unknown_word("type", "RW"),
        "offset_bytes": whole("offset"),
        "length_bytes": whole("size"),
        "latency_ns": stated_ns("response", decimal_ns("response", NS_PER_S)),
    },
    required=("time_ns", "blocks"),
    base="epoch",
    usual=UsualLine(
        "decimal_s latency_decimal_s operation name offset_bytes length_bytes",
        device="LUN {}",
        operations={"R": "read", "W": "write"},
    ),
)

# Alibaba's cloud disks, 2020 (Li et al., IISWC '20): R or W, bytes, microseconds since 1970.
ALIBABA = delimited_format(
    name="alibaba",
    sentence="Alibaba block traces, 2020: CSV with device, R or W, bytes, microseconds.",
    endings=".csv",
    line=rb"\d+,[RW],\d+,\d+,\d{15,16}",
    header="device_id,opcode,",
    fields="device_id opcode offset length timestamp",
    requests=lambda: {
        "time_ns": steps_ns("timestamp", NS_PER_US),
        "device": text("{}", "device_id"),
        "operation": one_of("opcode", {"R": "read", "W": "write"}),
        "offset_bytes": whole("offset"),
        "length_bytes": whole("length"),
    },
    base="epoch",
    usual=UsualLine(
        "name operation offset_bytes length_bytes time_us",
        device="{}",
        operations={"R": "read", "W": "write"},
    ),
)

# Tencent's cloud disks (Zhang et al., USENIX ATC '20; SNIA 28064): seconds since 1970, 512-byte sectors, 0 for reads
# and 1 for writes.
TENCENT = delimited_format(
    name="tencent",
    sentence="Tencent cloud block storage (SNIA): CSV with seconds, 512-byte sectors, 0 or 1, volume.",
    endings=".csv",
    line=rb"\d{10},\d+,\d+,[01],\d+",
    header="Timestamp,Offset,Size,IOType",
    fields="timestamp offset size type volume",
    requests=lambda: {
        "time_ns": steps_ns("timestamp", NS_PER_S),
        "device": text("{}", "volume"),
        "operation": one_of("type", {"0": "read", "1": "write"}),
        "lbn": whole("offset"),
        "blocks": whole("size"),
    },
    base="epoch",
    usual=UsualLine("time_s lbn blocks operation name", device="{}", operations={"0": "read", "1": "write"}),
)

# Traces in the Storage Performance Council's format, revision 1.0.1, as UMass has them (Financial, WebSearch): the unit
# (a separate disk), 512-byte blocks, bytes (0 is allowed, and what is no multiple of 512), r or w, seconds since the
# start. Further fields are the producer's. Spaces mean nothing: the specification's sample has some within
# numbers.
SPC = delimited_format(
    name="spc",
    sentence="Storage Performance Council (UMass): CSV with unit, block, bytes, r or w, seconds.",
    endings=".spc .csv",
    line=rb"\d+\s*,[\d ]+,\s*\d+\s*,\s*[rRwW]\s*,\s*\d+(\.\d*)?\s*(,.*)?",
    fields="asu lba size opcode timestamp",
    requests=lambda: {
        "time_ns": decimal_ns("timestamp", NS_PER_S),
        "device": text("ASU {}", "asu"),
        "operation": one_of("opcode", {"r": "read", "w": "write"}),
        "lbn": whole("lba"),
        "length_bytes": whole("size"),
    },
    unspaced=True,
    usual=UsualLine(
        "name lbn length_bytes operation decimal_s",
        device="ASU {}",
        operations={"r": "read", "w": "write"},
    ),
)

# The traces of Florida International University (Koller and Rangaswami, FAST '10; SNIA 390, 391, 414): ``time process
# name lba blocks W|R major minor md5``, nanoseconds from the start, 512-byte blocks.
FIU = delimited_format(
    name="fiu",
    sentence="Florida International University (SNIA): ns, pid, program, block, blocks, R or W, device, hash.",
    endings=".blkparse",
    line=rb"\d+ \d+ .+? \d+ \d+ [RW] \d+ \d+ [0-9a-fA-F]{32}",
    fields="time pid program lba size type major minor",
    requests=lambda: {
        "time_ns": whole("time"),
        "device": text("{},{}", "major", "minor"),
        "operation": one_of("type", {"R": "read", "W": "write"}),
        "lbn": whole("lba"),
        "blocks": whole("size"),
        "pid": whole("pid"),
        "program": text("{}", "program"),
    },
    pattern=r"^(?P<time>\S+)\s+(?P<pid>\d+)\s+(?P<program>.+?)\s+(?P<lba>\S+)\s+(?P<size>\S+)\s+(?P<type>[A-Za-z]+)"
    r"\s+(?P<major>\d+)\s+(?P<minor>\d+)(?:\s.*)?$",
)

# DiskSim's default trace format (Ganger et al., disksim_iotrace.c): milliseconds with decimals, 512-byte blocks,
# hexadecimal flags of which bit 0 says that it is a read.
DISKSIM = delimited_format(
    name="disksim",
    sentence="DiskSim ASCII: milliseconds, device, block, blocks, flags in hexadecimal (bit 0: read).",
    endings=".trace .ascii",
    line=rb"\d+\.\d+\s+\d+\s+\d+\s+\d+\s+[0-9a-fA-F]{1,8}",
    fields="time device block blocks flags",
    requests=lambda: {
        "time_ns": decimal_ns("time", NS_PER_MS),
        "device": text("disk {}", "device"),
        "operation": direction(hexadecimal("flags")),
        "lbn": whole("block"),
        "blocks": whole("blocks"),
    },
    separator=" ",
    usual=UsualLine("decimal_ms name lbn blocks flags_hex", device="disk {}", operations={}),
)

# MQSim's variant of DiskSim's format (Tavakkol et al., FAST '18): nanoseconds and decimal types, 0 write, 1 read.
MQSIM = delimited_format(
    name="mqsim",
    sentence="MQSim: DiskSim's fields with whole nanoseconds; 0 is a write, 1 a read.",
    endings=".trace",
    line=rb"\d+[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+[01]",
    fields="time device block blocks flags",
    requests=lambda: {
        "time_ns": whole("time"),
        "device": text("disk {}", "device"),
        "operation": one_of("flags", {"0": "write", "1": "read"}),
        "lbn": whole("block"),
        "blocks": whole("blocks"),
    },
    separator=" ",
    usual=UsualLine(
        "time_ns name lbn blocks operation", device="disk {}", operations={"0": "write", "1": "read"}
    ),
)
