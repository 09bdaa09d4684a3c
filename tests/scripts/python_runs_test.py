#!/usr/bin/env python3
"""The testbenches as functions of Python: results against numpy, summaries and tables, refusals before anything runs, and
nothing left behind. Usage: python_runs_test.py DIRECTORY with the testbenches"""
import contextlib
import io
import json
import os
import pickle
import re
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import types
import unittest
from unittest import mock

import numpy as np

from package_path import PYTHON
from testbench_manifests import MANIFESTS, QUICK_JOBS
from runs_from_python import INTERRUPTIONS, PROGRAMS, RunsFromPython
import tensorloom as tl
from tensorloom import progress
from tensorloom.arguments import Place, command_arguments, named_options, separator_of


def cosines(size):
    """The orthonormal DCT-II as a matrix."""
    n, k = np.arange(size)[:, None], np.arange(size)
    matrix = np.sqrt(2 / size) * np.cos(np.pi * (2 * n + 1) * k / (2 * size))
    matrix[:, 0] /= np.sqrt(2)
    return matrix


def python_options(job):
    """A command line as options of a function: texts, and True for flags."""
    return {name.replace("-", "_"): value or True for name, value in re.findall(r"--(\S+)(?: (?!--)(\S+))?", job)}


class ResultsTest(RunsFromPython):
    def test_transforms_are_those_of_numpy(self):
        x = self.random.standard_normal((6, 5, 4))
        for call, device in ((tl.dxt, {"mesh": (4, 3, 4)}), (tl.orbital, {"grid": 2})):
            with self.subTest(call.program):
                self.assertLess(abs(call(x, transform="dft", **device).result - np.fft.fftn(x, norm="ortho")).max(), 1e-13)
                self.assertLess(abs(call(x, transform="dft", norm="backward").result - np.fft.fftn(x)).max(), 1e-12)
                expected = np.einsum("abc,ai,bj,ck->ijk", x, cosines(6), cosines(5), cosines(4))
                self.assertLess(abs(call(x, norm="ortho").result - expected).max(), 1e-13)

    def test_a_synonym_is_its_option(self):
        x = self.random.standard_normal((6, 5, 4))
        self.assertEqual(tl.orbital(x, grid=2).cycles, tl.orbital(x, array=2).cycles)
        self.assertNotEqual(tl.orbital(x, grid=2).cycles, tl.orbital(x, array=3).cycles)
        self.assertEqual(tl.orbital(x, grid=2).cycles, tl.orbital(x, array=2, grid=None).cycles)
        self.assertEqual(tl.orbital(x).cycles, tl.orbital(x, array=None, grid=None).cycles)
        with self.assertRaisesRegex(tl.InputProblem, "--array and --grid are both given|--grid and --array are both given"):
            tl.orbital(x, grid=2, array=2)

    def test_arrays_of_any_order_and_type_go_in(self):
        x = self.random.integers(-9, 9, (4, 6, 5))
        expected = tl.dxt(x.astype(float)).result
        for given in (np.asfortranarray(x), x.astype(np.int16), x.astype(">i4"), x.tolist(), x[::-1][::-1]):
            self.assertTrue(np.array_equal(tl.dxt(given).result, expected))
        self.assertEqual(tl.dxt(x.astype(np.float32)).result.dtype, np.float32)
        self.assertTrue(np.array_equal(tl.dxt(x.astype(np.float16)).result, tl.dxt(x.astype(np.float32)).result))

    def test_a_matrix_is_a_transform(self):
        x, left, right = (self.random.integers(-4, 5, size).astype(float) for size in ((3, 4, 5), (3, 2), (5, 6)))
        run = tl.dxt(x, transform=(left, "identity", right), out_shape=(2, 4, 6))
        self.assertTrue(np.array_equal(run.result, np.einsum("abc,ai,cj->ibj", x, left, right)))

    def test_contractions_are_those_of_einsum(self):
        a, b = self.random.integers(-8, 9, (3, 4, 5)), self.random.integers(-8, 9, (5, 3, 6))
        run = tl.contract("abc,cad->bd", a, b)
        self.assertTrue(np.array_equal(run.result, np.einsum("abc,cad->bd", a, b)))  # such integers are bfloat16
        self.assertEqual(run.result.dtype, np.float32)
        self.assertEqual(run.summary["configuration"]["sizes"], {"a": 3, "b": 4, "c": 5, "d": 6})
        self.assertEqual(tl.contract(sizes={"i": 4, "j": 5, "k": 6}).result.shape, (4, 6))

    def test_decompositions_have_core_and_factors(self):
        x = self.random.standard_normal((6, 5, 4))
        run = tl.tucker(x, ranks=(3, 2, 2))
        core, factors = run.outputs["core"], run.outputs["factors"]
        self.assertEqual([factor.shape for factor in factors], [(6, 3), (5, 2), (4, 2)])
        for factor in factors:
            self.assertTrue(np.allclose(factor.T @ factor, np.eye(factor.shape[1])))
        self.assertTrue(np.allclose(run.result, np.einsum("abc,ia,jb,kc->ijk", core, *factors)))
        self.assertTrue(np.allclose(core, np.einsum("ijk,ia,jb,kc->abc", x, *factors)))

    def test_vectors_segments_and_matrices(self):
        x, y = self.random.integers(-9, 9, (2, 40))
        flags = self.random.random(40) < 0.2
        segments = np.cumsum(np.concatenate(([0], flags[1:].astype(int))))
        self.assertTrue(np.array_equal(tl.segmented("scan", x).result, np.cumsum(x)))
        self.assertTrue(np.array_equal(tl.segmented("segmented-sum", x, flags=flags).result, np.bincount(segments, x)))
        self.assertTrue(np.array_equal(tl.segmented("product", abs(x), abs(y), bits=4).result, abs(x * y)))
        matrix = np.where(self.random.random((7, 9)) < 0.4, self.random.standard_normal((7, 9)), 0)
        vector = self.random.standard_normal(9)
        self.assertTrue(np.allclose(tl.segmented("spmv", vector, matrix=matrix).result, matrix @ vector))
        a, b = self.random.integers(-9, 9, (2, 16, 16))
        self.assertTrue(np.array_equal(tl.tensor_unit("dense", a, b).result, a @ b))
        z = self.random.standard_normal(64) + 1j
        self.assertTrue(np.allclose(tl.tensor_unit("dft", z).result, np.fft.fft(z)))

    def test_compared_devices_have_a_result_each(self):
        x, *matrices = (self.random.uniform(-1, 1, shape) for shape in ((3, 4, 5), (3, 2), (4, 6), (5, 1)))
        run = tl.compare_devices(x, *matrices, devices=("mmv", "torus"), grid=2)
        self.assertEqual(run.result.shape, (2, 2, 6, 1))
        exact = np.einsum("abc,ai,bj,ck->ijk", x, *matrices)
        self.assertTrue(np.allclose(run.result, exact, atol=0.1))
        self.assertEqual([row["device"] for row in run.summary["runs"]], ["mmv", "torus"])
        self.assertRaises(tl.InputProblem, tl.compare_devices, x, matrices[0])

    def test_two_devices_have_two_results(self):
        run = tl.soc(large=(6, 5, 4), small=(3, 2, 4), small_runs=2)
        self.assertEqual([(name, array.shape) for name, array in run.outputs.items()],
                         [("large", (6, 5, 4)), ("small", (3, 2, 4))])
        self.assertIs(run.result, run.outputs["large"])
        self.assertEqual(list(tl.soc(large=(6, 5, 4), small=(3, 2, 4), small_runs=0).outputs), ["large"])

    def test_every_testbench_has_the_result_and_tables_of_its_manifest(self):
        for name, manifest in MANIFESTS.items():
            with self.subTest(name):
                run = getattr(tl, name)(**python_options(QUICK_JOBS[name]))
                self.assertEqual(run.summary["testbench"], name)
                outputs = manifest["python"].get("outputs", ())
                if any("archive" in output for output in outputs):  # its arrays have names of their own
                    self.assertTrue(run.outputs and all(array.dtype == np.float32 for array in run.outputs.values()))
                    self.assertIs(run.result, run.outputs.get(outputs[0]["archive"]))
                else:
                    self.assertEqual(list(run.outputs), [output["name"] for output in outputs])
                    self.assertEqual(run.result is None, not run.outputs)
                self.assertEqual(run.tables, manifest["summary"]["tables"])
                for table in run.tables:
                    self.assertGreater(len(run.table(table)), 0)
                self.assertEqual(bool(run.cycles and run.energy_pj and run.summary.get("bound_by")), manifest["summary"]["totals"])

    def test_runs_without_arrays_have_none(self):
        for call, options, table in ((tl.orbital, {"shape": (6, 5, 4), "grid": 2, "class_": "all"}, "latency"),
                                     (tl.tensor_unit, {"theorems": True}, None), (tl.segmented, {"theorems": True}, None),
                                     (tl.segmented, {"operation": "scan", "compare": True, "length": 64}, "latency")):
            with self.subTest(call.program):
                run = call(**options)
                self.assertIsNone(run.result)
                self.assertEqual(run.summary["testbench"], call.program)
                self.assertEqual(table is None, not run.tables)
                if table:
                    self.assertGreater(len(run.table(table)), 0)

    def test_a_network_of_ones_own_is_searched(self):
        network = {"nodes": [["A", ["i", "j"]], ["B", ["j", "k"]]], "out": ["i", "k"],
                   "sizes": {"i": 2, "j": 3, "k": 4}}
        self.assertEqual(tl.contraction_search(network=network).program, "contraction_search")
        counted = {**network, "sizes": {name: np.int64(size) for name, size in network["sizes"].items()}}
        self.assertEqual(tl.contraction_search(network=counted).program, "contraction_search")


class SummariesAndTablesTest(RunsFromPython):
    def test_tables_add_up_to_the_summary(self):
        run = tl.dxt(shape=(6, 5, 4), dma_width=64)
        self.assertEqual(run.summary["configuration"]["dma_width_bits"], 64)
        self.assertEqual(run.latency["cycles"].sum(), run.cycles)
        self.assertEqual(run.latency["mac"].sum(), run.summary["macs"])
        self.assertAlmostEqual(run.energy["total_pJ"].sum() / run.energy_pj, 1, 9)
        self.assertEqual((run.latency.dtype["cycles"], run.energy.dtype["mac_pJ"], run.latency.dtype["cause"].kind),
                         (np.dtype(np.int64), np.dtype(np.float64), "U"))
        self.assertIn("expected one of energy, events, latency", str(self.refusal(run.table, "traffic")))

    def test_costs_by_layer_phase_and_step_add_up_to_the_run(self):
        training = {"data": "digits", "epochs": 2, "batch": 256, "layers": [{"name": "only", "rows": "10", "cols": "64"}]}
        for run, layers, phases, step in (
                (tl.tnn_step(format="ttm", rows="2x2", cols="2x3", ranks="2", batch=4), {"ttm"}, {"fp", "bp", "wg", "update"}, "contract"),
                (tl.tnn_training(training), {"", "only"}, {"fp", "bp", "wg", "update", "test"}, "contract"),
                (tl.contract(sizes={"i": 40, "j": 30, "k": 20}), {""}, {"fp"}, "contract")):
            with self.subTest(run.program):
                costs = run.costs
                self.assertEqual(costs.dtype.names, ("layer", "phase", "step", "cycles", "macs", "energy_pJ"))
                self.assertEqual((costs["cycles"].sum(), costs["macs"].sum()), (run.cycles, run.summary["macs"]))
                self.assertAlmostEqual(costs["energy_pJ"].sum() / run.energy_pj, 1, 4)
                self.assertEqual((set(costs["layer"]), set(costs["phase"])), (layers, phases))
                self.assertTrue(any(text.startswith(step) for text in costs["step"]))
                self.assertTrue(run.not_modelled and all(isinstance(text, str) for text in run.not_modelled))
        self.assertIn("dxt: a run has no costs by step, expected one of contract, tnn_step, tnn_training",
                      str(self.refusal(lambda: tl.dxt(shape=(2, 2, 2)).costs)))

    def test_frames_are_tables_of_pandas(self):
        run = tl.dxt(shape=(3, 2, 2))
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.assertIn("pandas is not installed", str(self.refusal(run.frame, "latency")))
            self.skipTest("no pandas: frames are not tested")
        self.assertEqual(list(run.frame("latency").columns), list(run.latency.dtype.names))
        self.assertEqual(int(run.frame("latency")["cycles"].sum()), run.cycles)

    def test_a_saved_run_is_loaded_and_repeated(self):
        x = self.random.standard_normal((4, 3, 2))
        run, kept = tl.dxt(x, inverse=True, transform=("dct", "dht", np.eye(2))), self.place("kept")
        run.save(kept)
        run.save(kept)  # over the same files
        self.assertEqual(sorted(os.listdir(kept)), ["energy.csv", "events.csv", "input.npy", "latency.csv", "matrix1.npy", "printed.txt",
                                                    "result.npy", "summary.json", "trace.json"])
        again = tl.load(kept)
        self.assertTrue(np.array_equal(again.result, run.result))
        self.assertEqual((again.summary, again.text, again.program), (run.summary, run.text, "dxt"))
        self.assertEqual(pickle.loads(pickle.dumps(run)).files, run.files)
        self.run_program("dxt", "--config", "summary.json", "--out", "again", cwd=kept)
        with open(os.path.join(kept, "again", "latency.csv"), "rb") as file:
            self.assertEqual(file.read(), run.files["latency.csv"])

    def test_a_saved_run_replaces_the_run_of_its_directory(self):
        kept = self.place("kept")
        tl.dxt(self.random.standard_normal((4, 3, 2)), transform=("dct", "dht", np.eye(2))).save(kept)
        with open(os.path.join(kept, "notes.csv"), "w", encoding="utf-8") as file:
            file.write("mine\n1\n")
        run = tl.tnn_step(format="tt", rows="2x2", cols="2x2", ranks="2", batch=1)
        run.save(kept)
        self.assertEqual(sorted(os.listdir(kept)), sorted([*run.files, "notes.csv"]))  # no input, matrix, result of dxt
        self.assertEqual(tl.load(kept).program, "tnn_step")

    def test_arrays_of_the_user_stay_where_a_run_is_saved(self):
        kept = self.place("kept")
        os.mkdir(kept)
        np.save(os.path.join(kept, "input.npy"), np.ones((2, 2, 2)))
        self.run_program("dxt", "--input", "input.npy", "--out", ".", cwd=kept)
        tl.contract(sizes={"i": 2, "j": 2, "k": 2}).save(kept)
        self.assertTrue(os.path.exists(os.path.join(kept, "input.npy")))

    def test_what_a_program_has_written_is_loaded(self):
        self.run_program("soc", "--large", "4x4x4", "--small", "2x2x2", "--out", "run", "--large-output", "elsewhere.npy",
                         cwd=self.scratch)
        run = tl.load(self.place("run"))
        self.assertEqual((run.program, run.result, len(run.latency) > 0), ("soc", None, True))
        self.assertIn("missing", str(self.refusal(tl.load, self.place("nothing"))))

    def test_damaged_runs_are_refused(self):
        tl.dxt(shape=(2, 2, 2)).save(self.place("damaged"))
        with open(self.place("damaged/result.npy"), "r+b") as file:
            file.truncate(50)
        with self.assertRaisesRegex(tl.InputProblem, "result.npy cannot be read as an array: EOF"):
            tl.load(self.place("damaged")).result
        with open(self.place("damaged/summary.json"), "w", encoding="utf-8") as file:
            file.write('{"testbench": "dxt", "configuration": {"options_given": {"output": 5}}}')
        self.assertIn("has 5 as result, expected names of files", str(self.refusal(tl.load, self.place("damaged"))))

    def test_what_cannot_be_written_is_told_by_its_own_name(self):
        run = tl.dxt(shape=(2, 2, 2))
        for call, path in ((run.report, self.place("none/page.html")), (run.save, "/proc/none"), (run.report, "/proc/none")):
            self.assertEqual(str(self.refusal(call, path)), f"{path} cannot be written: No such file or directory")

    def state_of(self, name):
        """What writing or replacing it changes; reading a link changes its access time alone."""
        found = os.lstat(self.place(name))
        return found.st_mode, found.st_ino, found.st_nlink, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def test_a_report_replaces_files_alone(self):
        run = tl.dxt(shape=(2, 2, 2))
        os.mkfifo(self.place("pipe"))
        with socket.socket(socket.AF_UNIX) as open_socket:
            open_socket.bind(self.place("socket"))
        os.symlink("nowhere", self.place("dangling"))
        os.symlink("pipe", self.place("link_to_pipe"))
        os.mkdir(self.place("folder"))
        for name, found in (("pipe", "a device, a pipe or a socket"), ("link_to_pipe", "a device, a pipe or a socket"),
                            ("socket", "a device, a pipe or a socket"), ("folder", "a directory"),
                            ("dangling", "a dangling symbolic link")):
            before = self.state_of(name)
            self.assertEqual(str(self.refusal(run.report, self.place(name))),
                             f"{self.place(name)} cannot be written: it is {found}, expected a file")
            self.assertEqual(self.state_of(name), before)
        with open(self.place("page.html"), "w", encoding="utf-8") as file:
            file.write("older")
        os.symlink("page.html", self.place("link.html"))
        run.report(self.place("link.html"))
        self.assertEqual(os.readlink(self.place("link.html")), "page.html")
        with open(self.place("page.html"), encoding="utf-8") as file:
            self.assertIn("2 x 2 x 2", file.read())

    def test_reports_are_pages(self):
        runs = [tl.dxt(shape=(4, 3, 2), transform=transform) for transform in ("dct", "dft")]
        runs[0].report(self.place("one.html"))
        tl.write_report({"cosines": runs[0], "Fourier": runs[1]}, self.place("two.html"))
        for name, texts in (("one.html", ["4 x 3 x 2"]), ("two.html", ["cosines", "Fourier"])):
            with open(self.place(name), encoding="utf-8") as file:
                page = file.read()
            for text in ("<!doctype html>", *texts):
                self.assertIn(text, page)

    def test_notebooks_show_reports_and_others_the_table(self):
        run = tl.dxt(shape=(4, 3, 2))
        self.assertIn("4 x 3 x 2", run._repr_html_())
        self.assertIn(f"{run.cycles:,} cycles", repr(run))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            run.show()
        self.assertEqual(printed.getvalue(), run.text)
        with self.notebook() as shown:
            run.show()
        self.assertEqual(len(shown), 1)
        self.assertIn('<iframe srcdoc="&lt;!doctype html&gt;', shown[0])

    @contextlib.contextmanager
    def notebook(self):
        """What a Jupyter kernel looks like to the package; a list of what is displayed."""
        shown = []
        shell = types.SimpleNamespace(kernel=True)
        python = types.SimpleNamespace(get_ipython=lambda: shell,
                                       display=types.SimpleNamespace(display=shown.append, HTML=str))
        with mock.patch.dict(sys.modules, {"IPython": python}):
            yield shown

    def test_notebooks_show_how_far_long_work_is(self):
        with self.notebook(), mock.patch.object(progress, "PATIENCE_S", 0), contextlib.redirect_stderr(io.StringIO()) as told:
            tl.sweep(tl.dxt, {"seed": [1, 2]}, shape=(2, 2, 2))
        self.assertIn("sweep of dxt [", told.getvalue())
        self.assertNotIn("\x1b", told.getvalue())  # which pages would show
        self.assertEqual(told.getvalue().split("\r")[-2].strip(), "")  # the line is gone


class OptionsTest(RunsFromPython):
    def test_what_the_table_tells_is_refused_before_anything_runs(self):
        folder, own = self.place("watched"), "is not given from Python"
        self.program_in("watched", f'[ "$1" = --help-json ] || echo run >> {folder}/ran\nexec {PROGRAMS}/dxt "$@"\n')
        with mock.patch.dict(os.environ, {"TENSORLOOM_BIN": folder}):
            for options, text in (({"meshh": (4, 4, 4)}, "dxt: unknown option 'meshh', did you mean 'mesh'?"),
                                  ({"mesh": (4, 4)}, "dxt: --mesh is (4, 4), expected P1xP2xP3"),
                                  ({"mesh": (4, 4, 1.5)}, "dxt: --mesh is (4, 4, 1.5), expected P1xP2xP3"),
                                  ({"norm": "unit"}, "dxt: --norm is 'unit', expected one of orthonormal, backward"),
                                  ({"batch": 1.5}, "dxt: --batch is 1.5, expected an integer"),
                                  ({"batch": True}, "dxt: --batch is True, expected an integer"),
                                  ({"batch": "two"}, "dxt: --batch is 'two', expected an integer"),
                                  ({"clock": float("nan")}, "dxt: --clock is nan, expected a number of GHz"),
                                  ({"clock": "fast"}, "dxt: --clock is 'fast', expected a number of GHz"),
                                  ({"inverse": "yes"}, "dxt: --inverse is 'yes', expected True or False"),
                                  ({"overlap_runs": "maybe"}, "dxt: --overlap-runs is 'maybe', expected one of on, off"),
                                  ({"initial": np.array(["text"])}, "dxt: --initial is an array of <U4, expected numbers"),
                                  ({"technology": 7}, "dxt: --technology is int, expected NAME|FILE"),
                                  ({"order": ((1, 2), 3)}, "dxt: --order has (1, 2), expected 312"),
                                  ({"out": "run"}, f"dxt: --out {own}: save(directory) of the run writes its files"),
                                  ({"dry_run": True}, f"dxt: --dry-run {own}: a sweep checks all options first"),
                                  ({"output": "x"}, f"dxt: --output {own}: the run has its array, as outputs['result']"),
                                  ({"class": 1, "class_": 2}, "dxt: unknown option 'class', see tensorloom.options('dxt')")):
                error = self.refusal(tl.dxt, shape=(4, 4, 4), **options)
                self.assertEqual(str(error), text)
                self.assertIsInstance(error, tl.InputProblem)
            self.assertFalse(os.path.exists(os.path.join(folder, "ran")))
            tl.dxt(shape=(4, 4, 4))
            self.assertTrue(os.path.exists(os.path.join(folder, "ran")))
        self.assertEqual(str(self.refusal(tl.contract, "ij,jk->ik", np.eye(2))),
                         "contract: 1 of 2 arrays are given, expected a, b or none")
        for kind in (TypeError, tl.TensorLoomError):
            self.assertRaisesRegex(kind, r"^dxt: too many positional arguments, expected dxt\(x\) and options$", tl.dxt, np.eye(2), np.eye(2))

    def test_what_is_no_array_no_text_and_no_json_is_refused(self):
        for function, options, text in ((tl.dxt, {"x": [[[1], [2, 3]]]}, "dxt: --input is not an array, expected numbers in rows"),
                                        (tl.segmented, {"matrix": [[1], [2, 3]]}, "segmented: --matrix is not an array, expected"),
                                        (tl.dxt, {"mesh": "8x8x8\0"}, "dxt: --mesh is '8x8x8\\x00', expected a text without NUL"),
                                        (tl.dxt, {"clock": 10**400}, "dxt: --clock is '1000"),
                                        (tl.contraction_search, {"network": {"out": {"i"}}}, "--network has {'i'}, expected texts"),
                                        (tl.contraction_search, {"network": {("i",): 1}}, "--network cannot be written as JSON")):
            self.assertIn(text, str(self.refusal(function, **options)))

    def test_an_argument_stands_not_among_the_options_too(self):
        x = np.ones((2, 2, 2))
        self.assertEqual(str(self.refusal(tl.dxt, x, input=2 * x)), "'input' is given as an option, too, expected it once")
        self.assertEqual(str(self.refusal(tl.contract, "i,i->", [1], [2], input=("a.npy", "b.npy"))),
                         "'input' is given as an option, too, expected it once")
        self.assertEqual(tl.dxt(x, input=None).result.shape, x.shape)

    def test_what_the_program_refuses_has_its_own_line_and_status(self):
        error = self.refusal(tl.dxt, np.zeros((2, 2)))
        self.assertEqual((str(error), error.status, error.program), ("dxt: --input: input.npy has rank 2, expected 3", 2, "dxt"))
        self.assertIn("expected a number from", str(self.refusal(tl.dxt, shape=(2, 2, 2), clock=1e9)))
        self.assertIn("neither a shipped one", str(self.refusal(tl.dxt, shape=(2, 2, 2), technology="3nm")))

    def test_values_become_texts_by_the_form_of_their_option(self):
        for options, text in (({"mesh": (4, 5, 6)}, "--mesh=4x5x6"), ({"mesh": np.array([4, 5, 6])}, "--mesh=4x5x6"),
                              ({"shift": (1, 0, 2), "format": "int8", "transform": "identity"}, "--shift=1,0,2"),
                              ({"order": (2, 1, 3)}, "--order=213"),
                              ({"overlap_runs": False}, "--overlap-runs=off"), ({"clock": 0.25}, "--clock=0.25"),
                              ({"dma_width": np.int64(64)}, "--dma-width=64"), ({"inverse": True}, "--inverse"),
                              ({"norm": "ortho"}, "--norm=orthonormal"),
                              ({"transform": ("dct", "dht", "dct")}, "--transform=dct,dht,dct")):
            self.assertIn(text, tl.dxt(shape=(4, 3, 2), **options).arguments)
        self.assertEqual(tl.dxt(shape=(4, 3, 2), inverse=False, mesh=None).arguments,
                         ["--shape=4x3x2", "--output=result.npy", "--out=."])
        run = tl.dxt(shape=(4, 3, 2), vcd=self.place("wave.vcd"), watch=[(0, 1, 1), (3, 2, 1)])
        self.assertEqual(run.summary["configuration"]["options_given"]["watch"], ["0,1,1", "3,2,1"])
        self.assertTrue(os.path.exists(self.place("wave.vcd")))
        self.assertIn("--schedule=-+-", tl.orbital(shape=(4, 4, 4), grid=2, schedule=("-", "+", "-")).arguments)
        layer = tl.contraction_search(format="ttm", rows=(4, 4), cols=(4, 6), ranks=3, objective="latency", dx=False)
        self.assertLessEqual({"--rows=4x4", "--cols=4x6", "--ranks=3", "--dx=off"}, set(layer.arguments))
        self.assertIn("--quantum=10ns", tl.soc(large=(4, 4, 4), small=(2, 2, 2), quantum="10ns").arguments)
        self.assertEqual([separator_of(form) for form in ("N1xN2xN3", "[M=]M1xM2x..", "S,S,S", "312", "+++", "EPOCH:STEP", "NAME")],
                         ["x", "x", ",", "", "", ":", None])

    def test_every_option_of_every_testbench_has_a_python_name(self):
        for program in MANIFESTS:
            for name in tl.options(program):
                self.assertRegex(name, "^[a-z0-9]+(-[a-z0-9]+)*$")

    def test_defaults_of_all_options_are_taken_as_python_values(self):
        types = {"integer": int, "number": float}
        for call in (found for found in vars(tl).values() if hasattr(found, "request")):
            table, given = tl.option_table(call.program), {}
            for name, option in table.options.items():
                if option.default is not None and option.synonym not in (key.replace("_", "-") for key in given):
                    given[name.replace("-", "_")] = types.get(option.type, str)(option.default)
            self.assertGreater(len(given), 8)
            for argument in command_arguments(table, named_options(table, given), Place()):
                name, _, text = argument[2:].partition("=")
                default = table.options[name].default
                same = float(text) == float(default) if table.options[name].type == "number" else \
                    os.path.basename(text) == os.path.basename(default)  # a folder is made absolute
                self.assertTrue(same, f"{call.program} {argument}, expected {default}")

    def test_files_are_found_from_where_the_caller_is(self):
        with open(self.place("job.yaml"), "w", encoding="utf-8") as file:
            file.write("shape: 4x3x2\ninverse: true\n")
        here = os.getcwd()
        os.chdir(self.scratch)
        self.addCleanup(os.chdir, here)
        self.assertTrue(tl.dxt(config="job.yaml").summary["configuration"]["inverse"])
        self.assertFalse(tl.dxt(config="job.yaml", inverse=False).summary["configuration"]["inverse"])
        np.save("x.npy", np.ones((2, 2, 2)))
        np.save("m.npy", np.eye(2))
        self.assertTrue(np.array_equal(tl.dxt("x.npy", transform="file:m.npy").result, np.ones((2, 2, 2))))


class ProgramsTest(RunsFromPython):
    def python(self, code, **environment):
        """Runs code in a Python of its own, without TENSORLOOM_BIN."""
        names = {name: value for name, value in os.environ.items() if name != "TENSORLOOM_BIN"}
        return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**names, "PYTHONDONTWRITEBYTECODE": "1", **environment}, encoding="utf-8", check=False,
                              cwd=self.scratch)

    def test_programs_are_found_in_order(self):
        self.assertEqual(tl.find_program("dxt"), os.path.join(PROGRAMS, "dxt"))
        with mock.patch.dict(os.environ, {"TENSORLOOM_BIN": self.scratch}):
            self.assertEqual(str(self.refusal(tl.find_program, "dxt")),
                             f"TENSORLOOM_BIN is '{self.scratch}', expected a folder with the program 'dxt'")
        alone = self.place("a/b/c")  # without a build beside it
        os.makedirs(alone)
        shutil.copytree(os.path.join(PYTHON, "../../testbenches/dxt"), self.place("a/testbenches/dxt"))
        subprocess.run(["cp", "-r", os.path.join(PYTHON, "tensorloom"), alone], check=True)
        code = "import tensorloom as tl\ntry: print(tl.find_program('dxt'))\nexcept tl.TensorLoomError as error: print(error)"
        self.assertEqual(self.python(code, PYTHONPATH=alone, PATH=PROGRAMS).stdout.strip(), os.path.join(PROGRAMS, "dxt"))
        self.assertIn("no program 'dxt' in", self.python(code, PYTHONPATH=alone, PATH="/nowhere").stdout)
        self.assertIn("no program 'true' in a build tree, expected", self.python(code.replace("dxt", "true"), PYTHONPATH=alone).stdout)
        beside = self.place("a/build/release/bin")
        os.makedirs(beside)
        os.symlink(os.path.join(PROGRAMS, "dxt"), os.path.join(beside, "dxt"))
        self.assertEqual(self.python(code, PYTHONPATH=alone, PATH="/nowhere").stdout.strip(), os.path.join(beside, "dxt"))

    def test_manifests_are_found_as_in_an_installation(self):
        package, manifests = self.place("share/tensorloom/python"), self.place("share/tensorloom/testbenches")
        shutil.copytree(os.path.join(PYTHON, "tensorloom"), os.path.join(package, "tensorloom"))
        code = """
            import tensorloom as tl
            try: print(tl.echo.__doc__, tl.echo.request(1, second=2), len(tl.testbenches.FUNCTIONS))
            except AttributeError as error: print(error)
            """
        self.assertEqual(self.python(code, PYTHONPATH=package).stdout.strip(),
                         "module 'tensorloom' has no attribute 'echo': this copy of the package has no testbench.json beside it")
        os.makedirs(os.path.join(manifests, "echo"))
        with open(os.path.join(manifests, "echo", "testbench.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": "tensorloom-testbench-1", "place": 1, "summary": {}, "pictures": {}, "report": {},
                       "python": {"arguments": {"x": "first", "*more": "rest"}, "doc": ["An echo."]}}, file)
        self.assertEqual(self.python(code, PYTHONPATH=package).stdout.strip(), "An echo. {'second': 2, 'first': 1} 1")

    def test_the_standard_library_and_numpy_are_enough(self):
        done = self.python("""
            import sys, tensorloom
            print([name for name in ("matplotlib", "scipy", "pandas", "torch", "yaml", "IPython", "tqdm") if name in sys.modules])
            """, PYTHONPATH=PYTHON)
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)

    def test_without_numpy_one_line_names_an_interpreter_that_has_it(self):
        import_it = """
            import sys
            class Without:
                def find_spec(self, name, *_):
                    if name.split(".")[0] == "numpy":
                        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
            import importlib.util
            known = importlib.util.find_spec
            importlib.util.find_spec = lambda name, *rest: None if name == "numpy" else known(name, *rest)
            sys.meta_path.insert(0, Without())
            sys.path.insert(0, {PYTHON!r})
            """
        done = self.python(import_it.replace("{PYTHON!r}", repr(PYTHON)) + "import tensorloom")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertRegex(done.stderr, r"^tensorloom: \S+ has no numpy, expected an interpreter that has: \S+")
        for command in ("plot", "report", "study"):
            script = os.path.join(PYTHON, f"tensorloom-{command}")
            done = self.python(import_it.replace("{PYTHON!r}", repr(PYTHON)) +
                               f"import runpy; runpy.run_path({script!r}, run_name='__main__')")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertRegex(done.stderr, rf"^tensorloom-{command}: cannot start: \S+ has no numpy, expected")

    def test_a_program_that_does_not_tell_its_options_is_refused(self):
        for text, refusal in (("echo '{}'", "does not report its options as JSON"), ("echo no >&2; exit 3", "no"),
                              ("exit 3", "status 3"),
                              ("""echo '{"schema": "tensorloom-options-9"}'""", "expected 'tensorloom-options-1'")):
            with mock.patch.dict(os.environ, {"TENSORLOOM_BIN": self.program_in("strange", text + "\n")}):
                self.assertIn(refusal, str(self.refusal(tl.dxt, shape=(2, 2, 2))))

    def test_an_interrupted_run_leaves_nothing(self):
        for number in INTERRUPTIONS:
            self.assert_a_signal_leaves_nothing("tl.dxt(shape=(32, 32, 32), batch=50, fidelity='detailed')", number)

    def test_handlers_of_signals_are_as_before(self):
        handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
        tl.dxt(shape=(2, 2, 2))
        self.assertEqual([signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)], handlers)

    def test_a_wrong_result_is_an_error(self):
        large = np.array([[3e38, 3e38, -3e38, -3e38]], np.float32)  # 0, but the device's sums overflow
        error = self.refusal(tl.contract, "ij,jk->ik", large, np.ones((4, 1)), operand="f32")
        self.assertEqual(error.status, 1)
        self.assertRegex(str(error), r"\Acontract: the result is wrong: error max [^\n]*; check FAILED, worst element 0, 1 element not finite\Z")
        self.assertIn("check", error.text)
        self.assertFalse(np.isfinite(tl.contract("ij,jk->ik", large, np.ones((4, 1)), operand="f32", no_check=True).result).all())

    def test_long_work_shows_how_far_it_is(self):
        with mock.patch.object(progress, "PATIENCE_S", 0), contextlib.redirect_stderr(io.StringIO()) as told:
            tl.dxt(shape=(48, 48, 48), progress=True)
            self.assertRegex(told.getvalue(), r"dxt \[#*\.*\] +\d+ %  ")
            self.assertTrue(told.getvalue().endswith(progress.ERASE))
            self.assertEqual(str(self.refusal(tl.dxt, np.zeros((2, 2)), progress=True)),
                             "dxt: --input: input.npy has rank 2, expected 3")
        with contextlib.redirect_stderr(io.StringIO()) as told:
            tl.dxt(shape=(8, 8, 8))
        self.assertEqual(told.getvalue(), "")

    def test_options_are_those_of_help_json(self):
        told = json.loads(subprocess.run([os.path.join(PROGRAMS, "dxt"), "--help-json"], stdout=subprocess.PIPE, check=True).stdout)
        self.assertEqual(list(tl.options("dxt")), [row["name"] for row in told["options"]])
        self.assertEqual(tl.options("dxt")["fill"].choices, ("random", "ramp", "sparse"))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # which says what is skipped, and why
