"""--mesh smaller than the problem: tiles, with double buffering on and off."""
import itertools

import numpy as np

import transform_oracle as oracle
from dxt_program import DxtTest, load_json

ORDERS = list(map("".join, itertools.permutations("123")))
MESHES = ("5x6x7", "3x3x3", "4x6x2", "2x7x9", "1x1x1")


class Tiled(DxtTest):
    def test_bytes_are_those_of_the_untiled_run(self):
        for options in ("", "--transform dft,dct,dht --format c64", "--format f32 --sparsity dense --zeros 0.3",
                        "--zeros 0.7 --inverse --norm backward", "--format bf16",
                        "--format int8 --transform dwht --norm backward --shape 8x4x2 --shift 1,0,2",
                        "--zero-threshold 0.2"):
            if "--shape" not in options:
                options += " --shape 5x7x6"
            for order in ("312", "123", "231"):
                self.succeeds(f"{options} --order {order} --quiet --output whole.npy")
                for mesh in MESHES:
                    with self.subTest(options=options, order=order, mesh=mesh):
                        self.succeeds(f"{options} --order {order} --mesh {mesh} --quiet --output tiled.npy")
                        self.assertEqual(self.read_bytes("tiled.npy"), self.read_bytes("whole.npy"))

    def test_rectangles_in_tiles(self):
        for order, out_shape, mesh in itertools.product(ORDERS, ("3x9x6", "8x2x1"), ("3x3x3", "2x8x4")):
            line = f"--shape 5x7x6 --out-shape {out_shape} --order {order} --quiet"
            self.succeeds(f"{line} --output whole.npy")
            self.succeeds(f"{line} --mesh {mesh} --output tiled.npy")
            self.assertEqual(self.read_bytes("tiled.npy"), self.read_bytes("whole.npy"), (order, out_shape, mesh))

    def test_initial_in_tiles(self):
        y0 = np.random.default_rng(3).uniform(-1, 1, (5, 7, 6))
        self.save("y0.npy", y0)
        self.succeeds("--shape 5x7x6 --initial y0.npy --output whole.npy")
        self.succeeds("--shape 5x7x6 --initial y0.npy --mesh 3x2x4 --output tiled.npy")
        self.assertEqual(self.read_bytes("tiled.npy"), self.read_bytes("whole.npy"))

    def test_permuted_tags_compute_the_same_product(self):
        for tags in ("reverse", "random"):
            x = oracle.ramp((5, 7, 6))
            y = self.output(f"--shape 5x7x6 --fill ramp --tags {tags} --mesh 3x2x4")
            self.assert_near(y, oracle.transform(x, "dct"), 1e-13)

    def test_batch_in_tiles(self):
        for buffers in ("", "--double-buffer"):
            line = f"--shape 5x7x6 --batch 3 --quiet {buffers}"
            self.succeeds(f"{line} --output whole.npy")
            self.succeeds(f"{line} --mesh 3x2x4 --output tiled.npy")
            self.assertEqual(self.read_bytes("tiled.npy"), self.read_bytes("whole.npy"))

    def test_larger_than_any_mesh(self):
        found = self.summary("--shape 1030x2x3 --matrix-elements 1060900 --output y.npy")
        self.assertEqual(found["configuration"]["mesh"], [1024, 2, 3])
        self.assertEqual(found["tiles"]["passes"], [2, 4, 2])
        self.assertIs(found["check"]["passed"], True)


class Counts(DxtTest):
    """Of 5 x 7 x 6 on 3 x 2 x 4 in the order 3, 1, 2: blocks 3+2, 2+2+2+1, 4+2."""

    LINE = "--shape 5x7x6 --mesh 3x2x4"
    BLOCKS = ((3, 2), (2, 2, 2, 1), (4, 2))

    def test_rows_of_blocks_are_in_flight_together(self):
        """One burst at a time and one run at a time take what they always took."""
        for options, cycles in (("", 107324), ("--overlap-runs off", 279152), ("--outstanding 1", 336803),
                                ("--outstanding 1 --overlap-runs off", 336803)):
            found = self.summary(f"--shape 40x40x40 --mesh 16x16x16 --memory sram --no-check {options}")
            self.assertEqual(found["cycles"], cycles, options)

    def test_passes_and_steps(self):
        found = self.summary(self.LINE)
        self.assertEqual(found["tiles"]["passes"], [2 * 4 * 2 * len(self.BLOCKS[mode]) for mode in (2, 0, 1)])
        self.assertEqual(found["tiles"]["block"], [3, 2, 4])
        # a pass streams the rows of its window; each output block streams all rows of the matrix
        self.assertEqual([stage["steps"] for stage in found["stages"]], [16 * 6, 16 * 5, 16 * 7])

    def test_elements_through_the_port(self):
        found = self.summary(self.LINE)["transfers"]
        cells = 5 * 7 * 6
        # each block of a stage's input is loaded once for every block of the output along the summed mode
        self.assertEqual(found["elements_loaded"], cells * (2 + 2 + 4))
        self.assertEqual(found["elements_unloaded"], cells * 3)

    def test_untiled_elements_through_the_port(self):
        found = self.summary("--shape 5x7x6")
        self.assertEqual((found["transfers"]["elements_loaded"], found["transfers"]["elements_unloaded"]), (210, 210))
        self.assertIsNone(found["tiles"])
        self.assertEqual(self.summary("--shape 5x7x6 --out-shape 2x3x4")["transfers"]["elements_unloaded"], 24)

    def test_workspace_holds_the_intermediate_tensors(self):
        for options, size in (("", 8), ("--format f32", 4), ("--format bf16", 2)):
            self.assertEqual(self.summary(f"{self.LINE} {options}")["tiles"]["workspace_bytes"], 2 * 210 * size)

    def test_multiply_adds_are_those_of_the_untiled_run(self):
        for options in ("", "--zeros 0.5", "--transform identity --fill sparse"):
            tiled, whole = (self.summary(f"{line} {options}") for line in (self.LINE, "--shape 5x7x6"))
            self.assertEqual(tiled["macs"], whole["macs"])
            self.assertIs(tiled["check"]["passed"], True)

    def test_dense_utilisation_is_that_of_the_boxes(self):
        found = self.summary(f"{self.LINE} --sparsity dense")
        active = 0
        for mode in range(3):
            others = [self.BLOCKS[m] for m in range(3) if m != mode]
            for a, b, rows, columns in itertools.product(*others, self.BLOCKS[mode], self.BLOCKS[mode]):
                active += a * b * max(rows, columns) * rows
        self.assertEqual(found["active_utilisation"], found["macs"] / active)
        self.assertEqual(found["mesh_utilisation"], found["macs"] / (found["steps"] * 24))
        trace = [event["args"]["of active cells"] for event in load_json(self.path("files/trace.json"))["traceEvents"]
                 if event["ph"] == "C" and event["name"] == "utilisation"]
        self.assertTrue(all(0 <= value <= 1 for value in trace))

    def test_port_cycles(self):
        for options in ("", "--load-elements 1"):
            found = self.summary(f"{self.LINE} {options}")
            moved, causes = found["transfers"], found["cycles_by_cause"]
            self.assertEqual((moved["load_cycles"], moved["unload_cycles"]), (causes["load"], causes["unload"]))
            self.assertEqual(moved["overlapped_cycles"], 0)
        self.assertGreaterEqual(moved["load_cycles"], moved["elements_loaded"])
        self.assertGreaterEqual(moved["unload_cycles"], moved["elements_unloaded"])


class DoubleBuffer(DxtTest):
    def test_time_falls_and_counts_stay(self):
        for options in ("", "--format f32 --zeros 0.5", "--batch 2"):
            line = f"--shape 12x10x14 --mesh 4x5x6 --step-cycles 6 {options}"
            self.succeeds(f"{line} --quiet --output one.npy")
            self.succeeds(f"{line} --quiet --double-buffer --output two.npy")
            self.assertEqual(self.read_bytes("one.npy"), self.read_bytes("two.npy"))
            one, two = self.summary(line), self.summary(line + " --double-buffer")
            self.assertLess(two["cycles"], one["cycles"])
            self.assertEqual(one["transfers"]["overlapped_cycles"], 0)
            self.assertGreater(two["transfers"]["overlapped_cycles"], 0)
            self.assertEqual(sum(two["cycles_by_cause"].values()), two["cycles"])
            self.assertEqual(two["cycles_by_cause"]["compute"], one["cycles_by_cause"]["compute"])
            timed = ("load_cycle", "unload_cycle", "overlapped_cycle")
            for event, count in one["events"].items():
                if event not in timed:
                    self.assertEqual(two["events"][event], count, event)
            self.assertEqual(two["stages"], one["stages"])

    def test_overlap_is_no_more_than_either(self):
        found = self.summary("--shape 12x10x14 --mesh 4x5x6 --double-buffer")
        moved = found["transfers"]
        self.assertLessEqual(moved["overlapped_cycles"], found["cycles_by_cause"]["compute"])
        self.assertLessEqual(moved["overlapped_cycles"], moved["load_cycles"] + moved["unload_cycles"])

    def test_a_problem_that_fits_has_nothing_to_overlap(self):
        one, two = (self.summary(f"--shape 5x7x6 {options}") for options in ("", "--double-buffer"))
        self.assertEqual(one["cycles"], two["cycles"])

    def test_table(self):
        out = self.succeeds("--shape 12x10x14 --mesh 4x5x6 --double-buffer").out
        found = self.summary("--shape 12x10x14 --mesh 4x5x6 --double-buffer")
        for words in ("tiles", "blocks of at most 4 x 5 x 6", "double-buffered",
                      f"{found['transfers']['elements_loaded']:,} elements in",
                      f"{found['transfers']['overlapped_cycles']:,} of these cycles", "workspace of 26,880 bytes"):
            self.assertIn(words, out)
        self.assertNotIn("tiles", self.succeeds("--shape 5x7x6").out)


class Layouts(DxtTest):
    LAYOUTS = ("rows", "converted", "tiles")

    def test_bytes_are_those_of_the_whole(self):
        self.save("y0.npy", np.random.default_rng(3).uniform(-1, 1, (5, 9, 6)))
        for options in ("--initial y0.npy", "--format int8 --transform dwht --norm backward --shift 4,4,0 --sparsity dense"):
            shape = "5x9x6" if "initial" in options else "4x8x4"
            self.succeeds(f"--shape {shape} {options} --quiet --output whole.npy")
            for layout, registers in itertools.product(self.LAYOUTS, (1, 2, 4)):
                line = f"--shape {shape} {options} --mesh 3x2x3 --tensor-layout {layout} --cell-registers {registers}"
                self.succeeds(f"{line} --double-buffer --quiet --output tiled.npy")
                self.assertEqual(self.read_bytes("tiled.npy"), self.read_bytes("whole.npy"), line)

    def test_loads_are_shared(self):
        line = "--shape 12x12x12 --mesh 4x4x4 --cell-registers 3 --double-buffer"
        for partials, loads in ((1, 3), (2, 2), (3, 1)):
            found = self.summary(f"{line} --partials {partials}")
            self.assertEqual(found["transfers"]["elements_loaded"], 3 * loads * 12 ** 3)
            self.assertEqual(found["transfers"]["elements_unloaded"], 3 * 12 ** 3)
            self.assertEqual(found["tiles"]["partials"], partials)
        self.assertEqual(self.summary(line)["tiles"]["partials"], 3) # by the estimate
        self.assertEqual(self.summary("--shape 12x12x12 --mesh 4x4x4 --double-buffer")["tiles"]["partials"], 1)

    def test_bound_is_below_the_cycles(self):
        for layout in self.LAYOUTS:
            found = self.summary(f"--shape 12x12x12 --mesh 4x4x4 --cell-registers 3 --double-buffer "
                                 f"--tensor-layout {layout} --memory sram")
            bound = found["bound"]
            self.assertEqual(bound["elements"], 3 * 2 * 12 ** 3)
            self.assertEqual(bound["traffic_cycles"], bound["elements"] / 8)
            self.assertEqual(bound["compute_cycles"], found["cycles_by_cause"]["compute"])
            self.assertGreater(found["cycles"], bound["traffic_cycles"])
            self.assertEqual(found["tiles"]["layouts"]["intermediate"], "rows" if layout == "rows" else "tiles")
            self.assertEqual(sum(found["cycles_by_cause"].values()), found["cycles"])
        self.assertIsNone(self.summary("--shape 5x7x6")["bound"])

    def test_a_port_without_aligner_moves_a_row_of_the_mesh_at_most(self):
        line = "--shape 8x8x8 --mesh 4x4x3 --memory sram"
        for aligner, most in (("on", 8), ("off", 3)):
            found = self.summary(f"{line} --port-aligner {aligner}")
            bound, moved = found["bound"], found["transfers"]
            self.assertEqual(bound["traffic_cycles"], -(-bound["elements"] // most))
            self.assertGreaterEqual(moved["load_cycles"], -(-moved["elements_loaded"] // most))

    def test_tiles_are_faster_from_a_dram(self):
        line = "--shape 24x24x24 --format bf16 --mesh 8x8x4 --double-buffer --load-elements 32 --cell-registers 3"
        rows, tiles = (self.summary(f"{line} --tensor-layout {layout}") for layout in ("rows", "tiles"))
        self.assertLess(2 * tiles["cycles"], rows["cycles"])


class Threads(DxtTest):
    def test_same_bytes_for_any_number(self):
        for options in ("", "--sparsity dense --format f32", "--mesh 20x13x40", "--zeros 0.9 --format bf16"):
            line = f"--shape 33x20x47 {options} --quiet"
            self.succeeds(f"{line} --output one.npy --out one")
            for threads in (2, 3, 7):
                self.succeeds(f"{line} --threads {threads} --output more.npy --out more")
                self.assertEqual(self.read_bytes("more.npy"), self.read_bytes("one.npy"), (options, threads))
                for name in ("latency.csv", "energy.csv"):
                    self.assertEqual(self.read_bytes(f"more/{name}"), self.read_bytes(f"one/{name}"), options)


class BadTiles(DxtTest):
    def test_matrix_larger_than_an_actuator(self):
        for line, words in (("--shape 1025x2x2", ("mode 1", "1025 x 1025", "1048576")),
                            ("--shape 2x3x4 --matrix-elements 15", ("mode 3", "4 x 4", "15")),
                            ("--shape 2x3x4 --out-shape 2x6x3 --matrix-elements 17", ("mode 2", "3 x 6", "17")),
                            ("--shape 65535x1x1", ("65535 x 65535", "1048576"))):
            self.refuses(line, *words, "expected at most", "--matrix-elements")
        self.succeeds("--shape 2x3x4 --matrix-elements 16")

    def test_memory_is_charged_to_the_transfer_that_used_it(self):
        for line in ("--shape 12x12x12 --mesh 4x4x4 --no-check", "--shape 12x12x12 --mesh 4x4x4 --batch 2 --burst 64"):
            with self.subTest(line=line):
                self.succeeds(f"{line} --memory sram --out files")
                rows = self.rows("files/latency.csv")
                [reads] = [name for name in rows[0] if name.endswith("read_access")]
                [writes] = [name for name in rows[0] if name.endswith("write_access")]
                for phase, used, other in (("load", reads, writes), ("unload", writes, reads)):
                    of_phase = [row for row in rows if row["phase"] == phase]
                    self.assertGreater(len(of_phase), 20)
                    self.assertTrue(all(int(row[used]) > 0 and int(row[other]) == 0 for row in of_phase), phase)

    def test_the_dma_stalls_where_a_block_takes_longer_than_its_beats(self):
        self.succeeds("--shape 12x12x12 --mesh 4x4x4 --no-check --out files")
        rows = [row for row in self.rows("files/latency.csv") if row["phase"] == "load"]
        [stalled] = [name for name in rows[0] if name.endswith("stalled_cycle")]
        # A block is 16 rows of 4 elements, each a burst of half a beat whose answer is waited for.
        self.assertTrue(all(0 < int(row[stalled]) < int(row["load_cycle"]) for row in rows))
