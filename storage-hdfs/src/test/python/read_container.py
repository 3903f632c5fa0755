"""Reads a Weft tensor container with NumPy alone, from what FORMAT.md says.

usage: read_container.py FOLDER [VERSION]
prints one line per entry (coordinates from 0, then the value), then histograms, labels and
permutations. Blocks in zstd need the module zstandard or the command zstd.
"""

import json
import os
import re
import subprocess
import sys

import numpy as np

TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"}

CRC = np.arange(256, dtype=np.uint32)
for _ in range(8):
    CRC = np.where(CRC & 1, (CRC >> 1) ^ np.uint32(0x82F63B78), CRC >> 1)
CRC = [int(c) for c in CRC]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return "%08x" % (crc ^ 0xFFFFFFFF)


def bits(data, count, width):
    """`count` numbers of `width` bits, the first in the lowest bits of the first byte."""
    if width == 0:
        return np.zeros(count, np.uint64)
    flat = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[: count * width]
    weights = np.uint64(1) << np.arange(width, dtype=np.uint64)
    return (flat.reshape(count, width).astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)


def difference(data, dtype, count):
    word = 8 if dtype == np.dtype("<i8") else 4
    out, at = [], 0
    while count > 0:
        n = min(256, count)
        width, kind = data[at], data[at + 1]
        base = int.from_bytes(data[at + 2 : at + 2 + word], "little")
        step = int.from_bytes(data[at + 2 + word : at + 2 + 2 * word], "little")
        at += 2 + word * (1 + kind)
        packed = (n * width + 7) // 8
        d = bits(data[at : at + packed], n, width)
        with np.errstate(over="ignore"):
            if kind == 1:
                d = np.cumsum(d + np.uint64(step), dtype=np.uint64)
            out.append(d + np.uint64(base))
        at += packed
        count -= n
    assert at == len(data)
    unsigned = np.concatenate(out).astype("<u8")
    return unsigned.view("<i8") if word == 8 else (unsigned & np.uint64(0xFFFFFFFF)).astype("<u4").astype(dtype)


def dictionary(data, dtype, count):
    k = int.from_bytes(data[:4], "little")
    end = 4 + k * dtype.itemsize
    table = np.frombuffer(data[4:end], dtype)
    return table[bits(data[end + 1 :], count, data[end]).astype(np.int64)]


def zstd(data, dtype, count):
    try:
        import zstandard

        raw = zstandard.ZstdDecompressor().decompress(data)
    except ImportError:
        raw = subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(dtype.itemsize, count).T.copy().view(dtype).reshape(count)


DECODE = {
    "plain": lambda data, dtype, count: np.frombuffer(data, dtype),
    "difference": difference,
    "dictionary": dictionary,
    "zstd": zstd,
}


class Container:
    def __init__(self, folder, version=None):
        names = [re.fullmatch(r"manifest-([1-9][0-9]*)\.json", name) for name in os.listdir(folder)]
        versions = [int(name.group(1)) for name in names if name]
        self.folder = folder
        path = os.path.join(folder, "manifest-%d.json" % (version or max(versions)))
        with open(path, "rb") as file:
            text = file.read()
        body, check = text[:-16], text[-16:]
        assert check == b"crc32c " + crc32c(body).encode() + b"\n", path
        self.manifest = json.loads(body)
        assert self.manifest["formatVersion"] == 1

    def array(self, entry):
        name = self.manifest["files"][entry["file"]]
        path = os.path.join(self.folder, name["path"])
        assert os.path.getsize(path) == name["bytes"], path
        dtype = np.dtype(TYPES[entry["type"]])
        each = self.manifest["blockBytes"] // dtype.itemsize
        parts, left, at = [], entry["length"], entry["offset"]
        assert at % 64 == 0
        with open(path, "rb") as file:
            for number, (encoding, size, check) in enumerate(entry["blocks"]):
                last = number == len(entry["blocks"]) - 1
                padding = -(at + size) % 64 if last else 0
                file.seek(at)
                data = file.read(size + padding)
                assert crc32c(data) == check, (path, number)
                count = min(left, each)
                block = DECODE[encoding](data[:size], dtype, count)
                assert len(block) == count
                parts.append(block)
                at += size
                left -= count
        assert left == 0
        return np.concatenate(parts) if parts else np.zeros(0, dtype)

    def entries(self, part):
        """Columns of coordinates in mode order, and the values."""
        levels, _, order = self.manifest["format"].partition("@")
        symbols = [level.strip() for level in levels.strip("{}").split(",")]
        assert set(symbols) == {"CU"}, "this reader knows compressed levels"
        modes = [int(m) for m in order.split(",")] if order else list(range(len(symbols)))
        columns = {}
        for mode, level in zip(modes, part["levels"]):
            pos = self.array(level["pos"]).astype(np.int64)
            children = np.diff(pos)
            columns = {m: np.repeat(column, children) for m, column in columns.items()}
            columns[mode] = self.array(level["crd"])
        return [columns[m] for m in range(len(modes))], self.array(part["values"])


def main():
    container = Container(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
    manifest = container.manifest
    for part in manifest["parts"]:
        columns, values = container.entries(part)
        for entry in zip(*columns, values):
            print(*entry[:-1], repr(float(entry[-1])))
    for mode in manifest["modes"]:
        counts = container.array(mode["histogram"]["counts"])
        print("histogram", mode["name"], mode["size"], int(counts.sum()))
        if "labels" in mode:
            text = b"".join(container.array(a).tobytes() for a in mode["labels"]["text"])
            print("labels", mode["name"], json.dumps(text.decode().split("\n")[:-1]))
        if "permutation" in mode:
            print("permutation", mode["name"], container.array(mode["permutation"]).tolist())


main()
