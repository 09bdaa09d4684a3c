#!/usr/bin/env python3
"""The page of a study: a point per point, the front first and marked, rows that failed, and the refusals of the command."""
import contextlib
import csv
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
from tensorloom.report.plane import LinearAxis, LogarithmicAxis, axis_of, labels
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
        for words in ("2 ± 1.4 µs", "6 ± 1.4 µJ", "3 mm²", "500 ns"):  # of point 1 its means
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
        self.assertEqual(len(page.of("table")[0]["marks"]), 4)  # a bar per point
        self.assertEqual([address for address in page.addresses if not address.startswith(("#", "data:"))], [])

    def test_designs_of_a_model_are_labelled_and_refused_ones_are_told(self):
        write_study(self.folder, swept=["model.layers.one.ranks"], testbench="tnn_training")
        for file in ("results.csv", "points.csv"):
            with open(os.path.join(self.folder, file), encoding="utf-8") as found:
                text = found.read()
            with open(os.path.join(self.folder, file), "w", encoding="utf-8") as found:
                # hand-made rows of another testbench: the columns of a training, empty
                head, *rows = text.replace("mesh", "model.layers.one.ranks").replace("wrong,8x8x8", "refused,8x8x8").splitlines()
                found.write("\n".join([head + ",test_accuracy,test_accuracy_deviation,training_loss,training_loss_deviation",
                                       *(row + ",,,," for row in rows)]) + "\n")
        page = Page(study_page_of(self.folder))
        refused, = page.of("refused")
        self.assertIn("1 designs that tnn_training refuses", refused["text"])
        self.assertIn("4refusedit is <wrong>", refused["text"])
        self.assertEqual(page.of("failed"), [])
        self.assertIn("one.ranks2x2x2, 4x4x4", page.of("result")[0]["text"])
        self.assertNotIn("model.layers", page.of("pareto")[0]["text"])

    def test_without_objectives_there_is_no_front(self):
        self.write(objectives={})
        page = Page(study_page_of(self.folder))
        self.assertEqual((len(page.of("pareto")), len(page.of("table")[0]["marks"])), (0, 4))

    def head(self):
        return "".join(Page(study_page_of(self.folder).partition("<body>")[2].partition("<main>")[0]).texts)

    def test_the_answer_is_the_best_of_the_points_that_meet_the_constraints(self):
        self.write(meets=(1, 3), constraints=["area_mm2 <= 5"], question="Which mesh?", objectives={"latency": "min", "energy": "max"})
        head = self.head()
        for text in ("Which mesh?", "2 of 3 points meet area_mm2 <= 5.", "Least latency: 2 ± 1.4 µs at point 1 (mesh 2x2x2), with energy "
                     "6 ± 1.4 µJ, area 3 mm².", "Most energy: 8 µJ at point 3 (mesh <b>&), with latency 4 µs", "1 point is on the front of latency and energy."):
            self.assertIn(text, head)
        page = Page(study_page_of(self.folder))
        energy, area = page.of("pareto")
        self.assertEqual((energy["text"][:17], area["text"][:15]), ("energy by latency", "area by latency"))
        self.assertEqual([attributes["class"].split()[-1] == "out" for _, attributes in area["marks"]], [False, True, False])
        self.assertEqual(sum(attributes.get("class", "") == "limit" for _, attributes in page.shapes), 1)
        self.assertEqual(sum(tag == "polyline" for tag, _ in page.shapes), 1)  # the front of both objectives
        self.assertEqual(sum("noise" in attributes.get("class", "") for _, attributes in page.shapes), 3)  # latency twice, energy once

    def test_of_equal_points_that_of_the_front_is_the_best(self):
        self.write(objectives={"cycles": "min", "latency": "min"})
        points = os.path.join(self.folder, "points.csv")
        with open(points, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows[:3]:
            row |= {"cycles": "7", "cycles_deviation": "0", "on_front": str(row["point"] == "2").lower()}
        with open(points, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        self.assertIn("Least cycles: 7 at point 2 (", self.head())

    def test_without_a_point_that_meets_the_constraints_the_nearest_is_named(self):
        self.write(meets=(), constraints=["area_mm2 <= 1"])
        head = self.head()
        self.assertIn("0 of 3 points meet area_mm2 <= 1.", head)
        self.assertIn("The nearest is point 1 (mesh 2x2x2): area_mm2 3.", head)

    def test_more_than_two_objectives_have_parallel_coordinates(self):
        page = Page(study_page_of(self.folder))
        figure, = page.of("parallel")
        lines = [[tuple(map(float, place.split(","))) for place in attributes["points"].split()] for _, attributes in figure["marks"]]
        self.assertEqual([[round(x) for x, _ in line] for line in lines], [[167, 500, 833]] * 3)
        heights = {attributes["data-row"]: [y for _, y in line] for (_, attributes), line in zip(figure["marks"], lines)}
        self.assertEqual((heights["1"][0], heights["2"][0], heights["0"][1], heights["2"][2]), (20, 980, 20, 980))  # the best is above

    def test_shares_have_a_linear_axis_within_their_bounds(self):
        for values, bounded, kind, ends in (([0.5, 0.99], True, LinearAxis, (0.4608, 1)), ([1, 5], False, LogarithmicAxis, None),
                                            ([3, 5], False, LinearAxis, (2.84, 5.16)), ([0, 500], False, LinearAxis, None)):
            axis = axis_of(values, bounded)
            self.assertIsInstance(axis, kind)
            if ends:
                self.assertAlmostEqual(axis.low, ends[0])
                self.assertAlmostEqual(axis.high, ends[1])
            self.assertGreaterEqual(len(axis.ticks()), 2)
            self.assertTrue(all(0 <= axis(value) <= 1 for value in axis.ticks()))

    def test_labels_do_not_cover_each_other(self):
        text = labels([("1", 0.5, 0.5), ("2", 0.5, 0.5), ("3", 0.5, 0.5), ("4", 0.5, 0.5), ("5", 0.5, 0.5), ("6", 0.999, 0.999)])
        self.assertEqual(re.findall(r"<b class=(..)[^>]*>(.)", text), [("ne", "1"), ("se", "2"), ("nw", "3"), ("sw", "4"), ("sw", "6")])
        self.assertEqual(re.findall(r"<b class=(..)", labels([("1", 0.5, 0.5)], [(0.5, 0.5), (0.515, 0.53), (0.515, 0.47)])), ["nw"])

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
