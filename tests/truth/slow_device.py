"""A file system on a device of known speed: each read that the page cache does not serve, and each sync, takes 1 ms.

It speaks the kernel's FUSE protocol (linux/fuse.h, version 7.12) in one thread, so the device serves one request at a
time. It has eight files of 64 MB of zeros, ``f0`` to ``f7``, and forgets what is written. A fresh mount has nothing in
the page cache. Run it as root: ``slow_device.py FOLDER`` mounts it, prints a line, and serves until it is unmounted.
"""

import ctypes
import os
import struct
import sys
import time

DELAY_S = 0.001
FILES, FILE_BYTES = 8, 64 << 20
FUSE_ROOT = 1
FORGET, INTERRUPT, BATCH_FORGET = 2, 36, 42
SILENT = (FORGET, INTERRUPT, BATCH_FORGET)
KEEP_CACHE = 2
VALID_S = 3600
ENOENT, ENOSYS = 2, 38


def _attributes(node: int) -> bytes:
    mode, size = (0o040755, 4096) if node == FUSE_ROOT else (0o100644, FILE_BYTES)
    return struct.pack("<6Q10I", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def _answer(operation: int, node: int, body: bytes) -> bytes | int:
    """Return the reply to a request, or the number of an error."""
    match operation:
        case 1:  # LOOKUP
            name = body.rstrip(b"\0")
            if len(name) != 2 or name[:1] != b"f" or not 0 <= name[1] - ord("0") < FILES:
                return ENOENT
            found = 2 + name[1] - ord("0")
            return struct.pack("<4Q2I", found, 0, VALID_S, VALID_S, 0, 0) + _attributes(found)
        case 3 | 4:  # GETATTR, SETATTR
            return struct.pack("<Q2I", VALID_S, 0, 0) + _attributes(node)
        case 14 | 27:  # OPEN, OPENDIR
            return struct.pack("<Q2I", 0, KEEP_CACHE, 0)
        case 15:  # READ
            time.sleep(DELAY_S)
            return bytes(struct.unpack_from("<2QI", body)[2])
        case 16:  # WRITE
            return struct.pack("<2I", struct.unpack_from("<2QI", body)[2], 0)
        case 20:  # FSYNC
            time.sleep(DELAY_S)
            return b""
        case 18 | 25 | 29 | 38:  # RELEASE, FLUSH, RELEASEDIR, DESTROY
            return b""
        case 26:  # INIT: no reading ahead, so that each read of another page is a request
            return struct.pack("<4I2HI", 7, 12, 0, 0, 1, 1, 1 << 16)
    return ENOSYS


def serve(folder: str) -> None:
    """Mount the file system and serve it until it is unmounted; raises OSError where that is not allowed."""
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"slow", folder.encode(), b"fuse", 0, options):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), folder)
    print("mounted", flush=True)
    while True:
        try:
            request = os.read(device, 1 << 18)
        except OSError:
            return
        _, operation, unique, node = struct.unpack_from("<2I2Q", request)
        if operation in SILENT:
            continue
        answer = _answer(operation, node, request[40:])
        error, reply = (-answer, b"") if isinstance(answer, int) else (0, answer)
        os.write(device, struct.pack("<IiQ", 16 + len(reply), error, unique) + reply)


if __name__ == "__main__":
    serve(sys.argv[1])
