"""--matrix-zeros: zeros among the coefficients, which ESOP skips, counted against the matrices and against probability."""
import numpy as np

from dxt_program import DxtTest

SHAPE = (9, 7, 8)
ORDER = (2, 0, 1)  # modes, from 0, of the order 312
SEEDS = 24


def binomial(n, p):
    """Probabilities of 0 to n successes."""
    chances = np.array([1.0])
    for _ in range(n):
        chances = np.append(chances * (1 - p), 0) + np.append(0, chances * p)
    return chances


def expected_shares(n, tensor, matrix):
    """Shares of multiply-adds that the three stages do, on average over the zeros of all data: cubes of n elements, of
    which, and of whose coefficients, these shares are not zero. A sum is zero if all its terms are; sums of the second
    stage whose operands share a column of the first matrix depend on each other through its zeros."""
    term = tensor * matrix
    filled = 1 - (1 - term) ** n
    rest = 1 - (1 - tensor) ** np.arange(n + 1)  # an operand of stage 2, by the coefficients of its column
    filled_twice = 1 - binomial(n, matrix) @ (1 - matrix * rest) ** n
    return term, filled * matrix, filled_twice * matrix


class MatrixZeros(DxtTest):
    def matrices(self, options, shape=SHAPE):
        """What the device multiplies by: the transform of one mode of an identity is its matrix."""
        found = []
        for mode, n in enumerate(shape):
            sizes = [1, 1, 1]
            sizes[mode], sizes[mode - 1] = n, n
            one = np.eye(n).reshape([n if m in (mode, (mode - 1) % 3) else 1 for m in range(3)])
            self.save("one.npy", one)
            names = ",".join("dct" if m == mode else "none" for m in range(3))
            zeros = ",".join(options["zeros"][m] if m == mode else "0" for m in range(3))
            y = self.output(f"--input one.npy --transform {names} --matrix-zeros {zeros} --seed {options['seed']}")
            y = y.reshape(n, n)  # the mode before is the first of the two, but for mode 1
            found.append(y.T if mode == 0 else y)
        return found

    def test_counts_by_the_matrices(self):
        rng = np.random.default_rng(3)
        x = rng.uniform(-1, 1, SHAPE) * (rng.uniform(0, 1, SHAPE) < 0.4)
        self.save("x.npy", x)
        zeros, seed = ("0.3", "0.6", "0.85"), 11
        matrices = self.matrices({"zeros": zeros, "seed": seed})
        for share, c in zip(zeros, matrices):
            self.assertAlmostEqual(np.mean(c == 0), float(share), delta=0.2)
        found = self.summary(f"--input x.npy --matrix-zeros {','.join(zeros)} --seed {seed}")
        self.assertEqual(found["configuration"]["matrix_zeros"], [float(share) for share in zeros])
        operand, volume = x, x.size
        for stage, mode in zip(found["stages"], ORDER):
            c, n = matrices[mode], SHAPE[mode]
            planes = np.moveaxis(operand, mode, 0)
            macs = sum(np.count_nonzero(c[row]) * np.count_nonzero(planes[row]) for row in range(n))
            skipped = sum(not c[row].any() for row in range(n))
            self.assertEqual((stage["macs"], stage["macs_skipped"]), (macs, volume * n - macs))
            self.assertEqual((stage["steps"], stage["steps_skipped"]), (n - skipped, skipped))
            operand = np.moveaxis(np.tensordot(c, operand, ([0], [mode])), 0, mode)
        self.assert_near(self.output(f"--input x.npy --matrix-zeros {','.join(zeros)} --seed {seed}"), operand, 1e-13)

    def test_shares_by_probability(self):
        n = 32
        for tensor_zeros, matrix_zeros in ((0.5, 0.5), (0.9, 0.5), (0.95, 0.9), (0.5, 0.95)):
            wanted = expected_shares(n, 1 - tensor_zeros, 1 - matrix_zeros)
            found = np.zeros(3)
            for seed in range(SEEDS):
                run = self.summary(f"--shape {n}x{n}x{n} --zeros {tensor_zeros} --matrix-zeros {matrix_zeros}"
                                   f" --seed {seed} --no-check")
                found += [stage["macs"] / n**4 / SEEDS for stage in run["stages"]]
            np.testing.assert_allclose(found, wanted, rtol=0.06, err_msg=f"{tensor_zeros} {matrix_zeros}")

    def test_dense_and_fidelities(self):
        job = "--shape 6x5x7 --zeros 0.5 --matrix-zeros 0.7"
        for options in ("--format int8 --transform dwht-sequency --shape 4x8x2 --norm backward --zeros 0.5"
                        " --matrix-zeros 0.7", f"{job} --transform dft", f"{job} --inverse --tags random",
                        f"{job} --mesh 4x4x4", f"{job} --out-shape 4x8x3 --format bf16"):
            esop = self.output(options)
            self.assert_equal(self.output(f"{options} --sparsity dense"), esop)
            self.assert_equal(self.output(f"{options} --fidelity detailed"), esop)
        dense = self.summary(f"{job} --sparsity dense")
        self.assertEqual((dense["macs_skipped"], dense["steps_skipped"]), (0, 0))

    def test_no_zeros_and_nothing_else(self):
        self.assert_equal(self.output("--shape 4x5x6 --matrix-zeros 0"), self.output("--shape 4x5x6"))
        self.assertFalse(self.output("--shape 4x5x6 --matrix-zeros 0,1,0").any())
        found = self.summary("--shape 4x5x6 --matrix-zeros 1")
        self.assertEqual((found["steps"], found["steps_skipped"], found["macs"]), (0, 15, 0))

    def test_refusals(self):
        for options, words in (
                ("--matrix-zeros 0,0.5,0 --transform dct,none,dct", ("--matrix-zeros", "expected 0 for mode 2")),
                ("--matrix-zeros 0.5 --chain", ("--matrix-zeros", "--chain", "expected it without"))):
            self.refuses(f"--shape 4x4x4 {options}", *words)
        self.succeeds("--shape 4x4x4 --matrix-zeros 0.5 --transform dct,none,dct")
