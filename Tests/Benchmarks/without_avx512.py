"""Copies the directory of a Python package (x86-64) with UD2 in the place of every CPUID of its libraries, for without_avx512.c:
without_avx512.py PACKAGE COPY"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys

CPUID, UD2 = b"\x0f\xa2", b"\x0f\x0b"


def segments(data):
    """Where the file's parts are loaded: (address, offset, size)."""
    table, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    entries = [struct.unpack_from("<IIQQQQQQ", data, table + 56 * number) for number in range(count)]
    return [(address, offset, size) for kind, _, offset, address, _, size, _, _ in entries if kind == 1]


def replaced(library):
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], capture_output=True, text=True, check=True).stdout
    data, count = bytearray(library.read_bytes()), 0
    parts = segments(data)
    for found in re.finditer(r"^\s*([0-9a-f]+):\s+cpuid", listing, re.M):
        address = int(found[1], 16)
        offset = next(o + address - a for a, o, size in parts if a <= address < a + size)
        if data[offset:offset + 2] != CPUID:
            raise SystemExit(f"{library}: no CPUID at {address:#x}")
        data[offset:offset + 2] = UD2
        count += 1
    library.write_bytes(data)
    return count


package, copy = map(pathlib.Path, sys.argv[1:])
shutil.copytree(package, copy, dirs_exist_ok=True)
# The libraries that do the arithmetic: what only wraps them is a few kilobytes.
total = sum(replaced(library) for library in copy.glob("*.so") if library.stat().st_size > 1 << 20)
if total == 0:
    raise SystemExit(f"{copy}: no CPUID in its libraries")
