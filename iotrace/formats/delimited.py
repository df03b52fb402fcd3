"""Block traces that are CSV, or fields separated by white space.

``line`` is what a line looks like, by which the format is recognised, and ``form`` what its fields are, by which it is
read: in the engine's words (`disk_io.parsed_lines.LineForm`), or as expressions (`disk_io.delimited.Layout`).
CONTRIBUTING.md has the recipe for another one.
"""

import re

from iotrace.formats.disk_io.delimited import Layout
from iotrace.formats.disk_io.fields import one_of, text, whole
from iotrace.formats.disk_io.format import line_format
from iotrace.formats.disk_io.parsed_lines import LineForm

# The block traces of Microsoft Research Cambridge (Narayanan et al., FAST '08; SNIA 387), one file per disk: Windows'
# clock in steps of 100 ns, Read or Write, bytes, and a response time in steps of 100 ns. Disks are numbered within
# hosts. The order is not promised.
MSR_CAMBRIDGE = line_format(
    name="msr-cambridge",
    description="Microsoft Research Cambridge (SNIA): CSV with Windows times, host, disk, operation, bytes, response.",
    endings=".csv",
    line=rb"\d{17,18},[^,]*,\d+,(?i:read|write),-?\d+,-?\d+,-?\d*",
    form=LineForm(
        header=re.compile("(?i)timestamp,hostname,"),
        fields="filetime host name operation offset_bytes length_bytes latency_100ns",
        at_least=6,
        device="{}_{}",
        operations={"Read": "read", "Write": "write"},
        base="epoch",
    ),
)

# The VDI traces of SYSTOR '17 (Lee et al.; SNIA 4964): seconds since 1970 at the arrival, seconds until the answer, R
# or W, bytes. Answer and type are empty where no answer was seen. Not in order of time.
SYSTOR17 = line_format(
    name="systor17",
    description="SYSTOR '17 (SNIA): CSV with seconds, response, R or W, LUN, bytes.",
    endings=".csv.gz",
    line=rb"\d{10}\.\d+,(\d+(\.\d+)?)?,[RW]?,\d+,\d+,\d+",
    form=LineForm(
        header=re.compile("Timestamp,Response,IOType,LUN,Offset,Size"),
        fields="decimal_s latency_decimal_s operation name offset_bytes length_bytes",
        device="LUN {}",
        operations={"R": "read", "W": "write", "": "unknown"},
        base="epoch",
    ),
)

# Alibaba's cloud disks, 2020 (Li et al., IISWC '20): R or W, bytes, microseconds since 1970.
ALIBABA = line_format(
    name="alibaba",
    description="Alibaba block traces, 2020: CSV with device, R or W, bytes, microseconds.",
    endings=".csv",
    line=rb"\d+,[RW],\d+,\d+,\d{15,16}",
    form=LineForm(
        header=re.compile("device_id,opcode,"),
        fields="name operation offset_bytes length_bytes time_us",
        device="{}",
        operations={"R": "read", "W": "write"},
        base="epoch",
    ),
)

# Tencent's cloud disks (Zhang et al., USENIX ATC '20; SNIA 28064): seconds since 1970, 512-byte sectors, 0 for reads
# and 1 for writes.
TENCENT = line_format(
    name="tencent",
    description="Tencent cloud block storage (SNIA): CSV with seconds, 512-byte sectors, 0 or 1, volume.",
    endings=".csv",
    line=rb"\d{10},\d+,\d+,[01],\d+",
    form=LineForm(
        header=re.compile("Timestamp,Offset,Size,IOType"),
        fields="time_s lbn blocks operation name",
        device="{}",
        operations={"0": "read", "1": "write"},
        base="epoch",
    ),
)

# Traces in the Storage Performance Council's format, revision 1.0.1, as UMass has them (Financial, WebSearch): the unit
# (a separate disk), 512-byte blocks, bytes (0 is allowed, and what is not a multiple of 512), r or w, seconds since the
# start. Further fields are the producer's. Spaces mean nothing: the specification's sample has some within
# numbers.
SPC = line_format(
    name="spc",
    description="Storage Performance Council (UMass): CSV with unit, block, bytes, r or w, seconds.",
    endings=".spc .csv",
    line=rb"\d+\s*,[\d ]+,\s*\d+\s*,\s*[rRwW]\s*,\s*\d+(\.\d*)?\s*(,.*)?",
    form=LineForm(
        fields="name lbn length_bytes operation decimal_s",
        device="ASU {}",
        operations={"r": "read", "w": "write"},
        is_unspaced=True,
    ),
)

# The traces of Florida International University (Koller and Rangaswami, FAST '10; SNIA 390, 391, 414): ``time process
# name lba blocks W|R major minor md5``, nanoseconds from the start, 512-byte blocks.
FIU = line_format(
    name="fiu",
    description="Florida International University (SNIA): ns, pid, program, block, blocks, R or W, device, hash.",
    endings=".blkparse",
    line=rb"\d+ \d+ .+? \d+ \d+ [RW] \d+ \d+ [0-9a-fA-F]{32}",
    form=Layout(
        fields=("time", "pid", "program", "lba", "size", "type", "major", "minor"),
        at_least=8,
        required=("time_ns", "operation", "blocks"),
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
    ),
)

# DiskSim's default trace format (Ganger et al., disksim_iotrace.c): milliseconds with decimals, 512-byte blocks,
# hexadecimal flags of which bit 0 says that it is a read.
DISKSIM = line_format(
    name="disksim",
    description="DiskSim ASCII: milliseconds, device, block, blocks, flags in hexadecimal (bit 0: read).",
    endings=".trace .ascii",
    line=rb"\d+\.\d+\s+\d+\s+\d+\s+\d+\s+[0-9a-fA-F]{1,8}",
    form=LineForm(
        fields="decimal_ms name lbn blocks flags_hex",
        device="disk {}",
        operations={},
        separator=" ",
    ),
)

# MQSim's variant of DiskSim's format (Tavakkol et al., FAST '18): nanoseconds and decimal types, 0 write, 1 read.
MQSIM = line_format(
    name="mqsim",
    description="MQSim: DiskSim's fields with whole nanoseconds; 0 is a write, 1 a read.",
    endings=".trace",
    line=rb"\d+[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+[01]",
    form=LineForm(
        fields="time_ns name lbn blocks operation",
        device="disk {}",
        operations={"0": "write", "1": "read"},
        separator=" ",
    ),
)
