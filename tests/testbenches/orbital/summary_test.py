"""summary.json, its tables and the waveform: the schema, and that they tell what happened."""
import os

import numpy as np

from orbital_program import OrbitalTest
from testbench_summary import SummaryContent, DeviceSummarySchema, SummaryTables
from vcd_file import VcdFile


class Schema(DeviceSummarySchema, OrbitalTest):
    small_job = "--shape 2x3x4"
    spoils = (lambda s: s["runs"].pop(), lambda s: s["runs"][0].pop("words"), lambda s: s["events"].pop("mac"),
              lambda s: s["runs"][0]["cycles_by_cause"].update(luck=1))

    def every_kind(self):
        self.save("c.npy", np.eye(4))
        return ("--shape 1x1x1", "--shape 2x3x4 --fidelity detailed --grid 3 --vcd wave --watch 0,1,2",
                "--shape 2x3x4 --transform dft --inverse --norm backward", "--shape 2x3x4 --format c64 --technology 7nm",
                "--shape 2x3x4 --keep 0.5 --batch 3 --double-buffer", "--shape 2x3x4 --transform dct,dct,file:c.npy",
                "--shape 5x6x7 --grid 2 --block 2 --overlap sliced:2", "--shape 5x6x7 --out-shape 3x9x7 --format bf16",
                "--shape 2x3x4 --chain --no-check", "--shape 4x4x4 --chain --overlap none --folded off",
                "--shape 3x4x5 --also dht --also dct,dst,dct", "--shape 3x4x5 --also dht --no-check",
                "--shape 3x4x5 --compare triada --step-cycles 5", "--sweep 3,4 --mm-per-cycle 0.5 --vertical-axis none",
                "--sweep 2,5 --compare triada --coefficient-elements 1000 --memory dram")


class Content(SummaryContent, OrbitalTest):
    lines_of_both_fidelities = (
        "--shape 6x5x7", "--shape 6x5x7 --grid 3 --overlap sliced --macs-per-cycle 2 --inverse --order 132",
        "--shape 6x5x7 --grid 2 --block 2x1x3 --format bf16 --schedule -+-", "--shape 4x4x4 --batch 3 --double-buffer --overlap none",
        "--shape 4x5x6 --chain --transform dft --format c64", "--shape 5x6x7 --overlap shared --format bf16 --inverse", "--sweep 3,4 --compare triada")

    def test_sums(self):
        for line in self.lines_of_both_fidelities:
            self.assert_sums(self.summary(line))

    def test_table_shows_the_numbers_of_the_summary(self):
        found = self.summary("--shape 20x18x16 --grid 3")
        out = self.succeeds("--shape 20x18x16 --grid 3").out
        for number in (found["cycles"], found["macs"], found["macs_done"], *found["cycles_by_cause"].values(),
                       *found["runs"][0]["words"], *found["runs"][0]["word_pitches"]):
            self.assertRegex(out, rf"\b{number:,}\b")

    def test_multiply_adds_of_the_problem(self):
        for n, k, order, line in (((5, 6, 7), (5, 6, 7), (3, 1, 2), "--shape 5x6x7"),
                                  ((5, 6, 7), (4, 9, 3), (2, 3, 1), "--shape 5x6x7 --out-shape 4x9x3 --order 231"),
                                  ((5, 6, 7), (4, 9, 3), (2, 3, 1), "--shape 5x6x7 --out-shape 4x9x3 --order 231 --inverse"),
                                  ((5, 6, 7), (5, 6, 7), (3, 1, 2), "--shape 5x6x7 --grid 2 --block 2")):
            shape, macs = list(n), 0
            for mode in order:
                macs += np.prod(shape) * k[mode - 1]
                shape[mode - 1] = k[mode - 1]
            found = self.summary(line)
            self.assertEqual(found["macs"], macs, line)
            self.assertGreater(found["macs_done"], macs, line)

    def test_the_other_of_grid_and_block(self):
        for line, grid, block in (("--shape 9x8x7 --grid 4", 4, [3, 2, 2]), ("--shape 9x8x7 --block 2", 5, [2, 2, 2]),
                                  ("--shape 9x8x7 --block 3x2x7", 4, [3, 2, 7]), ("--shape 9x8x7", 4, [3, 2, 2]),
                                  ("--shape 2x1x3", 3, [1, 1, 1]), ("--shape 4x4x4 --out-shape 9x4x2 --grid 2", 2, [5, 2, 2])):
            found = self.summary(line)["configuration"]
            self.assertEqual((found["grid"], found["block"]), (grid, block), line)

    def test_overlap_hides_rolls(self):
        cycles = [self.summary(f"--shape 32x32x32 --grid 4 --overlap {kind}")["working_cycles"]
                  for kind in ("none", "operand", "sliced")]
        self.assertGreaterEqual(cycles[0], cycles[1])
        self.assertGreater(cycles[1], cycles[2])

    def test_shared_sums_hide_rolls_altogether(self):
        """4 nodes, blocks of 8: 12 steps of 8^4 multiply-adds and the latency of the last."""
        line = "--shape 32x32x32 --grid 4 --overlap"
        rolled, shared, late = (self.summary(f"{line} {kind}") for kind in ("operand", "shared", "shared --sync-cycles 7"))
        self.assertEqual(shared["working_cycles"], 12 * (8 ** 4 + 3))
        self.assertEqual(shared["cycles_by_cause"]["roll"], 0)
        self.assertEqual(late["cycles_by_cause"]["roll"], 12 * 7)
        self.assertEqual(shared["runs"][0]["words"], rolled["runs"][0]["words"])
        self.assertLess(shared["energy_pJ"]["node_memory"], rolled["energy_pJ"]["node_memory"])
        self.assertEqual(shared["energy_pJ"]["links"], rolled["energy_pJ"]["links"])


class Tables(SummaryTables, OrbitalTest):
    lines_of_tables = ()

    def test_rows_sum_to_the_summary(self):
        for line in ("--shape 5x6x7 --grid 3", "--shape 5x6x7 --grid 2 --block 2 --batch 2", "--shape 4x4x4 --compare triada"):
            found = self.summary(line)
            latency, energy = self.rows("files/latency.csv"), self.rows("files/energy.csv")
            self.assertEqual(sum(int(row["cycles"]) for row in latency), found["cycles"])
            for event, count in found["events"].items():
                self.assertEqual(sum(int(row[event]) for row in latency), count, event)
            for component, pj in found["energy_pJ"].items():
                self.assertAlmostEqual(sum(float(row[component + "_pJ"]) for row in energy), pj,
                                       delta=1e-11 * found["energy_pJ"]["total"])
            job, = {row["job"] for row in latency}
            shape = " x ".join(map(str, found["configuration"]["shape"]))
            self.assertEqual(job, f"dct,dct,dct, {shape}" + ", batch of 2" * ("--batch" in line))
            steps = [row for row in latency if row["cause"] == "compute"]
            self.assertEqual(len(steps), found["steps"])

    def test_six_files_and_nothing_else(self):
        """Five: a torus has no memory in banks."""
        for line, more in (("--shape 2x3x4", []), ("--shape 2x3x4 --compare triada", ["comparison.csv"])):
            folder = f"files{len(more)}"
            self.summary(line, folder)
            self.assertEqual(sorted(os.listdir(self.path(folder))),
                             sorted(["energy.csv", "events.csv", "latency.csv", "summary.json", "trace.json", *more]))


class Waveform(OrbitalTest):
    def test_watched_nodes(self):
        self.succeeds("--shape 4x4x4 --grid 2 --fidelity detailed --vcd wave --watch 0,0,0 --watch 1,0,1 --quiet")
        names = VcdFile(self.read_bytes("wave")).changes
        for node in ("node_0_0_0", "node_1_0_1"):
            self.assertTrue([name for name in names if node in name], node)
        self.assertFalse([name for name in names if "node_1_1_1" in name])
        self.assertEqual(names["SystemC.platform.device.busy"][1], [0, 1, 0])
