"""What a training step gives and takes."""
from testbench_program import load_json
from tnn_step_program import SMALL, TnnStepTest
from testbench_summary import DeviceSummarySchema

# MACs of UCF-TTM per sample: forward, and dG of G4 is as large as the step that consumes X.
FORWARD = 185991168 // 96
STORED = "--residency batch-blocked --between-passes store"


class Schema(DeviceSummarySchema, TnnStepTest):
    small_job = SMALL
    open_objects = ("/energy_pJ", "/options", "/layouts", "/area_um2", "/area_by_pitch_um2")
    spoils = (lambda s: s["plan"].pop("estimated_cycles"), lambda s: s["memory"].update(extra=1),
              lambda s: s["events"].pop("mac"), lambda s: s["phases"]["fp"].pop("cycles"), lambda s: s.pop("bound"),
              lambda s: s["training_memory"]["dense"].pop("activations"))

    def every_kind(self):
        return (SMALL, f"{SMALL} --phases fp", f"{SMALL} --phases fp,bp,wg --dx off", "--layer atis-tt",
                "--format ht --rows 2x3x2 --cols 3x2x2 --ranks 2 --batch 6 --block-samples 2",
                "--format bt --rows 3x4 --cols 4x3 --ranks 2 --blocks 3 --batch 4", f"{SMALL} --memory sram --no-overlap",
                f"{SMALL} --block-samples 4 --residency spill", f"{SMALL} --block-samples 4 --residency micro-batch",
                f"{SMALL} --block-samples 4 {STORED}",
                f"{SMALL} --block-samples 4 --residency batch-blocked --between-passes recompute",
                f"{SMALL} --layout banked --block-samples 2", f"{SMALL} --mode-orders natural --transpose-layer off",
                "--format tr --rows 3x2 --cols 2x3 --ranks 2 --batch 5 --sequence ascending --engines 4 --side 2")


class Result(TnnStepTest):
    def test_both_fidelities_are_the_same(self):
        for line in (SMALL, f"{SMALL} --block-samples 2", "--layer atis-tt --batch 8", "--layer ucf-tt --batch 2",
                     f"{SMALL} --block-samples 2 --residency spill", f"{SMALL} --block-samples 2 --residency micro-batch",
                     f"{SMALL} --mac-latency 3", "--format ttm --rows 16 --cols 16 --batch 64 --block-samples 16 --layout banked"):
            fast, detailed = (self.summary(f"{line} --fidelity {fidelity}") for fidelity in ("fast", "detailed"))
            for found in (fast, detailed):
                found.pop("simulation")
                found.pop("configuration")
            self.assertEqual(fast, detailed, line)
            self.assertTrue(fast["check"]["passed"], line)

    def test_memory_that_training_needs(self):
        # Cores of 4 x 4 x 3 and 3 x 4 x 6, X of 12 samples; dense 16 x 24.
        found = self.summary(SMALL)["training_memory"]
        for of, parameters in ((found, 120), (found["dense"], 384)):
            self.assertEqual([of[kind] for kind in ("masters", "copies", "gradients", "optimizer")],
                             [4 * parameters, 2 * parameters, 4 * parameters, 0])
        self.assertEqual(found["dense"]["activations"], 12 * 24 * 2)
        self.assertGreater(found["activations"], 12 * 24 * 2)
        self.assertIsNone(self.summary(f"{SMALL} --phases fp")["training_memory"])

    def test_macs_are_those_of_reverse_mode(self):
        plain = self.summary(f"--layer ucf-ttm --batch 2 {STORED}")
        self.assertEqual(plain["macs"], 2 * (469499904 // 96))
        self.assertEqual(self.summary(f"--layer ucf-ttm --batch 2 {STORED} --dx on")["macs"], 2 * 3 * FORWARD)
        self.assertEqual(self.summary("--layer ucf-ttm --batch 2 --phases fp")["macs"], 2 * FORWARD)
        self.assertEqual((plain["dx"], plain["conflict_cycles"]), (False, 0))

    def test_recomputed_macs_are_not_useful(self):
        whole = 2 * (469499904 // 96)
        for between, more in (("store", 0), ("recompute", 1)):
            line = f"--layer ucf-ttm --batch 2 --residency batch-blocked --between-passes {between}"
            found = self.summary(line)
            self.assertEqual(found["useful_macs"], whole)
            self.assertEqual(found["macs"] > whole, bool(more))
            self.assertAlmostEqual(found["useful_utilisation"], whole / 256 / found["cycles"], delta=1e-12)
            self.assertIn(f"without {found['macs'] - whole:,} recomputed MACs", self.succeeds(line).out)

    def test_estimate_is_near_the_device(self):
        for line in ("--layer ucf-ttm --batch 8", "--layer atis-tt", "--layer ucf-ht --batch 4", "--layer ucf-bt --batch 4"):
            found = self.summary(line)
            self.assertAlmostEqual(found["plan"]["estimated_energy_pJ"] / found["energy_pJ"]["total"], 1, delta=0.05, msg=line)
            self.assertEqual(found["plan"]["engine_cycles"], found["engine_cycles"], line)
            self.assertAlmostEqual(found["plan"]["estimated_cycles"] / found["cycles"], 1, delta=0.05, msg=line)

    def test_estimates_know_the_rows_that_gathers_open(self):
        for layer in ("wmt-tt-attention", "wmt-tt-ffn2"):
            self.succeeds(f"--layer {layer} --no-check --quiet --out files")
            found = load_json(self.path("files/summary.json"))
            self.assertAlmostEqual(found["plan"]["estimated_cycles"] / found["cycles"], 1, delta=0.04, msg=layer)

    def test_cores_that_leave_no_room_are_loaded_pass_by_pass(self):
        for layer in ("ucf-bt-d2 --batch 4", "bert-ttm-embedding --batch 4", "ucf-bt-d2 --batch 2 --layout banked",
                      "bert-ttm-embedding --batch 2 --phases fp"):
            found = self.summary(f"--layer {layer}")
            self.assertTrue(found["check"]["passed"], layer)
            self.assertEqual(found["plan"]["residency"], "spill", layer)
            self.assertAlmostEqual(found["plan"]["estimated_cycles"] / found["cycles"], 1, delta=0.05)

    def test_an_objective_is_made_small(self):
        found = {objective: self.summary(f"--layer atis-tt --objective {objective}")
                 for objective in ("latency", "energy", "edp")}
        energy = {objective: f["energy_pJ"]["total"] for objective, f in found.items()}
        self.assertEqual(min(found, key=lambda o: found[o]["cycles"]), "latency")
        self.assertLess(energy["energy"], energy["latency"])
        for f in found.values():
            self.assertTrue(f["check"]["passed"])

    def test_phases_sum_to_the_run(self):
        found = self.summary("--layer atis-tt")
        for field in ("cycles", "engine_cycles", "ideal_engine_cycles", "macs"):
            self.assertEqual(sum(phase[field] for phase in found["phases"].values()), found[field], field)
        for phase in found["phases"].values():
            self.assertEqual(sum(phase["cycles_by_cause"].values()), phase["cycles"])

    def test_whole_steps_are_near_their_bound(self):
        for line, most in (("--layer ucf-ttm --batch 16", 1.25), ("--layer atis-tt", 1.5)):
            found = self.summary(line)
            self.assertLessEqual(found["cycles"], most * max(found["bound"].values()), line)
            self.assertLessEqual(found["engine_cycles"], 1.1 * found["ideal_engine_cycles"], line)

    def test_a_wrong_bit_would_be_seen(self):
        self.assertGreater(self.summary(SMALL)["check"]["elements"], 1000)
