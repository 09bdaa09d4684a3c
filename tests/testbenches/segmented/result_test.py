"""What segmented computes, against numpy."""
import numpy as np

from segmented_program import VARIANTS, WRONG, SegmentedTest

RNG_SEED = 7


class Result(SegmentedTest):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(RNG_SEED)
        self.x = rng.integers(-50, 50, 77)
        self.flags = rng.random(77) < 0.2
        self.save("x.npy", self.x)
        self.save("f.npy", self.flags)
        self.starts = np.unique(np.concatenate(([0], np.flatnonzero(self.flags))))

    def segmented_scan(self, x):
        return np.concatenate([np.cumsum(part) for part in np.split(x, self.starts[1:])])

    def test_scans_and_differences(self):
        for variant in VARIANTS["scan"]:
            self.assert_equal(self.computed(f"--variant {variant} --input x.npy --s 4"), np.cumsum(self.x), variant)
        for variant in VARIANTS["difference"]:
            self.assert_equal(self.computed(f"--variant {variant} --input x.npy --s 4"), np.diff(self.x, prepend=0))

    def test_tiles_of_every_size_give_the_same(self):
        expected = {"scan": np.cumsum(self.x), "difference": np.diff(self.x, prepend=0), "copy": self.x,
                    "compress": self.x[self.flags], "segmented-scan": self.segmented_scan(self.x)}
        for tile in (1, 3, 10, 16, 38, 76, 77, 100):
            for operation, values in expected.items():
                flags = "--flags f.npy" if operation in ("compress", "segmented-scan") else ""
                for variant in VARIANTS[operation]:
                    line = f"--variant {variant} --input x.npy {flags} --s 4 --tile {tile}"
                    self.assert_equal(self.computed(line), values, line)
        for line in ("--format int8 --variant scan_hybrid", "--format f16 --variant scan_hybrid --overlap", "--format f32 --variant scan --overlap",
                     "--format bf16 --variant scan_tree_vcu", "--format int8 --variant scan_vcu"):
            self.assert_equal(self.computed(f"{line} --input x.npy --s 4 --tile 9"), np.cumsum(self.x), line)
        for line in ("segscan_hybrid --format f32", "segscan --overlap", "sscr --blocks none", "segscan_vcu --format f16"):
            self.assert_equal(self.computed(f"--variant {line} --input x.npy --flags f.npy --s 4 --tile 9"), expected["segmented-scan"], line)

    def test_tiles_need_a_smaller_scratchpad_and_their_loads_are_hidden(self):
        whole, tiles, hidden = (self.summary(f"--length 100000 --memory sram --format int32 {more}")
                                for more in ("", "--tile 1024", "--tile 1024 --overlap"))
        self.assertEqual((whole["configuration"]["tile"], tiles["configuration"]["tile"]), (None, 1024))
        self.assertEqual(whole["throughput"]["bytes"], tiles["throughput"]["bytes"])
        self.assertLess(10 * tiles["configuration"]["scratchpad_bytes"], whole["configuration"]["scratchpad_bytes"])
        self.assertLess(10 * hidden["cycles_by_cause"]["load"], tiles["cycles_by_cause"]["load"])
        self.assertLess(hidden["cycles"], tiles["cycles"])
        self.assertEqual(tiles["model"], hidden["model"])
        self.succeeds("--length 100000 --memory sram --format int32 --tile 1024 --scratchpad 32768 --quiet")

    def test_copies_in_every_format(self):
        for form in ("int64", "int32", "int8", "f64", "f32", "bf16", "f16"):
            self.assert_equal(self.computed(f"--operation copy --input x.npy --format {form}"), self.x, form)

    def test_segmented_operations(self):
        for variant in VARIANTS["compress"]:
            self.assert_equal(self.computed(f"--variant {variant} --input x.npy --flags f.npy --s 4"), self.x[self.flags])
        for variant in VARIANTS["segmented-sum"]:
            self.assert_equal(self.computed(f"--variant {variant} --input x.npy --flags f.npy --s 4"),
                              np.add.reduceat(self.x, self.starts), variant)
        for variant in VARIANTS["segmented-scan"]:
            self.assert_equal(self.computed(f"--variant {variant} --input x.npy --flags f.npy --s 4"),
                              self.segmented_scan(self.x), variant)

    def test_without_functional_blocks(self):
        for variant in ("compress", "scd", "sscr", "segscan"):
            expected = {"compress": self.x[self.flags], "scd": np.add.reduceat(self.x, self.starts)}.get(
                variant, self.segmented_scan(self.x))
            self.assert_equal(self.computed(f"--variant {variant} --input x.npy --flags f.npy --s 4 --blocks none"),
                              expected, variant)

    def test_nothing_kept(self):
        self.save("f.npy", np.zeros(77, bool))
        self.assertEqual(self.computed("--operation compress --input x.npy --flags f.npy").shape, (0,))

    def test_products(self):
        rng = np.random.default_rng(RNG_SEED)
        a, b = rng.integers(0, 32, (2, 30))
        m, n = rng.integers(0, 32, (5, 7)), rng.integers(0, 32, (7, 6))
        for name, array in (("a", a), ("b", b), ("m", m), ("n", n)):
            self.save(f"{name}.npy", array)
        for variant in VARIANTS["product"]:
            bits = "" if variant == "mul" else "--bits 5"
            self.assert_equal(self.computed(f"--variant {variant} --input a.npy,b.npy --s 4 {bits}"), a * b, variant)
        for variant in VARIANTS["matrix-product"]:
            bits = "" if variant.startswith("gemm") else "--bits 5"
            self.assert_equal(self.computed(f"--variant {variant} --input m.npy,n.npy --s 4 {bits}"), m @ n, variant)

    def test_int8_operands_make_int32_sums(self):
        m = np.full((20, 30), -128, np.int8)
        n = np.full((30, 4), 127, np.int8)
        self.save("m.npy", m)
        self.save("n.npy", n)
        self.assert_equal(self.computed("--variant gemm_tiled --input m.npy,n.npy --format int8"),
                          m.astype(np.int64) @ n.astype(np.int64))

    def test_operands_of_16_bits_make_float32_sums(self):
        rng = np.random.default_rng(RNG_SEED)
        # Products of 16 bits and sums of few more are exact in float64, which rounds to float32 as a multiply-add does.
        m, n = rng.integers(-128, 128, (20, 30)) / 32, rng.integers(-128, 128, (30, 4)) / 2048
        self.save("m.npy", m)
        self.save("n.npy", n)
        for form in ("bf16", "f16", "f32"):
            expected = np.zeros((20, 4), np.float32)
            for first in range(0, 30, 16):  # a tile of the array
                tile = np.zeros((20, 4), np.float32)
                for k in range(first, min(first + 16, 30)):
                    tile = (tile + m[:, [k]] * n[[k], :]).astype(np.float32)
                expected = expected + tile
            self.assert_equal(self.computed(f"--variant gemm_tiled --input m.npy,n.npy --format {form}"), expected, form)

    def test_scans_of_narrow_operands_are_exact_in_words(self):
        x = np.random.default_rng(RNG_SEED).integers(-128, 128, 77)
        self.save("x.npy", x)
        for form in ("int8", "bf16", "f16"):
            for fidelity in ("fast", "detailed"):
                line = f"--input x.npy --s 4 --format {form} --fidelity {fidelity}"
                self.assert_equal(self.computed(f"--variant scan_hybrid {line}"), np.cumsum(x), line)
                self.assert_equal(self.computed(f"--variant segscan_hybrid {line} --flags f.npy"), self.segmented_scan(x), line)

    def test_real_operands_are_rounded_to_the_format(self):
        x = np.random.default_rng(RNG_SEED).standard_normal(77)
        self.save("x.npy", x)
        upper = x.astype(np.float32).view(np.uint32)
        bfloat16 = ((upper + 0x7fff + (upper >> 16 & 1)) & 0xffff0000).view(np.float32)
        for form, held in (("f32", x.astype(np.float32)), ("f16", x.astype(np.float16)), ("bf16", bfloat16)):
            z = self.computed(f"--variant diff_vcu --input x.npy --format {form}")
            self.assert_equal(z, np.diff(held.astype(np.float32), prepend=np.float32(0)), form)

    def test_numbers_beyond_2_to_53_stay_exact(self):
        x = np.array([2 ** 60 + 1, 1, -2 ** 60], dtype=np.int64)
        self.save("x.npy", x)
        self.assert_equal(self.computed("--input x.npy"), np.cumsum(x))

    def test_real_numbers(self):
        x = np.random.default_rng(RNG_SEED).standard_normal(77)
        self.save("x.npy", x)
        for variant in VARIANTS["scan"]:
            z = self.computed(f"--variant {variant} --input x.npy --s 4")
            self.assertEqual(z.dtype, np.float64)
            self.assert_near(z, np.cumsum(x.astype(np.longdouble)), 1e-14)
        for variant in VARIANTS["segmented-scan"]:
            z = self.computed(f"--variant {variant} --input x.npy --flags f.npy --s 4")
            self.assert_near(z, self.segmented_scan(x.astype(np.longdouble)), 1e-13)


class Bounds(SegmentedTest):
    """Errors beside the bounds of their own elements."""

    def test_an_infinite_error_is_wrong_whatever_its_bound(self):
        self.save("x.npy", np.array([1e308, 1e308, -1e308]))
        for variant in VARIANTS["scan"]:
            run = self.run_program(f"--variant {variant} --input x.npy --out files")
            self.assertEqual(run.status, WRONG, variant)
            self.assertIn("first wrong at", run.out)

    def test_large_numbers_whose_sums_are_finite_pass(self):
        self.save("x.npy", np.array([1e308, -1e308, 1e308, -1e308, 1e308]))  # their moduli are not, in f64
        for variant in VARIANTS["scan"]:
            self.assertIs(self.summary(f"--variant {variant} --input x.npy", variant)["check"]["passed"], True)

    def test_each_error_is_told_with_its_element_and_its_bound(self):
        line = "--operation spmv --format f64 --length 1000 --density 0.002"
        check = self.summary(f"{line} --output y.npy")["check"]
        bound, out = check["bound"], self.succeeds(line).out
        self.assertLessEqual(check["max_abs_error"], bound["at_max_abs_element"])
        self.assertLessEqual(bound["error_at_worst_element"], bound["at_worst_element"])
        self.assertAlmostEqual(check["worst_of_bound"], bound["error_at_worst_element"] / bound["at_worst_element"])
        self.assertGreater(check["max_abs_error"], bound["at_worst_element"])  # of another element: says which
        self.assertIn(f"absolute at element {check['max_abs_element']} (bound there {bound['at_max_abs_element']:.4g})", out)
        self.assertIn(f"relative at element {check['max_rel_element']},", out)
        self.assertIn(f"element {bound['worst_element']}: off by {bound['error_at_worst_element']:.4g} of "
                      f"{bound['at_worst_element']:.4g} allowed", out)

    def test_integers_have_no_elements_to_tell(self):
        out = self.succeeds("--operation spmv --length 100").out
        self.assertIn("max 0 absolute, 0 relative, against", out)


class Matrices(SegmentedTest):
    """Sparse products with matrices from files."""

    def product(self, text, x, options=""):
        self.save_text("a.mtx", text)
        self.save("x.npy", np.array(x))
        return self.computed(f"--operation spmv --matrix a.mtx --input x.npy --s 4 {options}")

    def test_general_with_an_empty_row(self):
        text = "%%MatrixMarket matrix coordinate integer general\n% a comment\n4 3 4\n1 1 2\n1 3 -1\n4 2 5\n3 3 7\n"
        for variant in ("spmv", "spmv_segscan", "spmv_vcu"):
            self.assert_equal(self.product(text, [10, 20, 30], f"--variant {variant}"), [-10, 0, 210, 100], variant)

    def test_symmetric_pattern_and_skew(self):
        symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 2\n2 1 3\n3 2 4\n"
        self.assert_equal(self.product(symmetric, [1, 10, 100]), [32, 403, 40])
        pattern = "%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n1 2\n2 3\n"
        self.assert_equal(self.product(pattern, [1, 10, 100]), [11, 100])
        skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n"
        self.assert_equal(self.product(skew, [1, 10]), [-30, 3])

    def test_symmetric_files_of_every_field(self):
        """As those of the SuiteSparse collection."""
        for field, values in (("pattern", ("", "", "")), ("integer", (" 2", " -3", " 4")), ("real", (" 0.5", " 3e0", " -4"))):
            text = f"%%MatrixMarket matrix coordinate {field} symmetric\n% kind: structural problem\n%\n3 3 3\n" + \
                "".join(f"{at}{value}\n" for at, value in zip(("1 1", "2 1", "3 2"), values))
            a, b, c = (float(value or 1) for value in values)
            self.assert_equal(self.product(text, [1, 10, 100]), np.array([[a, b, 0], [b, 0, c], [0, c, 0]]) @ [1, 10, 100])

    def test_real_array(self):
        array = "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0.5\n-2\n"
        z = self.product(array, [1.0, 4.0])
        self.assertEqual(z.dtype, np.float64)
        self.assert_equal(z, [3, -8])

    def test_by_bits(self):
        text = "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 3\n1 2 1\n2 2 2\n"
        self.assert_equal(self.product(text, [3, 2], "--bits 2"), [11, 4])

    def test_no_elements(self):
        self.assert_equal(self.product("%%MatrixMarket matrix coordinate integer general\n3 2 0\n", [1, 2]), [0, 0, 0])

    def test_the_printed_algorithm_is_wrong_with_an_empty_row(self):
        text = "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 2\n3 2 5\n"
        self.save_text("a.mtx", text)
        done = self.run_program("--variant spmv_scd --matrix a.mtx")
        self.assertEqual(done.status, WRONG)
        self.assertIn("FAILED", done.out)
        self.succeeds("--variant spmv --matrix a.mtx")


class BelowNormalNumbers(SegmentedTest):
    def test_products_that_underflow_are_right(self):
        small = 1e-25 * np.arange(1, 9)
        self.save("x.npy", small)
        found = self.computed("--operation product --variant mul --format f32 --input x.npy,x.npy")
        x = small.astype(np.float32)
        np.testing.assert_array_equal(found, (x * x).astype(np.float64))
        self.save("a.npy", np.full((3, 3), 1e-160))
        self.succeeds("--operation matrix-product --format f64 --input a.npy,a.npy")
        self.save_text("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e-25\n2 2 3e-25\n")
        self.save("v.npy", small[:2])
        for variant in ("spmv", "spmv_vcu"):
            self.succeeds(f"--operation spmv --variant {variant} --matrix m.mtx --input v.npy --format f32")


class NotFinite(SegmentedTest):
    def test_numbers_that_are_none_are_those_of_the_reference(self):
        x = np.array([1.5, 2, np.inf, 4, -1])
        self.save("x.npy", x)
        self.refuses("--input x.npy", "x.npy: element 2 is inf", "expected finite numbers", "--allow-nonfinite")
        self.assert_equal(self.computed("--input x.npy --variant scan_vcu --allow-nonfinite"), np.cumsum(x))
        x[3] = np.nan
        self.save("x.npy", x)
        found = self.computed("--operation product --variant mul --input x.npy,x.npy --allow-nonfinite")
        np.testing.assert_array_equal(found, x * x)

    def test_a_scan_by_the_matrix_unit_spreads_them(self):
        self.save("x.npy", np.array([1.5, 2, np.inf, 4, -1]))
        run = self.run_program("--input x.npy --allow-nonfinite")  # zeros of the triangle times the infinity
        self.assertEqual(run.status, WRONG)
        self.assertRegex(run.out, "max inf absolute at element 0 .* inf relative at element 0")
        self.assertIn("first wrong at 0", run.out)
