"""summary.json: its schema, and that it tells what happened."""
import numpy as np

from testbench_summary import SummaryContent, DeviceSummarySchema
from tucker_program import TuckerTest

COSTS = ("steps", "steps_skipped", "macs", "cycles", "time_ns", "energy_pJ")
HOOI = "--shape 9x8x7 --ranks 3x4x2 --method hooi --max-iterations 3 --fit-change 0"


class Schema(DeviceSummarySchema, TuckerTest):
    small_job = HOOI
    spoils = (lambda s: s["chains"][0].pop("macs"), lambda s: s["iterations"][1].update(extra=1),
              lambda s: s["ratios"].pop("energy"), lambda s: s["decomposition"].pop("fit"),
              lambda s: s["events"].pop("mac"), lambda s: s["decomposition"].update(fit=1.5),
              lambda s: s["expand"].update(energy_pJ=None))

    def is_open(self, path, node):
        return super().is_open(path, node) and "total" not in node.get("properties", {})

    def every_kind(self):
        self.save("x.npy", np.arange(60).reshape(3, 4, 5))
        return ("--shape 1x1x1 --ranks 1x1x1", "--input x.npy --tolerance 0.1", HOOI, f"{HOOI} --mesh 4x4x4",
                     f"{HOOI} --mesh 4x4x4 --double-buffer", f"{HOOI} --format f32 --sparsity dense",
                     "--shape 4x5x6 --fill known-rank --fill-ranks 2x2x2 --tolerance 1e-6 --method hosvd",
                     f"{HOOI} --fidelity detailed --technology 7nm --clock 0.7 --allow-overclock --vcd wave",
                     f"{HOOI} --zero-threshold 0.1", f"{HOOI} --seed 18446744073709551615 --vertical-mode 0 --strobe-energy")



class Content(SummaryContent, TuckerTest):
    lines_of_both_fidelities = (HOOI, f"{HOOI} --mesh 4x5x3 --double-buffer")

    def test_configuration_is_that_of_the_run(self):
        found = self.summary("--shape 5x6x7 --fill known-rank --fill-ranks 3x3x3 --noise 0.1 --ranks 2x3x2 "
                             "--method hooi --max-iterations 7 --fit-change 0.25 --order 231 --format f32 "
                             "--sparsity dense --mesh 4x8x4 --double-buffer --matrix-elements 1000 --fidelity detailed "
                             "--technology 7nm --clock 0.5 --allow-overclock --step-cycles 4 --load-elements 16 --line-extent active "
                             "--look-ahead 3 --port-aligner off --vertical-mode 1 --burst 64 "
                             "--memory sram --memory-latency 3 --memory-ports 2 --dma-width 64 --outstanding 5 --overlap-runs off --seed 77 --threads 2")["configuration"]
        options = found.pop("options")
        self.assertEqual(found.pop("options_given")["seed"], "77")
        self.assertIn("--technology", [entry["option"] for entry in found.pop("inputs")])
        self.assertGreater(found.pop("memory_bytes"), 4 * 2 * 210)
        self.assertEqual(found, {
            "source": "known-rank", "shape": [5, 6, 7], "method": "hooi", "ranks": [2, 3, 2], "tolerance": None,
            "max_iterations": 7, "fit_change": 0.25, "order": [2, 3, 1], "format": "f32", "sparsity": "dense",
            "zero_threshold": 0, "mesh": [4, 8, 4], "double_buffer": True, "matrix_elements": 1000,
            "fidelity": "detailed", "technology": "7nm", "leakage": 1, "voltage_V": None, "clock_period_ps": 2000, "mac_latency": 1, "step_cycles": 4, "look_ahead_rows": 3, "port_aligner": "off", "cell_registers": 2,
            "load_elements_per_cycle": 16, "dma_ports": 1, "line_extent": "active", "vertical_mode": 1, "memory": "sram", "memory_bandwidth_GB_per_s": None, "memory_latency_cycles": 3, "memory_ports": 2, "dma_width_bits": 64, "outstanding": 5, "overlap_runs": "off",
            "burst_bytes": 64, "seed": 77,
            "threads": 2})
        self.assertEqual((options["noise"], options["double-buffer"], options["fill-ranks"]), ("0.1", "true", "3x3x3"))

    def test_sources(self):
        self.save("x.npy", np.ones((2, 3, 4)))
        for line, source in (("--input x.npy", "file"), ("--shape 2x3x4", "random"), ("--shape 2x3x4 --fill ramp", "ramp"),
                             ("--shape 2x3x4 --fill sparse", "sparse")):
            self.assertEqual(self.summary(f"{line} --ranks 1x1x1")["configuration"]["source"], source)

    def test_chains_of_every_method(self):
        def chains(method):
            found = self.summary(f"--shape 9x8x7 --ranks 3x4x2 --method {method}")
            return [(c["purpose"], c["iteration"], c["modes"], c["from"], c["to"]) for c in found["chains"]]

        full, core, after = [9, 8, 7], [3, 4, 2], [("compress", None, [1, 2, 3], [9, 8, 7], [3, 4, 2]),
                                                   ("expand", None, [1, 2, 3], [3, 4, 2], [9, 8, 7])]
        start = [("decompose", 0, [1], full, [3, 8, 7]), ("decompose", 0, [2], [3, 8, 7], [3, 4, 7]),
                 ("decompose", 0, [3], [3, 4, 7], core)]
        self.assertEqual(chains("hosvd"), [("decompose", 0, [1, 2, 3], full, core)] + after)
        self.assertEqual(chains("st-hosvd"), start + after)
        self.assertEqual(chains("hooi --max-iterations 2 --fit-change 0"), start + [
            entry for i in (1, 2) for entry in (
                ("decompose", i, [2, 3], full, [9, 4, 2]), ("decompose", i, [1, 3], full, [3, 8, 2]),
                ("decompose", i, [1, 2], full, [3, 4, 7]), ("decompose", i, [3], [3, 4, 7], core))] + after)

    def test_costs_add_up(self):
        for line in (HOOI, f"{HOOI} --mesh 4x4x4 --double-buffer", "--shape 9x8x7 --tolerance 0.5"):
            found = self.summary(line)
            chains = found["chains"]
            self.assertEqual([chain["run"] for chain in chains], list(range(len(chains))))
            for key in COSTS:
                def total(select, name=key):
                    return sum(chain[name] for chain in chains if select(chain))

                near = {"delta": 1e-9 * total(lambda chain: True)} if key in ("energy_pJ", "time_ns") else {"delta": 0}
                for purpose in ("decompose", "compress", "expand"):
                    self.assertAlmostEqual(found[purpose][key], total(lambda c, p=purpose: c["purpose"] == p), **near)
                for entry in found["iterations"]:
                    self.assertAlmostEqual(entry[key], total(lambda c, e=entry: c["iteration"] == e["iteration"]),
                                           **near)
                whole = {"time_ns": found["simulated_time_ns"], "energy_pJ": found["energy_pJ"]["total"]}
                self.assertAlmostEqual(whole.get(key, found.get(key)), total(lambda chain: True), **near)
            self.assertEqual(sum(found["cycles_by_cause"].values()), found["cycles"])
            self.assertGreater(found["host_end_ns"], found["simulated_time_ns"])

    def test_ratios(self):
        found = self.summary(HOOI)
        for name, key in (("time", "time_ns"), ("energy", "energy_pJ")):
            one = found["compress"][key]
            self.assertEqual(found["ratios"][name], {"decompose_to_compress": found["decompose"][key] / one,
                                                     "expand_to_compress": found["expand"][key] / one})

    def test_compression(self):
        found = self.summary("--shape 10x20x30 --ranks 1x3x3")["decomposition"]
        self.assertEqual((found["elements"], found["elements_kept"]), (6000, 9 + 10 + 60 + 90))
        self.assertEqual(found["compression_ratio"], 6000 / 169)

    def test_steps_of_chains_are_the_summed_indices(self):
        for chain in self.summary(HOOI + " --sparsity dense")["chains"]:
            self.assertEqual(chain["steps"] + chain["steps_skipped"], sum(chain["from"][mode - 1] for mode in chain["modes"]))

    def test_macs_of_dense_data_are_those_of_the_products(self):
        for chain in self.summary(HOOI + " --order 123")["chains"]:
            sizes, macs = list(chain["from"]), 0
            for mode in chain["modes"]:
                macs += int(np.prod(sizes)) * chain["to"][mode - 1]
                sizes[mode - 1] = chain["to"][mode - 1]
            self.assertEqual(chain["macs"], macs)

    def test_double_buffering_saves_time_and_nothing_else(self):
        one, two = (self.summary(f"{HOOI} --mesh 4x4x4 {option}") for option in ("", "--double-buffer"))
        self.assertLess(two["cycles"], one["cycles"])
        self.assertEqual(one["transfers"]["overlapped_cycles"], 0)
        self.assertGreater(two["transfers"]["overlapped_cycles"], 0)
        self.assertEqual((one["decomposition"], one["macs"]), (two["decomposition"], two["macs"]))
