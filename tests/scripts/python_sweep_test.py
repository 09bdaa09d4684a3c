#!/usr/bin/env python3
"""Sweeps from Python: every point once, in parallel, failures told and apart, nothing left behind. Usage:
python_sweep_test.py DIRECTORY with the testbenches"""
import contextlib
import io
import os
import unittest
import warnings
from unittest import mock

import numpy as np

from runs_from_python import INTERRUPTIONS, PROGRAMS, RunsFromPython
import tensorloom as tl
from tensorloom import progress


class SweepTest(RunsFromPython):
    def test_a_grid_is_all_combinations_each_as_alone(self):
        x = self.random.standard_normal((6, 5, 4))
        found = tl.sweep(tl.dxt, {"mesh": [(3, 3, 3), (6, 5, 4)], "dma_width": [64, 512]}, x, transform="dht", workers=2)
        self.assertEqual([(point["mesh"], point["dma_width"]) for point in found.points],
                         [((3, 3, 3), 64), ((3, 3, 3), 512), ((6, 5, 4), 64), ((6, 5, 4), 512)])
        self.assertEqual(found.errors, [None] * 4)
        table = found.table
        self.assertEqual(list(table["mesh"]), ["3x3x3", "3x3x3", "6x5x4", "6x5x4"])
        self.assertEqual((list(table["dma_width"]), table.dtype["dma_width"]), ([64, 512, 64, 512], np.dtype(np.int64)))
        for point, run, row in zip(found.points, found.runs, table):
            alone = tl.dxt(x, transform="dht", **point)
            self.assertTrue(np.array_equal(run.result, alone.result))
            self.assertEqual((row["cycles"], row["energy_pJ"], row["error"]), (alone.cycles, alone.energy_pj, ""))
        self.assertEqual(len(set(table["cycles"])), 4)

    def test_a_testbench_may_be_named(self):
        a, b = self.random.standard_normal((2, 3, 3))
        found = tl.sweep("contract", {"operand": ["bf16", "f32"]}, "ij,jk->ik", a, b)
        self.assertTrue(np.allclose(found.runs[1].result, a @ b, atol=1e-5))

    def test_a_point_that_fails_does_not_stop_the_others(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = tl.sweep(tl.dxt, [{"clock": 0.25}, {"clock": 1e9}, {"mesh": (2, 2, 2)}], shape=(4, 4, 4))
        line = "dxt: --clock is '1000000000.0', expected a number from 0.001 to 1000"
        self.assertEqual([str(warning.message) for warning in told], [f"1 of 3 points failed, the first: {line}"])
        self.assertEqual([run is None for run in found.runs], [False, True, False])
        self.assertEqual(found.errors[1].status, 2)
        self.assertEqual(list(found.table["error"]), ["", line, ""])
        self.assertTrue(np.isnan(found.table["cycles"][1]) and np.isnan(found.table["clock"][2]))
        self.assertEqual(repr(found), "<Sweep of dxt: 3 points, 1 failed>")
        self.assertEqual(found._repr_html_().count("<tr>"), 4)

    def test_what_can_be_known_is_refused_before_anything_runs(self):
        for over, text in (({}, "no points"), ([], "no points"), ({"mesh": (8, 8, 8)}, "expected a list of values"),
                           ({"mesh": []}, "expected a list of values"), ([3], "point 0 is 3, expected a dict"),
                           (None, "points are None"), (5, "points are 5"),
                           ({"meshes": [1]}, "unknown option 'meshes'"), ({"clock": [1, "fast"]}, "--clock is 'fast'"),
                           ({"seed": [1]}, "'seed' is given for all points and for one")):
            with mock.patch("tensorloom.parameter_sweep.simulate") as ran, self.assertRaises(tl.InputProblem) as caught:
                tl.sweep(tl.dxt, over, shape=(4, 4, 4), seed=2)
            self.assertIn(text, str(caught.exception))
            ran.assert_not_called()

    def test_what_is_no_testbench_or_no_text_is_refused_in_a_line(self):
        for refused, text in ((lambda: tl.sweep(print, {"mesh": [(2, 2, 2)]}), "sweep: <built-in function print> is not a testbench"),
                              (lambda: tl.sweep("contracts", {"seed": [1]}), "sweep: 'contracts' is not a testbench, expected one, like tensorloom.contract"),
                              (lambda: tl.sweep(5, {"seed": [1]}), "sweep: 5 is not a testbench"),
                              (lambda: tl.sweep(tl.dxt, {"technology": ["\ud800"]}, shape=(2, 2, 2)), "--technology is "),
                              (lambda: tl.dxt(shape="\ud800"), "dxt: --shape is '\\ud800', expected a text without half")):
            with self.assertRaises(tl.InputProblem) as caught:
                refused()
            self.assertIn(text, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

    def test_processes_at_a_time_are_an_integer(self):
        for workers in (0, -1, 1.5, "2", True):
            with self.assertRaises(tl.InputProblem) as caught:
                tl.sweep(tl.dxt, {"seed": [1]}, shape=(2, 2, 2), workers=workers)
            self.assertEqual(str(caught.exception), f"sweep: workers is {workers!r}, expected an integer of at least 1")

    def test_tables_have_any_integer_and_lists_as_they_are_given(self):
        found = tl.sweep(tl.dxt, {"seed": [2**64 - 1, 1], "transform": ["dct", ("dct", "dft", "dht")]}, shape=(2, 2, 2))
        self.assertEqual(found.table["seed"].tolist(), [2**64 - 1, 2**64 - 1, 1, 1])
        self.assertEqual(found.table["transform"].tolist(), ["dct", "dct,dft,dht"] * 2)

    def test_reports_have_points_that_are_called_alike(self):
        found = tl.sweep(tl.dxt, {"seed": [1, 1]}, shape=(2, 2, 2))
        with mock.patch("tensorloom.parameter_sweep.write_report") as written:
            found.report(self.place("page.html"))
        self.assertEqual(list(written.call_args[0][0].items()), [("seed 1 (1)", found.runs[0]), ("seed 1 (2)", found.runs[1])])

    def test_a_report_without_runs_says_why(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tl.sweep(tl.dxt, {"clock": [1e9]}, shape=(2, 2, 2))
        with self.assertRaisesRegex(tl.InputProblem, "all 1 points failed, .* --clock is '1000000000.0'"):
            found.report(self.place("page.html"))

    def test_reports_have_every_point_by_its_options(self):
        found = tl.sweep(tl.orbital, {"grid": [1, 2]}, shape=(4, 3, 2))
        found.report(self.place("page.html"))
        with open(self.place("page.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("grid 1", page)
        self.assertIn("grid 2", page)

    def test_points_run_in_parallel(self):
        """Each waits until another one has begun."""
        folder = self.place("pairs")
        self.program_in("pairs", f"""
[ "$1" = --help-json ] && exec {PROGRAMS}/dxt --help-json
touch {folder}/began.$$
for turn in $(seq 200); do
    [ $(ls {folder} | grep -c began) -ge 2 ] && exec {PROGRAMS}/dxt "$@"
    sleep 0.05
done
echo alone >&2; exit 1
""")
        with mock.patch.dict(os.environ, {"TENSORLOOM_BIN": folder}):
            self.assertEqual(tl.sweep(tl.dxt, {"seed": [1, 2]}, shape=(2, 2, 2), workers=2).errors, [None, None])

    def test_how_far_it_is_stands_on_a_line(self):
        with mock.patch.object(progress, "PATIENCE_S", 0), mock.patch.object(progress, "INTERVAL_S", 0), \
                contextlib.redirect_stderr(io.StringIO()) as told:
            tl.sweep(tl.dxt, {"seed": range(4)}, shape=(2, 2, 2), progress=True)
        for done in (1, 2, 3, 4):
            self.assertRegex(told.getvalue(), rf"sweep of dxt \[#+\.*\] +{25 * done} %  {done} of 4 points")
        self.assertTrue(told.getvalue().endswith(progress.ERASE))

    def test_an_interrupted_sweep_leaves_nothing(self):
        call = "tl.sweep(tl.dxt, {'seed': range(20)}, shape=(32, 32, 32), batch=50, fidelity='detailed', workers=2)"
        for number in INTERRUPTIONS:
            self.assert_a_signal_leaves_nothing(call, number, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
