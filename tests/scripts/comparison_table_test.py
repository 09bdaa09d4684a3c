#!/usr/bin/env python3
"""The table says what the files say: numbers, sums, ratios, estimate marks."""
import os
import tempfile
import unittest

import plots_path  # noqa: F401
from comparison_table import Comparison, format_comparison
from hand_made_jobs import original, write_jobs
from job_folder import read_job


class ComparisonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            write_jobs(folder)
            cls.comparison = Comparison(read_job("dense", os.path.join(folder, "dense")),
                                        read_job("ESOP", os.path.join(folder, "esop")), original())
        cls.sections = cls.comparison.rows()
        cls.text = format_comparison(cls.comparison)

    def row(self, section, name):
        found = [row for row in self.sections[section] if row.name == name]
        self.assertEqual(len(found), 1, (section, name))
        return found[0]

    def assert_row(self, section, name, *expected):
        """Forward dense and ESOP, inverse dense and ESOP, both dense and ESOP."""
        for value, wanted in zip(self.row(section, name).values, expected, strict=True):
            if wanted is None:
                self.assertIsNone(value, name)
            else:
                self.assertAlmostEqual(value, wanted, delta=1e-12 * abs(wanted), msg=name)

    def test_work(self):
        self.assert_row("", "steps", 2, 2, 2, 2, 4, 4)
        self.assert_row("", "rows skipped", 0, 3, 0, 3, 0, 6)
        self.assert_row("", "MACs done", 1000, 500, 1000, 250, 2000, 750)
        self.assert_row("", "MACs skipped", 0, 500, 0, 750, 0, 1250)
        self.assert_row("", "utilisation [%]", 100, 50, 100, 25, 100, 37.5)
        self.assert_row("", "simulated time [us]", 0.04, 0.04, 0.04, 0.04, 0.08, 0.08)

    def test_cycles_by_cause(self):
        self.assertEqual([row.name for row in self.sections["cycles"]], ["load", "compute", "unload", "total"])
        self.assert_row("cycles", "load", 10, 10, 10, 10, 20, 20)
        self.assert_row("cycles", "compute", 4, 4, 4, 4, 8, 8)
        self.assert_row("cycles", "unload", 6, 6, 6, 6, 12, 12)
        self.assert_row("cycles", "total", 20, 20, 20, 20, 40, 40)

    def test_energy(self):
        self.assert_row("energy", "mac [uJ]", 2e-3, 1e-3, 2e-3, 0.5e-3, 4e-3, 1.5e-3)
        self.assert_row("energy", "memory [uJ]", *[40e-6] * 4, *[80e-6] * 2)
        self.assert_row("energy", "leakage [uJ]", *[2e-3] * 4, *[4e-3] * 2)
        self.assert_row("energy", "dynamic: all these [uJ]", 2.04e-3, 1.04e-3, 2.04e-3, 0.54e-3, 4.08e-3, 1.58e-3)
        self.assert_row("energy", "total [uJ]", 4.04e-3, 3.04e-3, 4.04e-3, 2.54e-3, 8.08e-3, 5.58e-3)

    def test_result(self):
        self.assert_row("result", "kept coefficients", 5, 5, None, None, None, None)
        self.assert_row("result", "error, largest", 1e-10, 1e-10, 3e-12, 3e-12, 1e-10, 1e-10)
        self.assert_row("result", "PSNR [dB]", None, None, 40, 40, None, None)
        self.assert_row("result", "ESOP - dense, largest", None, None, None, 0, None, None)

    def test_simulation_speed_of_both_is_all_work_by_all_time(self):
        self.assert_row("simulation", "million MACs per CPU s", 2e-3, 2e-3, 2e-3, 1e-3, 2e-3, 1.5e-3)
        self.assert_row("simulation", "wall [s]", 1, 0.5, 1, 0.5, 2, 1)
        self.assert_row("simulation", "CPU [s]", 0.5, 0.25, 0.5, 0.25, 1, 0.5)

    def test_ratio_is_esop_to_dense_of_both(self):
        self.assertAlmostEqual(self.row("", "MACs done").ratio(), 0.375)
        self.assertIsNone(self.row("", "MACs skipped").ratio())  # nothing to divide by
        self.assertIsNone(self.row("simulation", "wall [s]").ratio())

    def line(self, name):
        found = [line for line in self.text.splitlines() if line.strip().startswith(name)]
        self.assertEqual(len(found), 1, name)
        return found[0].strip()[len(name):].split()

    def test_text(self):
        self.assertEqual(self.line("MACs done"), ["1,000", "500", "1,000", "250", "2,000", "750", "0.375"])
        self.assertEqual(self.line("PSNR [dB]"), ["-", "-", "40.00", "40.00", "-", "-"])

    def test_estimates_are_marked_and_nothing_else(self):
        self.assertEqual(self.line("leakage [uJ]")[:6], ["0.002000*"] * 4 + ["0.004000*"] * 2)
        self.assertTrue(all(cell.endswith("*") for cell in self.line("total [uJ]")[:6]))
        for name in ("mac [uJ]", "memory [uJ]", "dynamic: all these [uJ]"):
            self.assertNotIn("*", "".join(self.line(name)))

    def test_columns_stand_below_their_titles(self):
        lines = self.text.splitlines()
        for title in ("forward", "inverse", "both"):
            self.assertIn(f" {title} ", lines[0])
        self.assertEqual(lines[1].split(), ["dense", "ESOP"] * 3 + ["ESOP/dense"])
        self.assertEqual(lines[1].index("dense") + len("dense"), lines[2].index("2") + 1)


if __name__ == "__main__":
    unittest.main()
