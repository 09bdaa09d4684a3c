"""--out-shape: rectangular blocks of the matrices, against sums by the definition of each transform."""
import itertools

import numpy as np

import transform_oracle as oracle
from dxt_program import DxtTest
from transform_oracle import random

ORDERS = list(map("".join, itertools.permutations("123")))
OUT_SHAPES = ((2, 3, 3), (5, 9, 6), (2, 9, 4), (1, 1, 1), (4, 2, 8))


def text(shape):
    return "x".join(map(str, shape))


class NamedTransform(DxtTest):
    def check(self, x, name, out_shape, options="", norm="orthonormal", inverse=False):
        self.save("x.npy", x)
        line = (f"--input x.npy --transform {name} --out-shape {text(out_shape)} --norm {norm} "
                f"{'--inverse' if inverse else ''} {options}")
        with self.subTest(line=line):
            found = self.output(line)
            self.assertEqual(found.shape, out_shape)
            expected = oracle.transform(x, name, norm, inverse, out_shape)
            self.assert_near(found, expected, 1e-13 * np.linalg.norm(x) / max(np.linalg.norm(expected), 1e-3), line)

    def check_all_ways(self, name, shape=(4, 5, 3), out_shapes=OUT_SHAPES):
        for norm, inverse, out_shape in itertools.product(("orthonormal", "backward"), (False, True), out_shapes):
            self.check(random(shape, complex_elements=name == "dft"), name, out_shape, "", norm, inverse)

    def test_every_transform_in_all_ways(self):
        for name in ("dct", "dst", "dht", "dft"):
            self.check_all_ways(name)
        for name in ("dwht", "dwht-sequency"):
            self.check_all_ways(name, (4, 8, 3), ((8, 2, 4), (3, 5, 8), (4, 1, 4)))

    def test_identity_cuts_and_pads(self):
        x = random((4, 5, 3))
        self.save("x.npy", x)
        for inverse in ("", "--inverse"):
            y = self.output(f"--input x.npy --transform identity --out-shape 2x7x3 {inverse}")
            expected = np.zeros((2, 7, 3))
            expected[:, :5] = x[:2]
            self.assert_equal(y, expected)

    def test_all_orders_dense_and_esop(self):
        x = random((4, 6, 5))
        x[x < -0.3] = 0
        for order, sparsity, out_shape in itertools.product(ORDERS, ("esop", "dense"), ((2, 7, 5), (6, 3, 1))):
            self.check(x, "dct", out_shape, f"--order {order} --sparsity {sparsity}")

    def test_permuted_tags(self):
        for tags, out_shape in itertools.product(("reverse", "random"), ((2, 7, 5), (6, 3, 1))):
            self.check(random((4, 6, 5)), "dht", out_shape, f"--tags {tags} --order 231")

    def test_mesh_larger_than_the_box(self):
        self.check(random((4, 6, 5)), "dct", (7, 2, 5), "--mesh 9x8x7")

    def test_the_same_shape_is_no_other_run(self):
        self.assert_equal(self.output("--shape 3x4x5 --out-shape 3x4x5"), self.output("--shape 3x4x5"))

    def test_compression_then_expansion_is_a_projection(self):
        x = random((6, 5, 4))
        self.save("x.npy", x)
        self.succeeds("--input x.npy --out-shape 3x2x4 --output core.npy")
        back = self.output("--input core.npy --inverse --out-shape 6x5x4")
        full = np.zeros_like(x)
        full[:3, :2] = self.load("core.npy")
        self.assert_near(back, oracle.transform(full, "dct", inverse=True), 1e-13)

    def test_batch(self):
        y = self.output("--shape 3x4x5 --out-shape 2x6x5 --batch 3 --seed 5")
        self.assertEqual(y.shape, (3, 2, 6, 5))
        for i in range(3):
            self.assert_equal(y[i], self.output(f"--shape 3x4x5 --out-shape 2x6x5 --seed {5 + i}"))

    def test_initial_has_the_shape_of_the_result(self):
        x, y0 = random((3, 4, 5)), random((2, 6, 5))
        self.save("x.npy", x)
        self.save("y0.npy", y0)
        for order in ORDERS:
            y = self.output(f"--input x.npy --initial y0.npy --out-shape 2x6x5 --order {order}")
            self.assert_near(y, oracle.transform(x, "dct", out_shape=(2, 6, 5)) + y0, 1e-14)


class FileMatrix(DxtTest):
    def save_matrices(self, shape, out_shape, make):
        matrices = [make(mode + 1, n, k) for mode, (n, k) in enumerate(zip(shape, out_shape))]
        for mode, matrix in enumerate(matrices):
            self.save(f"c{mode + 1}.npy", matrix)
        return matrices

    def test_rows_are_the_summed_index(self):
        for out_shape in ((2, 6, 4), (5, 1, 9)):
            matrices = self.save_matrices((3, 4, 5), out_shape, oracle.integer_matrix)
            self.save("x.npy", oracle.ramp((3, 4, 5)))
            for order in ORDERS:
                y = self.output(f"--input x.npy --transform file:c1.npy,file:c2.npy,file:c3.npy "
                                f"--out-shape {text(out_shape)} --order {order}")
                self.assert_equal(y, np.einsum("abc,ai,bj,ck->ijk", oracle.ramp((3, 4, 5)), *matrices))

    def test_another_shape_is_refused(self):
        self.save("c.npy", np.ones((3, 4)))
        for shape, out_shape in (((4, 3, 3), (3, 3, 3)), ((3, 3, 3), (3, 3, 3)), ((4, 3, 3), (4, 3, 3))):
            self.refuses(f"--shape {text(shape)} --out-shape {text(out_shape)} --transform file:c.npy,dct,dct",
                         "c.npy", "3 x 4", "expected")
        self.succeeds("--shape 3x2x2 --out-shape 4x2x2 --transform file:c.npy,dct,dct")

    def test_inverse_of_a_rectangle_is_refused(self):
        self.save("c.npy", np.ones((3, 4)))
        self.refuses("--shape 3x2x2 --out-shape 4x2x2 --transform file:c.npy,dct,dct --inverse", "c.npy", "expected")


class Counts(DxtTest):
    def test_compression_is_cheaper_than_the_square(self):
        cut, square = (self.summary(f"--shape 12x12x12 {options}") for options in ("--out-shape 4x4x4", ""))
        self.assertLess(cut["macs"], square["macs"])
        self.assertEqual((cut["steps"], square["steps"]), (36, 36))
