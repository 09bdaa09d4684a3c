#!/usr/bin/env python3
"""The report of the demo: pictures are valid, and what is wrong with the files is said in one line."""
import contextlib
import io
import json
import os
import tempfile
import unittest

import numpy as np

import plots_path  # noqa: F401
import demo_report
from hand_made_jobs import write_jobs
from png_file import read_png

PICTURES = ("slices.png", "energy.png", "timeline.png")


class DemoReportTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        write_jobs(self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def report(self):
        """Exit status, standard output, standard error."""
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()) as complaints:
            status = demo_report.main([self.path("original.npy"), self.folder])
        return status, printed.getvalue(), complaints.getvalue()

    def assert_refused(self, *texts):
        status, _, complaints = self.report()
        self.assertEqual(status, 2, complaints)
        self.assertEqual(len(complaints.splitlines()), 1, complaints)
        for text in texts:
            self.assertIn(text, complaints)

    def test_pictures_are_valid_and_not_empty_and_the_printed_table_is_the_written_one(self):
        status, printed, complaints = self.report()
        self.assertEqual((status, complaints), (0, ""))
        for name in PICTURES:
            width, height, rows = read_png(self.path(name))
            self.assertGreater(min(width, height), 400, name)
            self.assertGreater(len(set(rows)), 50, name)  # many different bytes: not one flat colour
        with open(self.path("comparison.txt"), encoding="utf-8") as file:
            self.assertEqual(printed, file.read())
        self.assertIn("40.00", printed)

    def test_pictures_show_the_numbers(self):
        self.report()
        before = {name: read_png(self.path(name))[2] for name in PICTURES}
        with open(self.path("esop", "inverse", "energy.csv"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(",250,0,200,450", text)
        with open(self.path("esop", "inverse", "energy.csv"), "w", encoding="utf-8") as file:
            file.write(text.replace(",250,0,200,450", ",700,0,200,900", 1))
        np.save(self.path("esop", "reconstruction.npy"), np.load(self.path("original.npy")) + 9.0)
        self.report()
        for name in PICTURES:
            self.assertNotEqual(read_png(self.path(name))[2], before[name], name)

    def test_wrong_number_of_arguments_is_wrong_use(self):
        with contextlib.redirect_stderr(io.StringIO()) as complaints:
            self.assertEqual(demo_report.main(["one"]), 2)
        self.assertIn("expected ORIGINAL.npy and FOLDER", complaints.getvalue())

    def test_missing_file_is_named(self):
        for names in (("original.npy",), ("dense", "reconstruction.npy"), ("esop", "forward", "summary.json"),
                      ("dense", "inverse", "latency.csv"), ("esop", "inverse", "energy.csv")):
            with self.subTest(names):
                os.rename(self.path(*names), self.path("away"))
                self.assert_refused(self.path(*names), "is missing")
                os.rename(self.path("away"), self.path(*names))

    def test_missing_field_is_named(self):
        path = self.path("dense", "forward", "summary.json")
        with open(path, encoding="utf-8") as file:
            summary = json.load(file)
        del summary["energy_pJ"]["leakage"]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(summary, file)
        self.assert_refused(path, "energy_pJ.leakage")

    def test_missing_column_is_named(self):
        path = self.path("esop", "forward", "energy.csv")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("leakage_pJ", "leak"))
        self.assert_refused(path, "leakage_pJ")

    def test_damaged_files_are_refused(self):
        for names in (("original.npy",), ("dense", "reconstruction.npy"), ("esop", "forward", "summary.json")):
            with self.subTest(names), open(self.path(*names), "rb+") as file:
                whole = file.read()
                file.truncate(len(whole) // 2)
                self.assert_refused(self.path(*names), "cannot be read")
                file.seek(0)
                file.write(whole)

    def test_other_shape_is_refused(self):
        np.save(self.path("dense", "reconstruction.npy"), np.zeros((2, 2, 2)))
        self.assert_refused(self.path("dense", "reconstruction.npy"), "(2, 2, 2)", "(2, 3, 4)")

    def test_tables_of_other_runs_are_refused(self):
        path = self.path("dense", "forward", "energy.csv")
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines[:-1])
        self.assert_refused(self.path("dense", "forward"), "same rows")


if __name__ == "__main__":
    unittest.main()
