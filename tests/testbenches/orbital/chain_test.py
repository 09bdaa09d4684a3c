"""--chain-file and --threshold on the torus: values against numpy, both devices on the same steps, batches."""
import numpy as np

import transform_oracle as oracle
from orbital_program import OrbitalTest

SHAPE = (4, 6, 5)


class Chains(OrbitalTest):
    def setUp(self):
        super().setUp()
        self.x = oracle.random(SHAPE)
        self.save("x.npy", self.x)
        self.save("a.npy", oracle.random((4, 6, 7), 2))
        self.save("b.npy", oracle.random((4, 6, 7), 3))

    def chain(self, steps):
        self.save_text("c.yaml", "chain:\n" + steps)

    def every_step(self):
        """A chain of every kind of step, and its result."""
        self.chain("  - transform: [dct, dst, dht]\n    out_shape: 4x6x7\n  - multiply: a.npy\n  - add: b.npy\n    scale: -0.5\n"
                   "  - threshold: 0.25\n  - relu: true\n  - scale: 2\n  - transform: dct\n    out_shape: 4x6x5\n"
                   "  - transform: dst\n")
        y = oracle.transform(self.x, ["dct", "dst", "dht"], out_shape=(4, 6, 7)) * self.load("a.npy") - 0.5 * self.load("b.npy")
        y = 2 * np.where(abs(y) <= 0.25, 0, np.maximum(y, 0))
        return oracle.transform(oracle.transform(y, ["dct"] * 3, out_shape=SHAPE), ["dst"] * 3)

    def test_every_step(self):
        y = self.every_step()
        for options in ("", "--grid 2", "--block 1", "--fidelity detailed --grid 3", "--overlap sliced", "--schedule +-+",
                        "--batch 3", "--batch 3 --double-buffer"):
            with self.subTest(options):
                self.succeeds(f"--input x.npy --chain-file c.yaml {options} --quiet --output y.npy")
                found = self.load("y.npy")
                for one in found if "batch" in options else [found]:
                    self.assert_near(one, y, 1e-13)

    def test_both_devices_run_the_same_steps(self):
        self.every_step()
        found = self.summary("--input x.npy --chain-file c.yaml --compare triada")
        torus, triada = found["runs"]
        self.assertEqual([step["step"] for step in torus["chain"]], [step["step"] for step in triada["chain"]])
        self.assertTrue(found["check"]["passed"])
        self.assertEqual(found["configuration"]["transform"], "chain")
        for run in (torus, triada):
            self.assertEqual(sum(step["cycles"] for step in run["chain"]) + run["cycles_by_cause"]["fetch"], run["cycles"])

    def test_threshold_between(self):
        coefficients = oracle.transform(self.x, ["dct"] * 3)
        threshold = float(np.median(abs(coefficients))) * (1 + 1e-9)
        coefficients[abs(coefficients) <= threshold] = 0
        self.succeeds(f"--input x.npy --chain --threshold {threshold!r} --quiet --output y.npy")
        self.assert_near(self.load("y.npy"), oracle.transform(coefficients, ["dct"] * 3, inverse=True), 1e-13)

    def test_titles_name_every_step(self):
        for line, title in (("--chain --threshold 0.1", "transform dct,dct,dct; threshold 0.1; conjugate transpose of step 1"),
                            ("--chain --inverse", "inverse transform dct,dct,dct; conjugate transpose of step 1"),
                            ("--chain-file c.yaml", "transform dct,dct,dct (norm backward); relu; transform dct,dct,dct (order 213)")):
            self.chain("  - transform: dct\n    norm: backward\n  - relu: true\n  - transform: dct\n")
            self.assertIn(f"orbital: {title}, 4 x 6 x 5, f64", self.succeeds(f"--input x.npy {line}").out.splitlines()[0])

    def test_an_operation_takes_a_pass_over_the_blocks(self):
        self.chain("  - transform: dct\n  - relu: true\n  - transform: dct\n")
        found = self.summary("--input x.npy --chain-file c.yaml --grid 2 --macs-per-cycle 4 --mac-latency 5")
        cycles = -(-2 * 3 * 3 // 4) + 5 - 1  # of blocks of 2 x 3 x 3
        self.assertEqual(found["runs"][0]["chain"][1]["cycles"], cycles)

    def test_fidelities_agree_in_everything(self):
        self.every_step()
        found = [self.summary(f"--input x.npy --chain-file c.yaml --grid 2 --batch 3 --double-buffer --fidelity {fidelity}",
                              fidelity) for fidelity in ("fast", "detailed")]
        for field in ("cycles", "cycles_by_cause", "events", "transfers", "energy_pJ", "check"):
            self.assertEqual(found[0][field], found[1][field], field)

    def test_a_resident_operand_is_loaded_once(self):
        for resident, loads in (("true", 1), ("false", 4)):
            self.chain(f"  - transform: dct\n    out_shape: 4x6x7\n  - multiply: a.npy\n    resident: {resident}\n"
                       "  - transform: dct\n    out_shape: 4x6x5\n")
            found = self.summary("--input x.npy --chain-file c.yaml --batch 4")
            self.assertEqual(found["transfers"]["elements_loaded"], 4 * 120 + loads * 168)

    def test_tensors_of_a_batch_move_beside_the_work_on_others(self):
        base = "--shape 8x8x8 --grid 2 --batch 4 --memory sram --chain --threshold 0.1"
        plain, beside = (self.summary(f"{base} {more}", f"run{more}") for more in ("", "--double-buffer"))
        self.assertEqual(plain["transfers"]["overlapped_cycles"], 0)
        self.assertGreater(beside["transfers"]["overlapped_cycles"], plain["transfers"]["load_cycles"] // 2)
        self.assertLess(beside["cycles"], plain["cycles"])
        self.assertTrue(beside["check"]["passed"])
