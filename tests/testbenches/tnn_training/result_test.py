"""What tnn_training learns, and that it does so bit by bit."""
import gzip
import math
import os
import re
import struct
import subprocess
import sys

import jsonschema
import numpy as np

from testbench_summary import SummaryContent, DeviceSummarySchema
from tnn_training_program import BAD_INPUT, PICTURE_MODEL, RIGHT, SOURCE, TnnTrainingTest, load_json

SMALL = "--model small.yaml"
LSTM = "--model lstm.yaml"
TRAINING = ("fp", "bp", "wg", "update")
ENCODER = "data: digits\nbatch: 24\noptimizer: {kind: adam, rate: 0.01}\nlayers:\n" \
          "  - {name: encoder, kind: encoder, frames: 8, features: 8, heads: 2, hidden: 12}\n" \
          "  - {name: output, format: dense, rows: 10, cols: 64}\n"


class Schema(DeviceSummarySchema, TnnTrainingTest):
    small_job = SMALL
    spoils = (lambda s: s["epochs"][0].pop("test_loss"), lambda s: s["epochs"][0]["training"].update(extra=1),
              lambda s: s["events"].pop("mac"), lambda s: s.pop("dense_parameters"),
              lambda s: s["configuration"]["layers"][0].pop("kind"), lambda s: s["epochs"][0]["phases"].pop("wg"),
              lambda s: s["phases"]["test"].pop("read_bytes"), lambda s: s["memory"]["layers"][0].pop("activations"),
              lambda s: s["memory"]["dense"].pop("total"),
              lambda s: s.update(test_accuracy=1.5))

    def every_kind(self):
        return (SMALL, "--epochs 1", "--model digits-tt --epochs 1", "--model digits-dense --epochs 1",
                "--model digits-encoder --epochs 1",
                f"{SMALL} --optimizer adam --drop-last", f"{SMALL} --psum bf16 --memory sram --no-overlap",
                f"{SMALL} --engines 4 --side 8 --fidelity detailed", f"{SMALL} --layout banked --buffer-cycles 1", f"{SMALL} --batch 7 --no-check", "--model tokens.yaml",
                "--model pictures.yaml", LSTM, "--model many.yaml --validation 0.1 --patience 1")


class Result(SummaryContent, TnnTrainingTest):
    lines_of_both_fidelities = (SMALL, f"{SMALL} --layout banked --buffer-cycles 2 --mac-latency 3", f"{SMALL} --optimizer adam --batch 40", f"{SMALL} --psum bf16 --epochs 2",
                                "--epochs 1 --drop-last", "--model digits-tt --epochs 1", LSTM, "--model tokens.yaml",
                                "--model tokens.yaml --batch 48 --psum bf16 --optimizer sgd", "--model pictures.yaml",
                                "--model pictures.yaml --batch 200 --psum bf16 --drop-last")

    def passes(self, line):
        found = self.summary(line)
        self.assertEqual((found["check"]["passed"], found["check"]["same_bits"]), (True, True), line)
        return found

    def test_operands_pass_the_networks_where_they_can(self):
        for line in (SMALL, LSTM, "--model tokens.yaml", "--model pictures.yaml", "--model digits-encoder --epochs 1"):
            with self.subTest(line=line):
                linear, banked = self.passes(line), self.passes(f"{line} --layout banked")
                before, after = linear["operands"], banked["operands"]
                self.assertEqual((before["network"], before["transposed"]), (0, 0))
                self.assertEqual(sum(after[path] for path in ("network", "transposed", "gathered")), before["gathered"])
                self.assertLess(after["gathered"], before["gathered"])
                self.assertEqual(after["permutation_cycles"], after["gathered_elements"] * 4 // 64)
                self.assertLess(banked["events"]["buffer_word"], linear["events"]["buffer_word"])
                self.assertEqual(banked["macs"], linear["macs"])

    def test_every_shipped_model_learns(self):
        # name, parameters, those of its dense twin, accuracy of the test set behind 5 epochs
        for name, parameters, dense, accuracy in (("digits-dense", 19210, 19210, 0.95), ("digits-ttm", 1738, 19210, 0.94),
                                                  ("digits-tt", 7450, 85002, 0.9), ("digits-encoder", 5258, 11402, 0.96),
                                                  ("digits-conv", 2698, 2698, 0.96), ("digits-lstm", 2314, 19338, 0.88),
                                                  ("sequences-conv", 1748, 1748, 0.99)):
            found = self.passes(f"--model {name} --epochs 5")
            self.assertEqual((found["parameters"], found["dense_parameters"]), (parameters, dense), name)
            self.assertGreater(found["test_accuracy"], accuracy, name)
            losses = [epoch["training_loss"] for epoch in found["epochs"]]
            self.assertEqual(losses, sorted(losses, reverse=True), name)
            self.assertEqual(found["training_loss"], losses[-1])
            if name != "sequences-conv":
                self.assertLess(found["test_accuracy"], 1, name)

    def test_estimates_are_near_the_device(self):
        """Of every shipped model; and of what those lack: patches that are loaded, pools, dropout, one unit at a time."""
        names = re.search(r"expected (.*), or a YAML file", self.refuses("--model nothing").err)[1].split(", ")
        self.assertGreaterEqual(len(names), 10)
        lines = [f"--model {name}" for name in names] + [f"--model {name}.yaml" for name in ("pictures", "many", "lstm", "tokens")]
        for line in (*lines, "--model digits-ttm --no-overlap", "--model digits-conv --bank-broadcast off --lanes 256",
                     "--model digits-conv --burst 64 --dma-width 128", "--model digits-conv --bank-bytes 4096"):
            with self.subTest(line=line):
                self.succeeds(f"{line} --epochs 1 --no-check --quiet --out files")
                found = load_json(self.path("files/summary.json"))
                ratio = found["plan"]["estimated_cycles"] / found["epochs"][0]["training"]["cycles"]
                # The LOAD of patches, 3,072 runs of two elements, is extrapolated from 128 of them.
                self.assertAlmostEqual(ratio, 1, delta=0.07 if "pictures" in line else 0.05)

    def test_patches_of_both_sources_have_the_same_bits(self):
        found = {}
        for source in ("chip", "bus"):
            model = PICTURE_MODEL.replace("patches: bus", f"patches: {source}").replace("padding: 1", f"padding: 1, patches: {source}")
            self.save_text("other.yaml", model)
            found[source] = self.passes(f"--model other.yaml --save {source}")
        self.assertEqual(*(self.curve(f) for f in found.values()))
        self.assertEqual(self.read_bytes("chip"), self.read_bytes("bus"))
        self.assertLess(found["chip"]["cycles"], found["bus"]["cycles"])

    def test_sequences_are_found_out(self):
        found = self.passes("--model sequences-lstm --epochs 3")
        self.assertEqual((found["parameters"], found["dense_parameters"]), (2052, 5508))
        self.assertGreater(found["test_accuracy"], 0.98)  # 512 sequences, four classes

        epochs = self.summary("--model sequences-encoder --epochs 10 --no-check")["epochs"]
        self.assertGreater(epochs[-1]["test_accuracy"], 0.85)
        self.assertLess(epochs[-1]["training_loss"], 0.3 * epochs[0]["training_loss"])

    def test_fashion_mnist_from_its_files(self):
        pictures, names = [], []
        for sample in range(60):
            label = sample * 7 % 10
            picture = bytearray(784)
            picture[label * 60:label * 60 + 50] = bytes([200 + sample % 50] * 50)
            pictures.append(bytes(picture))
            names.append(label)
        for part, first, last in (("train", 0, 40), ("t10k", 40, 60)):
            count = last - first
            with gzip.open(self.path(f"{part}-images-idx3-ubyte.gz"), "wb") as file:
                file.write(struct.pack(">IIII", 0x803, count, 28, 28) + b"".join(pictures[first:last]))
            with open(self.path(f"{part}-labels-idx1-ubyte"), "wb") as file:
                file.write(struct.pack(">II", 0x801, count) + bytes(names[first:last]))
        found = self.passes("--model fashion-ttm --data . --epochs 6 --batch 8")
        self.assertEqual((found["parameters"], found["dense_parameters"]), (8330, 203530))
        self.assertEqual([epoch["steps"] for epoch in found["epochs"]], [5] * 6)
        losses = [epoch["training_loss"] for epoch in found["epochs"]]
        self.assertLess(losses[-1], 0.5 * losses[0])
        jsonschema.Draft201909Validator(Schema.schema()).validate(found)

    def test_every_activation_and_format_learns(self):
        for activation in ("none", "relu", "sigmoid", "tanh", "gelu"):
            model = self.save_model(("relu", activation), ("ranks: 2", "ranks: 3"))
            losses = [epoch["training_loss"] for epoch in self.passes(f"--model {model} --epochs 3")["epochs"]]
            self.assertLess(losses[2], 0.8 * losses[0], activation)
        for layer in ("format: tt, rows: 4x4, cols: 8x8, ranks: 4", "format: tr, rows: 4x4, cols: 8x8, ranks: 3",
                      "format: ht, rows: 4x4, cols: 8x8, ranks: 4", "format: tt, order: nm, rows: 4x4, cols: 8x8, ranks: 4",
                      "format: bt, rows: 4x4, cols: 8x8, ranks: 2, blocks: 2", "format: dense, rows: 16, cols: 64",
                      "format: dense, rows: 16, cols: 64, bias: false"):
            model = self.save_model(("format: ttm, rows: 4x4, cols: 8x8, ranks: 2", layer))
            losses = [epoch["training_loss"] for epoch in self.passes(f"--model {model} --epochs 4")["epochs"]]
            self.assertLess(losses[3], 0.8 * losses[0], layer)

    def test_lstm_of_every_format_learns(self):
        for lstm, outputs in (("", 16), (", output: all", 128), (", bias: false", 16),
                              (", format: tt, rows: 16x4, cols: 8, ranks: 4", 16),
                              (", hidden_weights: {format: ttm, rows: 16x4, cols: 4x4, ranks: 3}", 16),
                              (", hidden_weights: {format: tt, rows: 16x4, cols: 4x4, ranks: 4}", 16),
                              (", hidden_weights: {format: tt, order: nm, rows: 16x4, cols: 16, ranks: 4}", 16),
                              (", hidden_weights: {format: tr, rows: 16x4, cols: 4x4, ranks: 2}", 16),
                              (", hidden_weights: {format: ht, rows: 16x4, cols: 4x4, ranks: 3}", 16),
                              (", hidden_weights: {format: bt, rows: 16x4, cols: 4x4, ranks: 2, blocks: 2}", 16)):
            model = self.save_model(("format: ttm, rows: 4x4, cols: 8x8, ranks: 2, activation: relu",
                                     "kind: lstm, frames: 8, features: 8, hidden: 16" + lstm), ("cols: 16}", f"cols: {outputs}}}"))
            losses = [epoch["training_loss"] for epoch in self.passes(f"--model {model} --epochs 3")["epochs"]]
            self.assertLess(losses[2], 0.8 * losses[0], lstm)

    def test_lstm_in_its_variants(self):
        for more in ("--psum bf16", "--optimizer adam --batch 32", "--batch 37 --no-overlap", "--batch 1 --drop-last",
                     "--batch 5 --side 16 --engines 64 --bank-bytes 65536"):
            self.passes(f"{LSTM} {more}")
        whole = self.passes(f"{LSTM} --epochs 3 --save whole")
        first, second = self.passes(f"{LSTM} --save part"), self.passes(f"{LSTM} --epochs 3 --resume part --save joined")
        self.assertEqual(self.curve(first) + self.curve(second), self.curve(whole))
        self.assertEqual(self.read_bytes("joined"), self.read_bytes("whole"))

    def test_macs_of_an_lstm(self):
        # Of 8 frames of 48 samples: W x, U h and the sum of the biases; dW, dU and dh. Then a dense layer.
        model = self.save_model(("format: ttm, rows: 4x4, cols: 8x8, ranks: 2, activation: relu",
                                 "kind: lstm, frames: 8, features: 8, hidden: 16"))
        w, u, last = 8 * 64 * 8, 8 * 64 * 16, 16 * 10
        self.assertEqual(self.passes(f"--model {model}")["macs"],
                         48 * (30 * (2 * w + 3 * u + 8 * 64 + 3 * last + 10) + 8 * (w + u + last)))

    def test_encoder_blocks_learn(self):
        block = "  - {name: second, kind: encoder, norm: pre, frames: 16, features: 4, hidden: 8, up: {bias: false}," \
                " attention: {format: ttm, rows: 2x2, cols: 2x2, ranks: 2}}\n"
        two = self.save_text("two.yaml", ENCODER.replace("  - {name: output", block + "  - {name: output"))
        for line in ("", "--psum bf16", "--batch 17 --optimizer sgd", "--side 8"):
            losses = [epoch["training_loss"] for epoch in self.passes(f"--model {two} {line} --epochs 2")["epochs"]]
            self.assertLess(losses[1], 0.7 * losses[0], line)
        one = self.save_text("one.yaml", ENCODER)
        fast, detailed = (self.passes(f"--model {one} --fidelity {fidelity}") for fidelity in ("fast", "detailed"))
        self.assertEqual(*((f["cycles_by_cause"], f["events"], self.curve(f)) for f in (fast, detailed)))
        whole = self.passes(f"--model {one} --epochs 2 --save whole")
        self.passes(f"--model {one} --epochs 1 --save half")
        second = self.passes(f"--model {one} --epochs 2 --resume half --save joined")
        self.assertEqual(self.curve(second), self.curve(whole)[1:])
        self.assertEqual(self.read_bytes("joined"), self.read_bytes("whole"))

    def test_resumed_is_as_never_stopped(self):
        for more in (SMALL, f"{SMALL} --optimizer adam", f"{SMALL} --psum bf16 --batch 100", f"{SMALL} --seed 5 --drop-last",
                     "--model tokens.yaml", "--model pictures.yaml --optimizer adam"):
            whole = self.passes(f"{more} --epochs 4 --save whole")
            first = self.passes(f"{more} --epochs 2 --save half")
            second = self.passes(f"{more} --epochs 4 --resume half --save joined")
            self.assertEqual(self.curve(first) + self.curve(second), self.curve(whole), more)
            self.assertEqual([epoch["epoch"] for epoch in second["epochs"]], [3, 4])
            self.assertEqual(self.read_bytes("joined"), self.read_bytes("whole"), more)
            self.assertNotEqual(self.read_bytes("half"), self.read_bytes("whole"), more)

    def test_runs_are_repeated(self):
        found = [self.summary(f"{SMALL} --epochs 2 --save {name}", folder=name + "-files") for name in ("a", "b")]
        for f in found:
            f.pop("simulation")
            f["configuration"].pop("options")  # names of outputs
            f["configuration"].pop("options_given")
        self.assertEqual(*found)
        self.assertEqual(self.read_bytes("a"), self.read_bytes("b"))
        again = self.summary("--config a-files/summary.json")
        self.assertEqual(self.curve(again), self.curve(found[0]))

    def test_the_seed_sets_weights_and_order(self):
        curves = [self.curve(self.passes(f"{SMALL} --seed {seed}")) for seed in (1, 2)]
        self.assertNotEqual(*curves)

    def test_what_is_compared(self):
        # Loss, right ones and samples of 30 steps and of the test set; of each of 314 parameters two numbers of sgd,
        # three of adam; and what changes from step to step.
        parameters, metrics, constants = 314, 3 * (30 + 1), 3
        for optimizer, numbers in (("sgd", 2), ("adam", 3)):
            found = self.passes(f"{SMALL} --optimizer {optimizer}")
            self.assertEqual(found["check"]["elements"], metrics + numbers * parameters + constants)

    def test_batches_that_do_not_divide(self):
        for batch, steps in ((1, 1437), (7, 206), (48, 30), (100, 15), (500, 3)):
            found = self.passes(f"{SMALL} --batch {batch} --no-overlap")
            self.assertEqual(found["epochs"][0]["steps"], steps)
            self.assertEqual(self.passes(f"{SMALL} --batch {batch} --drop-last")["epochs"][0]["steps"], 1437 // batch)

    def test_every_sample_counts_once(self):
        # Of 1,437 and of 360 samples each: accuracies are shares of so many.
        epoch = self.passes(f"{SMALL} --batch 100")["epochs"][0]
        for accuracy, samples in ((epoch["training_accuracy"], 1437), (epoch["test_accuracy"], 360)):
            self.assertAlmostEqual(accuracy * samples, round(accuracy * samples), delta=1e-9)
        epoch = self.passes(f"{SMALL} --batch 100 --drop-last")["epochs"][0]
        self.assertAlmostEqual(epoch["training_accuracy"] * 1400, round(epoch["training_accuracy"] * 1400), delta=1e-9)

    def test_memory_of_a_step(self):
        kinds = ("masters", "copies", "gradients", "optimizer", "activations", "temporaries")
        memory = self.passes(SMALL)["memory"]
        rows = [[row[kind] for kind in ("network", "layer", *kinds)] for row in self.rows("files/memory.csv")]
        self.assertEqual(rows, [[network, layer["name"], *(str(layer[kind]) for kind in kinds)]
                                for network, of in (("model", memory), ("dense", memory["dense"])) for layer in of["layers"]])
        for of in (memory, memory["dense"]):
            self.assertEqual([layer["name"] for layer in of["layers"]], ["hidden", "output", "loss"])
            for kind in kinds:
                self.assertEqual(sum(layer[kind] for layer in of["layers"]), of["total"][kind])
            self.assertLessEqual(of["peak_bytes"], sum(of["total"].values()))
            self.assertEqual(of["total"]["optimizer"], of["total"]["masters"])  # a velocity each
        self.assertLessEqual(memory["peak_bytes"], memory["occupied_bytes"])
        dense = self.save_model(("format: ttm, rows: 4x4, cols: 8x8, ranks: 2", "format: dense, rows: 16, cols: 64"))
        found = self.passes(f"--model {dense}")["memory"]
        self.assertEqual({part: found[part] for part in ("peak_bytes", "total", "layers")}, memory["dense"])
        self.assertEqual(found["dense"], memory["dense"])

    def test_memory_that_is_occupied_is_what_it_takes(self):
        whole = self.passes(f"{SMALL} --batch 200")
        found = whole["memory"]["occupied_bytes"]
        smaller = 0
        for bank in (4096, 8192, 16384):  # of 16
            summary = self.passes(f"{SMALL} --batch 200 --bank-bytes {bank}")
            self.assertLessEqual(summary["memory"]["occupied_bytes"], 16 * bank)
            self.assertEqual(summary["memory"]["peak_bytes"], whole["memory"]["peak_bytes"])
            if 16 * bank >= found:  # it stays on chip: the same curve, bit by bit
                self.assertEqual(self.curve(summary), self.curve(whole))
            else:
                smaller += 1
                self.assertLess(summary["memory"]["occupied_bytes"], found)
        self.assertGreater(smaller, 0)

    def test_what_does_not_fit_leaves_the_chip_and_comes_back(self):
        for model, options in (("digits-encoder", "--bank-bytes 4096"), ("digits-encoder", "--bank-bytes 8192 --block-samples 5"),
                               ("digits-lstm", "--bank-bytes 4096 --optimizer adam"), ("digits-conv", "--bank-bytes 4096"),
                               ("sequences-conv", "--bank-bytes 4096 --block-samples 7"), ("digits-tt", "--batch 512"),
                               ("digits-ttm", "--engines 4 --bank-bytes 8192 --layout banked")):
            found = self.passes(f"--model {model} --epochs 1 {options}")
            self.assertGreater(found["memory"]["peak_bytes"], found["memory"]["occupied_bytes"], model)

    def test_rows_of_a_matrix_in_pieces(self):
        self.save_text("pieces.yaml", "batch: 224\nlayers:\n  - {format: dense, rows: 2, cols: 8, frames: 8}\n"
                                      "  - {format: dense, rows: 10, cols: 16}\n")
        self.passes("--model pieces.yaml --block-samples 224 --bank-bytes 4096")

    def test_large_dense_matrices_are_in_parts(self):
        self.save_text("large.yaml", "batch: 6\nlayers:\n  - {name: a, format: dense, rows: 96, cols: 64, activation: relu}\n"
                                     "  - {name: l, kind: lstm, frames: 4, features: 24, hidden: 48}\n"
                                     "  - {name: o, format: dense, rows: 10, cols: 48}\n")
        numbers = {}
        for options in ("--bank-bytes 4096", "--bank-bytes 4096 --block-samples 2", "--bank-bytes 4096 --layout banked",
                        "--bank-bytes 4096 --optimizer adam", "--bank-bytes 32768"):
            found = self.passes(f"--model large.yaml --epochs 1 {options} --weights-out out.npz")
            if "adam" not in options:
                numbers[options] = found["training_loss"]
            arrays = np.load(self.path("out.npz"))
            self.assertEqual({name: arrays[name].shape for name in arrays},
                             {"a.G1": (96, 64), "a.bias": (96,), "l.G1": (192, 24), "l.bias": (192,),
                              "l.hidden weights.G1": (192, 48), "o.G1": (10, 48), "o.bias": (10,)})
        again = self.passes("--model large.yaml --epochs 1 --bank-bytes 4096 --weights-in out.npz --save state")
        self.assertLess(again["training_loss"], numbers["--bank-bytes 32768"])
        self.passes("--model large.yaml --epochs 2 --bank-bytes 4096 --resume state")
        for loss in numbers.values():  # sums in another order
            self.assertAlmostEqual(loss, numbers["--bank-bytes 32768"], delta=0.05)

    def test_a_picture_of_it(self):
        self.passes(f"{SMALL} --epochs 2")
        script = os.path.join(SOURCE, "scripts/python/tensorloom-plot")
        subprocess.run([sys.executable, script, "learning", "--output", self.path("curve.png"), self.path("files")], check=True)
        self.assertEqual(self.read_bytes("curve.png")[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_rate_of_0_changes_nothing(self):
        model = self.save_model(("rate: 0.1", "rate: 0"))
        epochs = self.passes(f"--model {model} --epochs 2")["epochs"]
        self.assertEqual(epochs[0]["test_loss"], epochs[1]["test_loss"])
        # The loss of the training set does not know the order of the batches, but for rounding.
        self.assertAlmostEqual(epochs[0]["training_loss"], epochs[1]["training_loss"], delta=1e-5)

    def test_bf16_sums_learn_otherwise(self):
        f32, bf16 = (self.passes(f"--epochs 3 --psum {psum}") for psum in ("f32", "bf16"))
        self.assertNotEqual(self.curve(f32), self.curve(bf16))
        self.assertAlmostEqual(f32["training_loss"], bf16["training_loss"], delta=0.1 * f32["training_loss"] + 0.02)

    def test_sums(self):
        found = self.passes(f"{SMALL} --epochs 2")
        self.assert_sums(found)
        parts = [part for epoch in found["epochs"] for part in epoch["phases"].values()]
        self.assertEqual(sum(part["cycles"] for part in parts), found["cycles"])
        for part in parts:
            self.assertEqual(sum(part["cycles_by_cause"].values()), part["cycles"])
        for epoch in found["epochs"]:
            self.assert_costs_sum([epoch["phases"][phase] for phase in TRAINING], epoch["training"])
        for phase, costs in found["phases"].items():
            self.assert_costs_sum([epoch["phases"][phase] for epoch in found["epochs"]], costs)
        self.assert_near_sum((part["energy_pJ"] for part in parts), found["energy_pJ"]["total"])
        self.assertAlmostEqual(found["utilisation"], found["macs"] / (256 * found["cycles"]), delta=1e-12)

    def assert_near_sum(self, parts, total):
        self.assertAlmostEqual(math.fsum(parts), total, delta=1e-11 * total)

    def assert_costs_sum(self, parts, total):
        for field in ("cycles", "read_bytes", "written_bytes"):
            self.assertEqual(sum(part[field] for part in parts), total[field], field)
        for field in ("energy_pJ", "time_ns"):
            self.assert_near_sum((part[field] for part in parts), total[field])
        for cause, cycles in total["cycles_by_cause"].items():
            self.assertEqual(sum(part["cycles_by_cause"].get(cause, 0) for part in parts), cycles, cause)

    def test_phases_on_the_terminal(self):
        phases = self.passes(f"{SMALL} --epochs 2")["phases"]
        out = self.succeeds(f"{SMALL} --epochs 2").out
        for phase, costs in phases.items():
            self.assertGreater(costs["cycles"], 0)
            moved = costs["read_bytes"] + costs["written_bytes"]
            self.assertRegex(out, rf"\n    {phase} +{costs['cycles']:,} cycles, \S+ uJ, {moved:,} bytes moved\n")

    def test_bytes_of_phases(self):
        # A step of 48 samples reads their numbers, 64 features of 2 bytes and 10 labels of 4 each; backward all is on
        # chip, but the store of three words of metrics may end beside it. 30 steps of training, 8 of the test set,
        # which besides fetches its program, loads parameters in float32 and stores metrics of each batch.
        step = 48 * (4 + 64 * 2 + 10 * 4)
        for line in (SMALL, f"{SMALL} --no-overlap"):
            phases = self.passes(line)["phases"]
            for phase, read in (("fp", 30 * step), ("bp", 0), ("wg", 0)):
                self.assertEqual(phases[phase]["read_bytes"], read, line)
            written = [phases[phase]["written_bytes"] for phase in ("fp", "bp", "wg")]
            self.assertLessEqual(sum(written), 0 if "no-overlap" in line else 30 * 3 * 4, line)
            self.assertEqual(phases["test"]["written_bytes"], 8 * 3 * 4, line)
            self.assertGreater(phases["test"]["read_bytes"], 8 * step + 314 * 4, line)
            self.assertGreater(phases["update"]["written_bytes"] + sum(written), 30 * 3 * 4 + 2 * 314 * 4, line)

    def test_rows_of_phases(self):
        found = self.passes(f"{SMALL} --epochs 3")
        latency, energy = self.rows("files/latency.csv"), self.rows("files/energy.csv")
        phases = [(str(epoch["epoch"]), phase, costs) for epoch in found["epochs"] for phase, costs in epoch["phases"].items()]
        self.assertEqual(len(phases), 3 * 5)
        for rows in (latency, energy):
            self.assertEqual([(row["epoch"], row["phase"], row["cycles"]) for row in rows],
                             [(epoch, phase, str(costs["cycles"])) for epoch, phase, costs in phases])
        for (_, _, costs), times, parts in zip(phases, latency, energy):
            for field in ("read_bytes", "written_bytes"):
                self.assertEqual(int(times[field]), costs[field])
            self.assertEqual({cause: cycles for cause, cycles in costs["cycles_by_cause"].items() if cycles},
                             {cause[:-len("_cycles")]: int(cycles) for cause, cycles in times.items()
                              if cause.endswith("_cycles") and int(cycles)})
            self.assertAlmostEqual(float(parts["total_pJ"]), costs["energy_pJ"], delta=1e-11 * costs["energy_pJ"])
        for event, count in found["events"].items():
            self.assertEqual(sum(int(row[event]) for row in latency), count, event)
        for component, pj in found["energy_pJ"].items():
            total = math.fsum(float(row[component + "_pJ"]) for row in energy)
            self.assertAlmostEqual(total, pj, delta=1e-11 * found["energy_pJ"]["total"])

    def traced_job(self, line):
        """Begin and cycles of the step that trace.json shows, and the indices of its commands."""
        found = self.passes(line)
        events = [event for event in load_json(self.path("files/trace.json"))["traceEvents"] if event["ph"] == "B"]
        jobs = [event for event in events if event["name"] == "job"]
        self.assertEqual(len(jobs), 1, line)
        commands = {event["name"] for event in events if event["name"].startswith("command ")}
        return found, jobs[0]["ts"], jobs[0]["args"]["cycles"], commands

    def test_the_step_of_the_trace(self):
        # One at a time steps follow one another: those of an epoch fill what is ahead of the first to behind the last.
        line = f"{SMALL} --batch 500 --epochs 2 --no-overlap"
        found, begin, first, commands = self.traced_job(line)
        self.assertEqual(self.traced_job(f"{line} --trace-step 1:1")[1:], (begin, first, commands))
        end = begin + first / 1000
        steps = [first]
        for step in (2, 3):
            _, begin, cycles, same = self.traced_job(f"{line} --trace-step 1:{step}")
            self.assertEqual(same, commands)
            self.assertAlmostEqual(begin, end, delta=1e-6)  # us
            end = begin + cycles / 1000
            steps.append(cycles)
        phases = found["epochs"][0]["phases"]
        inside = sum(phases[phase]["cycles"] for phase in ("fp", "bp", "wg"))
        self.assertGreater(sum(steps), inside)
        self.assertLess(sum(steps), inside + phases["update"]["cycles"])
        _, begin, _, _ = self.traced_job(f"{line} --trace-step 2:1")
        self.assertGreater(begin, end)

    def test_files_do_not_grow_with_steps(self):
        sizes = []
        for epochs in (1, 4):
            self.passes(f"{SMALL} --epochs {epochs}")
            sizes.append(len(self.read_bytes("files/trace.json")))
        self.assertEqual(*sizes)

    def test_a_resumed_run_traces_its_own_first_step(self):
        self.succeeds(f"{SMALL} --epochs 1 --save half --quiet")
        resumed = self.traced_job(f"{SMALL} --epochs 2 --resume half")
        self.assertEqual(resumed[1:], self.traced_job(f"{SMALL} --epochs 2 --resume half --trace-step 2:1")[1:])

    def test_rows_of_dy_lie_apart_where_banks_would_wait(self):
        found = self.passes("--model digits-dense --epochs 1")
        self.assertLess(found["cycles_by_cause"]["conflict"], 0.01 * found["cycles"])

    def test_macs_of_a_dense_network(self):
        # Per step of 48 samples 48 x (64 x 16 + 16 x 10) forward; dW of both layers, dX of the second; a bias is summed
        # over the batch. 30 steps of training and 8 of the test set.
        model = self.save_model(("format: ttm, rows: 4x4, cols: 8x8, ranks: 2", "format: dense, rows: 16, cols: 64"))
        first, second, biases = 64 * 16, 16 * 10, 16 + 10
        self.assertEqual(self.passes(f"--model {model}")["macs"],
                         48 * (30 * (2 * first + 3 * second + biases) + 8 * (first + second)))

    def test_a_saved_state_holds_the_parameters(self):
        # Behind magic, format, kind and configuration pieces of content (models/base/files/saved_state.h).
        self.succeeds(f"{SMALL} --epochs 3 --save state --quiet")
        state, content, at = self.read_bytes("state"), b"", 76
        self.assertEqual(state[:8], b"TL-STATE")
        while (size := struct.unpack_from("<I", state, at)[0]) > 0:
            content += state[at + 4:at + 4 + size]
            at += 4 + size
        self.assertEqual(len(content), 8 + 4 * (2 * 314 + 3))
        self.assertEqual(struct.unpack_from("<Q", content)[0], 3)
        self.assertAlmostEqual(struct.unpack_from("<f", content, 8 + 4 * 2 * 314)[0], -0.1, delta=1e-7)  # of the rate
