#!/usr/bin/env python3
"""Adds inputs to the archive of a fuzzing target.

Usage: add_found.py TARGET FILE...    adds the files to found/TARGET.tar.gz, under their names
       add_found.py TARGET            writes the archive again as it is

The same inputs always give the same archive: names are sorted, and times and owners are zero.
"""
import gzip
import io
import os
import sys
import tarfile

FOUND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "found")


def archive_path(target):
    return os.path.join(FOUND, target + ".tar.gz")


def read_inputs(path):
    """The inputs of an archive by name; empty when there is no archive."""
    if not os.path.exists(path):
        return {}
    with tarfile.open(path, "r:gz") as archive:
        return {member.name: archive.extractfile(member).read() for member in archive.getmembers()}


def tar_of(inputs):
    """The uncompressed archive."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(inputs):
            member = tarfile.TarInfo(name)  # times and owners of a TarInfo are zero
            member.size = len(inputs[name])
            archive.addfile(member, io.BytesIO(inputs[name]))
    return tar.getvalue()


def write_inputs(path, inputs):
    with open(path, "wb") as file:
        file.write(gzip.compress(tar_of(inputs), 9, mtime=0))


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        sys.stderr.write(__doc__)
        return 2
    target, *files = arguments
    path = archive_path(target)
    inputs = read_inputs(path)
    for name in files:
        try:
            with open(name, "rb") as file:
                inputs[os.path.basename(name)] = file.read()
        except OSError as error:
            sys.stderr.write(f"add_found: {name}: {error.strerror}\n")
            return 2
    if not inputs:
        sys.stderr.write(f"add_found: found no input for '{target}', expected files\n")
        return 2
    write_inputs(path, inputs)
    print(f"{path}: {len(inputs)} inputs")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
