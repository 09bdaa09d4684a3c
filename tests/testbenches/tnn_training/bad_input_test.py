"""What tnn_training refuses: status 2, one line that says what was found, where, and what was expected; and training that
fails: status 1."""
import math
import os
import re

from testbench_refusals import RefusedOptions
from tnn_training_program import BAD_INPUT, WRONG, TnnTrainingTest, load_json


class OptionLimits(RefusedOptions, TnnTrainingTest):
    job = "--model small.yaml"
    abbreviated = {"--epoch 2": "--epochs"}
    repeated = ("--epochs 2", "--drop-last", "--save state2")
    values = {
        "epochs": (("0", "-1", "1000001", "1e3", "many"), ("1", "3")),
        "batch": (("0", "-1", "65537", "2147483648", "many"), ("1", "40")),
        "optimizer": (("lion", "SGD", "sgd,adam"), ("sgd", "adam", "adamw")),
        "loss": (("hinge", "MSE", "mse,l1"), ("mse", "l1", "huber")),
        "validation": (("-0.1", "0.91", "1", "many"), ("0", "0.5")),
        "patience": (("-1", "1000001", "1.5"), ("0",)),
        "seed": (("-1", "18446744073709551616"), ("0", "18446744073709551615")),
        "engines": (("0", "8", "256"), ("4", "64")),
        "array": (("0", "6", "32"), ("2", "16")),
        "accumulator-bytes": (("0", "512", "3000"), ("1024", "65536")),
        "buffer-cycles": (("-1", "17"), ("0", "16")),
        "mac-latency": (("0", "65"), ("1", "64")),
        "layout": (("", "unbuffered", "networks"), ("linear", "banked")),
    }

    def test_formats_of_numbers(self):
        self.refuses(f"{self.job} --operand f32", "--operand", "f32", "expected bf16")
        self.refuses(f"{self.job} --psum f64", "--psum", "f64", "expected")


class TracedStep(TnnTrainingTest):
    outputs = ("--out files", "--vcd wave", "--save end")

    def refuses_step(self, step, *words, more="--epochs 3"):
        self.refuses(f"--model small.yaml {more} --trace-step {step}", "--trace-step", f"'{step}'", *words)

    def test_out_of_the_run(self):
        ranges = ("EPOCH:STEP", "an epoch from 1 to 3", "a step from 1 to 30")
        for step in ("0:1", "1:0", "4:1", "1:31", "18446744073709551615:1"):
            self.refuses_step(step, *ranges)
        self.refuses_step("1:30", "a step from 1 to 29", more="--drop-last")
        self.succeeds("--model small.yaml --save state --quiet")
        self.refuses_step("1:1", "an epoch from 2 to 3", more="--epochs 3 --resume state")

    def test_no_step(self):
        for step in ("1", "1:2:3", "one:two", ":", "1:", "-1:2", "1:1.5"):
            self.refuses_step(step, "EPOCH:STEP, two numbers from 1")

    def test_without_files(self):
        self.fails_with(BAD_INPUT, "--model small.yaml --trace-step 1:1", "--trace-step", "--out", "expected both")


class BadModel(TnnTrainingTest):
    def refuses_model(self, *changes_and_words):
        *changes, words = changes_and_words
        self.refuses(f"--model {self.save_model(*changes)}", "--model", *words)

    def test_keys(self):
        self.refuses_model(("epochs: 1", "epoch: 1"), ("changed.yaml:2", "'epoch'", "expected one of", "epochs"))
        self.refuses_model(("epochs: 1", "batch: 1"), ("changed.yaml:3", "'batch'", "each key once"))
        self.refuses_model(("rate: 0.1", "speed: 0.1"), ("changed.yaml:4", "'speed'", "rate_decay"))
        self.refuses_model(("ranks: 2", "rank: 2"), ("changed.yaml:6", "'rank'", "ranks"))

    def test_data(self):
        self.refuses_model(("data: digits", "data: mnist"), ("changed.yaml:1", "'mnist'", "one of digits, fashion-mnist, sequences"))
        for model in ("small", "tokens"):  # any model runs on any data
            self.refuses(f"--model {model}.yaml --data .", "--data is '.'", "found no train-images-idx3-ubyte")
        self.refuses_model(("data: digits", "data: sequences"), ("take 64 and give 10", "16 features and 4 classes of sequences"))
        self.save_text("numbers.yaml", "data: sequences\nlayers: [{format: dense, rows: 4, cols: 16}]\n")
        self.refuses("--model numbers.yaml", "--model: its first layer takes numbers, expected 16 tokens as of sequences")

    def test_files_of_a_data_set(self):
        self.refuses("--model fashion-ttm --data .", "--data", "train-images-idx3-ubyte.gz", "Debian")
        self.save_text("train-images-idx3-ubyte.gz", "no gzip")
        self.refuses("--model fashion-ttm --data .", "train-images-idx3-ubyte.gz", "an incomplete gzip file")
        self.save_text("train-images-idx3-ubyte", "short")
        self.save_text("train-labels-idx1-ubyte", "short")
        self.save_text("t10k-images-idx3-ubyte", "short")
        self.save_text("t10k-labels-idx1-ubyte", "short")
        self.refuses("--model fashion-ttm --data .", "train-images-idx3-ubyte", "5 bytes", "an IDX file")

    def test_layers_that_do_not_fit(self):
        self.refuses_model(("cols: 16", "cols: 17"), ("output has 17 inputs", "expected the 16 outputs of hidden"))
        self.refuses_model(("cols: 8x8", "cols: 8x9"), ("take 72 and give 10", "expected the 64 features and 10 classes of digits"))
        self.refuses_model(("rows: 10", "rows: 9"), ("take 64 and give 9", "10 classes"))
        self.refuses_model(("cols: 8x8", "cols: 8x8x1"), ("changed.yaml:6", "2 factors of rows and 3 of columns"))

    def test_lstm(self):
        for key, words in (("frames: 7", ("take 56 and give 10", "64 features")), ("hidden: 0", ("hidden is 0", "from 1 to 65536")),
                           ("output: every", ("changed.yaml:6", "'every'", "last, all")),
                           ("hidden_weights: {bias: false}", ("changed.yaml:6", "'bias'", "cols, format")),
                           ("rows: 60", ("rows make 60", "expected 64, 4 times hidden"))):
            lstm = {"kind": "lstm", "frames": "8", "features": "8", "hidden": "16"}
            lstm[key.split(": ")[0]] = key.split(": ", 1)[1]
            self.refuses_model(("format: ttm, rows: 4x4, cols: 8x8, ranks: 2, activation: relu",
                                ", ".join(f"{name}: {value}" for name, value in lstm.items())), words)

    def test_files(self):
        self.refuses("--model missing.yaml", "--model", "missing.yaml", "digits-ttm")
        self.refuses("--model .", "--model", "expected")
        self.save_text("broken.yaml", "layers: [\n")
        self.refuses("--model broken.yaml", "--model", "broken.yaml", "not valid YAML")
        self.save_text("large.yaml", "#" * (1 << 21))
        self.refuses("--model large.yaml", "--model", "2097152 bytes", "at most 1 MiB")

    def test_what_does_not_fit_the_unified_memory(self):
        broad = self.save_model(("rows: 4x4, cols: 8x8, ranks: 2", "rows: 64x64, cols: 8x8, ranks: 2"), ("cols: 16", "cols: 4096"))
        error = self.refuses(f"--model {broad} --engines 4 --bank-bytes 4096", "16384 bytes of the unified memory",
                             "--bank-bytes 4096", "--engines 4", "--batch", "layer ", "expected a smaller batch or model").err
        needed = int(re.search(r"need (\d+) bytes or more", error)[1])
        fitting = next(size for size in (4096 << n for n in range(1, 9)) if 4 * size >= needed)
        self.succeeds(f"--model {broad} --epochs 1 --engines 4 --bank-bytes {fitting} --quiet --no-check")
        self.succeeds("--model small.yaml --epochs 1 --engines 4 --bank-bytes 4096 --quiet")  # in blocks
        wide = self.save_model(("rows: 4x4, cols: 8x8, ranks: 2", "rows: 4096x4096, cols: 8x8, ranks: 2"),
                               ("cols: 16", "cols: 16777216"))
        self.refuses(f"--model {wide}", "unified memory", "expected a smaller batch or model")

    def test_a_batch_that_leaves_no_step(self):
        self.refuses("--model small.yaml --batch 1438 --drop-last", "--batch is 1438", "at most the 1437 samples", "--drop-last")


class BadState(TnnTrainingTest):
    job = "--model small.yaml --epochs 2"

    def setUp(self):
        super().setUp()
        self.succeeds("--model small.yaml --save first --quiet")

    def refuses_state(self, path, *words, job=None):
        self.refuses(f"{job or self.job} --resume {path}", "--resume", *words)

    def test_truncated_longer_or_changed(self):
        whole = self.read_bytes("first")
        for size in (0, 7, 100, 500, len(whole) - 1):
            self.refuses_state(self.save_bytes("part", whole[:size]), "part", "expected a state of this model")
        for at in (9, 40, 60, 90, len(whole) // 2, len(whole) - 1):
            changed = bytearray(whole)
            changed[at] ^= 1
            self.refuses_state(self.save_bytes("part", bytes(changed)), "part", "expected a state of this model")

    def test_of_another_run(self):
        changed = self.save_model(("ranks: 2", "ranks: 3"))
        for job in (f"--model {changed} --epochs 2", f"{self.job} --batch 47", f"{self.job} --optimizer adam",
                    f"{self.job} --seed 2", "--model digits-ttm"):
            self.refuses_state("first", "first, expected a state of this model, data, batch, optimizer and seed", job=job)
        for before, after in (("rate: 0.1", "rate: 0.2"), ("momentum: 0.9", "momentum: 0.8"), ("relu", "tanh")):
            changed = self.save_model((before, after))
            self.refuses_state("first", "another configuration", job=f"--model {changed} --epochs 2")

    def test_no_state(self):
        self.refuses_state("small.yaml", "small.yaml", "its magic")
        self.refuses_state("missing", "missing", "cannot be read")
        self.refuses_state(".", "--resume")
        self.refuses_state("/dev/zero", "/dev/zero", "longer file")

    def test_no_epoch_left(self):
        self.refuses_state("first", "a state after epoch 1", "expected one before epoch 1", job="--model small.yaml")

    def test_one_file_for_both(self):
        self.refuses(f"{self.job} --resume first --save first", "--save", "--resume", "expected another file")
        self.refuses("--model small.yaml --save small.yaml", "--save", "--model", "expected another file")
        self.refuses("--model small.yaml --save no/folder", "--save", "no/folder")


class DryRun(TnnTrainingTest):
    def test_models_that_do_not_match_the_data(self):
        for changes, words in (((("rows: 10, cols: 16", "rows: 11, cols: 16"),), ("give 11 numbers", "10 classes of digits")),
                               ((("cols: 8x8", "cols: 8x9"),), ("take 72", "64 features"))):
            model = self.save_model(*changes)
            self.refuses(f"--model {model} --dry-run", "--model", *words)
        self.save_text("numbers.yaml", "data: sequences\nlayers: [{format: dense, rows: 4, cols: 16}]\n")
        self.refuses("--model numbers.yaml --dry-run", "takes numbers", "expected 16 tokens")
        self.refuses("--model small.yaml --dry-run --batch 1438 --drop-last", "--batch is 1438", "1437 samples")
        self.refuses("--model fashion-ttm --data . --dry-run", "--data is '.'", "train-images-idx3-ubyte")
        self.succeeds("--model small.yaml --dry-run")


class HighLoss(TnnTrainingTest):
    def test_a_loss_above_that_of_equal_probabilities_is_a_warning(self):
        for rate, is_high in (("0.1", False), ("1000", True)):
            self.save_text("rate.yaml", f"epochs: 1\noptimizer: {{kind: sgd, rate: {rate}}}\n"
                                        "layers: [{format: dense, rows: 10, cols: 64}]\n")
            line = "--model rate.yaml"
            found, out = self.summary(line), self.succeeds(line).out
            self.assertEqual(found["training_loss"] > math.log(10), is_high)
            self.assertIs(found["check"]["passed"], True)
            self.assertEqual(len(found["warnings"]), is_high)
            self.assertEqual("is above 2.303" in out, is_high)
            for warning in found["warnings"]:
                self.assertIn(f"  warning               {warning}\n", out)
                for words in ("epoch 1", "2.303", "10 classes", f"a lower rate than {rate}"):
                    self.assertIn(words, warning)


class LossThatIsNoNumber(TnnTrainingTest):
    def setUp(self):
        super().setUp()
        self.save_model(("rate: 0.1", "rate: 1e6"))

    def test_names_the_step_and_saves_nothing(self):
        for more in ("", "--no-check", "--epochs 3"):
            self.fails_with(WRONG, f"--model changed.yaml --quiet --save state {more}", "training failed",
                            "epoch 1, step 3", "is not finite")

    def test_an_older_state_stays(self):
        self.save_text("state", "older")
        self.fails_with(WRONG, "--model changed.yaml --quiet --save state", "step 3")
        self.assertEqual(self.read_bytes("state"), b"older")

    def test_a_step_that_was_not_reached_has_no_trace(self):
        self.run_program("--model changed.yaml --epochs 3 --trace-step 3:1 --out files")
        self.assertEqual(load_json(self.path("files/trace.json"))["traceEvents"], [])

    def test_report(self):
        done = self.run_program("--model changed.yaml --epochs 3 --save state --out files")
        self.assertEqual((done.status, done.err), (WRONG, ""))
        self.assertRegex(done.out, r"check +FAILED, training failed: the loss of epoch 1, step 3 is not finite\n")
        self.assertNotIn("epoch 2 ", done.out)
        found = load_json(self.path("files/summary.json"))
        self.assertEqual((found["check"]["passed"], found["check"]["same_bits"]), (False, None))
        self.assertIn("step 3", found["check"]["failure"])
        self.assertIsNone(found["training_loss"])
        self.assertEqual(len(found["epochs"]), 1)
        self.assertEqual(len(self.rows("files/latency.csv")), 5)
        self.assertFalse(os.path.exists(self.path("state")))
