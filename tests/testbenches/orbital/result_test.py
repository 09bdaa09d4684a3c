"""What orbital computes, against sums by the definition of each transform, and against dxt."""
import itertools
import re

import numpy as np

import transform_oracle as oracle
from orbital_program import OrbitalTest, load_json
from transform_oracle import random

SCHEDULES = list(map("".join, itertools.product("+-", repeat=3)))
ORDERS = list(map("".join, itertools.permutations("123")))


class Transform(OrbitalTest):
    def check(self, x, options, expected, tolerance=1e-14):
        self.save("x.npy", x)
        self.assert_near(self.output(f"--input x.npy {options}"), expected, tolerance, options)

    def test_every_transform_in_all_ways(self):
        for name in ("dft", "dht", "dct", "dst", "dwht"):
            for norm, inverse in itertools.product(("orthonormal", "backward"), (False, True)):
                x = random((4, 8, 2) if name == "dwht" else (3, 5, 4), complex_elements=name == "dft")
                options = f"--transform {name} --norm {norm} {'--inverse' if inverse else ''}"
                with self.subTest(options=options):
                    self.check(x, options, oracle.transform(x, name, norm, inverse))

    def test_another_transform_for_each_mode(self):
        x = random((5, 8, 6), complex_elements=True)
        self.check(x, "--transform dht,dwht,dft", oracle.transform(x, ("dht", "dwht", "dft")))

    def test_schedules_orders_grids_and_blocks(self):
        x = random((5, 7, 6))
        expected, back = oracle.transform(x, "dct"), oracle.transform(x, "dct", inverse=True)
        tori = itertools.cycle(("--grid 1", "--grid 2", "--grid 3", "--grid 5", "--grid 8", "--block 1", "--block 2x3x1",
                                "--grid 2 --block 2", "--grid 3 --block 1x2x3", "--grid 1 --block 4"))
        for (schedule, order), torus in zip(itertools.product(SCHEDULES, ORDERS), tori):
            options = f"--schedule {schedule} --order {order} {torus}"
            with self.subTest(options=options):
                self.check(x, options, expected)
                self.check(x, f"{options} --inverse", back)

    def test_rectangles(self):
        x = random((5, 9, 4))
        for out_shape, inverse, torus in itertools.product(((3, 9, 8), (8, 2, 1)), (False, True), ("", "--grid 2 --block 2")):
            options = f"--out-shape {'x'.join(map(str, out_shape))} {'--inverse' if inverse else ''} {torus}"
            with self.subTest(options=options):
                self.check(x, options, oracle.transform(x, "dct", inverse=inverse, out_shape=out_shape))

    def test_matrices_of_files(self):
        matrices = [random((n, k), seed) for seed, (n, k) in enumerate(((4, 6), (5, 3), (6, 6)))]
        for mode, matrix in enumerate(matrices):
            self.save(f"c{mode}.npy", matrix)
        x = random((4, 5, 6))
        self.check(x, "--transform file:c0.npy,file:c1.npy,file:c2.npy --out-shape 6x3x6 --grid 2", oracle.product(x, matrices))

    def test_overlap_and_links_change_no_bit(self):
        self.save("x.npy", random((6, 7, 5)))
        self.output("--input x.npy --grid 3")
        bits = self.read_bytes("y.npy")
        for options in ("--overlap none", "--overlap sliced", "--overlap sliced:2", "--overlap shared --sync-cycles 9", "--macs-per-cycle 4 --mac-latency 7",
                        "--words-per-cycle 3 --cycles-per-pitch 2.5 --folded off", "--threads 2", "--load-elements 1",
                        "--dma-ports 5", "--memory dram --dma-ports 16 --load-elements 16",
                        "--memory dram", "--fidelity detailed", "--double-buffer", "--mm-per-cycle 0.1"):
            self.output(f"--input x.npy --grid 3 {options}")
            self.assertEqual(self.read_bytes("y.npy"), bits, options)

    def test_dma_ports_take_less_time_where_the_memory_serves_them(self):
        job = "--shape 16x16x16 --grid 4 --memory sram --no-check --quiet --out files"
        for ports in (1, 2, 4, 8, 16):
            self.succeeds(f"{job} --dma-ports {ports} --memory-ports {ports} --load-elements {8 * ports}")
            events = load_json(self.path("files/summary.json"))["events"]
            # beats of 64 bytes, one cycle in the router, two from the last beat to the response
            self.assertEqual([events["load_cycle"], events["unload_cycle"]], 2 * [512 // ports + 3], ports)
        self.succeeds(f"{job} --dma-ports 16 --load-elements 128")
        self.assertEqual(load_json(self.path("files/summary.json"))["events"]["load_cycle"], 512 + 3)

    def test_memory_port_of_another_width_is_told(self):
        for options, text in (("", None), ("--dma-ports 2 --memory-ports 2", "8 elements per cycle, the DMA brings 16"),
                              ("--load-elements 100",
                               "100 elements per cycle, the DMA brings 8, a face of the array takes 9")):
            out = self.succeeds(f"--shape 6x6x6 --grid 3 --memory sram {options}").out
            line = re.search(r"^  memory port +(.*)$", out, re.M)
            self.assertEqual(line and line[1], text)

    def test_formats(self):
        x = random((6, 7, 8))
        for options, tolerance in (("--format f32", 1e-6), ("--format c64", 1e-6), ("--format c128", 1e-14),
                                   ("--format bf16", 0.02), ("--format bf16 --result-format element", 0.02)):
            self.check(x, options, oracle.transform(x, "dct"), tolerance)
        y = self.output("--input x.npy --format bf16 --result-format element")
        self.assert_equal(oracle.bfloat16(y), y)

    def test_batches_of_fills_and_of_an_input(self):
        for buffers in ("", "--double-buffer", "--grid 2 --block 2"):
            y = self.output(f"--shape 3x5x7 --batch 3 --seed 4 --format f32 {buffers}")
            for item in range(3):
                self.assert_equal(y[item], self.output(f"--shape 3x5x7 --seed {4 + item} --format f32"
                                                       f"{' ' + buffers if 'grid' in buffers else ''}"))
        x = random((3, 5, 7))
        self.save("x.npy", x)
        y = self.output("--input x.npy --batch 2 --double-buffer")
        self.assert_equal(y[0], y[1])
        self.assert_near(y[0], oracle.transform(x, "dct"), 1e-14)

    def test_int8(self):
        for options in ("", "--double-buffer --grid 2 --block 2", "--result-format element", "--also dwht,identity,dwht"):
            found = self.summary(f"--shape 8x4x8 --transform dwht --norm backward --format int8 --shift 3,2,1 {options}")
            self.assertTrue(found["check"]["passed"])
            self.assertEqual(found["check"]["max_abs_error"], 0)
        self.save("x.npy", np.full((8, 8, 8), 100, dtype=np.int8))
        self.save("y0.npy", np.full((8, 8, 8), 2**31 - 1, dtype=np.int32))
        wrong = self.run_program("--input x.npy --initial y0.npy --format int8 --transform identity")
        self.assertEqual(wrong.status, 1)
        self.assertIn("a sum overflows its accumulator", wrong.err)

    def test_initial_values(self):
        x, start = random((4, 6, 5)), random((4, 6, 5), 8)
        self.save("y0.npy", start)
        for options in ("", "--grid 2 --block 2", "--fidelity detailed", "--inverse", "--batch 3 --double-buffer"):
            inverse = "inverse" in options
            self.save("x.npy", x)
            y = self.output(f"--input x.npy --initial y0.npy {options}")
            expected = start + oracle.transform(x, "dct", inverse=inverse)
            for item in y if y.ndim == 4 else [y]:
                self.assert_near(item, expected, 1e-14)
        self.refuses("--input x.npy --initial y0.npy --out-shape 4x6x4", "--initial", "4x6x5", "expected 4x6x4")
        self.refuses("--input x.npy --initial y0.npy --format bf16 --result-format element", "--result-format", "--initial")
        self.refuses("--input x.npy --initial y0.npy --chain", "--initial", "--chain")

    def test_keeps_the_largest(self):
        y = self.output("--shape 4x5x6 --keep 0.1")
        self.assertEqual(np.count_nonzero(y), 12)

    def test_near_dxt(self):
        for options in ("--shape 6x5x7 --transform dht --seed 3", "--shape 4x6x5 --order 213 --inverse --out-shape 5x5x5"):
            y = self.output(options)
            self.run_program(f"{options} --quiet --output z.npy", program="dxt")
            self.assert_near(y, self.load("z.npy"), 1e-14)


class Sets(OrbitalTest):
    """Several sets of transforms of a tensor that stays on the nodes."""

    NAMES = ("dct", "dht", "dst,identity,dct")

    def line(self, options=""):
        return (f"--input x.npy --transform {self.NAMES[0]} {options} " + " ".join(f"--also {names}" for names in self.NAMES[1:]))

    def test_each_result_has_the_bits_of_its_own_run(self):
        self.save("x.npy", random((5, 4, 6)))
        for options in ("", "--inverse", "--out-shape 3x7x6 --grid 2 --block 4", "--format bf16", "--fidelity detailed",
                        "--overlap shared", "--order 213 --schedule -+-", "--format bf16 --result-format element --inverse"):
            with self.subTest(options=options):
                y = self.output(self.line(options))
                self.assertEqual(len(y), len(self.NAMES))
                for found, names in zip(y, self.NAMES):
                    self.assert_equal(found, self.output(f"--input x.npy --transform {names} {options}"))

    def test_against_the_definition(self):
        x = random((5, 4, 6))
        self.save("x.npy", x)
        for found, names in zip(self.output(self.line()), self.NAMES):
            self.assert_near(found, oracle.transform(x, names.split(",") if "," in names else names), 1e-14)

    def test_complex_set_makes_the_data_complex(self):
        x = random((3, 4, 2))
        self.save("x.npy", x)
        y = self.output("--input x.npy --also dft")
        self.assertEqual(y.dtype, np.complex128)
        self.assert_near(y[0], oracle.transform(x, "dct"), 1e-14)
        self.assert_near(y[1], oracle.transform(x, "dft"), 1e-14)

    def test_tensor_is_loaded_once(self):
        alone = [self.summary(f"--shape 6x5x4 --transform {names}") for names in self.NAMES]
        found = self.summary("--shape 6x5x4 --transform dct --also dht --also dst,identity,dct --output y.npy")
        self.assertEqual(found["transfers"]["elements_loaded"], 6 * 5 * 4)
        self.assertEqual(found["transfers"]["elements_unloaded"], 3 * 6 * 5 * 4)
        for total in ("macs", "macs_done", "steps", "working_cycles"):
            self.assertEqual(found[total], sum(one[total] for one in alone))
        self.assertAlmostEqual(found["operations"]["fft"], 3 * alone[0]["operations"]["fft"])
        self.assertEqual(found["configuration"]["also"], ["dht,dht,dht", "dst,identity,dct"])
        self.assertEqual([one["transform"] for one in found["sets"]], ["dct,dct,dct", "dht,dht,dht", "dst,identity,dct"])
        self.assertEqual(sum(one["cycles"] for one in found["sets"]), found["cycles"] - found["cycles_by_cause"]["fetch"])
        self.assertEqual([one["check"]["max_abs_error"] for one in found["sets"]],
                         [one["check"]["max_abs_error"] for one in alone])
        self.assertEqual(found["check"]["max_abs_error"], max(one["check"]["max_abs_error"] for one in alone))
        self.assertIsNone(alone[0]["sets"])
        self.assertEqual(self.load("y.npy").shape, (3, 6, 5, 4))

    def test_table_has_a_line_per_set(self):
        out = self.succeeds("--shape 6x5x4 --also dht").out
        self.assertIn("orbital: dct,dct,dct, also dht,dht,dht, 6 x 5 x 4", out)
        for number, names in ((1, "dct,dct,dct"), (2, "dht,dht,dht")):
            self.assertRegex(out, rf"  set {number} +{names}, [0-9,]+ cycles, error max ")
        unchecked = self.succeeds("--shape 6x5x4 --also dht --no-check").out
        self.assertRegex(unchecked, r"  set 2 +dht,dht,dht, [0-9,]+ cycles\n")


class Chain(OrbitalTest):
    """There and back on the nodes: nothing is moved in between."""

    def test_unitary_transforms_are_the_identity(self):
        for options in ("", "--transform dft,dct,dht", "--transform dst --inverse --order 231", "--grid 3 --schedule -+-",
                        "--batch 2 --block 2", "--fidelity detailed --overlap sliced"):
            with self.subTest(options=options):
                found = self.summary(f"--shape 4x6x5 --chain {options}")
                self.assertLess(found["identity"], 1e-14)
                self.assertGreater(found["identity"], 0)
                self.assertTrue(found["check"]["passed"])

    def test_what_is_not_unitary_comes_back_as_its_sums_say(self):
        x = random((4, 3, 2))
        self.save("x.npy", x)
        y = self.output("--input x.npy --chain --norm backward --transform dht")
        self.assert_near(y, 24 * x, 1e-14)
        matrix = random((4, 6))
        self.save("c.npy", matrix)
        y = self.output("--input x.npy --chain --transform file:c.npy,identity,identity --out-shape 6x3x2")
        self.assert_near(y, np.tensordot(matrix @ matrix.T, x, ([0], [0])), 1e-14)

    def test_what_cancels_on_the_way_is_not_held_against_it(self):
        column = random((9, 1), 5)
        x = random((9, 1, 1), 6)
        x -= column[:, :, None] * (x[:, 0, 0] @ column) / np.sum(column**2)  # there it is rounding alone
        self.save("x.npy", x)
        self.save("c.npy", column)
        found = self.summary("--input x.npy --chain --transform file:c.npy,identity,identity --out-shape 1x1x1 --grid 3")
        self.assertTrue(found["check"]["passed"])
        self.assertGreater(found["check"]["max_abs_error"], 0)
        self.assertLess(found["check"]["bound"], 1e-13)

    def test_nothing_is_loaded_or_unloaded_in_between(self):
        alone, chain = self.summary("--shape 8x8x8"), self.summary("--shape 8x8x8 --chain", "chain")
        self.assertEqual(chain["transfers"]["elements_loaded"], alone["transfers"]["elements_loaded"])
        self.assertEqual(chain["transfers"]["elements_unloaded"], alone["transfers"]["elements_unloaded"])
        self.assertEqual(chain["transfers"]["coefficients_loaded"], alone["transfers"]["coefficients_loaded"])
        self.assertEqual(chain["macs"], 2 * alone["macs"])

    def test_bfloat16(self):
        for more in ("", "--result-format element"):
            found = self.summary(f"--shape 4x8x4 --transform dwht --fill ramp --chain --format bf16 {more}")
            self.assertTrue(found["check"]["passed"])

    def test_int8(self):
        self.save_text("chain.yaml", "chain:\n  - transform: dwht\n    norm: backward\n    shift: [1, 2, 1]\n"
                                     "  - relu: true\n  - transform: dwht\n    norm: backward\n    shift: [3, 2, 1]\n")
        for more in ("", "--batch 3 --double-buffer", "--fidelity detailed --grid 2"):
            found = self.summary(f"--shape 4x8x4 --chain-file chain.yaml --format int8 {more}")
            self.assertTrue(found["check"]["passed"])

    def test_int8_with_a_mode_that_stays(self):
        def stage(x, mode, shift):
            sums = np.moveaxis(np.tensordot(oracle.matrix("dwht", x.shape[mode], "backward"), x, (0, mode)), 0, mode)
            return np.rint(sums.astype(float) / 2**shift).clip(-128, 127)

        x = np.random.default_rng(5).integers(-8, 9, (4, 8, 3)).astype(np.int8)
        self.save("x.npy", x)
        step = "  - transform: [dwht, dwht, none]\n    norm: backward\n    shift: "
        self.save_text("chain.yaml", f"chain:\n{step}[0, 2, 1]\n{step}[0, 3, 1]\n")
        y = stage(stage(stage(stage(x, 0, 2), 1, 1), 1, 3), 0, 1)
        for options in ("", "--grid 2 --fidelity detailed"):
            self.assert_equal(self.output(f"--input x.npy --chain-file chain.yaml --format int8 {options}"), y)

    def test_a_bound_above_the_elements_is_named(self):
        self.save_text("chain.yaml", "chain:\n" + 8 * "  - transform: dct\n")
        weak = self.run_program("--shape 16x16x16 --chain-file chain.yaml --format f32")
        self.assertEqual(weak.status, 0)
        self.assertRegex(weak.out, r"weak bound +above the largest element, \d")
        self.assertNotIn("weak bound", self.run_program("--shape 16x16x16 --chain --format f32").out)

    def test_batches_move_beside_the_work(self):
        self.save("filter.npy", random((8, 8, 8), 7))
        self.save_text("chain.yaml", "chain:\n  - transform: dct\n  - multiply: filter.npy\n    resident: true\n"
                                     "  - transform: dct\n    inverse: true\n")
        for chain in ("--chain", "--chain-file chain.yaml", "--chain --threshold 0.1"):
            bits, found = [], []
            for option in ("", "--double-buffer"):
                line = f"--shape 8x8x8 --grid 2 {chain} --batch 4 --memory sram {option}"
                self.output(line)
                bits.append(self.read_bytes("y.npy"))
                found.append(self.summary(line))
            self.assertEqual(bits[0], bits[1])
            moved = [one["cycles_by_cause"]["load"] + one["cycles_by_cause"]["unload"] for one in found]
            hidden = found[1]["transfers"]["overlapped_cycles"]
            self.assertEqual(moved[0] - moved[1], hidden)
            self.assertGreater(hidden, moved[0] / 2)  # of four tensors three
            self.assertEqual(found[0]["cycles"] - found[1]["cycles"], hidden)
