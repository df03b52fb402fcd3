"""Traces of caches and key-value stores that are text with a request on each line: for each its fields, and what they
say.

As in `iotrace.formats.delimited`: ``line`` is what a line looks like, ``fields`` are its fields in order, and
``requests`` makes columns of `iotrace.formats.key_io.requests.FIELDS` of them. Formats of which all lines are plain
numbers look like others, and are read by --trace-format only. docs/trace-formats.md says where each comes from.
"""

from __future__ import annotations

from collections.abc import Mapping

from iotrace.formats.disk_io.fields import decimal_ns, text, whole
from iotrace.formats.key_io.format import key_lines
from iotrace.formats.key_io.requests import hit, name_of, operation, size, time_to_live
from iotrace.formats.reading.clock import NS_PER_MS, NS_PER_S
from iotrace.formats.reading.durations import stated_ns
from iotrace.libraries import pl


def unsigned(name: str) -> pl.Expr:
    """Return a field as an unsigned integer of 64 bits; null for what is none."""
    return pl.col(name).cast(pl.UInt64, strict=False)


def size_unless_missed(size_of: pl.Expr) -> pl.Expr:
    """Return sizes, null where a request that only reads has none: what it asked for was not there."""
    reads = operation("op").is_in(["get", "gets", "get_lease"])
    return pl.when((size_of != 0) | ~reads.fill_null(False)).then(size_of)


def _time(name: str, form: str) -> pl.Expr:
    """Return a date as nanoseconds since 1970; null for what is none."""
    date = pl.col(name).str.to_datetime(form, time_unit="us", strict=False)
    return date.dt.timestamp("us") * 1000


# Twitter's clusters of Twemcache (Yang et al., OSDI '20; SNIA 28652): seconds, key, sizes of key and value, client,
# operation, time to live in seconds, 0 where nothing is written. Keys may hold commas. The value's size is 0 at a miss.
TWITTER = key_lines(
    name="twitter",
    description="Twitter's Twemcache (SNIA 28652): CSV with seconds, key, its size, value's size, client, "
    "operation, TTL.",
    endings=".csv .sort",
    line=rb"\d+,.+,\d+,\d+,\d+,(?:get|gets|set|add|replace|cas|append|prepend|delete|incr|decr),\d+",
    fields="time key key_size value_size client op ttl",
    may_hold_separators="key",
    required=("key", "time_ns", "operation"),
    requests=lambda: {
        "time_ns": decimal_ns("time", NS_PER_S),
        "key": name_of("key"),
        "size": _sizes_of_twitter(),
        "tenant": name_of("client"),
        "operation": operation("op"),
        "ttl_ns": time_to_live("ttl", NS_PER_S),
    },
)


def _sizes_of_twitter() -> pl.Expr:
    value = size_unless_missed(size("value_size"))
    return pl.when(value >= 0).then(value + whole("key_size")).otherwise(value)


# CacheLib's traces of Meta's key-value cache (cachelib.org, "Cachebench FB HW eval"): a line stands for op_count
# operations. The first form, of June 2022 and December 2023, has no times, and the later release a time to live; the
# second is of October 2022 and, with who asked, of 2024. The size is 0 at a miss.
def _of_meta_kv(timed: bool) -> Mapping[str, pl.Expr]:
    columns = {
        "key": name_of("key"),
        "operation": operation("op"),
        "size": size_unless_missed(size("size")),
        "repeats": whole("op_count"),
        "ttl_ns": time_to_live("ttl", NS_PER_S),
    }
    if not timed:
        return columns
    return columns | {"time_ns": decimal_ns("op_time", NS_PER_S), "tenant": name_of("usecase")}


META_KV_2022 = key_lines(
    name="meta-kv-2022",
    description="Meta's key-value cache of 2022 and 2023 (CacheLib): CSV with key, op, size, op_count, "
    "key_size (, ttl).",
    endings=".csv",
    line=rb"[^,]+,(?:GET|SET|DELETE|GET_LEASE|SET_LEASE),\d+,\d+,\d+(?:,-?\d*)?",
    header="key,op,size,op_count,key_size",
    fields="key op size op_count key_size ttl",
    at_least=4,
    requests=lambda: _of_meta_kv(timed=False),
)
META_KV_2024 = key_lines(
    name="meta-kv-2024",
    description="Meta's key-value cache of 2022 and 2024 (CacheLib): CSV with op_time, key, key_size, op, "
    "op_count, ...",
    endings=".csv",
    line=rb"\d+,[^,]+,\d+,[A-Z_]+,\d+,\d+,\d*,-?\d*(?:,[^,]*,[^,]*)?",
    header="op_time,key,key_size,op,op_count,size,cache_hits,ttl",
    fields="op_time key key_size op op_count size cache_hits ttl usecase sub_usecase",
    at_least=8,
    required=("key", "time_ns"),
    requests=lambda: _of_meta_kv(timed=True),
)
META_CDN = key_lines(
    name="meta-cdn",
    description="Meta's CDN (CacheLib): CSV with timestamp, cacheKey, OpType, objectSize and twelve more.",
    endings=".csv",
    line=rb"\d+,[^,]+,\d+,\d+,-?\d+,-?\d+,-?\d+,-?\d+,-?\d+(?:,[^,]*){2,6}",
    header="timestamp,cacheKey,OpType,objectSize",
    fields="timestamp cacheKey OpType objectSize responseSize headerSize rangeStart rangeEnd TTL sampling cache_hit",
    at_least=9,
    required=("key", "time_ns"),
    requests=lambda: {
        "time_ns": decimal_ns("timestamp", NS_PER_S),
        "key": name_of("cacheKey"),
        "size": size("objectSize"),
        "ttl_ns": time_to_live("TTL", NS_PER_S),
        "hit": hit("cache_hit"),
        "operation": pl.lit("get"),
    },
)
# A request is for a piece of a block: the piece is the object. op_name is getChunkData or putChunk, and a kind.
META_STORAGE = key_lines(
    name="meta-storage",
    description="Meta's block storage (Tectonic): CSV with op_time, block_id, ...; an object is a piece of a block.",
    endings=".csv",
    line=rb"[\d.]+,[^,]+,\d+,\d+,\d+,[^,]*,[^,]*,[^,]*,\d+,[^,]*,[^,]*",
    header="op_time,block_id,block_id_size,io_size,io_offset",
    fields="op_time block_id block_id_size io_size io_offset user_name user_namespace op_name op_count host_name shard",
    at_least=9,
    required=("key", "time_ns"),
    requests=lambda: {
        "time_ns": decimal_ns("op_time", NS_PER_S),
        "key": text("{}:{}", "block_id", "io_offset"),
        "size": size("io_size"),
        "tenant": name_of("user_name"),
        "operation": pl.when(pl.col("op_name").str.starts_with("get"))
        .then(pl.lit("get"))
        .when(pl.col("op_name").str.starts_with("put"))
        .then(pl.lit("put")),
        "repeats": whole("op_count"),
    },
)
# Wikimedia's upload and text caches of 2019 (wikitech, "Data Platform/Data Lake/Traffic/Caching").
WIKIMEDIA_UPLOAD = key_lines(
    name="wikimedia-upload",
    description="Wikimedia's upload cache of 2019: tabs between seconds, path, image type, size, first byte.",
    endings=".tsv .txt",
    line=rb"\d+\t\S+\t[a-z][^\t]*\t\d+\t[\d.eE-]+",
    header="relative_unix\thashed_path_query\timage_type",
    fields="relative_unix path image_type response_size time_firstbyte",
    separator="\t",
    required=("key", "time_ns"),
    requests=lambda: _of_wikimedia(),
)
WIKIMEDIA_TEXT = key_lines(
    name="wikimedia-text",
    description="Wikimedia's text cache of 2019: tabs between seconds, path, size, first byte.",
    endings=".tsv .txt",
    line=rb"\d+\t\S+\t\d+\t[\d.eE-]+",
    header="relative_unix\thashed_host_path_query\tresponse_size",
    fields="relative_unix path response_size time_firstbyte",
    separator="\t",
    required=("key", "time_ns"),
    requests=lambda: _of_wikimedia(),
)


def _of_wikimedia() -> Mapping[str, pl.Expr]:
    return {
        "time_ns": decimal_ns("relative_unix", NS_PER_S),
        "key": name_of("path"),
        "size": size("response_size"),
        "operation": pl.lit("get"),
        "duration_ns": stated_ns("time_firstbyte", decimal_ns("time_firstbyte", NS_PER_S)),
    }


# QQPhoto (Zhou et al., ICS '18; SNIA 27476): local time, checksum of the photo, format, size class, bytes returned.
TENCENT_PHOTO = key_lines(
    name="tencent-photo",
    description="Tencent's photo caches (SNIA 27476): date, photo, format, size class, bytes, hit, terminal, ms.",
    endings=".txt",
    line=rb"20\d{12}\s+[0-9A-Fa-f]+\s+\d\s+[a-z]\s+\d+\s+[01]\s+\S+\s+\d+",
    fields="time photo format class bytes hit terminal response",
    separator=" ",
    required=("key", "time_ns"),
    base="epoch",
    requests=lambda: {
        "time_ns": _time("time", "%Y%m%d%H%M%S"),
        "key": text("{}:{}:{}", "photo", "format", "class"),
        "size": size("bytes"),
        "hit": hit("hit"),
        "operation": pl.lit("get"),
        "duration_ns": stated_ns("response", decimal_ns("response", NS_PER_MS)),
    },
)
# IBM's object store (Eytan et al., HotStorage '20; SNIA 36305): milliseconds, request, object, its size, and a range.
IBM_OBJECT_STORE = key_lines(
    name="ibm-object-store",
    description="IBM Cloud Object Storage (SNIA 36305): milliseconds, REST request, object, size, range.",
    endings=".txt",
    line=rb"\d+ REST\.[A-Z]+\.[A-Z_]+ \S+( \d+( \d+ -?\d+)?)?",
    fields="time request object size start end",
    at_least=3,
    separator=" ",
    required=("key", "time_ns", "operation"),
    requests=lambda: {
        "time_ns": decimal_ns("time", NS_PER_MS),
        "key": name_of("object"),
        "size": size("size"),
        "operation": pl.col("request").str.extract(r"^REST\.([A-Z]+)\.").str.to_lowercase(),
    },
)
# Google's Thesios (Phothilimthana et al., ASPLOS '24): a request for a piece of a file; the piece is the object. The
# names are those of its published files, which are shards in a row, so that headers come again.
THESIOS = key_lines(
    name="thesios",
    description="Google's synthesized storage traces (Thesios): CSV with a header; an object is a piece of a file.",
    endings=".csv",
    line=rb"[^,]+,\d+,[^,]*,[\d.]+,[^,]*,[^,]*,(?i:read|write),.*",
    header=r"filename,\w+,\w+,c_time",
    fields="filename file_offset application c_time io_zone redundancy_type op_type service_class from_flash_cache"
    " cache_hit request_io_size_bytes disk_io_size_bytes response_io_size_bytes start_time disk_time"
    " simulated_disk_start_time simulated_latency",
    named_by_header=True,
    required=("key", "time_ns"),
    ordered=False,
    base="epoch",
    requests=lambda: {
        "time_ns": decimal_ns("start_time", NS_PER_S),
        "key": text("{}:{}", "filename", "file_offset"),
        "size": size("request_io_size_bytes"),
        "tenant": name_of("application"),
        "operation": operation("op_type"),
        "hit": hit("cache_hit"),
        "duration_ns": stated_ns("simulated_latency", decimal_ns("simulated_latency", NS_PER_S)),
        "remark": pl.when(pl.col("op_type") == "op_type").then(pl.lit("headers")),
    },
)
# RocksDB's block cache, as block_cache_trace_analyzer -human_readable_trace_file_path writes it (its wiki, "Block cache
# analysis and simulation tools"): µs, block, its type and size, column family, level, file, caller, ...
ROCKSDB = key_lines(
    name="rocksdb-block-cache",
    description="RocksDB's block cache traces as text: CSV with µs, block, type, size, column family, level, file.",
    endings=".csv",
    line=rb"\d{10,17},\d+,\d{1,2},\d+,\d+,[^,]*,\d+,\d+,\d+,[01](?:,[^,]*){4,}",
    fields="time block type size family family_name level sst caller no_insert",
    required=("key", "time_ns"),
    base="epoch",
    requests=lambda: {
        "time_ns": decimal_ns("time", 1000),
        "key": name_of("block"),
        "size": pl.when(size("size") != 0).then(size("size")),
        "tenant": name_of("family"),
        "operation": pl.lit("get"),
    },
)
# libCacheSim's CSV: what its tracePrint prints, and its samples.
LIBCACHESIM_CSV = key_lines(
    name="libcachesim-csv",
    description="libCacheSim's CSV: time, object, size, next_access_vtime, with a header.",
    endings=".csv",
    line=rb"\d+, *\d+, *\d+, *-?\d+",
    header="time, *object, *size, *next_access_vtime",
    fields="time object size next",
    at_least=3,
    recognised=True,
    required=("key", "time_ns"),
    requests=lambda: {
        "time_ns": decimal_ns("time", NS_PER_S),
        "key": name_of("object"),
        "size": size("size"),
    },
)
KEY_LINES = key_lines(
    name="key-lines",
    description="A key on each line, any text, by --trace-format only: libCacheSim's txt.",
    endings=".txt",
    line=rb"\S+",
    fields="key",
    pattern=r"^(?P<key>.+)$",
    recognised=False,
    requests=lambda: {"key": name_of("key")},
)
# Jiang and Zhang's simulator of LIRS: a block on each line; * between passes means nothing.
LIRS = key_lines(
    name="lirs",
    description="The LIRS simulator's traces, by --trace-format only: a block number on each line, * between passes.",
    endings=".trc .trace",
    line=rb"\d+",
    fields="key",
    pattern=r"^(?P<key>\S+)$",
    recognised=False,
    requests=lambda: {
        "number": unsigned("key"),
        "remark": pl.when(pl.col("key") == "*").then(pl.lit("ends of passes")),
    },
)
# Megiddo and Modha's traces (FAST '03): first block, how many follow in sequence, 0, the request's number.
ARC = key_lines(
    name="arc",
    description="ARC's traces (.lis), by --trace-format only: first block, number of blocks, 0, number of the request.",
    endings=".lis",
    line=rb"\d+ \d+ \d+ \d+",
    fields="start count ignored number",
    at_least=2,
    separator=" ",
    recognised=False,
    requests=lambda: {"number": unsigned("start"), "run": whole("count")},
)
# Berger et al. (AdaptSize, NSDI '17) and their webcachesim: time, object, bytes, and further features.
WEBCACHESIM = key_lines(
    name="webcachesim",
    description="AdaptSize's and webcachesim's traces (.tr), by --trace-format only: time, object, bytes, "
    "blanks between.",
    endings=".tr",
    line=rb"\d+ \d+ \d+.*",
    fields="time object size",
    separator=" ",
    recognised=False,
    required=("key", "time_ns"),
    requests=lambda: {
        "time_ns": decimal_ns("time", NS_PER_S),
        "key": name_of("object"),
        "size": size("size"),
    },
)
_LOG_TIME = "%d/%b/%Y:%H:%M:%S %z"
# The common and combined log formats of web servers and CDNs (Apache's mod_log_config). The size is the response's,
# which is the object's only where it was sent whole.
ACCESS_LOG = key_lines(
    name="access-log",
    description="Access logs of web servers and CDNs: the common and combined log formats.",
    endings=".log",
    line=rb'\S+ \S+ .+? \[\d{2}/[A-Z][a-z]{2}/\d{4}:[\d:]{8} [+-]\d{4}\] "[A-Z]+ .*" \d{3} (?:\d+|-).*',
    fields="time method path status bytes",
    pattern=r'^\S+ \S+ .+? \[(?P<time>[^\]]+)\] "(?P<method>[A-Z]+) (?P<path>\S+)[^"]*" (?P<status>\d{3})'
    r" (?P<bytes>\d+|-)",
    required=("key", "time_ns"),
    ordered=False,
    base="epoch",
    requests=lambda: {
        "time_ns": _time("time", _LOG_TIME),
        "key": name_of("path"),
        "operation": pl.col("method").str.to_lowercase(),
        "size": pl.when((pl.col("status") == "200") & (pl.col("bytes") != "-")).then(size("bytes")),
    },
)
# Amazon S3's server access logs (its user guide, "Log format"): requests for objects; others are counted.
S3_LOG = key_lines(
    name="s3-access-log",
    description="Amazon S3 server access logs: requests for objects.",
    endings=".log",
    line=rb'\S+ \S+ \[[^\]]+\] \S+ \S+ \S+ [A-Z0-9]+\.[A-Z]+\.[A-Z_]+ \S+ "(?:[^"\\]|\\.)*" .*',
    fields="bucket time request key status sent size total",
    pattern=r"^\S+ (?P<bucket>\S+) \[(?P<time>[^\]]+)\] \S+ \S+ \S+ (?P<request>\S+) (?P<key>\S+)"
    r' (?:"(?:[^"\\]|\\.)*"|-)'
    r" (?P<status>\S+) \S+ (?P<sent>\S+) (?P<size>\S+) (?P<total>\S+)",
    required=("key", "time_ns", "operation"),
    ordered=False,
    base="epoch",
    requests=lambda: {
        "time_ns": _time("time", _LOG_TIME),
        "key": text("{}/{}", "bucket", "key"),
        "operation": pl.col("request").str.extract(r"^[A-Z0-9]+\.([A-Z]+)\.OBJECT$").str.to_lowercase(),
        "size": pl.when(pl.col("size") != "-").then(size("size")),
        "tenant": name_of("bucket"),
        "duration_ns": stated_ns("total", decimal_ns("total", NS_PER_MS), ("", "-")),
        "remark": pl.when(~pl.col("request").str.contains(r"\.OBJECT$")).then(
            pl.lit("requests that are for no object")
        ),
    },
)
RECOGNISED = (
    TWITTER,
    META_KV_2022,
    META_KV_2024,
    META_CDN,
    META_STORAGE,
    WIKIMEDIA_UPLOAD,
    WIKIMEDIA_TEXT,
    TENCENT_PHOTO,
    IBM_OBJECT_STORE,
    THESIOS,
    ROCKSDB,
    LIBCACHESIM_CSV,
    S3_LOG,
    ACCESS_LOG,
)
NAMED = (KEY_LINES, LIRS, ARC, WEBCACHESIM)
"""Those whose lines look like others'."""
