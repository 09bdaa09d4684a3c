"""summary.json of single runs: its schema, and that it tells what happened."""
import math
import re

import numpy as np

from tensor_unit_program import ALGORITHMS, TensorUnitTest
from testbench_summary import SummaryContent, DeviceSummarySchema, SummaryTables

LINES = [f"--algorithm {name} {line} --m 16" for name, line in ALGORITHMS.items()]


class Schema(DeviceSummarySchema, TensorUnitTest):
    small_job = "--size 10 --m 16"
    open_objects = ("/energy_pJ", "/options", "/instructions", "/area_um2", "/area_by_pitch_um2")
    spoils = (lambda s: s["model"].pop("calls"), lambda s: s["model_closed_form"].update(extra=1),
              lambda s: s["events"].pop("mac"), lambda s: s["result"].pop("shape"))

    def every_kind(self):
        return (*LINES, f"{LINES[0]} --scalar", f"{LINES[0]} --weak --overlap --format f64",
                *(f"{LINES[0]} --format {name}" for name in ("f32", "bf16", "f16", "int8", "c128")),
                f"{LINES[0]} --fidelity detailed --technology 7nm --clock 0.7 --allow-overclock --vcd wave --blocks none")



class Content(SummaryContent, SummaryTables, TensorUnitTest):
    lines_of_both_fidelities = (LINES[0], LINES[5] + " --overlap", LINES[8] + " --in-words 3 --out-words 1")
    lines_of_tables = ("--algorithm sparse --size 16 --nonzeros 16 --m 16",)
    lines_of_banks = (("--algorithm sparse --size 16 --nonzeros 16 --m 16 --banks 2", True),)

    def test_configuration_is_that_of_the_run(self):
        found = self.summary("--algorithm rect --size 9 --inner 5 --m 64 --latency 123 --charges moves-free --weak --format f64 --lanes 16 "
                             "--banks 8 --scratchpad 65536 --in-words 4 --out-words 2 --pipeline-depth 3 --call-latency 5 --blocks none "
                             "--word-bits 12 --scalar-ops 3 --overlap --fidelity detailed --technology 7nm --clock 0.5 --allow-overclock "
                             "--burst 64 "
                             "--memory sram --memory-latency 3 --memory-ports 2 --dma-width 64 --outstanding 5 --overlap-runs off --seed 77")["configuration"]
        options = found.pop("options")
        self.assertEqual(found.pop("options_given")["seed"], "77")
        self.assertIn("--technology", [entry["option"] for entry in found.pop("inputs")])
        self.assertEqual(found.pop("memory_bytes"), 65536)
        self.assertEqual(found, {
            "algorithm": "rect", "theorem": "Corollary 1", "source": "formula", "size": 9, "inner": 5, "sweeps": None,
            "nonzeros": None, "points": None, "cutoff": None, "kappa": None, "edges": None, "weak": True, "m": 64, "latency": 123, "charges": "moves-free", "side": 8,
            "format": "f64", "lanes": 16, "bank_broadcast": "on", "banks": 8, "scratchpad_bytes": 65536, "in_words_per_cycle": 4,
            "out_words_per_cycle": 2, "pipeline_depth": 3, "call_latency": 5, "blocks": "none", "word_bits": 12, "scalar_ops_per_cycle": 3,
            "overlap": True, "fidelity": "detailed", "technology": "7nm", "leakage": 1, "voltage_V": None, "clock_period_ps": 2000, "memory": "sram", "memory_bandwidth_GB_per_s": None, "memory_latency_cycles": 3, "memory_ports": 2, "dma_width_bits": 64, "outstanding": 5, "overlap_runs": "off",
            "burst_bytes": 64,
            "seed": 77})
        self.assertEqual((options["inner"], options["weak"]), ("5", "true"))

    def test_memory_is_charged_as_large_as_the_run_used(self):
        for size, memory in ((4, 1 << 16), (64, 1 << 17), (150, 1 << 20)):  # three matrices, and the program
            self.assertEqual(self.summary(f"--size {size} --m 64 --memory sram")["configuration"]["memory_bytes"], memory, size)

    def test_everything_sums(self):
        for line in LINES + [f"{LINES[0]} --in-words 3 --call-latency 9 --banks 2", f"{LINES[6]} --overlap"]:
            with self.subTest(line=line):
                found = self.summary(line)
                self.assert_sums(found)
                model = found["model"]
                self.assertEqual(model["time"], model["tensor_time"] + model["cpu_ops"])
                self.assertEqual((model["calls"], model["rows"]),
                                 (found["events"]["matmul_call"], found["events"]["matmul_row"]))

    def test_charges_are_in_model_time_alone(self):
        line = "--algorithm dft --size 256 --m 16"
        found = {charges: self.summary(f"{line} --charges {charges}", charges)
                 for charges in ("v1", "moves-free", "moves-charged")}
        # Four levels: a number has three products with twiddle factors and moves five times; v1 charges six moves.
        self.assertEqual({charges: f["model"]["cpu_ops"] for charges, f in found.items()},
                         {"v1": 9 * 256, "moves-free": 3 * 256, "moves-charged": 8 * 256})
        for charges, f in found.items():
            self.assertEqual(f["model"], f["model_closed_form"])
            for key in ("cycles", "energy_pJ", "result", "instructions"):
                self.assertEqual(f[key], found["v1"][key], key)
            lines = re.findall(r"^  charges +(.*)$", self.succeeds(f"{line} --charges {charges}").out, re.M)
            self.assertEqual([text.split(":")[0] for text in lines], [] if charges == "v1" else [charges])

    def test_edges_are_those_of_the_graph(self):
        edges = np.zeros((9, 9), dtype=int)
        edges[np.arange(8), np.arange(1, 9)] = 1
        self.save("path.npy", edges)
        self.save("undirected.npy", edges + edges.T)
        for line, expected in (("tclosure --size 128", 128), ("tclosure --size 9 --edges 40", 40), ("apsd --size 9", 8),
                               ("apsd --size 9 --edges 30", 30), ("tclosure --input path.npy", 8),
                               ("apsd --input undirected.npy", 8), ("apsd_search --size 9 --edges 30", 30),
                               ("apsd --size 1", None), ("dense --size 4", None)):
            self.assertEqual(self.summary(f"--algorithm {line} --m 16")["configuration"]["edges"], expected, line)

    def test_lower_bounds_are_those_of_the_run(self):
        for line, bound, least in (("dense --size 64 --latency 1000", 64 ** 3 / 4 + 256 * 1000, 2 * 64 ** 3 / 48 ** 0.5 - 96),
                                   ("dense --size 64 --weak --latency 9", 64 ** 3 / 4 + 4096 * 9, 2 * 64 ** 3 / 48 ** 0.5 - 96),
                                   ("rect --size 40 --inner 5", 40 * 40 * 5 / 4, 2 * 40 * 40 * 5 / 48 ** 0.5 - 96),
                                   ("apsd --size 20 --latency 7", 10 * (20 ** 3 / 4 + 25 * 7), None), ("dense --size 4", 16, None),
                                   ("dense_scalar --size 16", None, 2 * 16 ** 3 / 48 ** 0.5 - 96), ("strassen --size 16", None, None)):
            found = self.summary(f"--algorithm {line} --m 16")
            bounds, model = found["lower_bounds"], found["model"]
            self.assertEqual(bounds["simulated_io"], 16 * model["calls"] + 8 * model["rows"] + 3 * model["cpu_ops"])
            out = self.succeeds(f"--algorithm {line} --m 16").out
            for key, over, why, expected, value in (
                    ("semiring_products", "time_over_semiring_products", "no_semiring_products", bound, model["time"]),
                    ("io_bound", "io_over_bound", "no_io_bound", least, bounds["simulated_io"])):
                if expected is None:
                    self.assertIsNone(bounds[key], line)
                    self.assertIsNone(bounds[over], line)
                    self.assertIn(bounds[why], out)
                else:
                    self.assertAlmostEqual(bounds[key], expected, delta=1e-9 * expected, msg=line)
                    self.assertEqual(bounds[over], value / bounds[key])
                    self.assertIsNone(bounds[why])
                    self.assertIn(f"{math.ceil(expected):,}", out)

    def test_kappa_is_the_width_of_limbs_alone(self):
        found = {kappa: self.summary(f"--algorithm intmul --size 100 --m 16 {option}", str(kappa))
                 for kappa, option in ((64, ""), (16, "--kappa 16"))}
        self.assertEqual([f["configuration"]["kappa"] for f in found.values()], [64, 16])
        self.assertEqual(found[64]["model"], found[16]["model"])
        self.assertNotEqual(found[64]["result"]["checksum"], found[16]["result"]["checksum"])
        for kappa, cutoff in ((64, 256), (16, 145), (8, 14)):  # as long as words allow
            line = f"--algorithm karatsuba --size 300 --m 256 --kappa {kappa} --no-check"
            self.assertEqual(self.summary(line, "cut")["configuration"]["cutoff"], cutoff)

    def test_edges_are_drawn_by_the_seed(self):
        line = "--algorithm tclosure --size 30 --m 16 --edges 45"
        found = [self.summary(f"{line} --seed {seed}", f"seed{seed}")["result"]["checksum"] for seed in range(4)]
        self.assertEqual(self.summary(line)["result"]["checksum"], found[1])
        self.assertGreater(len(set(found)), 1)

    def test_model_latency_is_not_the_device_s(self):
        plain, late, slow = (self.summary(f"{LINES[0]} {option}") for option in ("", "--latency 100", "--call-latency 100"))
        calls = plain["model"]["calls"]
        self.assertEqual(late["model"]["time"], plain["model"]["time"] + 100 * calls)
        self.assertEqual(late["cycles"], plain["cycles"])
        self.assertEqual(slow["model"], plain["model"])
        self.assertEqual((slow["cycles"], slow["cycles_by_cause"]["latency"]), (plain["cycles"] + 100 * calls, 100 * calls))

    def test_the_two_latencies_are_told_apart(self):
        for options, words in (("--latency 100", ("l = 100 (--latency)", "takes 0 cycles more (--call-latency)")),
                               ("--call-latency 7", ("l = 0 (--latency)", "takes 7 cycles more"))):
            line = re.search(r"^  latencies +(.*)$", self.succeeds(f"{LINES[0]} {options}").out, re.M)[1]
            for word in words:
                self.assertIn(word, line)
        for options in ("", "--latency 7 --call-latency 7"):
            self.assertNotIn("latencies", self.succeeds(f"{LINES[0]} {options}").out)
        text = self.succeeds("--help").out
        for option, other in (("latency", "model time only"), ("call-latency", "device time only")):
            entry = re.search(rf"^  --{option} (.*?)(?=^  --|\Z)", text, re.M | re.S)[1]
            self.assertIn(other, " ".join(entry.split()))

    def test_an_array_wider_than_the_banks_is_told(self):
        line = "--size 64 --m 1024 --no-check"
        few, enough = (self.succeeds(f"{line} --banks {banks}").out for banks in (16, 32))
        self.assertIn("throttled", few)
        self.assertIn("16 words per cycle, one per bank, a row of the array has up to 32", few)
        self.assertNotIn("throttled", enough)
        self.assertLess(self.summary(f"{line} --banks 32", "b")["cycles"], self.summary(f"{line} --banks 16", "c")["cycles"])

    def test_the_seed_hashes_the_sparse_product(self):
        line = "--algorithm sparse --size 32 --m 16"
        found = [self.summary(f"{line} --seed {seed}", f"seed{seed}") for seed in range(6)]
        self.assertEqual(self.summary(line)["model"], found[1]["model"])
        self.assertGreater(len({f["model"]["cpu_ops"] for f in found}), 1)
        self.assertEqual(len({f["result"]["checksum"] for f in found}), 1)

    def test_the_best_leaf_is_the_default(self):
        line = "--algorithm strassen --size 128 --m 16 --no-check"
        found = self.summary(line)
        self.assertEqual((found["configuration"]["cutoff"], found["model"]["time"]), (32, 955392))
        for cutoff, time in ((4, 1784080), (32, 955392), (100, 962560), (128, 1032192)):
            self.assertEqual(self.summary(f"{line} --cutoff {cutoff}", f"cut{cutoff}")["model"]["time"], time)
        self.assertEqual(self.summary(f"{line} --latency 1000", "late")["configuration"]["cutoff"], 128)

    def test_weak_calls_have_q_rows(self):
        strong, weak = (self.summary(f"--size 16 --m 16 {option}")["model"] for option in ("", "--weak"))
        self.assertEqual((strong["calls"], strong["rows"]), (16, 256))
        self.assertEqual((weak["calls"], weak["rows"]), (64, 256))

    def test_overlap_is_labelled_and_changes_time_alone(self):
        line = "--algorithm dense --size 40 --m 16"
        one, both = self.summary(line), self.summary(f"{line} --overlap")
        self.assertLess(both["cycles"], one["cycles"])
        for key in ("model", "result"):
            self.assertEqual(one[key], both[key], key)
        self.assertIn("an extension of the papers' machine", self.succeeds(f"{line} --overlap").out)
        self.assertNotIn("overlap", self.succeeds(line).out)

    def test_nonzeros_are_those_asked_for(self):
        self.assertEqual(self.summary(self.lines_of_tables[0])["configuration"]["nonzeros"], 16)
