"""--chain, --threshold, --chain-file: values against numpy, what a step takes, batches, refusals."""
import re

import numpy as np

import transform_oracle as oracle
from dxt_program import BAD_INPUT, DxtTest

SHAPE = (4, 6, 5)


def matrix_steps(*names):
    return "".join(f"  - transform: {name}\n" for name in names)


class ChainTest(DxtTest):
    def setUp(self):
        super().setUp()
        self.x = oracle.random(SHAPE)
        self.save("x.npy", self.x)

    def chain(self, steps, name="c.yaml"):
        return self.save_text(name, "chain:\n" + steps)


class Values(ChainTest):
    def test_there_and_back_is_the_identity(self):
        for options in ("", "--transform dst,dht,dct --order 231", "--transform dft --inverse", "--fidelity detailed",
                        "--sparsity dense", "--transform dct,none,dct", "--out-shape 5x7x6"):
            with self.subTest(options):
                y = self.output(f"--input x.npy --chain {options}")
                self.assert_near(y, self.x, 1e-14)

    def test_threshold_between(self):
        coefficients = oracle.transform(self.x, ["dct"] * 3)
        threshold = float(np.median(abs(coefficients))) * (1 + 1e-9)
        coefficients[abs(coefficients) <= threshold] = 0
        for options in ("", "--sparsity dense", "--fidelity detailed"):
            y = self.output(f"--input x.npy --chain --threshold {threshold!r} {options}")
            self.assert_near(y, oracle.transform(coefficients, ["dct"] * 3, inverse=True), 1e-13)

    def test_every_step(self):
        a, b = oracle.random((4, 6, 7), 2), oracle.random((4, 6, 7), 3)
        self.save("a.npy", a)
        self.save("b.npy", b)
        w = self.save("w.npy", oracle.random((6, 3), 4))
        self.chain("  - scale: 2\n  - transform: [dct, none, dht]\n    out_shape: 4x6x7\n    order: 123\n"
                   "  - multiply: a.npy\n  - add: b.npy\n    scale: -0.5\n  - threshold: 0.25\n  - relu: true\n"
                   f"  - transform: [none, \"file:{w}\", none]\n    out_shape: 4x3x7\n")
        y = oracle.transform(2 * self.x, ["dct", "identity", "dht"], out_shape=(4, 6, 7)) * a - 0.5 * b
        y = np.einsum("abc,bd->adc", np.where(abs(y) <= 0.25, 0, np.maximum(y, 0)), self.load("w.npy"))
        for options in ("", "--sparsity dense", "--fidelity detailed", "--batch 3 --double-buffer"):
            with self.subTest(options):
                found = self.output(f"--input x.npy --chain-file c.yaml {options}")
                for one in found if "batch" in options else [found]:
                    self.assert_near(one, y, 1e-13)

    def test_complex_filter(self):
        phase = np.exp(1j * oracle.random(SHAPE, 5))
        self.save("phase.npy", phase)
        self.chain("  - transform: dft\n  - multiply: phase.npy\n  - scale: [0.5, -1]\n  - threshold: 0.5\n"
                   "  - transform: dft\n    inverse: true\n")
        spectrum = np.fft.fftn(self.x, norm="ortho") * phase * (0.5 - 1j)
        spectrum[abs(spectrum) <= 0.5] = 0
        y = self.output("--input x.npy --chain-file c.yaml")
        self.assert_near(y, np.fft.ifftn(spectrum, norm="ortho"), 1e-13)

    def test_low_precision_is_checked_to_the_bit(self):
        self.save("i.npy", np.arange(64).reshape(4, 4, 4) % 7 - 3)
        self.chain("  - transform: dwht\n    norm: backward\n    shift: [1, 1, 1]\n  - add: i.npy\n    scale: 2\n    shift: 1\n"
                   "  - threshold: 2\n  - multiply: i.npy\n    shift: 2\n  - relu: true\n"
                   "  - transform: dwht\n    norm: backward\n    shift: [1, 2, 3]\n")
        for options in ("--format int8", "--format int8 --result-format element", "--format bf16", "--format f32"):
            shifts = options.startswith("--format int8")
            text = self.read_bytes("c.yaml").decode()
            if not shifts:
                text = "".join(line + "\n" for line in text.splitlines() if "shift" not in line)
            self.save_text("d.yaml", text)
            with self.subTest(options):
                found = self.summary(f"--shape 4x4x4 --chain-file d.yaml {options}")
                self.assertTrue(found["check"]["passed"])
                if shifts:
                    self.assertEqual((found["check"]["bound"], found["check"]["max_abs_error"]), (0, 0))

    def test_keep_applies_to_the_result(self):
        found = self.summary("--input x.npy --chain --keep 0.5")
        self.assertEqual(found["kept"], 60)


class Counts(ChainTest):
    def test_a_chain_loads_and_stores_once(self):
        alone = self.summary("--input x.npy --memory sram")
        chain = self.summary("--input x.npy --memory sram --chain --threshold 0.1", "chain")
        for count in ("elements_loaded", "elements_unloaded", "load_cycles", "unload_cycles"):
            self.assertEqual(chain["transfers"][count], alone["transfers"][count])
        self.assertEqual([step["step"] for step in chain["chain"]],
                         ["transform dct,dct,dct", "threshold 0.1", "conjugate transpose of step 1"])
        self.assertIsNone(chain["stages"])
        self.assertIsNone(alone["chain"])
        self.assertEqual(chain["configuration"]["chain"], [step["step"] for step in chain["chain"]])
        fetch = chain["cycles_by_cause"]["fetch"]
        self.assertEqual(sum(step["cycles"] for step in chain["chain"]) + fetch, chain["cycles"])
        for field in ("steps", "steps_skipped", "macs", "macs_skipped"):
            self.assertEqual(sum(step[field] for step in chain["chain"]), chain[field])

    def test_an_operation_on_elements_is_one_time_step(self):
        self.save("f.npy", np.where(oracle.random(SHAPE, 6) < 0, 0, 1.5))
        volume, nonzero = 120, int(np.count_nonzero(self.load("f.npy")))
        done = {"multiply: f.npy": nonzero, "add: f.npy": nonzero, "scale: 2": volume, "threshold: 0.1": 0, "relu: true": 0}
        for sparsity in ("esop", "dense"):
            for text, macs in done.items():
                with self.subTest(text, sparsity=sparsity):
                    self.chain(f"  - {text}\n")
                    found = self.summary(f"--input x.npy --chain-file c.yaml --sparsity {sparsity} --step-cycles 5")
                    compares = "threshold" in text or "relu" in text
                    if sparsity == "dense" and not compares:
                        macs = volume
                    self.assertEqual((found["steps"], found["cycles_by_cause"]["compute"]), (1, 5))
                    self.assertEqual(found["macs"], macs)
                    self.assertEqual(found["macs_skipped"], 0 if compares else volume - macs)
                    self.assertEqual(found["chain"][0]["compares"], volume if compares else 0)

    def test_zeros_of_a_relu_are_skipped(self):
        self.chain("  - relu: true\n  - transform: [none, none, dct]\n")
        positive = np.count_nonzero(self.x > 0)
        dct = oracle.matrix("dct", 5)
        # an operand that is not 0 meets the coefficients of its row that are not 0
        macs = sum(np.count_nonzero(abs(dct[k]) > 1e-12) for k in np.nonzero(self.x > 0)[2])
        found = self.summary("--input x.npy --chain-file c.yaml")
        self.assertEqual(found["chain"][1]["macs"], macs)
        self.assertLess(macs, positive * 6)

    def test_fidelities_agree_in_everything(self):
        self.save("f.npy", oracle.random(SHAPE, 7))
        self.chain("  - transform: dct\n  - multiply: f.npy\n    resident: true\n  - threshold: 0.2\n"
                   "  - transform: dct\n    inverse: true\n")
        for options in ("--input x.npy --chain-file c.yaml --batch 3 --double-buffer", "--input x.npy --chain --batch 2"):
            found = [self.summary(f"{options} --fidelity {fidelity}", fidelity) for fidelity in ("fast", "detailed")]
            for field in ("cycles", "cycles_by_cause", "events", "chain", "transfers", "energy_pJ", "check"):
                self.assertEqual(found[0][field], found[1][field], field)
            self.assertEqual(self.read_bytes("fast/latency.csv"), self.read_bytes("detailed/latency.csv"))

    def test_matrices_that_are_there_are_not_loaded_again(self):
        def cycles(line):
            return self.summary(f"--input x.npy --memory sram {line}")["cycles_by_cause"]["matrices"]

        one = cycles("--transform dht")
        self.assertEqual(cycles("--transform dht --chain"), one)  # symmetric: the way back has the same
        self.assertEqual(cycles("--transform dct --chain"), 2 * one)
        self.chain("  - transform: [dct, none, none]\n  - transform: [none, dct, none]\n  - transform: [none, none, dct]\n")
        self.assertEqual(cycles("--chain-file c.yaml --batch 4"), one)

    def test_a_resident_operand_is_loaded_once(self):
        self.save("f.npy", oracle.random(SHAPE, 7))
        for resident, loads in (("true", 1), ("false", 4)):
            self.chain(f"  - transform: dct\n  - multiply: f.npy\n    resident: {resident}\n  - transform: dct\n")
            found = self.summary("--input x.npy --chain-file c.yaml --batch 4")
            self.assertEqual(found["transfers"]["elements_loaded"], (4 + loads) * 120)


class Names(ChainTest):
    def title(self, line):
        return self.succeeds(f"--input x.npy {line}").out.splitlines()[0]

    def test_different_computations_have_different_titles(self):
        self.chain("  - transform: dct\n    norm: backward\n  - transform: dct\n    norm: backward\n    inverse: true\n")
        self.assertIn("dxt: transform dct,dct,dct (norm backward); inverse transform dct,dct,dct (norm backward), 4 x 6 x 5, f64",
                      self.title("--chain-file c.yaml"))
        self.assertIn("dxt: transform dct,dct,dct (norm backward); conjugate transpose of step 1, 4 x 6 x 5, f64",
                      self.title("--chain --norm backward"))
        self.assertIn("dxt: inverse transform dct,dct,dct (order 123); threshold 0.5; conjugate transpose of step 1, 4 x 6 x 5",
                      self.title("--chain --inverse --order 123 --threshold 0.5"))

    def test_the_configuration_names_all_of_a_step(self):
        self.save("i.npy", np.ones(SHAPE, np.int8))
        self.chain("  - transform: identity\n    shift: [0, 1, 2]\n  - multiply: i.npy\n    resident: true\n    shift: 3\n")
        found = self.summary("--shape 4x6x5 --format int8 --chain-file c.yaml")
        self.assertEqual(found["configuration"]["chain"],
                         ["transform identity,identity,identity (shift 0,1,2)", "multiply i.npy (resident, shift 3)"])


class BesideWork(ChainTest):
    def test_tensors_of_a_batch_move_beside_the_work_on_others(self):
        base = "--shape 8x8x8 --batch 4 --memory sram --step-cycles 20"
        for chain in ("", "--chain", "--chain --threshold 0.1"):
            with self.subTest(chain):
                plain, beside = (self.summary(f"{base} {chain} {more}", f"run{more}") for more in ("", "--double-buffer"))
                self.assertEqual(plain["transfers"]["overlapped_cycles"], 0)
                hidden = beside["transfers"]["overlapped_cycles"]
                one = plain["transfers"]["load_cycles"] // 4 + plain["transfers"]["unload_cycles"] // 4
                self.assertGreater(hidden, 2 * one)  # all but the first load and the last store, nearly
                self.assertLess(beside["cycles"], plain["cycles"] - 2 * one)
                self.assertEqual(beside["macs"], plain["macs"])
                y = self.output(f"{base} {chain}")
                self.assert_equal(self.output(f"{base} {chain} --double-buffer"), y)

    def test_the_next_tensor_takes_no_register_of_a_transform(self):
        self.save("f.npy", oracle.random(SHAPE, 7))
        for steps in ("  - transform: dct\n  - threshold: 0.1\n", "  - transform: dct\n  - multiply: f.npy\n",
                      "  - transform: [dct, none, none]\n  - multiply: f.npy\n"):
            with self.subTest(steps):
                self.chain(steps)
                line = "--shape 4x6x5 --batch 3 --double-buffer --chain-file c.yaml --memory sram"
                self.assert_equal(self.output(f"{line} --cell-registers 1"), self.output(f"{line} --cell-registers 8"))

    def test_no_effect_on_one_tensor_or_a_chain_that_begins_with_an_operation(self):
        self.chain("  - relu: true\n  - transform: dct\n")
        for line in ("--shape 6x6x6", "--shape 6x6x6 --chain", "--shape 6x6x6 --batch 2 --chain-file c.yaml"):
            plain, beside = (self.summary(f"{line} {more}", f"run{more}") for more in ("", "--double-buffer"))
            self.assertEqual(beside["cycles"], plain["cycles"], line)


class Refusals(ChainTest):
    def test_bad_chains(self):
        self.save("small.npy", oracle.random((4, 6, 4)))
        self.save("nan.npy", np.full(SHAPE, np.nan))
        cases = [("  - transform: fft\n", ("step 1: c.yaml:2: transform 'fft' found", "expected one of dft")),
                 ("  - relu: true\n  - multiply: small.npy\n",
                  ("step 2: c.yaml:3: small.npy is 4 x 6 x 4, expected 4 x 6 x 5",)),
                 ("  - transform: dct\n    out_shape: 4x6x7\n  - add: small.npy\n", ("step 2", "expected 4 x 6 x 7")),
                 ("  - threshold: -1\n", ("step 1: c.yaml:2: found '-1'", "not negative")),
                 ("  - relu: true\n    scale: 2\n", ("step 1: c.yaml:3: found 'scale'", "exactly one of")),
                 ("  - multiply: none.npy\n", ("step 1", "none.npy", "no such file")),
                 ("  - multiply: nan.npy\n", ("step 1: c.yaml:2: nan.npy: element (0,0,0) is nan", "expected finite")),
                 ("  - transform: [\"file:small.npy\", none, none]\n", ("step 1: c.yaml:2: small.npy",)),
                 ("  - relu: true\n  - transform: [\"file:wide.npy\", none, none]\n", ("step 2: c.yaml:3: wide.npy", "5 x 4")),
                 ("  - relu: true\n  - threshold:\n  - relu: true\n", ("step 2: c.yaml:3: ", "a single value")),
                 ("  - transform: dct\n  - transform: dwht\n", ("step 2: c.yaml:3: ", "power of two"))]
        self.save("wide.npy", np.ones((5, 4)))
        for steps, words in cases:
            with self.subTest(steps):
                self.chain(steps)
                self.refuses("--input x.npy --chain-file c.yaml", "--chain-file: ", *words)
        self.save_text("c.yaml", "chain:\n\n\nx: 1\n")
        self.refuses("--input x.npy --chain-file c.yaml", "c.yaml:1: found nothing, expected a list of steps")
        self.save_text("c.yaml", "chain: []\n")
        self.refuses("--input x.npy --chain-file c.yaml", "c.yaml:1: found a list, expected at least one step")

    def test_steps_that_the_format_or_the_cells_have_not(self):
        self.save("f.npy", oracle.random(SHAPE, 7))
        self.save("large.npy", np.full(SHAPE, 300))
        for steps, options, words in (
                ("  - transform: dft\n  - relu: true\n", "", ("step 2: c.yaml:3: relu of complex numbers",)),
                ("  - relu: true\n  - scale: [0, 1]\n", "--format f64",
                 ("--format is 'f64'", "complex", "because step 2 (c.yaml:3) is complex")),
                ("  - scale: 0.5\n", "--format int8 --fill ramp", ("step 1: c.yaml:2: scale 0.5 found",)),
                ("  - add: large.npy\n", "--format int8 --fill ramp", ("--chain-file: step 1: c.yaml:2: ", "large.npy", "300")),
                ("  - relu: true\n    shift: 1\n", "", ("step 1: c.yaml:2: a shift found", "f64")),
                ("  - multiply: f.npy\n    resident: true\n  - add: f.npy\n  - multiply: f.npy\n", "--batch 2",
                 ("step 2: c.yaml:4: an operand found", "beside that of step 1: c.yaml:2", "a device keeps one")),
                ("  - transform: dct\n  - multiply: f.npy\n    resident: true\n  - transform: dct\n",
                 "--batch 2 --cell-registers 1", ("--chain-file needs 4 registers of a cell, which has 3", "--cell-registers 2")),
                ("  - transform: dct\n    out_shape: 9x6x5\n  - transform: dct\n    out_shape: 4x6x5\n", "--mesh 8x8x8",
                 ("--chain-file", "9 x 6 x 5", "8 x 8 x 8 cells")),
                ("  - transform: dct\n", "--matrix-elements 20",
                 ("step 1: c.yaml:2: the matrix of mode", "--matrix-elements"))):
            with self.subTest(steps):
                self.chain(steps)
                problem = "--shape 4x6x5" if "ramp" in options else "--input x.npy"
                self.refuses(f"{problem} --chain-file c.yaml {options}", *words)

    def test_steps_made_from_options_name_these(self):
        for line, words in (("--chain --transform dwht", ("--chain: step 1: --transform: ", "power of two")),
                            ("--chain --transform identity --format int8 --threshold 0.5",
                             ("--chain: step 2: --threshold: threshold 0.5 found", "an integer"))):
            self.refuses(f"--shape 4x6x5 {line}", *words)

    def test_a_complex_factor_needs_a_complex_format(self):
        self.save("zero.npy", np.zeros(SHAPE))
        for steps, factor in (("  - scale: [0, 1]\n", 1j), ("  - scale: 2\n  - add: zero.npy\n    scale: [0, 1]\n", 2 + 0j)):
            self.chain(steps)
            found = self.output("--input x.npy --chain-file c.yaml")
            self.assertTrue(np.iscomplexobj(found))
            self.assert_equal(found, factor * self.x)

    def test_options_that_exclude_each_other(self):
        self.chain("  - relu: true\n")
        for line, words in (("--threshold 0.1", ("--threshold", "--chain")),
                            ("--threshold 0.1 --chain=false", ("--threshold", "without --chain")),
                            ("--chain --threshold -1", ("--threshold", "-1")),
                            ("--chain --chain-file c.yaml", ("--chain-file", "--chain", "without")),
                            ("--chain-file c.yaml --transform dct", ("--transform", "--chain-file", "without")),
                            ("--chain-file c.yaml --shift 1,1,1 --format int8", ("--shift", "--chain-file")),
                            ("--chain --initial x.npy", ("--initial", "--chain")),
                            ("--chain --tags reverse", ("--tags", "--chain")),
                            ("--chain --mesh 4x4x4", ("--chain", "4 x 6 x 5", "4 x 4 x 4 cells")),
                            ("--chain-file none.yaml", ("none.yaml", "no such file")),
                            ("--chain-file x.npy", ("x.npy", "YAML"))):
            with self.subTest(line):
                self.refuses(f"--input x.npy {line}", *words)

    def test_a_flag_that_is_false_excludes_nothing(self):
        self.chain("  - relu: true\n")
        found = self.summary("--input x.npy --chain-file c.yaml --chain=false --inverse=false")
        self.assertEqual(found["configuration"]["chain"], ["relu"])

    def test_a_program_that_is_too_long_names_the_largest_batch(self):
        for line, steps in (("--chain", 2), ("--chain --threshold 0.1", 3)):
            done = self.refuses(f"--shape 2x2x2 --batch 19000 {line}", "--batch is '19000'")
            most = int(re.search("an integer from 1 to ([0-9]+)", done.err)[1])
            self.assertLess(most, 19784 // (steps - 1))
            self.refuses(f"--shape 2x2x2 --batch {most + 1} {line}", f"from 1 to {most}: ")
            self.succeeds(f"--shape 2x2x2 --batch {most} {line} --no-check --quiet --sparsity dense")
        self.chain("  - relu: true\n" * 60000)
        self.refuses("--shape 2x2x2 --chain-file c.yaml", "a tensor takes", "bytes of commands", "16777216")

    def test_an_output_is_no_input_of_the_chain(self):
        self.save("f.npy", oracle.random(SHAPE, 7))
        self.chain("  - multiply: f.npy\n")
        for output in ("f.npy", "c.yaml"):
            self.fails_with(BAD_INPUT, f"--input x.npy --chain-file c.yaml --output {output}", "--output", "--chain-file")


class Replay(ChainTest):
    def test_the_inputs_of_a_chain_are_recorded_and_must_be_the_same(self):
        self.save("f.npy", oracle.random(SHAPE, 7))
        self.chain("  - transform: dct\n  - multiply: f.npy\n")
        found = self.summary("--input x.npy --chain-file c.yaml")
        self.assertEqual([entry["name"] for entry in found["configuration"]["inputs"] if entry["option"] == "--chain-file"],
                         ["c.yaml", "f.npy"])
        again = self.summary("--config files/summary.json", "again")
        self.assertEqual(again["cycles"], found["cycles"])
        self.save("f.npy", oracle.random(SHAPE, 8))
        done = self.run_program("--config files/summary.json --quiet")
        self.assertEqual(done.status, BAD_INPUT)
        self.assertIn("f.npy", done.err)
