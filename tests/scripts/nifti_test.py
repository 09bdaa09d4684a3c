#!/usr/bin/env python3
"""scripts/nifti_to_npy: volumes that it reads, and files that it refuses. The NIfTI files are written here, byte by byte."""
import contextlib
import gzip
import importlib.machinery
import importlib.util
import io
import os
import struct
import subprocess
import tempfile
import unittest
from unittest import mock

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts", "nifti_to_npy")


def script_module():
    """The script, to be called without a process for each time."""
    loader = importlib.machinery.SourceFileLoader("nifti_to_npy", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("nifti_to_npy", loader))
    loader.exec_module(module)
    return module


NIFTI_TO_NPY = script_module()

CODES = {"u1": 2, "i2": 4, "i4": 8, "f4": 16, "f8": 64, "i1": 256, "u2": 512, "u4": 768, "i8": 1024, "u8": 1280}


def nifti(volume, order="<", slope=0.0, inter=0.0, offset=352, **changes):
    """The bytes of a file with this array; `changes`: fields by name."""
    kind = volume.dtype.str[1:]
    fields = {"sizeof_hdr": 348, "dim": [volume.ndim, *volume.shape] + [1] * (7 - volume.ndim),
              "datatype": CODES[kind], "bitpix": 8 * volume.dtype.itemsize, "magic": b"n+1\0", **changes}
    header = bytearray(348)
    struct.pack_into(order + "i", header, 0, fields["sizeof_hdr"])
    struct.pack_into(order + "8h", header, 40, *fields["dim"])
    struct.pack_into(order + "2h", header, 70, fields["datatype"], fields["bitpix"])
    struct.pack_into(order + "3f", header, 108, offset, slope, inter)
    header[344:348] = fields["magic"]
    data = volume.astype(volume.dtype.newbyteorder(order)).tobytes(order="F")
    return bytes(header) + bytes(max(0, int(offset) - 348) if np.isfinite(offset) else 0) + data


class NiftiTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def write(self, name, data):
        with open(os.path.join(self.directory, name), "wb") as file:
            file.write(data)
        return name

    def run_script(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err, \
                mock.patch("sys.argv", [SCRIPT, *arguments]):
            before = os.getcwd()
            os.chdir(self.directory)
            try:
                status = NIFTI_TO_NPY.main()
            except SystemExit as end:
                status = end.code
            finally:
                os.chdir(before)
        return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())

    def converted(self, data, *arguments):
        done = self.run_script(self.write("in.nii", data), "out.npy", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return np.load(os.path.join(self.directory, "out.npy"))

    def refuses(self, data, *words, arguments=()):
        done = self.run_script(self.write("in.nii", data), "out.npy", *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Anifti_to_npy: [^\n]+\n\Z")
        for word in ("expected", *words):
            self.assertIn(word, done.stderr)
        self.assertEqual(os.listdir(self.directory), ["in.nii"])


def ramp(shape, kind):
    return (np.arange(np.prod(shape)) % 101).reshape(shape).astype(kind)


class Volumes(NiftiTest):
    def test_every_type_and_both_byte_orders(self):
        for kind, order in zip(CODES, 5 * "<>"):
            with self.subTest(kind=kind, order=order):
                volume = ramp((4, 3, 5), kind)
                found = self.converted(nifti(volume, order))
                np.testing.assert_array_equal(found, volume)
                self.assertEqual(found.dtype, volume.dtype)
                self.assertTrue(found.flags.c_contiguous)

    def test_the_first_index_runs_fastest_in_the_file(self):
        volume = np.zeros((2, 3, 4), "u1")
        volume[1, 0, 0] = 7
        data = nifti(volume)
        self.assertEqual(data[352 + 1], 7)
        self.assertEqual(self.converted(data)[1, 0, 0], 7)

    def test_compressed(self):
        volume = ramp((4, 3, 5), "i2")
        np.testing.assert_array_equal(self.converted(gzip.compress(nifti(volume))), volume)

    def test_scaling_gives_floats(self):
        volume = ramp((4, 3, 5), "i2")
        found = self.converted(nifti(volume, slope=0.5, inter=-2))
        self.assertEqual(found.dtype, np.float64)
        np.testing.assert_array_equal(found, 0.5 * volume - 2)
        for slope, inter in ((0, 3), (1, 0)):  # no scaling
            self.assertEqual(self.converted(nifti(volume, slope=slope, inter=inter)).dtype, np.int16)

    def test_a_volume_of_a_series(self):
        series = ramp((2, 3, 4, 5), "f4")
        np.testing.assert_array_equal(self.converted(nifti(series)), series[..., 0])
        np.testing.assert_array_equal(self.converted(nifti(series), "--volume", "3"), series[..., 3])

    def test_data_further_on(self):
        volume = ramp((2, 3, 4), "f8")
        np.testing.assert_array_equal(self.converted(nifti(volume, offset=1024)), volume)


class Refusals(NiftiTest):
    GOOD = ramp((2, 3, 4), "i2")

    def test_what_is_no_nifti_file(self):
        self.refuses(b"", "0 bytes", "348")
        self.refuses(b"x" * 400, "header size")
        self.refuses(nifti(self.GOOD, sizeof_hdr=540), "540")
        self.refuses(nifti(self.GOOD, magic=b"ni1\0"), "ni1")
        self.refuses(nifti(self.GOOD, magic=b"\0\0\0\0"), "magic")

    def test_dimensions(self):
        for dim in ([2, 2, 3, 1, 1, 1, 1, 1], [3, 2, 0, 4, 1, 1, 1, 1], [3, 2, -3, 4, 1, 1, 1, 1],
                    [8, 1, 1, 1, 1, 1, 1, 1]):
            self.refuses(nifti(self.GOOD, dim=dim), "dimensions")

    def test_element_types(self):
        for code in (0, 1, 32, 128, 1536, 2304):
            self.refuses(nifti(self.GOOD, datatype=code), f"element type {code}")
        self.refuses(nifti(self.GOOD, bitpix=8), "8 bits")

    def test_offset_and_scaling(self):
        for offset in (0.0, 348.0, 352.5, float("nan")):
            self.refuses(nifti(self.GOOD, offset=offset), "offset")
        self.refuses(nifti(self.GOOD, slope=float("inf")), "scaling")

    def test_truncated(self):
        self.refuses(nifti(self.GOOD)[:-1], "truncated")
        self.refuses(gzip.compress(nifti(self.GOOD))[:-9], "cannot be read")
        self.refuses(b"\x1f\x8b" + b"x" * 50, "cannot be read")

    def test_volume_beyond_the_series(self):
        self.refuses(nifti(self.GOOD), "--volume", "0 to 0", arguments=("--volume", "1"))

    def test_wrong_use(self):
        self.write("in.nii", nifti(self.GOOD))
        os.mkfifo(os.path.join(self.directory, "pipe"))
        for arguments in ((), ("in.nii",), ("in.nii", "out.npy", "more"), ("in.nii", "out.npy", "--volume", "-1"),
                          ("in.nii", "out.npy", "--volume", "x"), ("in.nii", "out.npy", "--vol", "0"),
                          ("none.nii", "out.npy"), ("in.nii", "none/out.npy"), (".", "out.npy"), ("in.nii", "."),
                          ("in.nii", "in.nii"), ("a\nb", "out.npy"), ("in.nii", "out.npy", "a\nb"),
                          ("in.nii", "no\nfolder/x"), ("pipe", "out.npy")):
            with self.subTest(arguments=arguments):
                done = self.run_script(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Anifti_to_npy: [^\n]+\n\Z")
                self.assertEqual(sorted(os.listdir(self.directory)), ["in.nii", "pipe"])

    def test_as_a_command(self):
        self.write("in.nii", nifti(self.GOOD))
        for arguments, status in ((("--help",), 0), (("in.nii", "in.nii"), 2), (("in.nii", "out.npy"), 0)):
            done = subprocess.run([SCRIPT, *arguments], cwd=self.directory, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, status)
            self.assertIn("--volume" if arguments == ("--help",) else "out.npy" if status == 0 else "in.nii",
                          done.stderr if status else done.stdout)
        np.testing.assert_array_equal(np.load(os.path.join(self.directory, "out.npy")), self.GOOD)


if __name__ == "__main__":
    unittest.main()
