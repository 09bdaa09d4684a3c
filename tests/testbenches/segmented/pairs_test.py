"""--pairs: work divided among several MMU/VCU pairs on one bus."""
import csv
import math

import numpy as np

from segmented_program import VARIANTS, WRONG, SegmentedTest

NOT_SUMMED = ("all_pairs", "some_pairs", "hosts")


class Results(SegmentedTest):
    """Against numpy."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        self.x = rng.integers(-50, 50, 77)
        self.flags = rng.random(77) < 0.2
        self.save("x.npy", self.x)
        self.save("f.npy", self.flags)
        starts = np.unique(np.concatenate(([0], np.flatnonzero(self.flags))))
        self.expected = {
            "scan": np.cumsum(self.x), "difference": np.diff(self.x, prepend=0), "copy": self.x,
            "compress": self.x[self.flags], "segmented-sum": np.add.reduceat(self.x, starts),
            "segmented-scan": np.concatenate([np.cumsum(part) for part in np.split(self.x, starts[1:])])}

    def test_any_number_of_pairs_gives_the_same(self):
        for operation, values in self.expected.items():
            flags = "--flags f.npy" if operation in ("compress", "segmented-sum", "segmented-scan") else ""
            for pairs in (2, 5, 64):
                for variant in VARIANTS[operation]:
                    line = f"--variant {variant} --input x.npy {flags} --s 4 --pairs {pairs}"
                    self.assert_equal(self.computed(line), values, line)

    def test_formats_fidelities_and_memories(self):
        for line in ("--format int8 --variant scan_hybrid", "--format f16 --variant scan_hybrid --overlap",
                     "--format bf16 --variant scan_tree_vcu", "--format f32 --variant scan --fidelity detailed",
                     "--memory sram --dma-width 32", "--dram hbm2e-3200 --burst 64",
                     "--variant scan --blocks none --outstanding 1"):
            self.assert_equal(self.computed(f"{line} --input x.npy --s 4 --pairs 3"), self.expected["scan"], line)

    def test_products(self):
        rng = np.random.default_rng(6)
        a, b = rng.integers(0, 32, (2, 30))
        m, n = rng.integers(0, 32, (5, 7)), rng.integers(0, 32, (7, 6))
        for name, array in (("a", a), ("b", b), ("m", m), ("n", n)):
            self.save(f"{name}.npy", array)
        for pairs in (2, 5, 8):
            for variant in VARIANTS["product"]:
                bits = "" if variant == "mul" else "--bits 5"
                line = f"--variant {variant} --input a.npy,b.npy --s 4 {bits} --pairs {pairs}"
                self.assert_equal(self.computed(line), a * b, line)
            for variant in VARIANTS["matrix-product"]:
                bits = "" if variant.startswith("gemm") else "--bits 5"
                line = f"--variant {variant} --input m.npy,n.npy --s 4 {bits} --pairs {pairs}"
                self.assert_equal(self.computed(line), m @ n, line)

    def test_sparse_products(self):
        rng = np.random.default_rng(7)
        a = rng.integers(1, 9, (23, 11)) * (rng.random((23, 11)) < 0.2)
        for full in (False, True):
            if full:
                a[:, 0] = 3
            places = np.argwhere(a)
            self.save_text("a.mtx", f"%%MatrixMarket matrix coordinate integer general\n23 11 {len(places)}\n"
                           + "".join(f"{i + 1} {j + 1} {a[i, j]}\n" for i, j in places))
            self.save("v.npy", np.arange(11))
            for variant in VARIANTS["spmv"]:
                if variant == "spmv_scd" and not full:
                    continue
                for pairs in (2, 7, 30):
                    line = f"--variant {variant} --matrix a.mtx --input v.npy --s 4 --pairs {pairs}"
                    self.assert_equal(self.computed(line), a @ np.arange(11), line)

    def test_real_numbers_are_within_the_bound(self):
        x = np.random.default_rng(8).standard_normal(1000)
        self.save("x.npy", x)
        for pairs in (2, 64):
            z = self.computed(f"--input x.npy --s 4 --pairs {pairs}")
            self.assert_near(z, np.cumsum(x.astype(np.longdouble)), 1e-13)

    def test_sums_out_of_range_are_wrong_results(self):
        self.save("big.npy", np.array([2 ** 31 - 1, 2 ** 31 - 1, 0]))
        self.fails_with(WRONG, "--input big.npy --format int32 --variant scan_vcu --pairs 3", "expected smaller numbers")

    def test_a_part_may_fit_where_the_whole_does_not(self):
        most = 2 ** 31 - 1
        self.save("x.npy", np.array([most, 0, most, 0, 5, 6]))
        self.save("f.npy", np.array([1, 0, 1, 0, 1, 0]))
        line = "--variant scd_vcu --format int32 --input x.npy --flags f.npy"
        self.fails_with(WRONG, line, "expected smaller numbers")
        self.assertIsNone(self.summary(f"{line} --pairs 3")["pairs"]["one_pair_cycles"])


class Counts(SegmentedTest):
    """Of all pairs together and of each."""

    def assert_sums(self, found, line):
        each = found["pairs"]["each"]
        self.assertEqual(sum(found["cycles_by_cause"].values()), found["cycles"], line)
        self.assertEqual(set(found["cycles_by_cause"]), set(NOT_SUMMED), line)
        for pair in each:
            self.assertEqual(sum(pair["cycles_by_cause"].values()), pair["cycles"], line)
            self.assertLessEqual(pair["cycles"], pair["end_cycle"] - pair["start_cycle"], line)
        self.assertEqual(max(pair["end_cycle"] for pair in each), found["cycles"], line)
        self.assertEqual(min(pair["start_cycle"] for pair in each if pair["programs"]), 0, line)
        self.assertEqual(sum(pair["elements"] for pair in each), found["throughput"]["elements"], line)
        for field in ("programs", "macs"):
            self.assertEqual(sum(pair[field] for pair in each), found[field], line)
        self.assertEqual(sum(part["cycles"] for part in found["primitives"].values()), sum(pair["cycles"] for pair in each))
        self.assertEqual(sum(pair["steps"] for pair in each), found["model"]["steps"], line)
        bytes_moved = sum(pair["bus_read_bytes"] + pair["bus_written_bytes"] for pair in each)
        self.assertAlmostEqual(found["roofline"]["bus_bytes_per_cycle"], bytes_moved / found["cycles"])
        self.assertAlmostEqual(found["energy_pJ"]["total"],
                               sum(pj for name, pj in found["energy_pJ"].items() if name != "total"))

    def test_they_sum(self):
        for line in ("--variant scan --length 3000", "--operation compress --length 500", "--operation spmv --length 100",
                     "--variant segscan_loop --length 200", "--operation matrix-product --length 20", "--length 2 --memory sram",
                     "--operation difference --length 10", "--operation segmented-sum --length 20 --density 0"):
            for pairs in (2, 5):
                found = self.summary(f"{line} --pairs {pairs}")
                self.assertEqual((found["configuration"]["pairs"], len(found["pairs"]["each"])), (pairs, pairs), line)
                self.assert_sums(found, line)

    def test_one_pair_is_a_run_of_its_own(self):
        for line in ("--variant scan --length 3000", "--operation spmv --length 100 --memory sram"):
            alone, several = self.summary(line), self.summary(f"{line} --pairs 3")
            self.assertIsNone(alone["pairs"])
            self.assertEqual(several["pairs"]["one_pair_cycles"], alone["cycles"])
            self.assertAlmostEqual(several["pairs"]["speedup"], alone["cycles"] / several["cycles"])
            self.assertAlmostEqual(several["pairs"]["efficiency"], alone["cycles"] / several["cycles"] / 3)

    def test_operands_and_result_count_once(self):
        for line in ("--operation matrix-product --length 40", "--operation spmv --length 100", "--operation difference --length 99",
                     "--operation compress --length 99", "--variant gemm_vcu --length 9", "--variant segscan --length 50"):
            one, several = self.summary(line), self.summary(f"{line} --pairs 3")
            self.assertEqual(several["throughput"]["bytes"], one["throughput"]["bytes"], line)

    def test_utilisation_is_that_of_all_arrays(self):
        found = self.summary("--variant scan --length 3000 --pairs 4")
        each = found["pairs"]["each"]
        self.assertAlmostEqual(found["utilisation"], found["macs"] / (4 * 256 * found["cycles"]))
        working = sum(sum(pair["cycles_by_cause"].get(cause, 0) for cause in ("weights", "compute", "port", "drain", "latency"))
                      for pair in each)
        self.assertAlmostEqual(found["utilisation_working"], found["macs"] / (256 * working))
        self.assertAlmostEqual(found["bound_by"]["utilisation_ceiling"], found["utilisation_working"], places=3)

    def test_a_narrow_port_does_not_narrow_the_memory(self):
        found = self.summary("--operation copy --length 20000 --memory sram --dma-width 32 --pairs 4")["bound_by"]
        self.assertEqual(found["peak_bus_bytes_per_cycle"], 16)
        self.assertLessEqual(found["bus_bytes_per_cycle"], 16)
        found = self.summary("--operation copy --length 20000 --memory sram --pairs 4")["bound_by"]
        self.assertEqual(found["peak_bus_bytes_per_cycle"], 64)

    def test_steps_are_those_of_the_parts_and_one_for_their_sum(self):
        n, side, pairs = 1000, 4, 6
        found = self.summary(f"--variant scan --length {n} --s {side} --pairs {pairs}")
        levels = [max(math.ceil(math.log(part, side) - 1e-9) - 1, 0)
                  for part in (n * (i + 1) // pairs - n * i // pairs for i in range(pairs))]
        self.assertEqual(found["model"]["steps"], sum(4 * level + 1 for level in levels) + pairs - 1)
        self.assertEqual(found["primitives"]["update"]["steps"], pairs - 1)
        self.assertEqual(found["programs"], 2 * pairs)

    def test_what_a_memory_limits(self):
        n = 20000
        line = f"--operation copy --length {n} --memory sram --memory-latency 0"
        one = self.summary(f"{line} --pairs 2")
        self.assertAlmostEqual(one["cycles"], 2 * n * 8 / 64, delta=100)  # 64 bytes per cycle, in and out
        self.assertAlmostEqual(one["pairs"]["speedup"], 1, delta=0.01)
        four = self.summary(f"{line} --memory-ports 4 --pairs 4")
        self.assertAlmostEqual(four["cycles"], 2 * n * 8 / 64 / 4, delta=100)
        self.assertGreater(four["pairs"]["efficiency"], 0.95)

    def test_energy_is_of_every_pair_and_the_memory_once(self):
        line = "--operation copy --length 4096 --memory sram --leakage 0"
        one, four = self.summary(line), self.summary(f"{line} --pairs 4")
        self.assertAlmostEqual(four["area_um2"]["matrix_unit"], 4 * one["area_um2"]["matrix_unit"])
        self.assertEqual(four["events"]["scratchpad_write"], one["events"]["scratchpad_write"])
        four_same = self.summary(f"{line} --pairs 4 --scratchpad 32768")
        one_same = self.summary(f"{line} --scratchpad 32768")
        self.assertAlmostEqual(four_same["energy_pJ"]["scratchpad"], one_same["energy_pJ"]["scratchpad"])
        self.assertEqual(four_same["configuration"]["memory_bytes"], one_same["configuration"]["memory_bytes"])
        ratio = four_same["energy_pJ"]["memory"] / one_same["energy_pJ"]["memory"]
        self.assertTrue(1 < ratio < 1.25, ratio)  # besides, hosts of pairs that are done read results

    def test_a_scratchpad_may_hold_only_a_part(self):
        found = self.summary("--variant scan --length 4096 --scratchpad 24576 --pairs 4")
        self.assertEqual([found["pairs"][name] for name in ("one_pair_cycles", "speedup", "efficiency")], [None] * 3)
        self.assertIn("one pair              cannot run this\n",
                      self.succeeds("--variant scan --length 4096 --scratchpad 24576 --pairs 4").out)
        self.refuses("--variant scan --length 4096 --scratchpad 8192 --pairs 4", "scratchpad", "8192 bytes")

    def test_fidelities_agree(self):
        for line in ("--variant scan --length 300", "--operation spmv --length 40"):
            fast, detailed = (self.summary(f"{line} --s 4 --pairs 3 --fidelity {name}") for name in ("fast", "detailed"))
            for field in ("cycles", "cycles_by_cause", "events", "pairs", "energy_pJ", "model", "result"):
                self.assertEqual(fast[field], detailed[field], (line, field))


class Files(SegmentedTest):
    def test_rows_are_those_of_every_pair(self):
        found = self.summary("--variant scan --length 300 --s 4 --pairs 3")
        with open(self.path("files/latency.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for i, pair in enumerate(found["pairs"]["each"]):
            mine = [row for row in rows if row["device"] == f"pair_{i}"]
            self.assertEqual(sum(int(row["cycles"]) for row in mine), pair["cycles"])
            self.assertEqual(sum(int(row["mac"]) for row in mine), pair["macs"])
        self.assertEqual({row["device"] for row in rows}, {"pair_0", "pair_1", "pair_2"})
        with open(self.path("files/banks.csv"), encoding="utf-8") as file:
            banks = list(csv.DictReader(file))
        self.assertEqual({row["memory"] for row in banks}, {f"pair_{i}.scratchpad" for i in range(3)})

    def test_a_waveform_has_every_pair(self):
        self.succeeds("--variant scan --length 50 --s 4 --pairs 2 --vcd wave.vcd")
        text = self.read_bytes("wave.vcd").decode()
        for pair in ("device_0", "device_1"):
            self.assertIn(pair, text)
