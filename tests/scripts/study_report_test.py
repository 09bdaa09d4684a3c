#!/usr/bin/env python3
"""The page of a study: a point per point, the front first and marked, rows that failed, and the refusals of the command."""
import contextlib
import io
import os
import re
import shutil
import tempfile
import unittest
from unittest import mock

import package_path
from hand_made_study import write_study
from page_figures import Page
from tensorloom import report_command
from tensorloom.report.study_page import study_page_of


class StudyReportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tensorloom-study-report-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.write()

    def write(self, **more):
        write_study(self.folder, **more)

    def test_fronts_have_the_mean_of_the_runs_of_right_points(self):
        page = Page(study_page_of(self.folder))
        fronts = page.of("pareto")
        self.assertEqual([re.match(r"[a-z ]+", figure["text"])[0] for figure in fronts],
                         ["energy by latency", "area by latency", "area by energy"])
        for figure in fronts:
            self.assertEqual(len(figure["marks"]), 3)  # not the one with a wrong run
            rows = {attributes["data-row"]: attributes for _, attributes in figure["marks"]}
            self.assertEqual([rows[row]["r"] for row in "012"], ["6", "6", "4"])
        text = fronts[0]["text"]
        for words in ("2 µs", "6 µJ", "3 mm²", "500 ns"):  # of point 1 its means
            self.assertIn(words, text)
        # Logarithmic axes: of 500, 2000 and 4000 ns the middle one lies two octaves from the left, one from the right.
        x = {row: float(attributes["cx"][:-1]) for row, attributes in
             ((attributes["data-row"], attributes) for _, attributes in fronts[0]["marks"])}
        self.assertAlmostEqual((x["0"] - x["1"]) / (x["2"] - x["0"]), 2, places=4)

    def test_tells_what_was_asked_and_what_failed(self):
        text = study_page_of(self.folder, "A <title>")
        page = Page(text)
        self.assertIn("A &lt;title&gt;", text)
        self.assertNotIn("<b>&", text)
        told = page.of("result")[0]["text"]
        for words in ("zeros 0.5", "2x2x2, 4x4x4, <b>&, 8x8x8", "4, 8", "min latency, min energy, min area", "2 s", "here", "abc"):
            self.assertIn(words, told)
        self.assertIn("4wrongit is <wrong>", page.of("failed")[0]["text"])
        self.assertEqual(len(page.of("table")[0]["marks"]), 8)
        self.assertEqual([address for address in page.addresses if not address.startswith(("#", "data:"))], [])

    def test_without_objectives_there_is_no_front(self):
        self.write(objectives={})
        page = Page(study_page_of(self.folder))
        self.assertEqual((len(page.of("pareto")), len(page.of("table")[0]["marks"])), (0, 8))

    def test_the_command_makes_it_and_refuses(self):
        output, complaint = os.path.join(self.folder, "page.html"), io.StringIO()

        def status(*arguments):
            with mock.patch("sys.argv", ["tensorloom-report", *arguments]), contextlib.redirect_stdout(io.StringIO()), \
                    contextlib.redirect_stderr(complaint):
                return report_command.main()

        self.assertEqual(status(self.folder, "--output", output), 0)
        with open(output, encoding="utf-8") as file:
            self.assertEqual(file.read(), study_page_of(self.folder))
        os.remove(output)
        self.assertEqual(status(self.folder, self.folder, "--output", output), 2)
        self.write(objectives={"speed": "max"})
        self.assertEqual(status(self.folder, "--output", output), 2)
        self.write(swept=["none"])
        self.assertEqual(status(self.folder, "--output", output), 2)
        os.remove(os.path.join(self.folder, "results.csv"))
        self.assertEqual(status(self.folder, "--output", output), 2)
        self.assertEqual(len(complaint.getvalue().splitlines()), 4)
        self.assertFalse(os.path.exists(output))


if __name__ == "__main__":
    unittest.main()
