"""docs/tnn_training.md says what the program says and does."""
import os
import re

import numpy as np

from testbench_page import TestbenchPage
from testbench_program import TestbenchTest
from testbench_words import TestbenchWords
from tnn_training_program import SOURCE, TnnTrainingTest


class Words(TestbenchWords, TnnTrainingTest):
    job = long_job = "--epochs 1"
    outputs = ("--out files", "--save state")
    helped = ("--model", "--epochs", "--resume")
    nonsense = "--model nothing"

    def setUp(self):  # without the model
        TestbenchTest.setUp(self)


class Page(TestbenchPage, TnnTrainingTest):
    small_job = "--model small.yaml"
    ranged = ("epochs", "batch", "lanes", "outstanding", "clock", "seed")
    usage_lines = 13

    def rows(self, columns):
        """Of the tables whose first column is a run."""
        cells = r" ([^|]*?) \|" * (columns - 1)
        found = re.findall(rf"^\| `(--model [^`]*)` \|{cells}$", self.page, re.M)
        self.assertTrue(found)
        return found

    def test_usage_lines_run(self):
        """With the files of a user."""
        self.save_text("mine.yaml", "layers: [{format: dense, rows: 3, cols: 4}]\n")
        x, y = np.random.default_rng(1).standard_normal((60, 2, 2)), np.arange(60) % 3
        for name in ("train.npz", "test.npz", "samples.npz"):
            np.savez(self.path(name), x=x, y=y)
        for name, array in (("x", x), ("y", y), ("more_x", x), ("more_y", y)):
            self.save(f"{name}.npy", array)
        np.savetxt(self.path("table.csv"), np.column_stack([x.reshape(60, 4), y]), delimiter=",")
        super().test_usage_lines_run()

    def test_shipped_models(self):
        for run, _, parameters, dense, accuracy, cycles, energy in self.rows(7):
            found = self.summary(run)
            self.assertTrue(found["check"]["passed"], run)
            self.assertEqual((f"{found['parameters']:,}", f"{found['dense_parameters']:,}", f"{found['cycles']:,}"),
                             (parameters, dense, cycles), run)
            self.assertEqual(f"{100 * found['test_accuracy']:.2f} %", accuracy, run)
            self.assertEqual(f"{found['energy_pJ']['total'] / 1e6:,.1f}", energy, run)

    def test_shipped_models_to_their_end(self):
        rows = re.findall(r"^\| `(--model [a-z0-9 -]*)` \| (0\.\d+) \| (\S+ %) \|$", self.page, re.M)
        self.assertEqual(len(rows), 11)
        for run, loss, accuracy in rows:
            found = self.summary(f"{run} --no-check")
            self.assertEqual((f"{found['training_loss']:.5f}", f"{100 * found['test_accuracy']:.2f} %"), (loss, accuracy), run)

    def test_phases_of_shipped_models(self):
        rows = re.findall(r"^\| `(--model [^`]*)` \| (\w+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", self.page, re.M)
        self.assertEqual(len(rows), 3 * 5)
        runs = {run: self.summary(f"{run} --no-check")["phases"] for run, *_ in rows}
        for run, phase, *cells in rows:
            found = runs[run][phase]
            self.assertEqual([f"{found['cycles']:,}", f"{found['energy_pJ'] / 1e6:,.1f}", f"{found['read_bytes']:,}",
                              f"{found['written_bytes']:,}"], cells, (run, phase))

    def test_memory_of_shipped_models(self):
        rows = re.findall(r"^\| `(--model [a-z-]+)` \| (\w+) \|" + r" (\S+) \|" * 7 + "$", self.page, re.M)
        runs = {run: self.summary(f"{run} --epochs 1 --no-check")["memory"] for run, *_ in rows}
        self.assertEqual(len(rows), sum(len(memory["layers"]) + 1 for memory in runs.values()))
        for run, layer, *cells in rows:
            memory = runs[run]
            of = {**memory["total"], "peak": memory["peak_bytes"]} if layer == "all" else \
                next(part for part in memory["layers"] if part["name"] == layer)
            kinds = ("masters", "copies", "gradients", "optimizer", "activations", "temporaries")
            self.assertEqual([f"{of[kind]:,}" for kind in kinds] + [f"{of['peak']:,}" if layer == "all" else "-"], cells,
                             (run, layer))

    def test_paths_of_operands(self):
        rows = self.rows(8)
        self.assertEqual(len(rows), 6)
        for run, *cells in rows:
            linear, banked = (self.summary(f"{run} --no-check --layout {layout}") for layout in ("linear", "banked"))
            paths = banked["operands"]
            self.assertEqual([str(paths["network"]), str(paths["transposed"]), str(paths["gathered"]),
                              f"{paths['permutation_cycles']:,}", f"{linear['cycles']:,}", f"{banked['cycles']:,}",
                              f"{banked['cycles'] / linear['cycles']:.3f}"], cells, run)

    def test_batches_in_blocks(self):
        rows = self.rows(4)
        self.assertEqual(len(rows), 4)
        for run, *cells in rows:
            found = self.summary(f"{run} --no-check")
            device = found["configuration"]
            self.assertEqual([f"{device['engines'] * device['bank_bytes']:,}", f"{found['cycles']:,}",
                              f"{found['energy_pJ']['total'] / 1e6:,.4g}"], cells, run)

    def test_sources_of_patches(self):
        with open(os.path.join(SOURCE, "workloads/training/models/digits-conv.yaml")) as file:
            model = file.read()
        rows = re.findall(r"^\| `(chip|bus)` \| .* \| (\S+) \| (\S+) \|$", self.page, re.M)
        self.assertEqual([row[0] for row in rows], ["chip", "bus"])
        for source, cycles, energy in rows:
            self.save_text("patches.yaml", model.replace("kernel: 3x3", f"kernel: 3x3, patches: {source}"))
            found = self.summary("--model patches.yaml --epochs 5 --no-check")
            self.assertEqual((f"{found['cycles']:,}", f"{found['energy_pJ']['total'] / 1e6:,.1f}"), (cycles, energy))

    def test_the_model_of_the_page_is_one(self):
        model = re.search(r"```yaml\n(.*?)```", self.page, re.S)[1]
        self.save_text("page.yaml", model)
        found = self.summary("--model page.yaml --epochs 1")
        self.assertEqual((found["parameters"], found["dense_parameters"]), (314, 1210))

    def test_dense_layers_do_not_find_the_rule_of_sequences(self):
        loss, accuracy = re.search(r"training loss of (\S+) after its 20 epochs, and (\S+ %) of the test set", self.page).groups()
        self.save_text("dense.yaml", re.findall(r"```yaml\n(data: sequences.*?)```", self.page, re.S)[0])
        found = self.summary("--model dense.yaml --no-check")
        self.assertEqual((f"{found['training_loss']:.5f}", f"{100 * found['test_accuracy']:.2f} %"), (loss, accuracy))

    def test_every_key_of_a_model_is_there(self):
        keys = re.findall(r"^\| (`[a-z.].*?`) \|", self.section("The model file").split("### ")[0], re.M)
        named = {name for key in keys for name in re.findall(r"`\.?([a-z_]+)`", key)}
        self.save_text("unknown.yaml", "layers: [{kind: nothing}]\n")
        kinds = re.search(r"expected one of (.*)\n", self.refuses("--model unknown.yaml", "'nothing'").err)[1].split(", ")
        self.assertIn(f"| `.kind` | {', '.join(f'`{kind}`' for kind in kinds)} |", self.page)
        refused = ["nothing: 1\n", "optimizer: {nothing: 1}\n", "loss: {nothing: 1}\n"]
        refused += [f"layers: [{{kind: {kind}, nothing: 1}}]\n" for kind in kinds]
        refused.append("layers: [{kind: lstm, hidden_weights: {nothing: 1}}]\n")
        known = set()
        for text in refused:
            self.save_text("unknown.yaml", text)
            error = self.refuses("--model unknown.yaml", "'nothing'").err
            known |= set(re.search(r"expected one of (.*)\n", error)[1].split(", "))
        self.assertEqual(named, known)
