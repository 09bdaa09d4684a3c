#!/usr/bin/env python3
"""The common pictures are drawn of what every testbench really writes. Usage: pictures_of_testbenches_test.py DIRECTORY
with the testbenches"""
import os
import sys
import tempfile
import unittest

import package_path  # noqa: F401
from testbench_runs import run_testbenches, runs_with
from tensorloom.answers import answers_of, question_of
from tensorloom.energy_breakdown import outside_records
from tensorloom.palette import colours_of
from tensorloom.pictures import comparison, energy, roofline, timeline
from tensorloom.plot_command import PICTURES
from tensorloom.quantities import number_text
from tensorloom.run import read_runs
from tensorloom.run_directory import InputProblem

PROGRAMS = sys.argv.pop(1)


class PicturesOfTestbenchesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.runs, cls.paths = {}, run_testbenches(PROGRAMS, cls.scratch.name)
        for name, path in cls.paths.items():
            runs = read_runs([path])
            cls.runs.update({name if len(runs) == 1 else f"{name}, {run.label}": run for run in runs})

    def test_device_and_workload_are_known(self):
        for name, run in self.runs.items():
            with self.subTest(name):
                given = run.summary["configuration"]["options_given"]
                self.assertNotIn("default options", run.title())
                self.assertFalse(all(f"{option} {value}" in run.title() for option, value in given.items() if option != "out"))

    def test_every_run_has_an_answer(self):
        for name, run in self.runs.items():
            with self.subTest(name):
                self.assertTrue(question_of(run.summary).endswith("?"))
                lines = answers_of(run.summary)
                self.assertTrue(lines)
                self.assertTrue(any(letter.isdigit() for letter in "".join(lines)), lines)
        training, = answers_of(self.runs["tnn_training"].summary)[:1]
        accuracy = self.runs["tnn_training"].summary["test_accuracy"]
        self.assertIn(f"Accuracy on the test set {number_text(100 * accuracy, 3)} %", training)

    def test_records_sum_to_the_run(self):
        self.assertGreater(len(runs_with("timeline")), 9)
        for name, run in self.runs.items():
            with self.subTest(name):
                if name.split(",")[0] not in runs_with("timeline"):
                    self.assertEqual(len(run.records), 0)
                    continue
                self.assertEqual(run.records.is_excerpt(), name == "tnn_training")
                lasted = {device: 0.0 for device in run.records.device}
                for device, duration in zip(run.records.device, run.records.duration_ns):
                    lasted[device] += duration
                if name == "tnn_training":  # a step of one epoch
                    self.assertLess(lasted["device"], run.time_ns)
                    self.assertGreater(lasted["device"], 0.9 * run.records.end_ns())
                elif name == "soc":
                    for device, nanoseconds in lasted.items():
                        self.assertAlmostEqual(nanoseconds, run.summary["devices"][device]["cycles"] * run.period_ns)
                elif name == "compare_measured":  # the programs of all cases
                    causes = [case["cycles_by_cause"] for case in run.summary["cases"]]
                    self.assertAlmostEqual(sum(lasted.values()), sum(sum(of.values()) for of in causes) * run.period_ns)
                else:
                    duration, = lasted.values()
                    self.assertAlmostEqual(duration, run.time_ns)
                    area = float((run.records.power_mw() * run.records.duration_ns).sum())
                    self.assertAlmostEqual(area / run.total_pj(), 1, places=9)

    def test_components_and_causes_have_colours_of_their_own(self):
        for name, run in self.runs.items():
            with self.subTest(name):
                for names in (run.energy_pj, run.causes):
                    colours = {part.rpartition(".")[2]: colour for part, colour in colours_of(names).items()}  # as large.mac, small.mac
                    self.assertEqual(len(set(colours.values())), len(colours), colours)

    def test_what_is_not_in_the_rows_is_named(self):
        run = self.runs["soc"]
        left = outside_records(run)
        self.assertAlmostEqual((run.records.total_pj().sum() + sum(left.values())) / run.total_pj(), 1, places=9)
        self.assertTrue({"dram", "dram_background"} <= set(left))
        for name, run in self.runs.items():
            if name != "soc":
                self.assertEqual(outside_records(run), {}, name)

    def test_devices_that_are_compared_are_runs(self):
        path = self.paths["compare_devices"]
        titles = ["TriADA", "torus", "MMU/VCU pair", "FETTA"]
        self.assertEqual([run.label for run in read_runs([path])], titles)
        self.assertEqual([run.label for run in read_runs([f"small={path}"])], [f"small: {title}" for title in titles])
        self.assertRaises(InputProblem, read_runs, [f"both={path},{self.paths['dxt']}"])
        for run, told in zip(read_runs([path]), self.runs["compare_devices, FETTA"].directories[0].shared["comparison"].column("cycles")):
            self.assertEqual((run.cycles, sum(run.causes.values())), (told, told))

    def test_utilisation_is_that_of_the_testbench(self):
        for name, run in self.runs.items():
            told = run.summary.get("utilisation")
            if isinstance(told, float) and len(run.cases) == 1:
                with self.subTest(name):
                    self.assertAlmostEqual(run.cases[0].utilisation() / told, 1, places=9)

    def test_every_testbench_is_under_a_roof(self):
        for name, run in self.runs.items():
            with self.subTest(name):
                self.assertTrue(roofline.picture_of([run]).axes)
                for case in run.cases:
                    if case.cycles > 0 and case.macs > 0:
                        self.assertLessEqual(case.of_peak(), 1)
                        for port in case.ports.values():
                            if port.peak > 0 and port.amount >= 0 and name != "soc":  # its memories are reached through a router of two ports
                                self.assertLessEqual(port.amount / case.cycles, port.peak)

    def test_pictures_of_all(self):
        for name, run in self.runs.items():
            with self.subTest(name):
                self.assertTrue(comparison.picture_of([run]).axes)
                for draw, picture in ((timeline.picture_of, "timeline"), (energy.picture_of, "energy")):
                    if name.split(",")[0] in runs_with(picture):  # a comparison of devices is a run of each
                        self.assertTrue(draw([run]).axes)
                    else:
                        self.assertRaises(InputProblem, draw, [run])

    def test_pictures_of_one_testbench(self):
        for picture in ("rivals", "sequences", "lengths", "measured", "learning", "wires"):  # theorems take long
            self.assertNotEqual(runs_with(picture), [])
            for name in runs_with(picture):
                with self.subTest(name):
                    self.assertTrue(PICTURES[picture]([self.runs[name]]).axes)


if __name__ == "__main__":
    unittest.main()
