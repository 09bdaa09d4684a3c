"""Norms, pools, dropout, residual sums; decays, clipping and schedules; validation, early stopping, checkpoints: with the
bits of the host."""
import math
import signal
import subprocess
import time

from testbench_program import program_path
from tnn_training_program import BAD_INPUT, MANY_MODEL, SMALL_MODEL, TnnTrainingTest

# Nothing before the pool, the dropout and the residual sum has parameters.
FIRST = """batch: 96
optimizer: {rate: 0.1, weight_decay: 0.001, schedule: step, step_factor: 0.5}
layers:
  - {kind: pool, height: 8, width: 8, kernel: 2x2, function: FUNCTION}
  - {kind: dropout, rate: 0.1}
  - {kind: residual, layers: [{kind: dropout, rate: 0.1}, {format: dense, rows: 16, cols: 16, activation: relu}]}
  - {format: dense, rows: 10, cols: 16}
"""

# Too many parameters for banks of 4 KiB: they are updated in groups.
GROUPS = """epochs: 1
batch: 48
optimizer: {rate: 0.003, weight_decay: 0.1, clip_norm: 0.05}
layers:
  - {format: dense, rows: 48, cols: 64, activation: relu}
  - {kind: norm}
  - {format: dense, rows: 48, cols: 48, activation: relu}
  - {format: dense, rows: 10, cols: 48}
"""


class MoreLayersTest(TnnTrainingTest):
    outputs = ("--out files", "--save state")

    def passes(self, line):
        found = self.summary(line)
        self.assertEqual((found["check"]["passed"], found["check"]["same_bits"]), (True, True), line)
        return found


class Bits(MoreLayersTest):
    def test_every_kind_of_layer_learns(self):
        for more in ("", "--psum bf16", "--batch 31 --drop-last", "--optimizer sgd", "--layout banked"):
            losses = [epoch["training_loss"] for epoch in self.passes(f"--model many.yaml {more}")["epochs"]]
            self.assertLess(losses[1], 0.9 * losses[0], more)

    def test_both_fidelities(self):
        fast, detailed = (self.passes(f"--model many.yaml --epochs 1 --fidelity {fidelity}")
                          for fidelity in ("fast", "detailed"))
        self.assertEqual(*((f["cycles_by_cause"], f["events"], self.curve(f)) for f in (fast, detailed)))

    def test_blocks_and_spills(self):
        # With rate 0 the parameters stay: losses differ by nothing but the order of sums, masks are the same.
        self.save_text("still.yaml", MANY_MODEL.replace("rate: 0.01", "rate: 0"))
        for name in ("still", "many"):
            whole = self.passes(f"--model {name}.yaml --validation 0.1")
            for more in ("--block-samples 20", "--block-samples 16 --bank-bytes 8192", "--block-samples 1 --drop-last",
                         "--block-samples 7 --bank-bytes 4096 --layout banked", "--bank-bytes 4096"):
                found = self.passes(f"--model {name}.yaml --validation 0.1 {more}")
                if name == "many" or "--drop-last" in more:
                    continue
                for ours, theirs in zip(found["epochs"], whole["epochs"]):
                    for loss in ("training_loss", "validation_loss", "test_loss"):
                        self.assertAlmostEqual(ours[loss], theirs[loss], delta=1e-4, msg=more)

    def test_decay_and_clipping_of_groups(self):
        self.save_text("groups.yaml", GROUPS)
        for optimizer in ("sgd", "adam", "adamw"):
            one, several = (self.passes(f"--model groups.yaml --optimizer {optimizer} {more}")
                            for more in ("--block-samples 48", "--block-samples 48 --bank-bytes 4096"))
            self.assertEqual(self.curve(several), self.curve(one))
            self.assertGreater(several["cycles"], one["cycles"])

    def test_layers_before_any_parameter(self):
        for function in ("max", "average"):
            self.save_text("first.yaml", FIRST.replace("FUNCTION", function))
            losses = [epoch["training_loss"] for epoch in self.passes("--model first.yaml --epochs 3")["epochs"]]
            self.assertLess(losses[2], losses[0])
            self.passes("--model first.yaml --block-samples 40 --bank-bytes 4096")

    def test_resumed_is_as_never_stopped(self):
        whole = self.passes("--model many.yaml --epochs 3 --save whole")
        first, second = self.passes("--model many.yaml --epochs 1 --save part"), \
            self.passes("--model many.yaml --epochs 3 --resume part --save joined")
        self.assertEqual(self.curve(first) + self.curve(second), self.curve(whole))
        self.assertEqual(self.read_bytes("joined"), self.read_bytes("whole"))

    def test_dropout_is_of_training(self):
        # With rate 0 the parameters stay: the loss of the test set does, too, while that of training has other masks.
        self.save_text("still.yaml", MANY_MODEL.replace("rate: 0.01", "rate: 0"))
        epochs = self.passes("--model still.yaml --epochs 2")["epochs"]
        self.assertEqual(epochs[0]["test_loss"], epochs[1]["test_loss"])
        self.assertGreater(abs(epochs[0]["training_loss"] - epochs[1]["training_loss"]), 1e-4)

    def test_the_work_is_charged(self):
        # One unit at a time, so that no work hides behind other work.
        small = self.passes("--model small.yaml --no-overlap")
        for keys in ("weight_decay: 0.01", "clip_norm: 0.5", "warm_up: 10"):
            self.save_text("more.yaml", SMALL_MODEL.replace("momentum: 0.9", f"momentum: 0.9, {keys}"))
            more = self.passes("--model more.yaml --no-overlap")
            self.assertGreater(more["phases"]["update"]["cycles"], small["phases"]["update"]["cycles"], keys)
            self.assertGreater(more["phases"]["update"]["energy_pJ"], small["phases"]["update"]["energy_pJ"], keys)
            self.assertEqual(more["phases"]["bp"]["cycles"], small["phases"]["bp"]["cycles"], keys)
        # of 16 numbers of 48 samples in 30 steps, forward and back, a mask and a product
        self.save_text("more.yaml", SMALL_MODEL.replace("  - {name: output", "  - {kind: dropout}\n  - {name: output"))
        more = self.passes("--model more.yaml")
        self.assertEqual(more["events"]["vector_op"] - small["events"]["vector_op"], 4 * 30 * 48 * 16)


class Validation(MoreLayersTest):
    def test_samples_that_are_held_out(self):
        found = self.passes("--model small.yaml --validation 0.25 --epochs 2")
        self.assertEqual(found["configuration"]["validation"], {"share": 0.25, "samples": 359})
        self.assertEqual([epoch["steps"] for epoch in found["epochs"]], [math.ceil((1437 - 359) / 48)] * 2)
        for epoch in found["epochs"]:
            count = epoch["validation_accuracy"] * 359
            self.assertAlmostEqual(count, round(count), delta=1e-9)
            self.assertGreater(epoch["phases"]["validation"]["cycles"], 0)
        self.assertEqual(sum(epoch["phases"]["validation"]["cycles"] for epoch in found["epochs"]),
                         found["phases"]["validation"]["cycles"])
        self.assertEqual(sum(phase["cycles"] for phase in found["phases"].values()), found["cycles"])
        self.assertEqual([row["phase"] for row in self.rows("files/latency.csv")],
                         ["fp", "bp", "wg", "update", "test", "validation"] * 2)
        other = self.passes("--model small.yaml --validation 0.25 --epochs 2 --seed 2")
        self.assertNotEqual(found["epochs"][0]["validation_loss"], other["epochs"][0]["validation_loss"])

    def stopping(self, patience=2):
        """A run whose rate is so high that its validation loss does not fall for long."""
        self.save_text("high.yaml", SMALL_MODEL.replace("rate: 0.1", "rate: 0.5"))
        return f"--model high.yaml --epochs 40 --validation 0.2 --patience {patience}"

    def test_training_stops_early(self):
        found = self.passes(f"{self.stopping()} --save best")
        losses = [epoch["validation_loss"] for epoch in found["epochs"]]
        best = losses.index(min(losses))
        self.assertEqual(len(losses), best + 1 + 2)
        self.assertLess(len(losses), 40)
        self.assertEqual(found["early_stopping"], {"best_epoch": best + 1, "validation_loss": losses[best], "stopped": True,
                                                   "test_loss": found["epochs"][best]["test_loss"]})
        self.assertEqual(found["test_accuracy"], found["epochs"][best]["test_accuracy"])
        again = self.passes(self.stopping().replace("--epochs 40", f"--epochs {best + 1}") + " --save again")
        self.assertFalse(again["early_stopping"]["stopped"])
        self.assertEqual(self.read_bytes("best"), self.read_bytes("again"))

    def test_a_checkpoint_goes_on_as_if_never_stopped(self):
        line = self.stopping()
        whole = self.passes(f"{line} --save whole --checkpoint last")
        epochs = len(whole["epochs"])
        first = self.passes(line.replace("--epochs 40", f"--epochs {epochs - 1}") + " --checkpoint point")
        second = self.passes(f"{line} --resume point --save joined --checkpoint end")
        self.assertEqual(self.curve(first) + self.curve(second), self.curve(whole))
        self.assertEqual(second["early_stopping"], whole["early_stopping"])
        self.assertEqual(self.read_bytes("joined"), self.read_bytes("whole"))
        self.assertEqual(self.read_bytes("end"), self.read_bytes("last"))
        done = self.run_program(f"{line} --resume last")
        self.assertEqual(done.status, BAD_INPUT)
        self.assertRegex(done.err, r"^tnn_training: --resume is 'last', .* expected a patience above 2\n$")

    def test_checkpoints_of_every_third_epoch(self):
        self.passes("--model small.yaml --epochs 3 --save third")
        self.passes("--model small.yaml --epochs 5 --checkpoint point --checkpoint-every 3 --save fifth")
        self.assertEqual(self.read_bytes("point"), self.read_bytes("fifth"))  # the last one is written, too
        self.passes("--model small.yaml --epochs 3 --checkpoint point --checkpoint-every 3")
        self.assertEqual(self.read_bytes("point"), self.read_bytes("third"))

    def test_a_killed_run_leaves_its_checkpoint(self):
        line = "--model small.yaml --epochs 100000 --checkpoint point --no-check --quiet"
        with subprocess.Popen([program_path(self.program), *line.split()], cwd=self.directory,
                              stderr=subprocess.DEVNULL) as running:
            until = time.monotonic() + 60
            while len(self.snapshot().get("point", b"")) < 100 and time.monotonic() < until:
                time.sleep(0.05)
            running.send_signal(signal.SIGKILL)
        epochs = int.from_bytes(self.read_bytes("point")[80:88], "little")  # after the header and a length
        self.assertGreater(epochs, 0)
        self.passes(f"--model small.yaml --epochs {epochs + 1} --resume point --save joined")
        self.passes(f"--model small.yaml --epochs {epochs + 1} --save whole")
        self.assertEqual(self.read_bytes("joined"), self.read_bytes("whole"))


class Refusals(MoreLayersTest):
    def test_options(self):
        self.refuses("--model small.yaml --patience 3", "--patience is 3", "expected a validation set")
        self.refuses("--model small.yaml --validation 1", "--validation", "0 to 0.9")
        self.refuses("--model small.yaml --validation -0.1", "--validation", "0 to 0.9")
        self.refuses("--model small.yaml --checkpoint-every 2", "--checkpoint-every", "--checkpoint", "expected both")
        self.refuses("--model small.yaml --checkpoint point --checkpoint-every 0", "--checkpoint-every", "'0'")
        self.refuses("--model small.yaml --checkpoint state --save state", "--checkpoint", "--save")
        self.refuses("--model small.yaml --checkpoint missing/point", "--checkpoint", "missing")
        self.succeeds("--model small.yaml --validation 0.1 --save part --quiet")
        self.refuses("--model small.yaml --epochs 2 --resume part", "--resume", "another configuration")

    def test_optimizers(self):
        for before, after, words in (
                ("momentum: 0.9", "weight_decay: -1", ("weight_decay is -1", "0 to 1000")),
                ("momentum: 0.9", "clip_norm: .nan", ("changed.yaml:4", "'.nan'")),
                ("momentum: 0.9", "schedule: exponential", ("changed.yaml:4", "one of constant, step, cosine")),
                ("momentum: 0.9", "step_factor: 2", ("step_factor is 2", "0 to 1")),
                ("momentum: 0.9", "least_rate: 0.2", ("least_rate is 0.2", "0 to 0.1")),
                ("momentum: 0.9", "warm_up: 0.5", ("changed.yaml:4", "'0.5'")),
                ("momentum: 0.9", "step_epochs: 0", ("step_epochs is 0", "from 1"))):
            self.refuses(f"--model {self.save_model((before, after))}", "--model", *words)

    def test_layers(self):
        for layer, words in (
                ("{kind: pool, height: 8, width: 8, kernel: 9x9}", ("kernel is 9x9", "at most the 8x8")),
                ("{kind: pool, height: 8, width: 8, kernel: 2}", ("changed.yaml:6", "2x2, or global")),
                ("{kind: pool, height: 8, width: 8, kernel: 2x2, padding: 2}", ("padding is 2", "half of the kernel")),
                ("{kind: pool, height: 8, width: 8, kernel: 2x2, stride: 0}", ("changed.yaml:6", "'0'")),
                ("{kind: pool, height: 8, width: 8, function: median}", ("changed.yaml:6", "one of max, average")),
                ("{kind: norm, frames: 3, features: 21}", ("layer hidden has 64 inputs", "the 63 outputs")),
                ("{kind: norm, features: 64, epsilon: 0}", ("epsilon is 0", "1e-30")),
                ("{kind: activation}", ("features is 0", "from 1")),
                ("{kind: activation, features: 64, function: max}", ("'max'", "one of none, relu, sigmoid, tanh, gelu")),
                ("{kind: dropout}", ("features is 0", "from 1")),
                ("{kind: dropout, features: 64, rate: 1}", ("rate is 1", "0 to 0.999")),
                ("{kind: residual}", ("no layer", "expected at least one")),
                ("{kind: residual, layers: 3}", ("changed.yaml:6", "a list of layers")),
                ("{kind: residual, layers: [{format: dense, rows: 16, cols: 64}]}", ("16 outputs", "the 64 inputs")),
                ("{kind: residual, layers: [" * 3 + "{kind: norm, features: 64}" + "]}" * 3, ("nested 3 deep", "at most 2")),
                ("{kind: residual, layers: [{kind: embedding, frames: 64}]}", ("takes tokens",))):
            text = SMALL_MODEL.replace("  - {name: hidden", f"  - {layer}\n  - {{name: hidden")
            self.refuses(f"--model {self.save_text('changed.yaml', text)}", "--model", *words)
