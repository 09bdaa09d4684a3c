"""What dxt computes, against sums by the definition of each transform."""
import itertools

import numpy as np

import transform_oracle as oracle
from dxt_program import DxtTest
from transform_oracle import random

REAL = ("dct", "dst", "dht", "dwht", "dwht-sequency", "identity")
SIZES = {"dwht": (4, 8, 2), "dwht-sequency": (8, 4, 16)}


class Transform(DxtTest):
    def check(self, x, options, expected, tolerance=1e-14):
        self.save("x.npy", x)
        self.assert_near(self.output(f"--input x.npy {options}"), expected, tolerance, options)

    def check_all_ways(self, name):
        for norm, inverse in itertools.product(("orthonormal", "backward"), (False, True)):
            x = random(SIZES.get(name, (3, 5, 4)), complex_elements=name == "dft")
            options = f"--transform {name} --norm {norm} {'--inverse' if inverse else ''}"
            with self.subTest(options=options):
                self.check(x, options, oracle.transform(x, name, norm, inverse))

    def test_every_transform_in_all_ways(self):
        for name in ("dft", "dht", "dct", "dst", "dwht", "dwht-sequency"):
            self.check_all_ways(name)

    def test_identity(self):
        x = random((3, 4, 5))
        for options in ("", "--inverse", "--norm backward", "--norm backward --inverse"):
            self.save("x.npy", x)
            self.assert_equal(self.output(f"--input x.npy --transform identity {options}"), x)

    def test_backward_equals_direct_sums_for_cuboid_odd_and_prime_sizes(self):
        for shape, name, complex_elements in itertools.product(((4, 6, 10), (5, 9, 15), (7, 11, 13)),
                                                               ("dct", "dst", "dht", "dft"), (False, True)):
            x = random(shape, complex_elements=complex_elements)
            for inverse in (False, True):
                options = f"--transform {name} --norm backward {'--inverse' if inverse else ''}"
                with self.subTest(shape=shape, options=options, complex_elements=complex_elements):
                    self.check(x, options, oracle.transform(x, name, "backward", inverse), 1e-12)

    def test_dft_equals_numpy(self):
        for shape in ((4, 6, 10), (5, 9, 15), (7, 11, 13)):
            x = random(shape, complex_elements=True)
            for norm, numpy_norm in (("backward", "backward"), ("orthonormal", "ortho")):
                self.check(x, f"--transform dft --norm {norm}", np.fft.fftn(x, norm=numpy_norm), 1e-12)
                self.check(x, f"--transform dft --norm {norm} --inverse", np.fft.ifftn(x, norm=numpy_norm), 1e-12)

    def test_forward_then_inverse_is_the_identity(self):
        for name, norm in itertools.product((*REAL, "dft", "dct,dwht,dht", "dft,dst,identity"),
                                            ("orthonormal", "backward")):
            x = random((8, 8, 4), complex_elements="dft" in name)
            self.save("x.npy", x)
            with self.subTest(name=name, norm=norm):
                self.succeeds(f"--input x.npy --transform {name} --norm {norm} --output forward.npy")
                back = self.output(f"--input forward.npy --transform {name} --norm {norm} --inverse")
                self.assert_near(back, x, 1e-12)

    def test_another_transform_and_size_per_mode(self):
        x = random((5, 8, 3))
        for names in (("dct", "dwht", "dst"), ("identity", "dct", "dht"), ("dst", "dwht-sequency", "identity")):
            for norm, inverse in itertools.product(("orthonormal", "backward"), (False, True)):
                options = f"--transform {','.join(names)} --norm {norm} {'--inverse' if inverse else ''}"
                self.check(x, options, oracle.transform(x, names, norm, inverse))
        self.check(x, "--transform dct,dft,dst", oracle.transform(x, ("dct", "dft", "dst")))

    def test_all_orders_and_tags(self):
        x = random((4, 5, 6))
        names = ("dct", "dst", "dht")
        expected = oracle.transform(x, names)
        for order, tags, sparsity in itertools.product(map("".join, itertools.permutations("123")),
                                                       ("diagonal", "reverse", "random"), ("esop", "dense")):
            options = f"--transform {','.join(names)} --order {order} --tags {tags} --sparsity {sparsity} --seed 9"
            with self.subTest(options=options):
                self.check(x, options, expected)

    def test_all_orders_are_equal_for_integers(self):
        for order, tags in itertools.product(map("".join, itertools.permutations("123")), ("diagonal", "random")):
            y = self.output(f"--shape 4x8x2 --fill ramp --transform dwht --norm backward --order {order} --tags {tags}")
            self.assert_equal(y, oracle.transform(oracle.ramp((4, 8, 2)), "dwht", "backward").astype(float))

    def test_tiny_and_flat_boxes(self):
        for shape in ((1, 1, 1), (1, 1, 9), (1, 9, 1), (9, 1, 1), (2, 1, 7)):
            x = random(shape)
            for name in ("dct", "dst", "dht", "dft"):
                self.check(x, f"--transform {name} --norm backward", oracle.transform(x, name, "backward"))

    def test_mesh_larger_than_the_problem(self):
        x = random((3, 4, 5))
        self.check(x, "--mesh 7x9x8", oracle.transform(x, "dct"))


class FileMatrix(DxtTest):
    def setUp(self):
        super().setUp()
        self.x = random((3, 4, 5))
        self.save("x.npy", self.x)

    def save_matrices(self, complex_elements=False):
        matrices = [random((n, n), seed=n, complex_elements=complex_elements) for n in self.x.shape]
        for mode, matrix in enumerate(matrices):
            self.save(f"c{mode + 1}.npy", matrix)
        return matrices

    def test_rows_are_the_summed_index(self):
        matrices = self.save_matrices()
        expected = np.einsum("abc,ai,bj,ck->ijk", self.x, *matrices)
        self.assert_near(self.output("--input x.npy --transform file:c1.npy,file:c2.npy,file:c3.npy"), expected, 1e-14)

    def test_inverse(self):
        matrices = [np.linalg.inv(m) for m in self.save_matrices()]
        expected = np.einsum("abc,ai,bj,ck->ijk", self.x, *matrices)
        self.assert_near(self.output("--input x.npy --transform file:c1.npy,file:c2.npy,file:c3.npy --inverse"),
                         expected, 1e-11)

    def test_complex(self):
        matrices = self.save_matrices(complex_elements=True)
        expected = np.einsum("abc,ai,bj,ck->ijk", self.x, *matrices)
        y = self.output("--input x.npy --transform file:c1.npy,file:c2.npy,file:c3.npy")
        self.assertEqual(y.dtype, np.complex128)
        self.assert_near(y, expected, 1e-14)
        back = np.einsum("abc,ai,bj,ck->ijk", self.x, *[np.linalg.inv(m) for m in matrices])
        self.assert_near(self.output("--input x.npy --transform file:c1.npy,file:c2.npy,file:c3.npy --inverse"), back,
                         1e-11)

    def test_is_not_scaled(self):
        matrices = self.save_matrices()
        plain = self.output("--input x.npy --transform file:c1.npy,dct,file:c3.npy --norm orthonormal")
        expected = oracle.product(self.x, (matrices[0], oracle.matrix("dct", 4), matrices[2]))
        self.assert_near(plain, expected, 1e-14)

    def test_integers_and_fortran_order(self):
        matrix = oracle.integer_matrix(1, 3).astype(np.int16)
        self.save("c.npy", np.asfortranarray(matrix))
        expected = np.einsum("abc,ai->ibc", self.x, matrix)
        self.assert_near(self.output("--input x.npy --transform file:c.npy,identity,identity"), expected, 1e-15)

    def test_one_file_for_all_modes(self):
        cube = oracle.ramp((4, 4, 4))
        matrix = oracle.integer_matrix(2, 4)
        self.save("cube.npy", cube)
        self.save("c.npy", matrix)
        self.assert_equal(self.output("--input cube.npy --transform file:c.npy"),
                          np.einsum("abc,ai,bj,ck->ijk", cube, matrix, matrix, matrix))


class Start(DxtTest):
    def test_a_tensor_of_zeros_is_right_in_every_format(self):
        for name in ("f64", "f32", "bf16", "c128", "c64", "int8"):
            self.assertEqual(np.count_nonzero(self.output(f"--shape 4x4x4 --transform identity --zeros 1 --format {name}")), 0, name)

    def test_initial_is_added(self):
        x, y0 = random((3, 4, 5), 1), random((3, 4, 5), 2)
        self.save("x.npy", x)
        self.save("y0.npy", y0)
        for sparsity in ("esop", "dense"):
            y = self.output(f"--input x.npy --initial y0.npy --sparsity {sparsity} --order 231")
            self.assert_near(y, oracle.transform(x, "dct") + y0, 1e-14)

    def test_negative_zero_of_the_initial_tensor(self):
        """Dense adds +0 to it, ESOP skips that: docs/triada.md."""
        self.save("x.npy", np.zeros((2, 3, 4)))
        self.save("y0.npy", np.full((2, 3, 4), -0.0))
        for fidelity in ("fast", "detailed"):
            for sparsity, negative in (("esop", True), ("dense", False)):
                self.succeeds(f"--input x.npy --initial y0.npy --sparsity {sparsity} --fidelity {fidelity} --output y.npy")
                self.assertEqual(set(np.signbit(self.load("y.npy")).ravel()), {negative}, (sparsity, fidelity))

    def test_initial_alone(self):
        self.save("y0.npy", np.arange(24.0).reshape(2, 3, 4))
        y = self.output("--shape 2x3x4 --zeros 1 --initial y0.npy")
        self.assert_equal(y, np.arange(24.0).reshape(2, 3, 4))

    def test_complex_initial_makes_the_run_complex(self):
        x, y0 = random((3, 4, 5), 1), random((3, 4, 5), 2, complex_elements=True)
        self.save("x.npy", x)
        self.save("y0.npy", y0)
        y = self.output("--input x.npy --initial y0.npy")
        self.assertEqual(y.dtype, np.complex128)
        self.assert_near(y, oracle.transform(x, "dct") + y0, 1e-14)

    def test_initial_of_every_tensor_of_a_batch(self):
        self.save("y0.npy", np.arange(24.0).reshape(2, 3, 4))
        y = self.output("--shape 2x3x4 --fill ramp --initial y0.npy --batch 2 --transform identity")
        for item in y:
            self.assert_equal(item, oracle.ramp((2, 3, 4)) + np.arange(24.0).reshape(2, 3, 4))

    def test_initial_in_fortran_order_and_integers(self):
        y0 = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
        self.save("y0.npy", np.asfortranarray(y0))
        self.assert_equal(self.output("--shape 2x3x4 --zeros 1 --initial y0.npy"), y0)


class Format(DxtTest):
    def test_default_is_complex_where_it_must_be(self):
        self.save("real.npy", np.ones((2, 3, 4)))
        self.save("complex.npy", np.ones((2, 3, 4), complex))
        self.save("single.npy", np.ones((2, 3, 4), np.float32))
        self.save("complex_single.npy", np.ones((2, 3, 4), np.complex64))
        self.save("matrix.npy", np.eye(2, dtype=complex))
        for options, dtype in (("--input real.npy", "f8"), ("--shape 2x3x4", "f8"), ("--input complex.npy", "c16"),
                               ("--shape 2x3x4 --transform dft", "c16"),
                               ("--input real.npy --transform dct,dct,dft", "c16"),
                               ("--input real.npy --transform file:matrix.npy,dct,dct", "c16"),
                               ("--input single.npy", "f4"), ("--input complex_single.npy", "c8"),
                               ("--input single.npy --transform dft", "c8"),
                               ("--input single.npy --format f64", "f8"),
                               ("--input single.npy --initial real.npy", "f8"),
                               ("--shape 2x3x4 --initial single.npy", "f8")):
            self.assertEqual(self.output(options).dtype, np.dtype(dtype), options)

    def test_that_the_data_has_decided_is_told(self):
        self.save("x.npy", np.ones((2, 3, 4), np.float32))
        told = "format                f32, the precision of the data; --format f64 computes in double precision"
        self.assertIn(told, self.succeeds("--input x.npy").out)
        self.assertEqual(self.summary("--input x.npy")["configuration"]["format"], "f32")
        for line in ("--input x.npy --format f32", "--input x.npy --format f64", "--shape 2x3x4"):
            self.assertNotIn("as the data is", self.succeeds(line).out)

    def test_single_precision(self):
        x = random((5, 6, 7)).astype(np.float32)
        self.save("x.npy", x)
        y = self.output("--input x.npy --format f32")
        self.assertEqual(y.dtype, np.float32)
        self.assert_near(y, oracle.transform(x, "dct"), 1e-6)

    def test_complex_single_precision(self):
        x = random((5, 6, 7), complex_elements=True).astype(np.complex64)
        self.save("x.npy", x)
        y = self.output("--input x.npy --format c64 --transform dft")
        self.assertEqual(y.dtype, np.complex64)
        self.assert_near(y, oracle.transform(x, "dft"), 1e-6)

    def test_real_transform_of_complex_data(self):
        x = random((3, 4, 5), complex_elements=True)
        self.save("x.npy", x)
        self.assert_near(self.output("--input x.npy --transform dst"), oracle.transform(x, "dst"), 1e-14)

    def test_real_data_in_a_complex_format(self):
        y = self.output("--shape 2x3x4 --fill ramp --format c64 --transform identity")
        self.assertEqual(y.dtype, np.complex64)
        self.assert_equal(y, oracle.ramp((2, 3, 4)))

    def test_result_is_rounded_to_the_format(self):
        self.save("x.npy", np.full((1, 1, 1), 1 / 3))
        self.assertEqual(self.output("--input x.npy --format f32 --transform identity")[0, 0, 0], np.float32(1 / 3))


class Input(DxtTest):
    TYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16")

    def test_every_element_type_in_both_orders(self):
        for dtype, order in itertools.product(self.TYPES, "CF"):
            x = oracle.ramp((2, 3, 4))
            if dtype[0] in "bu":
                x = x % 2 if dtype[0] == "b" else x + 8
            if dtype[0] == "c":
                x = x * (1 + 2j)
            self.save("x.npy", np.asarray(x.astype(dtype), order=order))
            with self.subTest(dtype=dtype, order=order):
                y = self.output("--input x.npy --transform identity")
                same = dtype[0] in "fc"
                self.assertEqual(y.dtype, np.dtype(dtype if same else "f8"))
                self.assert_equal(y, x)

    def test_ends_of_integer_ranges(self):
        for dtype in ("i1", "i2", "i4", "u1", "u2", "u4"):
            ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0], dtype).reshape(1, 1, 3)
            self.save("x.npy", ends)
            self.assert_equal(self.output("--input x.npy --transform identity"), ends.astype(float))

    def test_result_is_in_c_order(self):
        self.save("x.npy", np.asfortranarray(random((3, 4, 5))))
        self.assertTrue(self.output("--input x.npy").flags.c_contiguous)

    def test_input_is_not_touched(self):
        self.save("x.npy", random((3, 4, 5)))
        before = self.read_bytes("x.npy")
        self.output("--input x.npy --keep 0.1")
        self.assertEqual(self.read_bytes("x.npy"), before)


class Fill(DxtTest):
    """Seen through the identity."""

    def fill(self, options, shape="6x7x8"):
        return self.output(f"--shape {shape} --transform identity {options}")

    def test_ramp_and_sparse_are_their_formulas(self):
        for shape in ((6, 7, 8), (1, 1, 40), (20, 3, 1)):
            text = "x".join(map(str, shape))
            self.assert_equal(self.fill("--fill ramp", text), oracle.ramp(shape))
            self.assert_equal(self.fill("--fill sparse", text), oracle.sparse(shape))

    def test_random_is_uniform_from_minus_one_to_one(self):
        x = self.fill("--fill random", "30x30x30").ravel()
        self.assertTrue(((x >= -1) & (x < 1)).all())
        self.assertLess(abs(x.mean()), 5 / np.sqrt(3 * x.size))
        counts = np.histogram(x, 10, (-1, 1))[0]
        self.assertLess(abs(counts - x.size / 10).max(), 5 * np.sqrt(x.size * 0.09))
        self.assertEqual(len(np.unique(x)), x.size)

    def test_random_is_the_default_and_needs_no_seed(self):
        self.assert_equal(self.fill(""), self.fill("--fill random --seed 1"))

    def test_same_seed_same_fill(self):
        self.assert_equal(self.fill("--seed 5"), self.fill("--seed 5"))
        self.assertFalse((self.fill("--seed 5") == self.fill("--seed 6")).any())

    def test_random_in_complex_formats_has_independent_parts(self):
        x = self.fill("--format c128", "30x30x30").ravel()
        self.assertLess(abs(np.corrcoef(x.real, x.imag)[0, 1]), 5 / np.sqrt(x.size))
        self.assertTrue(((x.imag >= -1) & (x.imag < 1)).all())
        self.assert_equal(x.real, self.fill("", "30x30x30").ravel())

    def test_random_in_single_precision_is_the_rounded_one(self):
        self.assert_equal(self.fill("--format f32"), self.fill("").astype(np.float32))

    def test_zeros_come_with_their_probability(self):
        full = self.fill("", "20x20x20")
        for fraction in (0.1, 0.5, 0.9):
            x = self.fill(f"--zeros {fraction}", "20x20x20")
            self.assertLess(abs((x == 0).sum() - fraction * x.size), 5 * np.sqrt(x.size * fraction * (1 - fraction)))
            self.assert_equal(x[x != 0], full[x != 0])

    def test_zeros_at_the_ends(self):
        self.assertEqual(np.count_nonzero(self.fill("--fill random --zeros 1")), 0)
        self.assert_equal(self.fill("--zeros 0"), self.fill(""))

    def test_zeros_follow_the_seed(self):
        self.assert_equal(self.fill("--fill ramp --zeros 0.5 --seed 3"), self.fill("--fill ramp --zeros 0.5 --seed 3"))
        other = self.fill("--fill ramp --zeros 0.5 --seed 4")
        self.assertTrue((self.fill("--fill ramp --zeros 0.5 --seed 3") != other).any())

    def test_zeros_of_complex_elements_are_whole(self):
        x = self.fill("--format c128 --zeros 0.5")
        self.assert_equal(x.real == 0, x.imag == 0)


class Keep(DxtTest):
    def kept(self, x, options):
        self.save("x.npy", x)
        return self.output(f"--input x.npy --transform identity {options}")

    @staticmethod
    def largest(x, count):
        """Of equal moduli the lower index."""
        flat = np.zeros_like(x).ravel()
        chosen = np.argsort(-np.abs(x).ravel(), kind="stable")[:count]
        flat[chosen] = x.ravel()[chosen]
        return flat.reshape(x.shape)

    def test_the_largest_stay(self):
        x = random((4, 5, 6))
        for fraction, count in ((0.05, 6), (0.5, 60), (0.1, 12), (0.999, 120), (1e-9, 1)):
            self.assert_equal(self.kept(x, f"--keep {fraction}"), self.largest(x, count))

    def test_ends(self):
        x = random((4, 5, 6))
        self.assertEqual(np.count_nonzero(self.kept(x, "--keep 0")), 0)
        self.assert_equal(self.kept(x, "--keep 1"), x)

    def test_fraction_is_rounded_up(self):
        x = random((1, 1, 10))
        for fraction, count in ((0.1, 1), (0.11, 2), (0.25, 3), (0.91, 10)):
            self.assertEqual(np.count_nonzero(self.kept(x, f"--keep {fraction}")), count)

    def test_of_equal_moduli_the_lower_index_stays(self):
        x = oracle.ramp((4, 5, 6))
        for count in range(0, 121, 7):
            self.assert_equal(self.kept(x, f"--keep {count / 120!r}"), self.largest(x, int(np.ceil(count / 120 * 120))))

    def test_modulus_of_complex_elements(self):
        x = np.array([3 + 4j, -5, 1 + 1j, 5j, 4.9 + 0.9j, 0]).reshape(1, 2, 3)
        self.assert_equal(self.kept(x, "--keep 0.5"), np.array([3 + 4j, -5, 0, 5j, 0, 0]).reshape(1, 2, 3))
        self.assert_equal(self.kept(x, "--keep 0.3"), np.array([3 + 4j, -5, 0, 0, 0, 0]).reshape(1, 2, 3))

    def test_of_every_tensor_of_a_batch(self):
        y = self.output("--shape 4x5x6 --batch 2 --transform identity --keep 0.25")
        full = self.output("--shape 4x5x6 --batch 2 --transform identity")
        for kept, whole in zip(y, full):
            self.assert_equal(kept, self.largest(whole, 30))

    def test_the_result_is_checked_before(self):
        found = self.summary("--shape 4x5x6 --keep 0.1")
        self.assertIs(found["check"]["passed"], True)
        self.assertLess(found["check"]["max_rel_error"], 1e-14)
        self.assertEqual(found["kept"], 12)
        self.assertEqual(self.summary("--shape 4x5x6 --keep 0.1 --batch 3")["kept"], 36)
        self.assertIsNone(self.summary("--shape 4x5x6")["kept"])


class Batch(DxtTest):
    def test_tensor_i_has_seed_s_plus_i(self):
        y = self.output("--shape 3x4x5 --batch 3 --seed 7")
        self.assertEqual(y.shape, (3, 3, 4, 5))
        for i in range(3):
            self.assert_equal(y[i], self.output(f"--shape 3x4x5 --seed {7 + i}"))

    def test_input_is_repeated(self):
        x = random((3, 4, 5))
        self.save("x.npy", x)
        y = self.output("--input x.npy --batch 3")
        self.assertEqual(y.shape, (3, 3, 4, 5))
        for item in y:
            self.assert_equal(item, self.output("--input x.npy"))

    def test_one_tensor_has_no_extra_axis(self):
        self.assertEqual(self.output("--shape 3x4x5 --batch 1").shape, (3, 4, 5))

    def test_seeds_wrap_at_the_end_of_their_range(self):
        y = self.output("--shape 3x4x5 --batch 2 --seed 18446744073709551615")
        self.assert_equal(y[1], self.output("--shape 3x4x5 --seed 0"))

    def test_fidelity_and_tags(self):
        for options in ("--fidelity detailed", "--tags random", "--tags reverse --sparsity dense"):
            y = self.output(f"--shape 4x2x8 --fill ramp --transform dwht --norm backward --batch 2 {options}")
            expected = oracle.transform(oracle.ramp((4, 2, 8)), "dwht", "backward").astype(float)
            for item in y:
                self.assert_equal(item, expected)


class ZeroThreshold(DxtTest):
    def test_small_operands_count_as_zero_in_every_stage(self):
        x = random((4, 5, 6))
        self.save("x.npy", x)
        y = self.output("--input x.npy --zero-threshold 0.3 --order 213")
        for mode in (1, 0, 2):
            x = np.where(np.abs(x) <= 0.3, 0, x)
            x = np.moveaxis(np.tensordot(x, oracle.matrix("dct", x.shape[mode]).astype(float), ([mode], [0])), -1, mode)
        self.assert_near(y, x, 1e-13)

    def test_the_check_allows_for_it(self):
        found = self.summary("--shape 4x5x6 --zero-threshold 0.3")
        self.assertIs(found["check"]["passed"], True)
        self.assertGreater(found["check"]["max_abs_error"], 1e-3)
