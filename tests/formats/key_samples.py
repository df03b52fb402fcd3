"""The same few requests to a cache in every text format of caches, and what each format states of them."""

import json
import struct
from typing import Any

Row = dict[str, Any]


def row(key: str, **others: Any) -> Row:
    """Return a request as `keys_read.requests` does, unknown except for what is given."""
    unknown = dict.fromkeys(
        ("time_ns", "operation", "size", "ttl_ns", "tenant", "hit", "duration_ns", "request", "tokens")
    )
    return {**unknown, "key": key, **others}


S = 1_000_000_000
LOG = '10.0.0.1 - - [10/Oct/2000:13:55:{s:02}{z} "{op} /{key} HTTP/1.1" {status} {size} "-" "curl"\n'
S3 = (
    "79a5 bucket [06/Feb/2019:00:00:{s:02} +0000] 192.0.2.3 79a5 3E57 {op} {key} "
    '"GET /bucket/{key}?versioning HTTP/1.1" 200 - 113 {size} {ms} 10 "-" "S3Console/0.4" -\n'
)
THESIOS = (
    "filename,file_offset,application,c_time,io_zone,redundancy_type,op_type,service_class,from_flash_cache,"
    "cache_hit,request_io_size_bytes,disk_io_size_bytes,response_io_size_bytes,start_time,disk_time,"
    "simulated_disk_start_time,simulated_latency\n"
)
DOCKER = {
    "host": "dc1",
    "http.request.duration": 0.25,
    "http.request.method": "GET",
    "http.request.remoteaddr": "c1",
    "http.request.uri": "v2/a/manifests/y",
    "http.request.useragent": "docker/17.04.0-ce go/go1.7.5 UpstreamClient(Docker-Client/17.04.0-ce \\(linux\\))",
    "http.response.status": 200,
    "http.response.written": 1518,
    "id": "9f63984h",
    "timestamp": "2017-06-20T03:00:00.000Z",
}
TEXTS: dict[str, tuple[str, list[Row]]] = {
    "twitter": (
        "5,nz:u,eW,6,100,7,set,3600\n5,b,1,0,8,get,0\n6,nz:u,eW,6,100,7,get,0\n7,b,1,0,8,delete,0\n",
        [
            row("nz:u,eW", time_ns=0, operation="set", size=106, ttl_ns=3600 * S, tenant="7"),
            row("b", time_ns=0, operation="get", tenant="8"),
            row("nz:u,eW", time_ns=S, operation="get", size=106, tenant="7"),
            row("b", time_ns=2 * S, operation="delete", size=1, tenant="8"),
        ],
    ),
    "meta-kv-2022": (
        "key,op,size,op_count,key_size\nk1,GET,0,2,9\nk1,SET,30,1,9\n",
        [row("k1", operation="get"), row("k1", operation="get"), row("k1", operation="set", size=30)],
    ),
    "meta-kv-2024": (
        "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n"
        "9,k1,2,GET_LEASE,1,0,0,0,u,s\n9,k1,2,SET,1,30,0,60,u,s\n",
        [
            row("k1", time_ns=0, operation="get_lease", tenant="u"),
            row("k1", time_ns=0, operation="set", size=30, tenant="u", ttl_ns=60 * S),
        ],
    ),
    "meta-cdn": (
        "timestamp,cacheKey,OpType,objectSize,responseSize,responseHeaderSize,rangeStart,rangeEnd,TTL,SamplingRate,"
        "cache_hit,item_value,RequestHandler,cdn_content_type_id,vip_type\n"
        "100,c1,1,5000,200,10,-1,-1,60,1,1,0,h,-,v\n101,c2,1,7,7,10,0,6,0,1,0,0,h,3,v\n",
        [
            row("c1", time_ns=0, operation="get", size=5000, ttl_ns=60 * S, hit=True),
            row("c2", time_ns=S, operation="get", size=7, hit=False),
        ],
    ),
    "meta-storage": (
        "op_time,block_id,block_id_size,io_size,io_offset,user_name,user_namespace,op_name,op_count,host_name,rs\n"
        "1.5,b1,40,4096,8192,u,n,getChunkData.Permanent,1,h,0\n2,b1,40,10,0,u,n,putChunk.NotInitialized,2,h,0\n",
        [
            row("b1:8192", time_ns=0, operation="get", size=4096, tenant="u"),
            row("b1:0", time_ns=S // 2, operation="put", size=10, tenant="u"),
            row("b1:0", time_ns=S // 2, operation="put", size=10, tenant="u"),
        ],
    ),
    "wikimedia-upload": (
        "relative_unix\thashed_path_query\timage_type\tresponse_size\ttime_firstbyte\n"
        "0\t833946053\tjpeg\t9665\t1.85E-4\n1\t-1679404160\tsvg+xml\t17635\t0.01\n",
        [
            row("833946053", time_ns=0, operation="get", size=9665, duration_ns=185_000),
            row("-1679404160", time_ns=S, operation="get", size=17635, duration_ns=S // 100),
        ],
    ),
    "wikimedia-text": (
        "relative_unix\thashed_host_path_query\tresponse_size\ttime_firstbyte\n4619\t540675535\t57724\t0.5\n",
        [row("540675535", time_ns=0, operation="get", size=57724, duration_ns=S // 2)],
    ),
    "tencent-photo": (
        "20160201164559 0e3ca63adbc0 5 m 9160 1 PHONE 0\n20160201164600 0e3ca63adbc0 5 o 9 0 PC 12\n",
        [
            row("0e3ca63adbc0:5:m", time_ns=0, operation="get", size=9160, hit=True, duration_ns=0),
            row("0e3ca63adbc0:5:o", time_ns=S, operation="get", size=9, hit=False, duration_ns=12_000_000),
        ],
    ),
    "ibm-object-store": (
        "1219008 REST.PUT.OBJECT 8d4f 1056\n1221974 REST.HEAD.OBJECT 39d1\n1232488 REST.GET.OBJECT 8d4f 1168 0 1167\n",
        [
            row("8d4f", time_ns=0, operation="put", size=1056),
            row("39d1", time_ns=2_966_000_000, operation="head"),
            row("8d4f", time_ns=13_480_000_000, operation="get", size=1168),
        ],
    ),
    "thesios": (
        THESIOS
        + "f1,4096,app,1700000000.5,WARM,REPLICATED,READ,LATENCY,0,1,512,0,512,1700000001.25,0,0,0.002\n"
        + THESIOS
        + "f1,0,app,1700000000,COLD,REPLICATED,WRITE,OTHER,0,-1,0,0,0,1700000001.5,0,0,0\n",
        [
            row(
                "f1:4096",
                time_ns=0,
                operation="read",
                size=512,
                tenant="app",
                hit=True,
                duration_ns=2_000_000,
            ),
            row("f1:0", time_ns=S // 4, operation="write", size=0, tenant="app", duration_ns=0),
        ],
    ),
    "docker-registry": (
        json.dumps(
            [
                DOCKER | {"http.request.uri": "v2/a/blobs/x"},
                DOCKER
                | {
                    "http.request.method": "PUT",
                    "http.response.status": 201,
                    "timestamp": "2017-06-20T03:00:01.500Z",
                },
                DOCKER | {"http.request.method": "HEAD", "timestamp": "2017-06-20T03:00:02Z"},
            ]
        ),
        [
            row("v2/a/blobs/x", time_ns=0, operation="get", size=1518, tenant="c1", duration_ns=S // 4),
            row(
                "v2/a/manifests/y",
                time_ns=S * 3 // 2,
                operation="put",
                size=1518,
                tenant="c1",
                duration_ns=S // 4,
            ),
            row("v2/a/manifests/y", time_ns=2 * S, operation="head", tenant="c1", duration_ns=S // 4),
        ],
    ),
    "rocksdb-block-cache": (
        "1600000000000000,77,9,4096,0,default,2,11,1,0,5,12,1,1,0\n1600000000000250,78,7,0,0,default,2,11,1,0,6,0,0,0,0\n",
        [
            row("77", time_ns=0, operation="get", size=4096, tenant="0"),
            row("78", time_ns=250_000, operation="get", tenant="0"),
        ],
    ),
    "libcachesim-csv": (
        "# time, object, size, next_access_vtime\n0, 18446744073709551615, 100, 2\n3, 8, 1, -2\n",
        [row("18446744073709551615", time_ns=0, size=100), row("8", time_ns=3 * S, size=1)],
    ),
    "access-log": (
        LOG.format(s=36, z=" -0700]", op="GET", key="a?b=1", status=200, size=2326)
        + LOG.format(s=37, z=" -0700]", op="POST", key="a", status=304, size="-"),
        [
            row("/a?b=1", time_ns=0, operation="get", size=2326),
            row("/a", time_ns=S, operation="post"),
        ],
    ),
    "s3-access-log": (
        S3.format(s=1, op="REST.GET.OBJECT", key="x", size=3462, ms=7)
        + S3.format(s=2, op="REST.GET.VERSIONING", key="-", size="-", ms=7),
        [row("bucket/x", time_ns=0, operation="get", size=3462, tenant="bucket", duration_ns=7_000_000)],
    ),
    "prompt-blocks": (
        json.dumps({"timestamp": 0, "input_length": 900, "output_length": 5, "hash_ids": [3, 9]})
        + "\n"
        + json.dumps({"timestamp": 1500, "input_length": 9, "output_length": 5, "hash_ids": [3]})
        + "\n",
        [
            row("3", time_ns=0, request=0, tokens=512),
            row("9", time_ns=0, request=0, tokens=388),
            row("3", time_ns=1_500_000_000, request=1, tokens=9),
        ],
    ),
}
"""For each format that is recognised a trace, and its requests."""
NAMED: dict[str, tuple[bytes, list[Row]]] = {
    "key-lines": (b"42\nsome key\n42\n", [row("42"), row("some key"), row("42")]),
    "lirs": (b"7\n*\n18446744073709551615\n", [row("7"), row("18446744073709551615")]),
    "arc": (b"24100 3 0 1\n9 1 0 2\n", [row("24100"), row("24101"), row("24102"), row("9")]),
    "webcachesim": (
        b"1 55 100 9\n3 56 7 9\n",
        [row("55", time_ns=0, size=100), row("56", time_ns=2 * S, size=7)],
    ),
    "u32-le": (struct.pack("<3I", 1, 2**32 - 1, 1), [row("1"), row("4294967295"), row("1")]),
    "u64-le": (struct.pack("<2Q", 1, 2**64 - 1), [row("1"), row(str(2**64 - 1))]),
    "u32-be": (struct.pack(">2I", 1, 2), [row("1"), row("2")]),
    "u64-be": (struct.pack(">2Q", 1, 2), [row("1"), row("2")]),
}
"""The same for formats that are never guessed."""
