"""What tensor_unit computes, against numpy."""
import numpy as np

from tensor_unit_program import ALGORITHMS, TensorUnitTest

SEED = 11


class Result(TensorUnitTest):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(SEED)

    def run_with(self, algorithm, inputs, options="--m 16"):
        names = []
        for i, array in enumerate(inputs):
            names.append(self.save(f"in{i}.npy", array))
        return self.computed(f"--algorithm {algorithm} --input {','.join(names)} {options}")

    def test_products(self):
        a, b = self.random.integers(-99, 99, (2, 10, 10))
        for options in ("--m 16", "--m 16 --weak", "--scalar", "--m 16 --format int32"):
            self.assert_equal(self.run_with("dense", (a, b), options), a @ b, options)
        small = (a % 16).astype(np.int8)
        self.assert_equal(self.run_with("dense", (small, small), "--m 16 --format int8"), small.astype(int) @ small)
        a, b = self.random.integers(-99, 99, (2, 16, 16))
        for algorithm in ("strassen", "recursive8"):
            for cutoff in ("", "--cutoff 1", "--cutoff 4", "--cutoff 8"):
                self.assert_equal(self.run_with(algorithm, (a, b), f"--m 16 {cutoff}"), a @ b, algorithm + cutoff)
        a, b = self.random.integers(-99, 99, (2, 36, 36))
        for cutoff in ("", "--cutoff 4", "--cutoff 12"):
            self.assert_equal(self.run_with("laderman", (a, b), f"--m 16 {cutoff}"), a @ b, cutoff)

    def test_real_and_complex_products(self):
        a, b = self.random.standard_normal((2, 9, 9))
        self.assert_near(self.run_with("dense", (a, b), "--m 16 --format f64"), a @ b, 1e-14)
        c = a + 1j * b
        found = self.run_with("dense", (c, c.T), "--m 16 --format c128")
        self.assertEqual(found.dtype, np.complex128)
        self.assert_near(found, c @ c.T, 1e-14)

    def test_formats_whose_sums_are_float32(self):
        a, b = self.random.integers(-99, 99, (2, 10, 10)) / 8  # sums are exact in float32
        for options in ("--format f32", "--format bf16", "--format f16", "--format bf16 --scalar", "--format f16 --weak"):
            self.assert_equal(self.run_with("dense", (a, b), f"--m 16 {options}"), a @ b, options)
        a, b = self.random.standard_normal((2, 16, 16))
        self.assert_near(self.run_with("strassen", (a, b), "--m 16 --cutoff 4 --format f32"), a @ b, 1e-5)
        a, b = a + 32 * np.eye(16), b[0]
        for scalar in ("", "--scalar"):
            self.assert_near(self.run_with("solve", (a, b), f"--m 16 --format f32 {scalar}"), np.linalg.solve(a, b), 1e-5)

    def test_rectangular_and_sparse(self):
        a, b = self.random.integers(-9, 9, (7, 5)), self.random.integers(-9, 9, (5, 7))
        self.assert_equal(self.run_with("rect", (a, b), "--m 16 --inner 5"), a @ b)
        a, b = ((self.random.random((2, 16, 16)) < 0.05) * self.random.integers(1, 9, (2, 16, 16)))
        self.assert_equal(self.run_with("sparse", (a, b), "--m 16 --nonzeros 40"), a @ b)

    def test_sizes_are_those_of_the_files(self):
        a, b = self.random.integers(-9, 9, (7, 5)), self.random.integers(-9, 9, (5, 7))
        self.assert_equal(self.run_with("rect", (a, b)), a @ b)
        c, x = self.random.integers(0, 1009, 12), self.random.integers(0, 1009, 9)
        self.assert_equal(self.run_with("polyeval", (c, x)),
                          [sum(int(v) * pow(int(p), i, 1009) for i, v in enumerate(c)) % 1009 for p in x])

    def test_elimination(self):
        n = 8
        x = self.random.standard_normal((n, n)) + 4 * n * np.eye(n)
        x[-1] = 0
        found = self.run_with("ge_forward", (x,))
        expected = x.copy()
        for k in range(n - 1):
            for i in range(k + 1, n - 1):
                expected[i] -= expected[i, k] / expected[k, k] * expected[k]
        rows = np.triu_indices(n - 1, m=n)
        self.assert_near(found[rows], expected[rows], 1e-12)

    def test_equations(self):
        n = 11
        a, b = self.random.standard_normal((n, n)) + 2 * n * np.eye(n), self.random.standard_normal(n)
        for options in ("--m 16", "--m 64 --weak", "--scalar"):
            self.assert_near(self.run_with("solve", (a, b), options), np.linalg.solve(a, b), 1e-13)

    def test_graphs(self):
        n = 9
        edges = (self.random.random((n, n)) < 0.15).astype(int)
        reached = edges.astype(bool)
        for _ in range(n):
            reached = reached | (reached.astype(int) @ edges > 0)
        closed = self.run_with("tclosure", (edges,))
        off_diagonal = ~np.eye(n, dtype=bool)
        self.assert_equal(closed[off_diagonal] > 0, reached[off_diagonal])
        ring = np.roll(np.eye(n, dtype=int), 1, axis=1)
        i = np.arange(n)
        ways = np.abs(i[:, None] - i[None, :])
        self.assert_equal(self.run_with("apsd", (ring + ring.T,)), np.minimum(ways, n - ways))
        self.assert_equal(self.run_with("tclosure_words", (edges,)), closed)
        for search in ("search", "search_stop"):
            self.assert_equal(self.run_with(f"tclosure_{search}", (edges,)), closed)
            self.assert_equal(self.run_with(f"apsd_{search}", (ring + ring.T,)), np.minimum(ways, n - ways))

    def test_transforms(self):
        x = self.random.standard_normal(32) + 1j * self.random.standard_normal(32)
        self.assert_near(self.run_with("dft", (x,)).ravel(), np.fft.fft(x), 1e-14)
        self.assert_near(self.run_with("dft_inverse", (x,)).ravel(), np.fft.ifft(x), 1e-14)
        self.assert_near(self.run_with("dft_radix2", (x,)), np.fft.fft(x), 1e-14)
        self.assert_near(self.run_with("dft_inverse_radix2", (x,)), np.fft.ifft(x), 1e-14)

    def test_the_output_of_a_transform_is_the_input_of_its_inverse(self):
        x = self.random.standard_normal(64) + 1j * self.random.standard_normal(64)
        self.save("x.npy", x)
        for options in ("", "--scalar"):
            self.succeeds(f"--algorithm dft --input x.npy --output spectrum.npy {options}")
            self.assertEqual(self.load("spectrum.npy").shape, x.shape)
            self.assert_near(self.computed(f"--algorithm dft_inverse --input spectrum.npy {options}"), x, 1e-14)

    def test_stencil(self):
        n, k = 8, 2
        grid, weights = self.random.integers(-5, 5, (n, n)), np.array([[1, 2, 0], [0, -1, 1], [3, 0, 1]])
        plane = np.zeros((n + 2 * k + 2, n + 2 * k + 2))
        plane[k + 1:-k - 1, k + 1:-k - 1] = grid
        for _ in range(k):
            swept = np.zeros_like(plane)
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    swept[1:-1, 1:-1] += weights[a + 1, b + 1] * plane[1 + a:plane.shape[0] - 1 + a, 1 + b:plane.shape[1] - 1 + b]
            plane = swept
        sparse = self.run_with("stencil_sparse", (grid, weights), f"--sweeps {k}")
        self.assert_equal(sparse.reshape(n, n), plane[k + 1:-k - 1, k + 1:-k - 1])
        found = self.run_with("stencil", (grid, weights), f"--m 16 --sweeps {k}")
        self.assert_near(found.reshape(n, n), plane[k + 1:-k - 1, k + 1:-k - 1], 1e-12)

    def test_integers(self):
        x, y = self.random.integers(0, 1 << 16, (2, 11))
        value = [sum(int(limb) << (16 * i) for i, limb in enumerate(limbs)) for limbs in (x, y)]
        for algorithm, options in (("intmul", "--m 16"), ("karatsuba", "--m 16 --cutoff 3"), ("intmul", "--scalar"),
                                   ("karatsuba_scalar", ""), ("karatsuba_scalar", "--cutoff 2")):
            limbs = self.run_with(algorithm, (x, y), options)
            self.assertEqual(sum(int(limb) << (16 * i) for i, limb in enumerate(limbs)), value[0] * value[1], algorithm)

    def test_polynomials(self):
        a, points = self.random.integers(0, 1009, 13), self.random.integers(0, 1009, 6)
        expected = [sum(int(c) * int(p) ** i for i, c in enumerate(a)) % 1009 for p in points]
        self.assert_equal(self.run_with("polyeval", (a, points), "--m 16 --points 6"), expected)

    def test_integers_of_limbs_of_any_width(self):
        for kappa in (4, 8, 20, 32, 60):
            bits = kappa // 4
            x, y = self.random.integers(0, 1 << bits, (2, 7))
            value = [sum(int(limb) << (bits * i) for i, limb in enumerate(limbs)) for limbs in (x, y)]
            for algorithm, options in (("intmul", "--m 16"), ("karatsuba", "--m 16 --cutoff 2"), ("intmul", "--scalar"),
                                       ("karatsuba_scalar", "--cutoff 3")):
                limbs = self.run_with(algorithm, (x, y), f"{options} --kappa {kappa}")
                self.assertEqual(sum(int(limb) << (bits * i) for i, limb in enumerate(limbs)), value[0] * value[1], algorithm)
                self.assertTrue((limbs < 1 << bits).all())

    def test_real_and_whole_polynomials(self):
        a, points = self.random.standard_normal(21), self.random.uniform(-1.2, 1.2, 9)
        for options in ("--m 16", "--m 16 --weak", "--scalar", ""):
            self.assert_near(self.run_with("polynomial", (a, points), options), np.polyval(a[::-1], points), 1e-14)
        single = [x.astype(np.float32).astype(float) for x in (a, points)]
        self.assert_near(self.run_with("polynomial", single, "--m 16 --format f32"), np.polyval(single[0][::-1], single[1]), 1e-5)
        a, points = self.random.integers(-99, 99, 12), self.random.integers(-20, 20, 7)
        expected = [sum(int(c) * int(x) ** i for i, c in enumerate(a)) for x in points]
        for options in ("--m 16", "--m 4 --weak", "--scalar"):
            self.assert_equal(self.run_with("polynomial", (a, points), f"--format int64 {options}"), expected)

    def test_distances_by_strassen(self):
        n = 32
        edges = np.triu(self.random.random((n, n)) < 0.05, 1).astype(int)
        edges[np.arange(n - 1), np.arange(1, n)] = 1
        edges += edges.T
        distances = np.where(edges > 0, 1, n) * (1 - np.eye(n, dtype=int))
        for k in range(n):
            distances = np.minimum(distances, distances[:, k:k + 1] + distances[k:k + 1])
        for options in ("--m 16", "--m 16 --cutoff 4", "--m 64 --cutoff 8 --weak", "--m 16 --cutoff 8 --format f64", "--m 1024"):
            self.assert_equal(self.run_with("apsd_strassen", (edges,), options), distances, options)

    def test_every_algorithm_and_its_baseline_give_the_same(self):
        for algorithm, line in ALGORITHMS.items():
            with self.subTest(algorithm=algorithm):
                unit, scalar = (self.summary(f"--algorithm {algorithm} {line} --m 16 {option}")
                                for option in ("", "--scalar"))
                self.assertIs(unit["check"]["passed"] and scalar["check"]["passed"], True)
                self.assertEqual(unit["result"]["checksum"], scalar["result"]["checksum"])
                self.assertEqual(scalar["model"]["calls"], 0)
                self.assertGreater(unit["model"]["calls"], 0)


class Check(TensorUnitTest):
    def test_a_right_solution_passes_whatever_the_condition(self):
        random = np.random.default_rng(1)
        q = np.linalg.qr(random.standard_normal((40, 40)))[0]
        a = q @ np.diag(np.logspace(0, -10, 40)) @ q.T
        a = (a + a.T) / 2
        b = random.standard_normal(40)
        self.save("a.npy", a)
        self.save("b.npy", b)
        for options in ("", "--scalar", "--m 16"):
            line = f"--algorithm solve --size 40 --input a.npy,b.npy {options}"
            check = self.summary(f"{line} --output x.npy")["check"]
            x = self.load("x.npy")
            with np.errstate(invalid="raise"):
                backward = np.max(np.abs(b - a @ x) / (np.abs(a) @ np.abs(x) + np.abs(b)))  # rounded itself
            self.assertIs(check["passed"], True)
            self.assertGreater(check["max_rel_error"], 1e-9)
            self.assertLess(check["backward_error"], 1e-15)
            self.assertLess(backward, 1e-14)
            self.assertLess(check["worst_of_bound"], 1)
            self.assertIn("residual of A x = b", check["bounded"])
            self.assertRegex(self.succeeds(line).out, r"\n  backward error +\d\.\d+e-\d\d\n")

    def test_products_are_within_their_own_bounds(self):
        a, b = np.random.default_rng(2).standard_normal((2, 30, 30)) * 10.0 ** np.arange(30)[:, None]
        self.save("a.npy", a)
        self.save("b.npy", b)
        check = self.summary("--size 30 --m 16 --format f64 --input a.npy,b.npy")["check"]
        bounds = 1.01 * 32 * 2.0**-53 * (np.abs(a) @ np.abs(b))
        self.assertIs(check["passed"], True)
        self.assertAlmostEqual(np.min(np.abs(bounds / check["bound"] - 1)), 0, delta=1e-12)  # that of an element
        self.assertLess(check["worst_of_bound"], 1)

    def test_numbers_that_are_none_are_those_of_the_reference(self):
        a, b = np.random.default_rng(3).standard_normal((2, 6, 6))
        a[1, 2], b[3, 4] = np.nan, np.inf
        self.save("a.npy", a)
        self.save("b.npy", b)
        line = "--input a.npy,b.npy --format f64 --m 16"
        self.refuses(line, "A (a.npy)", "element (1,2) is nan", "--allow-nonfinite")
        for options in ("", "--scalar"):
            with np.errstate(invalid="ignore"):
                np.testing.assert_allclose(self.computed(f"{line} --allow-nonfinite {options}"), a @ b)
        run = self.run_program(f"--input a.npy,b.npy --format f64 --algorithm strassen --cutoff 3 --m 9 --allow-nonfinite")
        self.assertEqual(run.status, 1)  # its sums of blocks spread the NaN
        self.assertIn("max inf absolute, inf relative", run.out)
