"""Training on the user's data: files of arrays and CSV, classes and targets, held-out samples, and what is refused."""
import gzip
import io
import json
import struct
import zipfile

import jsonschema
import numpy as np

from testbench_summary import load_schema
from tnn_training_program import BAD_INPUT, TnnTrainingTest

NETWORK = """epochs: 6
batch: 16
optimizer: {{kind: sgd, rate: 0.05, momentum: 0.9}}
layers:
  - {{name: hidden, format: dense, rows: 16, cols: {inputs}, activation: tanh}}
  - {{name: output, format: dense, rows: {outputs}, cols: 16}}
"""
LINEAR = """epochs: 40
batch: 32
loss: {loss}
optimizer: {{kind: sgd, rate: {rate}, momentum: 0.9, rate_decay: 0.9}}
layers:
  - {{name: only, format: dense, rows: {outputs}, cols: {inputs}}}
"""
TOKENS = """epochs: 8
optimizer: {kind: adam, rate: 0.01}
layers:
  - {kind: embedding, vocabulary: 11, frames: 6, features: 4}
  - {format: dense, rows: 3, cols: 24}
"""


class DataTest(TnnTrainingTest):
    outputs = ("--out files", "--save state")

    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(5)

    def network(self, inputs, outputs, text=NETWORK, name="net.yaml", **more):
        return self.save_text(name, text.format(inputs=inputs, outputs=outputs, **more))

    def classes(self, count, inputs=(4, 3), classes=7):
        """Clouds around a centre for each class, in numbers that bf16 has."""
        y = np.arange(count) % classes
        centres = np.random.default_rng(1).integers(-8, 9, (classes, *inputs)) / 4
        x = centres[y] + self.random.integers(-2, 3, (count, *inputs)) / 8
        return x, y

    def savez(self, name, compressed=False, **arrays):
        (np.savez_compressed if compressed else np.savez)(self.path(name), **arrays)
        return name

    def save_csv(self, name, x, y, header=""):
        rows = np.column_stack([x.reshape(len(x), -1), y.reshape(len(y), -1)])
        np.savetxt(self.path(name), rows, fmt="%.9g", delimiter=",", header=header, comments="")
        return name

    def passes(self, line):
        found = self.summary(line)
        self.assertEqual((found["check"]["passed"], found["check"]["same_bits"]), (True, True), line)
        jsonschema.Draft201909Validator(load_schema("tnn_training-summary")).validate(found)
        return found


class Files(DataTest):
    def test_every_kind_of_file_gives_the_same_training(self):
        model = self.network(12, 7)
        (x, y), (u, v) = self.classes(150), self.classes(40)
        self.savez("a.npz", x=x, y=y)
        self.savez("b.npz", x=u.astype(np.float32), y=v.astype(np.uint8))
        self.savez("c.npz", True, inputs=np.asfortranarray(x.astype(np.float16)), labels=y.astype(np.int16), names=np.array(["a"]))
        self.savez("d.npz", True, data=u, target=v[:, None])
        self.savez("e.npz", x_train=x, y_train=y, x_test=u, y_test=v)
        self.save("x.npy", x), self.save("y.npy", y), self.save("u.npy", u), self.save("v.npy", v)
        self.save_csv("a.csv", x, y, "," * 12 + "label"), self.save_csv("b.csv", u, v)
        first = self.passes(f"--model {model} --data a.npz --test b.npz")
        self.assertGreater(first["test_accuracy"], 0.9)
        self.assertEqual(first["configuration"]["data"], "a.npz")
        self.assertEqual(first["configuration"]["samples"],
                         {"training": 150, "test": 40, "inputs": 12, "vocabulary": 0, "classes": 7, "targets": 0})
        for files in ("--data c.npz --test d.npz", "--data e.npz", "--data x.npy,y.npy --test u.npy,v.npy"):
            self.assertEqual(self.curve(self.passes(f"--model {model} {files}")), self.curve(first), files)
        by_csv = self.passes(f"--model {model} --data a.csv --test b.csv")
        self.assertEqual(self.curve(by_csv), self.curve(first))

    def test_bytes_are_divided_on_request(self):
        """As IDX files, which are always divided by 255, in a model of any number of classes."""
        x = self.random.integers(0, 256, (60, 5, 4)).astype(np.uint8)
        y = (x[:, 0, 0] > 127).astype(np.uint8) + 2 * (x[:, 4, 3] > 127).astype(np.uint8)
        for part, of in (("train", slice(0, 40)), ("t10k", slice(40, 60))):
            self.save_bytes(f"{part}-images-idx3-ubyte", struct.pack(">IIII", 0x803, len(x[of]), 5, 4) + x[of].tobytes())
            self.save_bytes(f"{part}-labels-idx1-ubyte.gz", gzip.compress(struct.pack(">II", 0x801, len(y[of])) + y[of].tobytes()))
        self.savez("train.npz", x=x[:40], y=y[:40]), self.savez("test.npz", x=x[40:], y=y[40:])
        self.savez("divided.npz", x=x[:40] / 255, y=y[:40], x_test=x[40:] / 255, y_test=y[40:])
        model = self.network(20, 4)
        folder = self.passes(f"--model {model} --data .")
        self.assertEqual(folder["configuration"]["samples"]["classes"], 4)
        for files in ("--data train.npz --test test.npz --scale 255", "--data divided.npz"):
            self.assertEqual(self.curve(self.passes(f"--model {model} {files}")), self.curve(folder), files)
        as_they_are = self.passes(f"--model {model} --data train.npz --test test.npz")
        self.assertNotEqual(self.curve(as_they_are), self.curve(folder))
        self.assertEqual(self.curve(self.passes(f"--model {model} --data . --scale 1")), self.curve(as_they_are))

    def test_tokens(self):
        x = self.random.integers(0, 11, (300, 6))
        y = np.where(x[:, 2] < 4, 0, np.where(x[:, 2] < 8, 1, 2))
        self.save_text("net.yaml", TOKENS), self.savez("t.npz", x=x, y=y)
        found = self.passes("--model net.yaml --data t.npz")
        self.assertEqual(found["configuration"]["samples"]["vocabulary"], 11)
        self.assertGreater(found["test_accuracy"], 0.8)

    def test_held_out_samples(self):
        model = self.network(12, 7)
        x, y = self.classes(175)
        self.savez("a.npz", x=x, y=y)
        line = f"--model {model} --data a.npz"
        for more, test in (("", 35), ("--held-out 0.4", 70), ("--held-out 0.01", 2)):
            samples = self.passes(f"{line} {more}")["configuration"]["samples"]
            self.assertEqual((samples["training"], samples["test"]), (175 - test, test), more)
        curves = [json.dumps(self.curve(self.passes(f"{line} --seed {seed}"))) for seed in (1, 1, 2)]
        self.assertEqual(curves[0], curves[1])
        self.assertNotEqual(curves[0], curves[2])

    def test_the_printed_lines(self):
        model = self.network(12, 7)
        x, y = self.classes(175)
        self.savez("a.npz", x=x, y=y)
        out = self.succeeds(f"--model {model} --data a.npz").out
        self.assertIn("\n  data                  a.npz, 140 samples for training, 35 for the test\n", out)
        self.save_text("net.yaml", LINEAR.format(loss="l1", inputs=12, outputs=1, rate=0.01))
        out = self.succeeds(f"--model {model} --data a.npz --epochs 1").out
        self.assertRegex(out, r"\n  epoch 1 +loss \S+, test \S+; \S+ cycles")
        self.assertNotIn("accuracy", out)


class Targets(DataTest):
    def regression(self, count, inputs=5, outputs=2, noise=0.25):
        """A linear map with noise, in numbers that are not exact in bf16."""
        w = np.random.default_rng(3).standard_normal((inputs + 1, outputs))
        x = self.random.standard_normal((count, inputs))
        return x, np.column_stack([x, np.ones(count)]) @ w + noise * self.random.standard_normal((count, outputs))

    def test_squared_errors_become_those_of_least_squares(self):
        (x, y), (u, v) = self.regression(480), self.regression(160)
        self.savez("a.npz", x=x, y=y, x_test=u, y_test=v)
        best, *_ = np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), y, rcond=None)
        found = self.passes(f"--model {self.network(5, 2, LINEAR, loss='mse', rate=0.02)} --data a.npz")
        for loss, inputs, targets in ((found["training_loss"], x, y), (found["test_loss"], u, v)):
            expected = np.mean((np.column_stack([inputs, np.ones(len(inputs))]) @ best - targets) ** 2)
            self.assertAlmostEqual(loss, expected, delta=0.03 * expected)
        self.assertIsNone(found["test_accuracy"])
        self.assertEqual([epoch["test_accuracy"] for epoch in found["epochs"]], [None] * 40)
        self.assertEqual(found["configuration"]["loss"], {"kind": "mse"})
        self.assertEqual(found["warnings"], [])

    def test_absolute_errors_become_those_of_the_median(self):
        """A constant model: most targets are 1, some are far away; the mean would be 4."""
        y = np.where(np.arange(200) % 4 == 0, 13.0, 1.0)
        self.savez("a.npz", x=np.zeros((200, 1)), y=y)
        losses = {}
        for loss in ("l1", "huber", "mse"):
            found = self.passes(f"--model {self.network(1, 1, LINEAR, loss=loss, rate=0.05)} --data a.npz --held-out 0.1")
            losses[loss] = found["training_loss"]
        self.assertAlmostEqual(losses["l1"], 3, delta=0.15)            # 12 / 4
        self.assertAlmostEqual(losses["mse"], 144 * 3 / 16, delta=1)   # the variance
        self.assertGreater(losses["huber"], 2.5)

    def test_both_fidelities_and_all_losses(self):
        x, y = self.regression(70, outputs=3)
        self.savez("a.npz", x=x, y=y)
        model = self.network(5, 3)
        for loss in ("mse", "l1", "huber"):
            line = f"--model {model} --loss {loss} --data a.npz --epochs 2"
            fast = self.passes(line)
            self.assertLess(fast["training_loss"], fast["epochs"][0]["training_loss"])
            for more in ("--fidelity detailed", "--layout banked", "--psum bf16 --optimizer adam --batch 9"):
                other = self.passes(f"{line} {more}")
                if more == "--fidelity detailed":
                    self.assertEqual((other["cycles"], self.curve(other)), (fast["cycles"], self.curve(fast)))

    def test_validation_of_targets(self):
        x, y = self.regression(200)
        self.savez("a.npz", x=x, y=y)
        line = f"--model {self.network(5, 2)} --loss mse --data a.npz --validation 0.25 --patience 2 --epochs 40"
        for more in ("", "--block-samples 5"):
            found = self.passes(f"{line} {more}")
            samples, held_out = found["configuration"]["samples"], found["configuration"]["validation"]["samples"]
            self.assertEqual((samples["training"], held_out, samples["test"]), (120, 40, 40))
            losses = [epoch["validation_loss"] for epoch in found["epochs"]]
            best = losses.index(min(losses))
            self.assertEqual(found["early_stopping"]["best_epoch"], best + 1)
            self.assertEqual(found["test_loss"], found["epochs"][best]["test_loss"])
            self.assertEqual([epoch["validation_accuracy"] for epoch in found["epochs"]], [None] * len(losses))
        out = self.succeeds(line).out
        self.assertIn("\n  data                  a.npz, 120 samples for training, 40 for validation, 40 for the test\n", out)
        self.assertRegex(out, r"\n  best epoch +\d+, validation \S+, test [^ ,;]+(; stopped early)?\n")
        self.assertNotIn("accuracy", out)

    def test_labels_are_targets_of_a_loss_of_differences(self):
        found = self.passes("--model digits-dense --loss mse --epochs 3")
        self.assertLess(found["training_loss"], 0.03)  # 0.09 for the mean of each digit
        self.assertIsNone(found["test_accuracy"])
        self.assertEqual(found["configuration"]["loss"], {"kind": "mse"})
        self.assertEqual(found["configuration"]["data"], "digits")

    def test_delta_is_of_the_model(self):
        x, y = self.regression(70)
        self.savez("a.npz", x=x, y=y)
        model = self.network(5, 2, LINEAR, loss="{kind: huber, delta: 0.5}", rate=0.02)
        self.assertEqual(self.passes(f"--model {model} --data a.npz")["configuration"]["loss"], {"kind": "huber", "delta": 0.5})

    def test_a_loss_above_that_of_the_mean_is_a_warning(self):
        x, y = self.regression(200, noise=0)
        self.savez("a.npz", x=x, y=y, x_test=x, y_test=y)
        variance = np.mean(np.var(y, axis=0))
        for rate in ("0.1", "2"):
            model = self.network(5, 2, LINEAR, loss="mse", rate=rate)
            found = self.summary(f"--model {model} --data a.npz --epochs 1")
            self.assertEqual(len(found["warnings"]), found["training_loss"] > variance)
            self.assertEqual(len(found["warnings"]), rate == "2")
        for words in (f"is above {variance:.4g}", "that of the mean of the targets, expected a lower rate than 2"):
            self.assertIn(words, found["warnings"][0])


class Resuming(DataTest):
    def test_a_state_belongs_to_its_data(self):
        model = self.network(12, 7)
        x, y = self.classes(140)
        self.savez("a.npz", x=x, y=y), self.save_csv("same.csv", x, y)
        self.savez("b.npz", x=np.where(np.arange(140)[:, None, None] == 77, x + 1, x), y=y)
        self.succeeds(f"--model {model} --data a.npz --epochs 3 --save state --quiet")
        whole = self.passes(f"--model {model} --data a.npz")
        for data in ("a.npz", "same.csv"):
            resumed = self.passes(f"--model {model} --data {data} --resume state")
            self.assertEqual(self.curve(resumed), self.curve(whole)[3:])
        for other in ("--data b.npz", "--data a.npz --held-out 0.3", "--data a.npz --scale 2", "--data a.npz --loss mse"):
            self.refuses(f"--model {model} {other} --resume state --save more", "--resume", "a state of this model, data")


class Refused(DataTest):
    """One line, with the file and the place."""

    def setUp(self):
        super().setUp()
        self.x, self.y = self.classes(40, (2, 3), 5)
        self.network(6, 5)

    def refuses_data(self, data, *words, more="", **arrays):
        if arrays:
            np.savez(self.path(data), **arrays)
        self.refuses(f"--model net.yaml --data {data} {more}", "--data", *words)

    def changed(self, array, place, value):
        array = np.array(array, dtype=float)
        array[place] = value
        return array

    def test_numbers(self):
        for value, text in ((np.nan, "nan"), (np.inf, "inf"), (1e39, "1e+39")):
            self.refuses_data("a.npz", f"a.npz: x: element (7,1,2): found {text}",
                              x=self.changed(self.x, (7, 1, 2), value), y=self.y)
        self.refuses_data("a.npz", "a.npz: y: element 12: found label 5, expected a whole number from 0 to 4",
                          x=self.x, y=self.changed(self.y, 12, 5).astype(int))
        self.refuses_data("a.npz", "element 0: found label -1", x=self.x, y=self.changed(self.y, 0, -1).astype(int))
        self.save_text("tokens.yaml", TOKENS)
        tokens = self.changed(np.zeros((9, 6)), (3, 4), 11).astype(int)
        np.savez(self.path("t.npz"), x=tokens, y=np.zeros(9, int))
        self.refuses("--model tokens.yaml --data t.npz", "t.npz: x: element (3,4): found token 11", "from 0 to 10")
        self.save_csv("a.csv", self.changed(self.x, (7, 1, 2), np.nan), self.y)
        self.refuses_data("a.csv", "a.csv, line 8, column 6: found nan, expected a finite number")

    def test_sizes(self):
        self.refuses_data("a.npz", "a.npz: x: found 8 inputs in a sample (2 x 4), expected 6", x=np.zeros((40, 2, 4)), y=self.y)
        self.refuses_data("a.npz", "answers for 39 samples", "each of the 40", x=self.x, y=self.y[1:])
        self.refuses_data("a.npz", "found no number in the shape 0 x 6", x=np.zeros((0, 6)), y=np.zeros(0))
        self.refuses_data("a.npz", "expected 5 targets", more="--loss mse", x=self.x, y=self.y + 0.5)
        self.save_csv("a.csv", self.x[:, 0], self.y)
        self.refuses_data("a.csv", "a.csv: found 4 columns, expected 7: the model's 6 inputs and a label")
        np.savez(self.path("b.npz"), x=self.x, y=self.y)
        np.savez(self.path("t.npz"), x=self.x.reshape(40, 3, 2), y=self.y)
        self.refuses("--model net.yaml --data b.npz --test t.npz",
                     "--test: t.npz: x: found samples of 3 x 2, expected 2 x 3, as in b.npz: x")
        self.refuses("--model net.yaml --data b.npz --test none.npz", "--test: none.npz: no such file")

    def test_types(self):
        for array, text in ((np.array([None] * 40), "'|O' is not supported"), (np.array(["a"] * 40), "'<U1'"),
                            (self.y.astype(complex), "y: found complex elements"), (self.y.astype(">i4"), "big-endian")):
            self.refuses_data("a.npz", "a.npz: y", text, x=self.x, y=array)

    def test_names_of_arrays(self):
        self.refuses_data("a.npz", "found the arrays 'images', 'y', expected one of inputs: x, X, inputs", images=self.x, y=self.y)
        self.refuses_data("a.npz", "found the arrays 'x', 'X', 'y', expected one of inputs", x=self.x, X=self.x, y=self.y)
        self.refuses_data("a.npz", "found the arrays 'x', expected one of labels or targets: y, Y, labels", x=self.x)
        self.refuses_data("a.npz", "expected one of test labels or targets: y_test", x=self.x, y=self.y, x_test=self.x)
        with zipfile.ZipFile(self.path("empty.npz"), "w"):
            pass
        self.refuses_data("empty.npz", "empty.npz: found no array")

    def test_damaged_archives(self):
        np.savez_compressed(self.path("a.npz"), x=self.x, y=self.y)
        whole = self.read_bytes("a.npz")
        for size in range(1, len(whole), 37):
            self.save_bytes("part.npz", whole[:size])
            self.refuses_data("part.npz", "part.npz: found")
        for at in range(0, len(whole), 3):  # names and dates may change without harm
            self.save_bytes("part.npz", whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
            done = self.run_program("--model net.yaml --data part.npz --dry-run")
            self.assertIn(done.status, (0, BAD_INPUT), at)
            self.assertLess(done.err.count("\n"), 2, at)
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_LZMA) as file:
            file.write(self.path("a.npz"), "x.npy"), file.write(self.path("a.npz"), "y.npy")
        self.save_bytes("lzma.npz", archive.getvalue())
        self.refuses_data("lzma.npz", "lzma.npz: 'x.npy': found packing method 14, expected 0 (stored) or 8 (deflated)")
        self.save_text("text.npz", "x,y\n")
        self.refuses_data("text.npz", "no zip file")

    def test_kinds_of_files(self):
        self.save("x.npy", self.x), self.save("y.npy", self.y), self.save_text("a.txt", "1 2 3\n")
        self.refuses_data("x.npy", "x.npy: found 1 array, expected two", "X.npy,Y.npy")
        self.refuses_data("x.npy,y.npy,y.npy", "found 3 arrays, expected two")
        self.refuses_data("none.npz", "none.npz: no such file")
        self.refuses_data("a.txt", "another kind of file", "FILE.npz, X.npy,Y.npy, FILE.csv")
        self.refuses_data("none", "none: no such file")
        self.refuses_data("x.npy,none.npy", "none.npy: no such file")
        self.refuses("--model net.yaml --data .", "--data is '.'", "train-images-idx3-ubyte", "FILE.npz")

    def test_options_that_do_not_go_together(self):
        np.savez(self.path("a.npz"), x=self.x, y=self.y)
        np.savez(self.path("both.npz"), x=self.x, y=self.y, x_test=self.x, y_test=self.y)
        line = "--model net.yaml --data a.npz"
        for option in ("--test a.npz", "--held-out 0.2", "--scale 2"):
            self.fails_with(BAD_INPUT, f"--model small.yaml {option}", option.split()[0], "--data", "expected both")
        self.refuses(f"{line} --test a.npz --held-out 0.2", "--test and --held-out are both given")
        self.refuses("--model net.yaml --data both.npz --held-out 0.2", "--held-out is given with both.npz, which has a test set")
        for value in ("0", "1", "-0.1", "many", "nan"):
            self.refuses(f"{line} --held-out {value}", "--held-out", value)
        self.refuses(f"{line} --held-out 0.001", "--held-out is 0.001, which of 40 samples takes 0")
        for value in ("0", "-1", "1e31", "inf"):
            self.refuses(f"{line} --scale {value}", "--scale", value)
        self.save_text("tokens.yaml", TOKENS)
        self.refuses("--model tokens.yaml --data a.npz --scale 2", "--scale", "takes tokens")
        self.refuses(f"{line} --loss hinge", "--loss", "cross-entropy", "huber")
        self.refuses(f"{line} --save a.npz", "--save", "--data", "expected another file")
