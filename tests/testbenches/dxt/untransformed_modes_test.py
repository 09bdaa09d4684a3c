"""--transform with none: modes that are left as they are take no stage, no time-step and no rounding."""
import itertools

import numpy as np

import transform_oracle as oracle
from dxt_program import DxtTest

SHAPE = (4, 6, 5)
LEFT = [left for count in (1, 2) for left in itertools.combinations(range(3), count)]  # modes, from 0
ORDERS = list(map("".join, itertools.permutations("123")))


def names_of(left, name="dct"):
    return ",".join("none" if mode in left else name for mode in range(3))


def expected(x, left, **options):
    """By the definition, with an identity where nothing is transformed."""
    return oracle.transform(x, ["identity" if mode in left else "dct" for mode in range(3)], **options)


class Results(DxtTest):
    def setUp(self):
        super().setUp()
        self.x = oracle.random(SHAPE)
        self.x[self.x < -0.4] = 0
        self.save("x.npy", self.x)

    def check(self, left, options="", y=None):
        found = self.output(f"--input x.npy --transform {names_of(left)} {options}")
        self.assert_near(found, expected(self.x, left) if y is None else y, 1e-14)

    def test_every_mode_and_order(self):
        for left, order, sparsity in itertools.product(LEFT, ORDERS, ("esop", "dense")):
            with self.subTest(left=left, order=order, sparsity=sparsity):
                self.check(left, f"--order {order} --sparsity {sparsity}")

    def test_inverse_and_rectangles(self):
        for left in LEFT:
            out = tuple(n if mode in left else n + 3 - 2 * mode for mode, n in enumerate(SHAPE))
            self.check(left, "--inverse", expected(self.x, left, inverse=True))
            self.check(left, f"--out-shape {'x'.join(map(str, out))}", expected(self.x, left, out_shape=out))

    def test_tiles_tags_batches_and_fidelity(self):
        for left in LEFT:
            for options in ("--mesh 3x2x4", "--mesh 3x2x4 --double-buffer", "--tags random --order 231",
                            "--fidelity detailed"):
                self.check(left, options)
            y = self.output(f"--input x.npy --transform {names_of(left)} --batch 2")
            self.assert_equal(y[0], y[1])
            self.assert_near(y[0], expected(self.x, left), 1e-14)

    def test_tiles_change_no_bit(self):
        for left in LEFT:
            whole = self.output(f"--input x.npy --transform {names_of(left)}")
            self.assert_equal(self.output(f"--input x.npy --transform {names_of(left)} --mesh 2x3x2"), whole)

    def test_initial(self):
        y0 = oracle.random(SHAPE, 3)
        self.save("y0.npy", y0)
        for left in LEFT:
            self.check(left, "--initial y0.npy", expected(self.x, left) + y0)

    def test_bfloat16_is_rounded_between_the_stages_that_run(self):
        for left, order in itertools.product(LEFT, ORDERS):
            x, modes = oracle.bfloat16(self.x), [int(digit) - 1 for digit in order if int(digit) - 1 not in left]
            for mode in modes:
                matrix = oracle.bfloat16(oracle.block("dct", SHAPE[mode], SHAPE[mode]))
                x = oracle.sum_over(x, matrix, mode, np.zeros(SHAPE, np.float32))
                x = x if mode == modes[-1] else oracle.bfloat16(x)
            y = self.output(f"--input x.npy --transform {names_of(left)} --format bf16 --order {order}")
            self.assert_equal(y, x, (left, order))

    def test_int8_is_shifted_by_the_stages_that_run(self):
        x = np.random.default_rng(2).integers(-8, 9, (4, 8, 2))
        self.save("i.npy", x)
        for left, order in itertools.product(LEFT, ORDERS):
            values, shifts = x, []
            last = [digit for digit in order if int(digit) - 1 not in left][-1]
            for digit in order:
                mode = int(digit) - 1
                shifts.append(0 if mode in left else 1 + mode)
                if mode not in left:
                    matrix = oracle.block("dwht", x.shape[mode], x.shape[mode], "backward").astype(np.int64)
                    values = oracle.shifted(oracle.sum_over(values, matrix, mode, np.zeros(x.shape, np.int64)), shifts[-1])
                    values = values if digit == last else np.clip(values, -128, 127)
            y = self.output(f"--input i.npy --transform {names_of(left, 'dwht')} --norm backward --format int8 "
                            f"--order {order} --shift {','.join(map(str, shifts))}")
            self.assert_equal(y, values, (left, order))


class Counts(DxtTest):
    def test_closed_forms(self):
        """A dense stage over mode s: N_s steps, a coefficient per slice and step, an operand per element, N^3 N_s MACs."""
        volume = int(np.prod(SHAPE))
        for left, order in itertools.product(LEFT, ORDERS):
            found = self.summary(f"--shape 4x6x5 --transform {names_of(left)} --order {order} --sparsity dense --fill ramp")
            first, _, third = (int(digit) - 1 for digit in order)
            for place, stage in enumerate(found["stages"]):
                mode = int(order[place]) - 1
                rows = 0 if mode in left else SHAPE[mode]
                slices = SHAPE[first if place == 2 else third]
                self.assertEqual(stage, {"mode": mode + 1, "steps": rows, "steps_skipped": 0,
                                         "coefficient_sends": rows * rows * slices, "operand_sends": volume * (rows > 0),
                                         "macs": volume * rows, "macs_skipped": 0})
            steps = sum(SHAPE[mode] for mode in range(3) if mode not in left)
            self.assertEqual((found["steps"], found["cycles_by_cause"]["compute"]), (steps, 3 * steps))
            self.assertEqual(found["events"]["coefficient_write"], sum(SHAPE[m]**2 for m in range(3) if m not in left))
            points = sum(2.5 * volume * np.log2(SHAPE[mode]) for mode in range(3) if mode not in left)
            self.assertAlmostEqual(found["operations"]["fft"], points, delta=1e-9 * points)

    def test_sixteen_steps_instead_of_the_forty_eight_with_identities(self):
        line = "--shape 16x16x16 --transform dct"
        one = self.summary(f"{line},none,none")
        with_identities = self.summary(f"{line},identity,identity")
        self.assertEqual((one["steps"], with_identities["steps"]), (16, 48))
        self.assertEqual((one["cycles_by_cause"]["compute"], with_identities["cycles_by_cause"]["compute"]), (48, 144))
        self.assertLess(one["check"]["bound"], with_identities["check"]["bound"])

    def test_table_has_the_stages_that_run(self):
        out = self.succeeds("--shape 4x6x5 --transform none,dct,none").out
        self.assertIn("dxt: none,dct,none, 4 x 6 x 5", out)
        self.assertIn("stage 3, mode 2 ", out)
        self.assertNotIn("stage 1", out)
        self.assertNotIn("stage 2", out)


class Refusals(DxtTest):
    def test_options(self):
        job = "--shape 4x6x5 --transform"
        for line, words in (
                (f"{job} none", ("--transform is 'none'", "expected a transform of at least one mode")),
                (f"{job} none,none,none", ("--transform", "expected a transform of at least one mode")),
                (f"{job} dct,none,dct --out-shape 4x5x5", ("--out-shape is '4x5x5'", "expected 6 elements in mode 2")),
                ("--shape 4x8x2 --transform dwht,none,dwht --norm backward --format int8 --shift 0,0,1",
                 ("--shift is '0,0,1'", "expected 0 for stage 3", "mode 2")),
                (f"{job} Non,dct,dct", ("transform", "'Non'", "none", "expected"))):
            with self.subTest(line=line):
                self.refuses(line, *words)

    def test_matrix_of_a_mode_that_is_left_needs_no_room(self):
        self.refuses("--shape 4x4x30 --transform dct --matrix-elements 16", "mode 3", "30 x 30", "expected at most 16")
        self.succeeds("--shape 4x4x30 --transform dct,dct,none --matrix-elements 16")
