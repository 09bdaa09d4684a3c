#!/usr/bin/env python3
"""tnn_training on arrays, lists, torch tensors and files from Python: they are the same data, and what is wrong with them is
one line. Usage: python_training_data_test.py DIRECTORY with the testbenches"""
import os
import pathlib
import unittest

import numpy as np

from runs_from_python import RunsFromPython
import tensorloom as tl

try:
    import torch
except ImportError:
    torch = None

MODEL = """epochs: 5
batch: 16
optimizer: {{kind: sgd, rate: 0.05, momentum: 0.9}}
loss: {loss}
layers:
  - {{format: dense, rows: 12, cols: 6, activation: tanh}}
  - {{format: dense, rows: {outputs}, cols: 12}}
"""


class TrainingDataTest(RunsFromPython):
    def setUp(self):
        super().setUp()
        self.y = np.arange(120) % 3
        self.x = np.random.default_rng(2).integers(-3, 4, (3, 2, 3))[self.y] + self.random.integers(-2, 3, (120, 2, 3)) / 8
        self.model = self.network(3)

    def network(self, outputs, loss="cross-entropy"):
        path = self.place(f"{loss}.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(MODEL.format(outputs=outputs, loss=loss))
        return path

    def curve(self, **data):
        run = tl.tnn_training(self.model, **data)
        self.assertIs(run.summary["check"]["passed"], True)
        return [(epoch["training_loss"], epoch["test_loss"], epoch["test_accuracy"]) for epoch in run.summary["epochs"]]

    def test_arrays_lists_and_files_are_the_same_data(self):
        x, y, u, v = self.x[:90], self.y[:90], self.x[90:], self.y[90:]
        found = self.curve(train=(x, y), test=(u, v))
        self.assertGreater(found[-1][2], 0.9)
        for name, array in (("x", x), ("y", y), ("u", u), ("v", v)):
            np.save(self.place(f"{name}.npy"), array)
        np.savez(self.place("a.npz"), x=x, y=y), np.savez_compressed(self.place("b.npz"), x=u, y=v)
        np.savetxt(self.place("a.csv"), np.column_stack([x.reshape(90, 6), y]), delimiter=",")
        files = {name: self.place(name) for name in ("x.npy", "y.npy", "u.npy", "v.npy", "a.npz", "b.npz", "a.csv")}
        for train, test in (((x.tolist(), y.tolist()), [u, v]),
                            ((x.astype(np.float16), y.astype(np.uint8)), (u.astype(np.float32), v[:, None])),
                            (f"{files['x.npy']},{files['y.npy']}", (pathlib.Path(files["u.npy"]), files["v.npy"])),
                            (files["a.npz"], pathlib.Path(files["b.npz"])), (files["a.csv"], (u, v))):
            self.assertEqual(self.curve(train=train, test=test), found, train)

    @unittest.skipUnless(torch, "no torch")
    def test_torch_tensors(self):
        found = self.curve(train=(self.x, self.y), held_out=0.25)
        for x in (torch.tensor(self.x), torch.tensor(self.x, requires_grad=True), torch.tensor(self.x).bfloat16()):
            self.assertEqual(self.curve(train=(x, torch.tensor(self.y)), held_out=0.25), found)

    def test_targets(self):
        x = self.x.reshape(120, 6)
        y = x @ self.random.standard_normal((6, 2))
        run = tl.tnn_training(self.network(2, "mse"), train=(x, y))
        self.assertIsNone(run.summary["test_accuracy"])
        self.assertLess(run.summary["test_loss"], 0.5 * np.var(y))
        self.assertEqual(run.summary["configuration"]["samples"]["test"], 24)

    def test_a_saved_run_can_be_repeated(self):
        run = tl.tnn_training(self.model, train=(self.x, self.y), epochs=2)
        run.save(self.place("run"))
        again = tl.tnn_training(config=self.place("run/summary.json"), data=tuple(
            os.path.join(self.place("run"), name) for name in ("data1.npy", "data2.npy")))
        self.assertEqual(again.summary["epochs"], run.summary["epochs"])
        self.assertEqual(tl.load(self.place("run")).summary["training_loss"], run.summary["training_loss"])

    def test_what_is_wrong_with_arrays(self):
        x, y = self.x.copy(), self.y.copy()
        self.assertIn("expected two", str(self.refusal(tl.tnn_training, self.model, train=x)))
        self.assertIn("expected numbers", str(self.refusal(tl.tnn_training, self.model, train=(x, y.astype(str)))))
        self.assertIn("complex", str(self.refusal(tl.tnn_training, self.model, train=(x, y.astype(complex)))))
        self.assertIn("rows of equal length", str(self.refusal(tl.tnn_training, self.model, train=([[1, 2], [3]], [0, 1]))))
        self.assertIn("answers for 119 samples", str(self.refusal(tl.tnn_training, self.model, train=(x, y[1:]))))
        self.assertIn("expected 6, those of the model", str(self.refusal(tl.tnn_training, self.model, train=(x[:, 0], y))))
        x[5, 1, 2] = np.nan
        self.assertIn("element (5,1,2): found nan", str(self.refusal(tl.tnn_training, self.model, train=(x, y))))
        self.assertIn("'data' is given as an option, too", str(self.refusal(tl.tnn_training, self.model, (x, y), data="a.npz")))
        self.assertIn("no such file", str(self.refusal(tl.tnn_training, self.model, train="none.npz")))


if __name__ == "__main__":
    unittest.main()
