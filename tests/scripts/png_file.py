"""Reads a PNG file strictly: signature, checksums, size, pixels."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def read_png(path):
    """(width, height, the decompressed rows). ValueError when the file is not a whole and valid PNG."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.startswith(SIGNATURE):
        raise ValueError("no PNG signature")
    at, chunks = len(SIGNATURE), []
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
        if zlib.crc32(kind + body) != checksum:
            raise ValueError(f"checksum of {kind} is wrong")
        chunks.append((kind, body))
        at += 12 + length
    if chunks[0][0] != b"IHDR" or chunks[-1][0] != b"IEND":
        raise ValueError("not from IHDR to IEND")
    width, height = struct.unpack_from(">II", chunks[0][1])
    return width, height, zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
