"""summary.json of single runs: its schema, and that it tells what happened."""
import os

import numpy as np

from segmented_program import VARIANTS, SegmentedTest
from testbench_summary import SummaryContent, DeviceSummarySchema, SummaryTables


class Schema(DeviceSummarySchema, SegmentedTest):
    small_job = "--length 40 --s 4"
    open_objects = ("/energy_pJ", "/options", "/instructions", "/area_um2", "/area_by_pitch_um2")
    spoils = (lambda s: s["model"].pop("vcu_elems"), lambda s: s["roofline"].update(extra=1),
              lambda s: s["events"].pop("mac"), lambda s: s["instructions"]["matmul"].pop("cycles"))

    def every_kind(self):
        self.save("x.npy", np.array([0.5, 1.5]))
        lines = [f"--operation {operation} --length 20 --s 4" for operation in VARIANTS]
        lines += [f"--variant scan_hybrid --length 20 --format {name}" for name in ("f64", "f32", "bf16", "f16", "int8", "int32")]
        lines += [f"--operation copy --length 20 --format {name}" for name in ("f16", "int8")]
        lines += ["--input x.npy", "--variant gemm_tiled --format int8", "--variant scan --overlap", "--vector-only", "--pairs 2 --length 30",
                  "--operation spmv --density 0 --length 5", "--length 1", "--length 50 --in-words 1 --call-latency 7",
                  "--fidelity detailed --technology 7nm --clock 0.7 --allow-overclock --vcd wave --length 20 --blocks none"]
        return lines



class Throughput(SegmentedTest):
    """Data per time, beside that of a copy."""

    def throughput(self, line):
        found = self.summary(f"{line} --s 4")
        throughput, ns = found["throughput"], found["simulated_time_ns"]
        self.assertAlmostEqual(throughput["Gelem_per_s"], throughput["elements"] / ns)
        self.assertAlmostEqual(throughput["GB_per_s"], throughput["bytes"] / ns)
        return throughput["elements"], throughput["bytes"]

    def test_operands_and_result_count_once(self):
        n = 100
        for line, per_element in (("--operation copy", 8 + 8), ("--operation copy --format int8", 1 + 1),
                                  ("--variant scan", 8 + 8), ("--variant scan --format f32", 4 + 4),
                                  ("--variant scan_hybrid --format int8", 1 + 4), ("--variant scan_hybrid --format f16", 2 + 4),
                                  ("--variant scan_vcu --format int8", 4 + 4), ("--variant diff_mmu", 8 + 8),
                                  ("--variant segscan_ks", 8 + 8 + 8), ("--variant sscr_shared", 8 + 8 + 8),
                                  ("--variant segscan_hybrid --format int8", 1 + 1 + 4 + 4), ("--variant mul", 8 + 8 + 8)):
            self.assertEqual(self.throughput(f"{line} --length {n}"), (n, n * per_element), line)

    def test_results_that_are_shorter(self):
        flags = np.arange(50) % 5 == 2
        self.save("f.npy", flags)
        for variant, results in (("compress", 10), ("scd", 11)):
            line = f"--variant {variant} --flags f.npy --input x.npy"
            self.save("x.npy", np.arange(50))
            self.assertEqual(self.throughput(line), (50, 8 * (50 + 50 + results)), variant)

    def test_matrices(self):
        self.assertEqual(self.throughput("--variant gemm_vcu --length 8"), (64, 8 * 3 * 64))
        self.assertEqual(self.throughput("--operation spmv --length 20 --density 0.1"),
                         (40, 8 * (21 + 40 + 40 + 20 + 20)))

    def test_the_table_has_it(self):
        found = self.summary("--variant scan --length 500")["throughput"]
        out = self.succeeds("--variant scan --length 500").out
        self.assertIn(f"throughput            {found['Gelem_per_s']:.4g} Gelem/s, {found['GB_per_s']:.4g} GB/s: 500 elements, "
                      "8,000 bytes of operands and result", out)


class Primitives(SegmentedTest):
    """Time by primitive, with the steps of each by its own closed form."""

    def primitives(self, line):
        found = self.summary(line)
        parts = found["primitives"]
        rest = parts.pop("rest")
        self.assertEqual(sum(part["cycles"] for part in parts.values()) + rest["cycles"], found["cycles"], line)
        self.assertEqual(sum(part["cycles"] for part in parts.values()),
                         sum(entry["cycles"] for entry in found["instructions"].values()), line)
        causes = found["cycles_by_cause"]
        self.assertEqual(rest["cycles"], sum(causes.get(cause, 0) for cause in ("fetch", "load", "store", "control", "wait", "other")), line)
        for part in (*parts.values(), rest):
            self.assertAlmostEqual(part["share"], part["cycles"] / found["cycles"])
        self.assertEqual(sum(part["steps"] for part in parts.values()), found["model"]["steps"], line)
        self.assertEqual(rest["steps"], 0)
        return {name: part["steps"] for name, part in parts.items() if part["cycles"]}

    def test_every_variant_belongs_to_primitives(self):
        for operation, names in VARIANTS.items():
            for name in names:
                full = " --density 1 --no-check" if name == "spmv_scd" else ""
                self.assertEqual(bool(self.primitives(f"--variant {name} --length 20 --s 4{full}")), operation != "copy", name)

    def test_steps_are_those_of_the_primitives_alone(self):
        scan = 2 * 3 + 1 + 2 * 3  # of 200 elements, s = 4: L = 3
        rounds = 8  # ceil(log2 200)
        for variant, expected in (
                ("scan", {"scan": scan}), ("scan_vcu", {"scan": rounds}), ("compress", {"compress": scan + 3}),
                ("diff_mmu", {"diff": 4}), ("scd", {"scan": scan, "flags": 1, "compress": scan + 3, "diff": 1}),
                ("scd_diff_mmu", {"scan": scan, "flags": 1, "compress": scan + 3, "diff": 4}),
                ("sscr", {"scan": 2 * scan, "flags": 2, "compress": scan + 3, "revert": 1}),
                ("sscr_shared", {"scan": 2 * scan, "flags": 2, "compress": 4, "revert": 1}),
                ("segscan", {"scan": 2 * 4, "revert": 4, "update": 7 * 3}),
                ("segscan_ks", {"scan": 2 * 4, "revert": 16 * 4, "update": 7 * 3}),
                ("segscan_vcu", {"scan": 4 * rounds + 1})):
            self.assertEqual(self.primitives(f"--variant {variant} --length 200 --s 4"), expected, variant)

    def test_products(self):
        n = 20
        self.assertEqual(self.primitives(f"--operation spmv --length {n} --s 4 --density 0.1"),
                         {"gather": 2, "product": 1, "scan": 2 * 2 + 1 + 2 * 2, "diff": 1})
        self.assertEqual(self.primitives("--variant spmv_vcu --length 4 --density 0.5"),
                         {"gather": 4, "product": 1, "flags": 1, "scan": 4 * 3 + 1})
        self.assertEqual(self.primitives("--variant gemm_vcu --length 4"), {"arrange": 3, "product": 1, "sum": 3})
        self.assertEqual(self.primitives("--variant ewmul_seg --length 4 --bits 3"), {"product": 4 + 1})

    def test_loops_and_overlap(self):
        for line in ("--variant sscr --blocks none --density 0.3", "--variant segscan_loop --density 0.3",
                     "--variant scd --fidelity detailed", "--variant scd --overlap", "--variant sscr --overlap", "--variant compress --blocks none"):
            self.primitives(f"{line} --length 60 --s 4")

    def test_the_table_has_them(self):
        found = self.summary("--variant scd --length 500")
        out = self.succeeds("--variant scd --length 500").out
        line = next(line for line in out.splitlines() if line.startswith("  primitives"))
        for name, part in found["primitives"].items():
            text = f" {name} {part['cycles']:,} ({100 * part['share']:.4g} %)"
            self.assertEqual(text in line, part["cycles"] > 0, name)

    def test_are_those_of_a_comparison_too(self):
        problem = "--s 4 --fill formula --memory sram"
        for run in self.summary(f"--compare --operation segmented-sum --length 40 {problem}")["runs"]:
            alone = self.summary(f"--variant {run['variant']} --length {run['length']} {problem}")
            for field in ("throughput", "primitives"):
                self.assertEqual(run[field], alone[field], (run["variant"], run["length"]))


class RevertByLoop(SegmentedTest):
    """Algorithm 2 of MMV-RAM's appendix A.2.1: rounds by the segments of a block."""

    def reverted(self, density):
        found = self.summary(f"--variant segscan_loop --length 4096 --density {density} --memory sram")
        self.assertIs(found["check"]["passed"] and found["check"]["as_closed_form"], True)
        return found

    def test_cycles_grow_with_the_density_up_to_a_round_per_element_of_a_block(self):
        runs = [self.reverted(density) for density in (0, 0.003, 0.03, 0.3, 1)]
        cycles = [run["cycles"] for run in runs]
        self.assertEqual(cycles, sorted(set(cycles)))
        levels, s = 3, 16
        for run, rounds in ((runs[0], 0), (runs[-1], levels * s)):
            self.assertEqual(run["primitives"]["revert"]["steps"], 4 * levels + 6 * rounds)
        self.assertEqual([run["programs"] for run in runs], [levels + 1] * len(runs))

    def test_rounds_are_the_most_flags_of_a_block(self):
        flags = np.zeros(64, bool)
        flags[[17, 18, 30, 40]] = True  # three in the block from 16 to 31; above, two of four
        self.save("f.npy", flags)
        self.save("x.npy", np.arange(64))
        found = self.summary("--variant segscan_loop --input x.npy --flags f.npy")
        self.assertEqual(found["primitives"]["revert"]["steps"], 4 * 2 + 6 * (3 + 2))
        self.assertEqual(found["instructions"]["matmul"]["instructions"], 2 * 2 + 3 + 2)


class Content(SummaryContent, SegmentedTest):
    lines_of_both_fidelities = (
        "--operation segmented-scan --length 200 --s 8", "--operation spmv --length 40 --format f64 --s 4",
        "--variant segscan_hybrid --length 70 --format f16 --s 4", "--variant scan --length 70 --format f32 --s 4",
        "--operation compress --length 100 --overlap --in-words 3 --out-words 2")

    def test_configuration_is_that_of_the_run(self):
        found = self.summary("--operation spmv --variant spmv_vcu --length 30 --columns 20 --density 0.25 --bits 3 --s 8 "
                             "--format int32 --lanes 16 --banks 8 --scratchpad 65536 --in-words 4 --out-words 2 "
                             "--pipeline-depth 3 --call-latency 5 --blocks compact,multiplier --word-bits 12 --scalar-ops 3 --overlap "
                             "--fidelity detailed --technology 7nm --clock 0.5 --allow-overclock --burst 64 "
                             "--memory sram --memory-latency 3 --memory-ports 2 --dma-width 64 --outstanding 5 --overlap-runs off --seed 77")["configuration"]
        options = found.pop("options")
        self.assertEqual(found.pop("options_given")["seed"], "77")
        self.assertIn("--technology", [entry["option"] for entry in found.pop("inputs")])
        self.assertEqual(found.pop("memory_bytes"), 65536)
        self.assertEqual(found, {
            "operation": "spmv", "variant": "spmv_vcu", "source": "random", "length": 30, "shape": None, "columns": 20,
            "density": 0.25, "attention": None, "tile": None, "pairs": 1, "bits": 3, "side": 8, "format": "int32", "lanes": 16, "bank_broadcast": "on", "banks": 8, "scratchpad_bytes": 65536,
            "in_words_per_cycle": 4, "out_words_per_cycle": 2, "pipeline_depth": 3, "call_latency": 5, "blocks": "compact,multiplier",
            "word_bits": 12, "scalar_ops_per_cycle": 3, "overlap": True, "fidelity": "detailed", "technology": "7nm", "leakage": 1,
            "voltage_V": None, "clock_period_ps": 2000, "memory": "sram", "memory_bandwidth_GB_per_s": None, "memory_latency_cycles": 3, "memory_ports": 2, "dma_width_bits": 64, "outstanding": 5, "overlap_runs": "off",
            "burst_bytes": 64, "seed": 77})
        self.assertEqual((options["density"], options["overlap"]), ("0.25", "true"))

    def test_a_clock_is_checked_against_the_scratchpad_that_the_run_needed(self):
        line = "--length 256 --pipeline-depth 64 --memory sram"
        fastest = self.summary(line)["fastest_clock_GHz"]
        self.assertFalse(self.summary(f"{line} --clock {fastest * 0.98}")["overclocked"])
        os.makedirs(self.path("empty"))
        self.refuses(f"{line} --clock {fastest * 1.02} --out empty/none", "--clock", "a line of", "--allow-overclock")
        self.assertEqual(os.listdir(self.path("empty")), [])

    def test_memory_is_charged_as_large_as_the_run_used(self):
        # x and z of so many words of 8 bytes, and the program
        for length, size in ((1, 1 << 16), (3500, 1 << 16), (4200, 1 << 17), (50000, 1 << 20)):
            found = self.summary(f"--length {length} --memory sram --technology 45nm")
            self.assertEqual(found["configuration"]["memory_bytes"], size, length)
        # 45nm has 100 pJ per access of 64 bits of an SRAM of 1 MiB
        accesses = sum(int(row[f"platform.memory.{what}_access"]) for row in self.rows("files/latency.csv")
                       for what in ("read", "write"))
        self.assertGreater(accesses, 2 * 50000)
        self.assertAlmostEqual(found["energy_pJ"]["memory"], 100 * accesses, delta=1e-6 * accesses)

    def test_everything_sums(self):
        for line in [f"--operation {operation} --length 60 --s 4 --banks 2" for operation in VARIANTS] + [
                "--operation compress --overlap --length 500", "--length 100 --in-words 3 --call-latency 9 --s 8"]:
            with self.subTest(line=line):
                found = self.summary(line)
                self.assert_sums(found)
                self.assertEqual(sum(entry["instructions"] for entry in found["instructions"].values()),
                                 found["model"]["steps"])
                self.assertEqual(found["model"], found["model_closed_form"])

    def test_roofline_is_what_the_counts_say(self):
        found = self.summary("--operation segmented-sum --length 300 --s 8 --banks 16")
        events, roofline, cycles = found["events"], found["roofline"], found["cycles"]
        words = events["scratchpad_read"] + events["scratchpad_write"]
        rows = self.rows("files/latency.csv")
        bus = sum(int(row[name]) for row in rows for name in row if name.endswith(("dma_engine.read_byte", "dma_engine.write_byte")))
        self.assertGreater(bus, 300 * 8)
        for name, expected in (("macs_per_cycle", events["mac"] / cycles), ("peak_macs_per_cycle", 64),
                               ("scratchpad_words_per_cycle", words / cycles), ("peak_scratchpad_words_per_cycle", 4 * 16),
                               ("bus_bytes_per_cycle", bus / cycles), ("peak_bus_bytes_per_cycle", 64),
                               ("macs_per_scratchpad_word", events["mac"] / words), ("macs_per_bus_byte", events["mac"] / bus)):
            self.assertAlmostEqual(roofline[name], expected, delta=1e-12 * expected, msg=name)
        self.assertAlmostEqual(found["utilisation"], events["mac"] / cycles / 64, delta=1e-12)

    def test_nothing_is_faster_than_its_roof(self):
        for line in ("--variant segscan_vcu --length 20000", "--variant segscan_vcu --length 20000 --overlap",
                     "--operation segmented-scan --length 20000 --banks 16 --overlap"):
            with self.subTest(line=line):
                roofline = self.summary(f"{line} --no-check")["roofline"]
                for rate in ("macs_per_cycle", "scratchpad_words_per_cycle", "bus_bytes_per_cycle"):
                    self.assertLessEqual(roofline[rate], roofline[f"peak_{rate}"], rate)

    def test_scratchpad_as_large_as_needed_is_the_same_as_one_of_that_size(self):
        line = "--operation compress --length 244"
        found = self.summary(line)
        size = found["configuration"]["scratchpad_bytes"]
        self.assertEqual(size % 1024, 0, "a size that a scratchpad can have")
        given = self.summary(f"{line} --scratchpad {size}")
        for key in ("cycles", "events", "energy_pJ", "model"):
            self.assertEqual(found[key], given[key], key)
        self.refuses(f"{line} --scratchpad {size - 1024}", str(size - 1024), "expected at least")

    def test_overlap_is_labelled_and_changes_time_alone(self):
        line = "--operation segmented-scan --length 500"
        one, both = self.summary(line), self.summary(f"{line} --overlap")
        self.assertLess(both["cycles"], one["cycles"])
        self.assertGreater(both["events"].pop("overlapped_cycle"), 0)
        self.assertEqual(one["events"].pop("overlapped_cycle"), 0)
        for key in ("events", "model", "result"):
            self.assertEqual(one[key], both[key], key)
        self.assertIn("an extension of the papers' machine", self.succeeds(f"{line} --overlap").out)
        self.assertNotIn("overlap", self.succeeds(line).out)

    def test_the_seed_changes_random_data_and_nothing_else_does(self):
        first, again, other = (self.summary(f"--length 50 --seed {seed}")["result"]["checksum"] for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


class Columns(SegmentedTest):
    def test_of_the_formula_are_its_own(self):
        found = self.summary("--operation spmv --fill formula --length 9")
        self.assertEqual(found["configuration"]["columns"], 40)


class Bound(SegmentedTest):
    """Of f64: how far elements may be off, and what that hides."""

    def setUp(self):
        super().setUp()
        self.save_text("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1e12\n2 2 0.1\n3 3 0.3\n")
        self.save("x.npy", np.array([1 / 3, 1 / 3, 1 / 3]))
        self.line = "--matrix a.mtx --input x.npy --s 4"

    def test_of_a_scan_over_rows_that_differ_in_scale(self):
        found = self.summary(f"--variant spmv {self.line}")["check"]
        self.assertIs(found["passed"], True)
        self.assertGreater(found["max_rel_error"], 1e-6)
        self.assertEqual(found["bound"]["c"], (2 * 4 + 4) * 1 + 2 * 2 + 4)
        self.assertAlmostEqual(found["bound"]["at_worst_element"], 20 * 2 ** -53 * 1e12 / 3, delta=1e-12)
        self.assertIn(found["bound"]["worst_element"], (1, 2))
        self.assertIn("(2s + 4) ceil(log_s n) + 2 ceil(log2 n) + 4", found["bound"]["formula"])
        self.assertIn("spmv_vcu does not mix rows", found["warning"])
        out = self.succeeds(f"--variant spmv {self.line}").out
        self.assertRegex(out, r"\n  bound +per element, c 2\^-53 .*all rows up to its own, c = .* = 20\n")
        self.assertRegex(out, r"\n  nearest to its bound +element [12]: off by [\d.e-]+ of [\d.e-]+ allowed")
        self.assertIn("\n  warning   ", out)

    def test_of_rows_that_do_not_mix(self):
        found = self.summary(f"--variant spmv_vcu {self.line}")["check"]
        self.assertLess(found["max_rel_error"], 1e-15)
        self.assertLess(found["bound"]["at_worst_element"], 1e-1)
        self.assertIsNone(found["warning"])
        self.assertNotIn("does not mix rows", self.succeeds(f"--variant spmv_vcu {self.line}").out)

    def test_integers_have_none(self):
        self.assertIsNone(self.summary("--length 9")["check"]["bound"])
        self.assertNotIn("\n  bound  ", self.succeeds("--length 9").out)


class Tables(SummaryTables, SegmentedTest):
    lines_of_tables = ("--operation segmented-sum --length 200 --s 4",)
    lines_of_banks = (("--operation segmented-scan --length 500 --s 4", True),
                      ("--operation segmented-scan --length 500 --s 4 --bank-broadcast off --banks 4", True),
                      ("--operation scan --length 100 --s 16 --banks 8", True))

    def test_quiet_is_quiet_and_a_waveform_is_where_it_should_be(self):
        self.assertEqual(self.succeeds("--length 20 --quiet --vcd wave").out, "")
        self.assertTrue(self.read_bytes("wave").startswith(b"$date"))
