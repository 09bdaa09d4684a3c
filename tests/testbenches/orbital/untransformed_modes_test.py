"""--transform with none: the torus runs a stage for each transformed mode and leaves the others as they are."""
import itertools

import numpy as np

import transform_oracle as oracle
from orbital_program import OrbitalTest

SHAPE = (4, 6, 5)
LEFT = [left for count in (1, 2) for left in itertools.combinations(range(3), count)]  # modes, from 0
ORDERS = list(map("".join, itertools.permutations("123")))


def names_of(left, name="dct", rest="none"):
    return ",".join(rest if mode in left else name for mode in range(3))


def expected(x, left, **options):
    """By the definition, with an identity where nothing is transformed."""
    return oracle.transform(x, ["identity" if mode in left else "dct" for mode in range(3)], **options)


class Results(OrbitalTest):
    def setUp(self):
        super().setUp()
        self.x = oracle.random(SHAPE)
        self.save("x.npy", self.x)

    def check(self, left, options="", y=None):
        found = self.output(f"--input x.npy --transform {names_of(left)} {options}")
        self.assert_near(found, expected(self.x, left) if y is None else y, 1e-14, (left, options))

    def test_every_mode_order_and_direction(self):
        for left, order, inverse in itertools.product(LEFT, ORDERS, (False, True)):
            self.check(left, f"--order {order} {'--inverse' if inverse else ''}", expected(self.x, left, inverse=inverse))

    def test_grids_tiles_vectors_rectangles_and_overlaps(self):
        for left, inverse in itertools.product(LEFT, (False, True)):
            way = "--inverse" if inverse else ""
            for options in ("--grid 1", "--grid 2", "--grid 3 --schedule -+-", "--grid 2 --block 2", "--grid 2 --block 1x2x3",
                            "--grid 3 --overlap shared", "--grid 2 --overlap sliced"):
                self.check(left, f"{options} {way}", expected(self.x, left, inverse=inverse))
            out = tuple(n if mode in left else n + 3 - 2 * mode for mode, n in enumerate(SHAPE))
            self.check(left, f"--out-shape {'x'.join(map(str, out))} {way}",
                       expected(self.x, left, inverse=inverse, out_shape=out))

    def test_bits_are_those_of_identities_summed_later(self):
        """Adding zeros and multiplying by one change nothing, so the sums have the same terms in the same order."""
        for left, grid in itertools.product(LEFT, ("", "--grid 3 --schedule +--", "--grid 2 --block 2", "--format bf16")):
            summed = [str(mode + 1) for mode in range(3) if mode not in left]
            order = "".join(summed + [str(mode + 1) for mode in left])
            line = f"--input x.npy --order {order} {grid} --transform"
            if grid != "--format bf16":  # where a stage of identities would round
                self.assert_equal(self.output(f"{line} {names_of(left)}"),
                                  self.output(f"{line} {names_of(left, rest='identity')}"))

    def test_fidelities(self):
        for left, options in itertools.product(LEFT, ("", "--inverse", "--format bf16 --order 213", "--grid 2 --block 2",
                                                      "--format c64 --inverse --overlap shared")):
            line = f"--input x.npy --transform {names_of(left)} {options}"
            fast, detailed = (self.summary(f"{line} --fidelity {fidelity} --output {fidelity}.npy")
                              for fidelity in ("fast", "detailed"))
            self.assertEqual(self.read_bytes("fast.npy"), self.read_bytes("detailed.npy"))
            for field in ("events", "cycles_by_cause", "energy_pJ"):
                self.assertEqual(fast[field], detailed[field])

    def test_chains_batches_and_sets(self):
        for left in LEFT:
            for options in ("", "--inverse", "--batch 2"):
                found = self.summary(f"--input x.npy --transform {names_of(left)} --chain {options}")
                self.assertLess(found["identity"], 1e-14)
                self.assertTrue(found["check"]["passed"])
            for options in ("", "--double-buffer", "--inverse --double-buffer"):
                y = self.output(f"--input x.npy --transform {names_of(left)} --batch 3 {options}")
                self.assert_equal(y[0], y[2])
                self.assert_near(y[1], expected(self.x, left, inverse="inverse" in options), 1e-14)
            y = self.output(f"--input x.npy --transform {names_of(left)} --also {names_of(left, 'dht')}")
            self.assert_near(y[0], expected(self.x, left), 1e-14)
            self.assert_equal(y[1], self.output(f"--input x.npy --transform {names_of(left, 'dht')}"))

    def test_bfloat16_is_not_rounded_by_stages_that_do_not_run(self):
        x = oracle.bfloat16(self.x)
        for mode in range(3):
            left = tuple(other for other in range(3) if other != mode)
            matrix = oracle.bfloat16(oracle.block("dct", SHAPE[mode], SHAPE[mode]))
            y = self.output(f"--input x.npy --transform {names_of(left)} --format bf16 --grid 1")
            self.assert_equal(y, oracle.sum_over(x, matrix, mode, np.zeros(SHAPE, np.float32)))


class Counts(OrbitalTest):
    def test_closed_forms_of_a_cube(self):
        """P = 3, N = 6. The first stage rolls sums along S and a matrix along Q, the second sums along Q and S."""
        n, p = 6, 3
        for left, inverse in itertools.product(LEFT, ("", "--inverse")):
            found = self.summary(f"--shape 6x6x6 --grid 3 --transform {names_of(left)} {inverse}")
            stages = 3 - len(left)
            self.assertEqual(found["steps"], stages * p)
            self.assertEqual(found["macs"], stages * n**4)
            self.assertEqual(found["macs_done"], stages * n**4)
            self.assertEqual(found["transfers"]["coefficients_loaded"], stages * n**2)
            self.assertEqual(found["runs"][0]["words"],
                             [n**2 * p**2 + (n**3 * p if stages == 2 else 0), 0, stages * n**3 * p])

    def test_compared_with_triada(self):
        found = self.summary("--shape 8x8x8 --block 1 --transform dct,none,none --compare triada --mac-latency 1")
        torus, triada = found["runs"]
        self.assertEqual((torus["steps"], triada["steps"]), (8, 8))
        self.assertEqual((torus["macs"], triada["macs"]), (8**4, 8**4))
        self.assertTrue(found["check"]["passed"])

    def test_refusals(self):
        job = "--shape 4x6x5 --transform"
        for line, words in ((f"{job} none", ("--transform is 'none'", "expected a transform of at least one mode")),
                            (f"{job} dct,none,dct --out-shape 4x5x5", ("--out-shape is '4x5x5'", "expected 6 elements in mode 2")),
                            (f"{job} dct,none,none --also dct", ("--also", "'dct'", "expected none for the modes"))):
            with self.subTest(line=line):
                self.refuses(line, *words)
