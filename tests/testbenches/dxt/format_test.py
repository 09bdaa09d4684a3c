"""bf16 and int8 against the same sums with the same rounding, one multiply-add per element and row in their order."""
import itertools
import os

import numpy as np

import transform_oracle as oracle
from dxt_program import DxtTest, load_json

ORDERS = list(map("".join, itertools.permutations("123")))
WALSH = "--format int8 --transform dwht --norm backward"


def walsh(shape, out_shape=None):
    return [oracle.block("dwht", n, k, "backward") for n, k in zip(shape, out_shape or shape)]


class Bfloat16(DxtTest):
    def setUp(self):
        super().setUp()
        draw = np.random.default_rng(7)
        self.x = draw.uniform(-3, 3, (5, 7, 6))
        self.save("x.npy", self.x)

    def expected(self, order="312", out_shape=None, start=None, names="dct"):
        out_shape = out_shape or self.x.shape
        matrices = [oracle.bfloat16(oracle.block(names, n, k)) for n, k in zip(self.x.shape, out_shape)]
        start = np.zeros(out_shape, np.float32) if start is None else start
        return oracle.bfloat16_stages(oracle.bfloat16(self.x), matrices, order, start)

    def test_sums(self):
        for order, sparsity in itertools.product(ORDERS, ("esop", "dense")):
            y = self.output(f"--input x.npy --format bf16 --order {order} --sparsity {sparsity}")
            self.assertEqual(y.dtype, np.float32)
            self.assert_equal(y, self.expected(order), order)

    def test_rounded_result(self):
        y = self.output("--input x.npy --format bf16 --result-format element")
        self.assertEqual(y.dtype, np.float32)
        self.assert_equal(y, oracle.bfloat16(self.expected()))
        self.assertFalse((y == self.expected()).all())

    def test_rectangles(self):
        for out_shape, order in itertools.product(((3, 9, 6), (5, 2, 8)), ORDERS):
            y = self.output(f"--input x.npy --format bf16 --order {order} --out-shape {'x'.join(map(str, out_shape))}")
            self.assert_equal(y, self.expected(order, out_shape))

    def test_tiles(self):
        for order in ORDERS:
            y = self.output(f"--input x.npy --format bf16 --order {order} --mesh 2x3x4")
            self.assert_equal(y, self.expected(order))

    def test_initial_is_float32(self):
        y0 = np.random.default_rng(8).uniform(-1, 1, self.x.shape).astype(np.float32)
        self.save("y0.npy", y0)
        self.assert_equal(self.output("--input x.npy --format bf16 --initial y0.npy"), self.expected(start=y0))

    def test_detailed(self):
        y = self.output("--input x.npy --format bf16 --fidelity detailed")
        self.assert_equal(y, self.expected())

    def test_error_against_float64_is_that_of_the_format(self):
        exact = oracle.product(self.x, [oracle.matrix("dct", n) for n in self.x.shape])
        found = self.summary("--input x.npy --format bf16")["check"]
        self.assertIs(found["passed"], True)
        # of x rounded to bfloat16, by matrices rounded to it, as the device has them
        rounded = oracle.product(oracle.bfloat16(self.x), [oracle.bfloat16(oracle.matrix("dct", n))
                                                           for n in self.x.shape])
        error = np.abs(self.expected() - rounded).max()
        self.assertAlmostEqual(found["max_abs_error_against_float64"], float(error), delta=1e-6 * float(error))
        self.assertAlmostEqual(found["max_rel_error_against_float64"], float(error / np.abs(rounded).max()),
                               delta=1e-6)
        self.assertLess(found["max_abs_error"], found["max_abs_error_against_float64"])
        self.assertLess(float(error), 0.02 * float(np.abs(exact).max()))

    def test_mean_error(self):
        found = self.summary("--input x.npy --format f32 --output y.npy")["check"]
        single = oracle.product(self.x.astype(np.float32), [oracle.matrix("dct", n).astype(np.float32)
                                                            for n in self.x.shape])
        error = float(np.abs(self.load("y.npy") - single).mean())
        self.assertAlmostEqual(found["mean_abs_error"], error, delta=1e-9 * error)
        self.assertLess(0, found["mean_abs_error"])
        self.assertLess(found["mean_abs_error"], found["max_abs_error"])

    def test_fill_is_the_rounded_one(self):
        y = self.output("--shape 5x6x7 --format bf16 --transform identity")
        self.assert_equal(y, oracle.bfloat16(self.output("--shape 5x6x7 --transform identity")))

    def test_configuration(self):
        found = self.summary("--shape 2x3x4 --format bf16")["configuration"]
        self.assertEqual((found["format"], found["result_format"]), ("bf16", "f32"))
        found = self.summary("--shape 2x3x4 --format bf16 --result-format element")["configuration"]
        self.assertEqual((found["format"], found["result_format"]), ("bf16", "bf16"))


class Int8(DxtTest):
    SHAPE = (4, 8, 2)

    def setUp(self):
        super().setUp()
        self.x = np.random.default_rng(9).integers(-40, 41, self.SHAPE).astype(np.int8)
        self.save("x.npy", self.x)

    def stages(self, order="312", shifts=(0, 0, 0), out_shape=None, start=None):
        out_shape = out_shape or self.SHAPE
        start = np.zeros(out_shape, np.int64) if start is None else start.astype(np.int64)
        return oracle.int8_stages(self.x.astype(np.int64), walsh(self.SHAPE, out_shape), order, start, shifts)

    def check(self, shifts, order="312", options=""):
        text = ",".join(map(str, shifts))
        sums, saturated = self.stages(order, shifts)
        line = f"--input x.npy {WALSH} --shift {text} --order {order} {options}"
        with self.subTest(line=line):
            found = self.summary(f"{line} --output y.npy")
            y = self.load("y.npy")
            self.assertEqual(y.dtype, np.int32)
            self.assert_equal(y, oracle.shifted(sums, shifts[2]))
            self.assertEqual(found["saturated"], saturated)
            self.assertEqual(found["check"]["max_abs_error"], 0)
            found = self.summary(f"{line} --output y.npy --result-format element")
            small = self.load("y.npy")
            self.assertEqual(small.dtype, np.int8)
            self.assert_equal(small, np.clip(oracle.shifted(sums, shifts[2]), -128, 127))
            beyond = np.count_nonzero(oracle.shifted(sums, shifts[2]) != small)
            self.assertEqual(found["saturated"], saturated + beyond)
            self.assertIs(found["check"]["passed"], True)

    def test_shifts(self):
        for shifts in ((0, 0, 0), (1, 0, 0), (2, 1, 3), (0, 7, 0), (31, 31, 31), (3, 2, 0)):
            self.check(shifts)

    def test_shifts_follow_the_stages_not_the_modes(self):
        for order in ORDERS:
            self.check((1, 2, 3), order)

    def test_dense_detailed_and_tiled(self):
        for options in ("--sparsity dense", "--fidelity detailed", "--mesh 3x3x2", "--mesh 2x8x1 --double-buffer"):
            self.check((1, 2, 1), options=options)

    def test_ties_go_to_even(self):
        x = np.arange(-12, 12, dtype=np.int8).reshape(2, 3, 4)
        self.save("x.npy", x)
        y = self.output("--input x.npy --format int8 --transform identity --shift 2,0,0")
        self.assert_equal(y, oracle.shifted(x, 2))
        self.assertEqual([int(v) for v in y.ravel()[10:15]], [0, 0, 0, 0, 0])  # -2/4 .. 2/4

    def test_rectangles(self):
        for out_shape in ((2, 3, 4), (8, 8, 1)):
            sums, _ = self.stages(shifts=(2, 2, 0), out_shape=out_shape)
            y = self.output(f"--input x.npy {WALSH} --shift 2,2,0 --out-shape {'x'.join(map(str, out_shape))}")
            self.assert_equal(y, sums)

    def test_initial_is_int32_and_shifted_with_the_sums(self):
        y0 = np.random.default_rng(1).integers(-10**6, 10**6, self.SHAPE).astype(np.int32)
        self.save("y0.npy", y0)
        sums, _ = self.stages(shifts=(2, 2, 3), start=y0)
        self.assert_equal(self.output(f"--input x.npy {WALSH} --shift 2,2,3 --initial y0.npy"),
                          oracle.shifted(sums, 3))

    def test_file_matrices(self):
        matrices = [oracle.integer_matrix(mode + 1, n, k).astype(np.int64)
                    for mode, (n, k) in enumerate(zip(self.SHAPE, (3, 8, 5)))]
        for mode, matrix in enumerate(matrices):
            self.save(f"c{mode + 1}.npy", matrix.astype(np.int8))
        sums, _ = oracle.int8_stages(self.x.astype(np.int64), matrices, "231", np.zeros((3, 8, 5), np.int64), (3, 3, 0))
        y = self.output("--input x.npy --format int8 --transform file:c1.npy,file:c2.npy,file:c3.npy --order 231 "
                        "--out-shape 3x8x5 --shift 3,3,0")
        self.assert_equal(y, sums)

    def test_error_against_float64_counts_the_shifts_back(self):
        found = self.summary(f"--input x.npy {WALSH} --shift 1,2,3")["check"]
        exact = oracle.product(self.x.astype(float), walsh(self.SHAPE))
        sums, _ = self.stages(shifts=(1, 2, 3))
        error = np.abs(oracle.shifted(sums, 3) * 64 - exact).max()
        self.assertAlmostEqual(found["max_abs_error_against_float64"], float(error), delta=1e-9)

    def test_table_tells_what_saturated(self):
        out = self.succeeds(f"--input x.npy {WALSH}").out
        saturated = self.stages()[1]
        self.assertGreater(saturated, 0)
        self.assertRegex(out, rf"\n +saturated +{saturated} ")
        self.assertIn("error of the format", out)
        self.assertNotIn("saturated", self.succeeds("--shape 2x3x4 --format bf16").out)


class Overflow(DxtTest):
    def setUp(self):
        super().setUp()
        self.save("x.npy", np.ones((1, 1, 4), np.int8))
        self.save("y0.npy", np.full((1, 1, 4), 2**31 - 4, np.int32))
        self.save("c.npy", np.full((4, 4), 1, np.int8))

    LINE = "--input x.npy --format int8 --transform identity,identity,file:c.npy --order 123"

    def test_is_reported_and_nothing_is_written(self):
        for options in ("", "--sparsity dense", "--fidelity detailed", "--mesh 1x1x3"):
            self.fails_with(1, f"{self.LINE} --initial y0.npy --output y.npy --vcd wave {options}", "overflow",
                            "accumulator", "expected")
            self.fails_with(1, f"{self.LINE} --initial y0.npy --no-check --output y.npy {options}", "overflow")

    def test_files_of_an_earlier_run_stay(self):
        self.summary(self.LINE)
        before = self.snapshot()
        self.fails_with(1, f"{self.LINE} --initial y0.npy --out files", "overflow")
        self.assertEqual(self.snapshot(), before)

    def test_a_directory_that_was_made_for_files_goes(self):
        os.mkdir(self.path("kept"))
        before = self.snapshot()
        for folder in ("new", "new/deeper", "kept/new", "new/"):
            self.fails_with(1, f"{self.LINE} --initial y0.npy --out {folder}", "overflow")
            self.assertEqual(self.snapshot(), before)
        self.assertFalse(os.path.exists(self.path("new")))
        self.assertFalse(os.path.exists(self.path("kept/new")))

    def test_the_largest_sum_is_none(self):
        self.save("y0.npy", np.full((1, 1, 4), 2**31 - 5, np.int32))
        self.assert_equal(self.output(f"{self.LINE} --initial y0.npy"), np.full((1, 1, 4), 2**31 - 1))


class BadFormat(DxtTest):
    def test_shift_of_another_format(self):
        for options in ("", "--format f32", "--format bf16", "--format c64"):
            self.refuses(f"--shape 2x3x4 {options} --shift 1,0,0", "--shift", "1,0,0", "expected", "int8")
        self.succeeds("--shape 2x3x4 --shift 0,0,0")

    def test_shift(self):
        for value in ("1", "1,2", "1,2,3,4", "32,0,0", "0,0,32", "-1,0,0", "a,b,c", "1.5,0,0", "1x2x3", "1,,2", ",,"):
            self.refuses(f"--shape 2x4x8 {WALSH} --shift '{value}'", "--shift", value, "from 0 to 31")
        self.succeeds(f"--shape 2x4x8 {WALSH} --shift 31,31,31")

    def test_result_format(self):
        for value in ("elements", "sum", "int32", "acc", "f32"):
            self.refuses(f"--shape 2x3x4 --result-format {value}", "--result-format", value, "expected")
        self.succeeds("--shape 2x3x4 --format bf16 --result-format element")
        for form in ("f64", "c64"):
            self.succeeds(f"--shape 2x3x4 --format {form} --result-format accumulator")

    def test_complex_in_a_real_format(self):
        for form in ("bf16", "int8"):
            self.refuses(f"--shape 2x3x4 --transform dft --format {form}", "--format", form, "complex", "expected")

    def test_what_int8_cannot_hold(self):
        self.refuses("--shape 4x4x4 --format int8", "dct",
                     "expected whole numbers from -128 to 127 (such are those of identity, of dwht with backward scaling")
        for value in (0.5, 128, -129, np.nan, np.inf):
            self.save("x.npy", np.full((2, 2, 2), float(value)))
            self.refuses(f"--input x.npy {WALSH}", "x.npy", "expected whole numbers from -128 to 127")
        self.save("y0.npy", np.full((2, 2, 2), 2.0**31))
        self.refuses(f"--shape 2x2x2 {WALSH} --initial y0.npy", "y0.npy", "expected whole numbers")

    def test_configuration_file(self):
        self.save_text("job.yaml", "shape: 2x4x8\nout-shape: 2x2x2\nformat: int8\ntransform: dwht\nnorm: backward\n"
                                   "shift: 1,0,2\nresult-format: element\ndouble-buffer: true\nthreads: 2\n"
                                   "matrix-elements: 64\nmesh: 2x2x4\nout: files\n")
        self.succeeds("--config job.yaml --quiet")
        found = load_json(self.path("files/summary.json"))["configuration"]
        self.assertEqual([found[key] for key in ("out_shape", "format", "shifts", "result_format", "double_buffer",
                                                 "threads", "matrix_elements", "mesh")],
                         [[2, 2, 2], "int8", [1, 0, 2], "int8", True, 2, 64, [2, 2, 4]])
        self.save_text("job.yaml", "shape: 2x4x8\nshift: 1,0\n")
        self.refuses("--config job.yaml", "job.yaml:2", "shift", "1,0", "expected")
