#!/usr/bin/env python3
"""The report reads what dxt really writes. Usage: demo_report_of_dxt_test.py DXT"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import plots_path
from png_file import read_png

DXT = sys.argv.pop(1)


class DemoReportOfDxtTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_jobs(self, original):
        np.save(self.path("original.npy"), original)
        for sparsity in ("dense", "esop"):
            os.mkdir(self.path(sparsity))
            coefficients = self.path(sparsity, "coefficients.npy")
            common = [DXT, "--quiet", "--sparsity", sparsity]
            subprocess.run([*common, "--input", self.path("original.npy"), "--keep", "0.25", "--output", coefficients,
                            "--out", self.path(sparsity, "forward")], check=True)
            subprocess.run([*common, "--input", coefficients, "--inverse", "--output", self.path(sparsity, "reconstruction.npy"),
                            "--out", self.path(sparsity, "inverse")], check=True)

    def test_table_and_pictures(self):
        original = np.zeros((6, 5, 4), dtype=np.int16)
        original[1:4, 1:4, :] = 300
        original[2, 2, 1] = 100
        self.run_jobs(original)
        done = subprocess.run([sys.executable, os.path.join(plots_path.PLOTS, "demo_report.py"), self.path("original.npy"),
                               self.folder], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("slices.png", "energy.png", "timeline.png"):
            read_png(self.path(name))

        cells = {}
        for line in done.stdout.splitlines():
            if line.startswith(("MACs done", "  PSNR [dB]", "  kept coefficients")):
                cells[line.split()[0]] = line.split()[2:]
        macs = []
        for direction in ("forward", "inverse"):
            for sparsity in ("dense", "esop"):
                with open(self.path(sparsity, direction, "summary.json"), encoding="utf-8") as file:
                    macs.append(json.load(file)["macs"])
        macs += [macs[0] + macs[2], macs[1] + macs[3]]
        self.assertEqual(macs[0], 120 * (6 + 5 + 4))
        self.assertEqual(cells["MACs"][:6], [f"{count:,}" for count in macs])
        self.assertEqual(cells["kept"][:2], ["30", "30"])

        # An orthonormal transform keeps the sum of squares: the error's is that of the coefficients that were dropped.
        kept = np.sum(np.load(self.path("dense", "coefficients.npy")) ** 2)
        mean_square_error = (np.sum(original.astype(float) ** 2) - kept) / original.size
        self.assertAlmostEqual(float(cells["PSNR"][2]), 10 * np.log10(300**2 / mean_square_error), delta=0.006)


if __name__ == "__main__":
    unittest.main()
