"""Tensors and parameters in and out of training from Python, and models as dictionaries. Argument: folder of the programs."""
import os
import unittest

import numpy as np

from runs_from_python import RunsFromPython
import tensorloom as tl

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")
DIGITS = {"data": "digits", "epochs": 1, "batch": 64, "optimizer": {"kind": "sgd", "rate": 0.03},
          "layers": [{"name": "hidden", "format": "ttm", "rows": (4, 4), "cols": (8, 8), "ranks": [2], "activation": "relu"},
                     {"name": "output", "rows": "10", "cols": "16"}]}


def rounded(array):
    """To bfloat16, ties to even."""
    bits = np.asarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) & np.uint32(0xffff0000)).view(np.float32)


class StepTensorsTest(RunsFromPython):
    LAYER = {"format": "ttm", "rows": "2x3", "cols": "4x2", "ranks": "3"}

    def tensors(self, batch=5):
        cores = {"G1": self.random.standard_normal((2, 4, 3)), "G2": self.random.standard_normal((3, 3, 2))}
        cores = {name: core.astype(np.float32) for name, core in cores.items()}
        return (rounded(self.random.standard_normal((batch, 8))), rounded(self.random.standard_normal((batch, 6))), cores)

    def test_a_step_is_that_of_numpy(self):
        x, dy, cores = self.tensors()
        run = tl.tnn_step(x=x, dy=dy, cores=cores, rate=0.5, **self.LAYER)
        gradients = tl.tnn_step(x=x, dy=dy, cores=cores, phases="fp,bp,wg", **self.LAYER)
        a, b = (rounded(core).astype(float) for core in cores.values())
        x4, dy4 = x.reshape(5, 4, 2).astype(float), dy.reshape(5, 2, 3).astype(float)
        w = np.einsum("mnr,rpq->mpnq", a, b)  # rows, then columns
        expected = {"Y": np.einsum("mpnq,bnq->bmp", w, x4), "dX": np.einsum("mpnq,bmp->bnq", w, dy4),
                    "dG1": np.einsum("bmp,bnq,rpq->mnr", dy4, x4, b), "dG2": np.einsum("bmp,bnq,mnr->rpq", dy4, x4, a)}
        expected |= {name: cores[name] - 0.5 * expected["d" + name] for name in cores}
        self.assertEqual((list(run.outputs), list(gradients.outputs)), (["Y", "dX", "G1", "G2"], ["Y", "dX", "dG1", "dG2"]))
        for outputs in (run.outputs, gradients.outputs):
            for name, array in outputs.items():
                self.assertEqual((array.shape, array.dtype), (expected[name].shape, np.float32), name)
                self.assertLess(np.abs(array - expected[name]).max(), 0.03 * np.abs(expected[name]).max(), name)
        self.assertIs(run.result, run.outputs["Y"])
        self.assertEqual(set(run.state_dict()), {"G1", "G2"})

    def test_updated_cores_are_those_of_the_next_step(self):
        x, dy, cores = self.tensors()
        first = tl.tnn_step(x=x, dy=dy, cores=cores, **self.LAYER)
        second = tl.tnn_step(x=x, dy=dy, cores=first.state_dict(), **self.LAYER)
        gradients = tl.tnn_step(x=x, dy=dy, cores=first.state_dict(), phases="fp,bp,wg", **self.LAYER)
        for name in cores:
            change = second.outputs[name] - first.outputs[name]
            self.assertTrue(np.allclose(change, -0.01 * gradients.outputs["d" + name], rtol=1e-4, atol=1e-6), name)

    def test_the_same_tensors_give_the_same_bits_saved_loaded_and_repeated(self):
        x, dy, cores = self.tensors()
        run, kept = tl.tnn_step(x=x.reshape(5, 4, 2), dy=dy, cores=cores, **self.LAYER), self.place("kept")
        run.save(kept)
        again = tl.load(kept)
        self.run_program("tnn_step", "--config", "summary.json", "--output", "again.npz", "--out", "again", cwd=kept)
        with np.load(os.path.join(kept, "again.npz")) as repeated:
            for name, array in run.outputs.items():
                self.assertTrue(np.array_equal(again.outputs[name], array) and np.array_equal(repeated[name], array), name)

    def test_the_batch_is_that_of_the_input(self):
        x = self.tensors(7)[0]
        run = tl.tnn_step(x=x, **self.LAYER)
        self.assertEqual((run.summary["configuration"]["batch"], run.result.shape), (7, (7, 2, 3)))
        self.assertEqual(list(tl.tnn_step(x=x, phases="fp", **self.LAYER).outputs), ["Y"])

    def test_other_shapes_are_refused_with_both(self):
        x, dy, cores = self.tensors()
        for given, told in (({"x": x[:, :6]}, "--input: input.npy: found an array of shape 5 x 6.*X of shape 5 x 4 x 2 or 5 x 8"),
                            ({"x": x, "dy": dy[:4]}, "--gradient: .*4 x 6.*dY of shape 5 x 2 x 3 or 5 x 6"),
                            ({"cores": {"G1": cores["G1"]}}, "--cores: .*no G2 among G1, expected .*G1 2 x 4 x 3, G2 3 x 3 x 2"),
                            ({"cores": {**cores, "G3": x}}, "--cores: .*the array G3, expected"),
                            ({"cores": {**cores, "G2": x}}, "--cores: .*G2 of shape 5 x 8, expected G2 of this layer of shape 3 x 3 x 2"),
                            ({"cores": {**cores, "G2": cores["G2"] * np.nan}}, "--cores: .*G2: .*not finite"),
                            ({"x": x, "samples": 9}, "--samples"), ({"x": x, "batch": 4}, "--input: .*4 x 4 x 2"),
                            ({"dy": dy, "phases": "fp"}, "--gradient")):
            self.assertRegex(str(self.refusal(tl.tnn_step, **given, **self.LAYER)), told)


class WeightsTest(RunsFromPython):
    def test_weights_go_out_and_in(self):
        first = tl.tnn_training(DIGITS)
        state = first.state_dict()
        self.assertEqual({name: array.shape for name, array in state.items()},
                         {"hidden.G1": (4, 8, 2), "hidden.G2": (2, 4, 8), "hidden.bias": (16,), "output.G1": (10, 16), "output.bias": (10,)})
        self.assertEqual({array.dtype for array in state.values()}, {np.dtype(np.float32)})
        # Without a rate nothing is learned: the weights that go in come out, and the test set is that of the first run.
        still = tl.tnn_training({**DIGITS, "optimizer": {"kind": "sgd", "rate": 1e-30, "momentum": 0}}, initial=state)
        for name, array in state.items():
            self.assertTrue(np.array_equal(still.outputs[name], array), name)
        self.assertEqual(still.summary["test_accuracy"], first.summary["test_accuracy"])

    def test_a_numpy_network_with_these_weights_recognises_the_digits(self):
        run = tl.tnn_training({**DIGITS, "epochs": 6})
        state = run.state_dict()
        samples = np.loadtxt(os.path.join(DATA, "digits_1797x64.csv"), delimiter=",")
        w = np.einsum("mnr,rpq->mpnq", state["hidden.G1"], state["hidden.G2"]).reshape(16, 64)
        hidden = np.maximum(samples[:, :64] / 16 @ w.T + state["hidden.bias"], 0)
        found = (hidden @ state["output.G1"].T + state["output.bias"]).argmax(axis=1)
        self.assertGreater(run.summary["test_accuracy"], 0.8)
        self.assertLess(abs((found == samples[:, 64]).mean() - run.summary["test_accuracy"]), 0.06)  # of all samples; 0.1 at random

    def test_weights_of_another_model_are_refused_with_names_and_shapes(self):
        state = tl.tnn_training(DIGITS).state_dict()
        for given, told in (({name: array for name, array in state.items() if name != "output.bias"},
                             "--weights-in: .*no output.bias among .*hidden.G1.*, expected the arrays of model model: hidden.G1 4 x 8 x 2"),
                            ({**state, "other": state["output.bias"]}, "--weights-in: .*the array other"),
                            ({**state, "output.G1": state["output.G1"].T}, "output.G1 of shape 16 x 10, expected output.G1 of .* 10 x 16"),
                            ({**state, "output.G1": state["output.G1"] * np.inf}, "output.G1.*not finite")):
            self.assertRegex(str(self.refusal(tl.tnn_training, DIGITS, initial=given)), told)
        for given, told in (({"file": [1.0]}, "'file'"), ({5: [1.0]}, "has the name 5"), ({"a": ["text"]}, "a is an array of")):
            self.assertRegex(str(self.refusal(tl.tnn_training, DIGITS, initial=given)), told)
        self.assertRegex(str(self.refusal(tl.dxt(shape=(2, 2, 2)).state_dict)), "dxt: a run has no parameters")

    def test_a_damaged_file_is_refused(self):
        np.savez(self.place("w.npz"), **tl.tnn_training(DIGITS).state_dict())
        with open(self.place("w.npz"), "r+b") as file:
            file.truncate(1000)
        self.assertRegex(str(self.refusal(tl.tnn_training, DIGITS, initial=self.place("w.npz"))), "--weights-in: .*truncated zip file")
        np.savez_compressed(self.place("w.npz"), **tl.tnn_training(DIGITS).state_dict())
        tl.tnn_training(DIGITS, initial=self.place("w.npz"), no_check=True)


class ModelTest(RunsFromPython):
    def test_a_model_is_a_dictionary(self):
        with open(self.place("model.yaml"), "w", encoding="utf-8") as file:
            file.write("""
data: digits
epochs: 1
batch: 64
optimizer: {kind: sgd, rate: 0.03}
layers:
  - {name: hidden, format: ttm, rows: 4x4, cols: 8x8, ranks: 2, activation: relu}
  - {name: output, rows: 10, cols: 16}
""")
        by_file, by_dict = (tl.tnn_training(model).summary for model in (self.place("model.yaml"), DIGITS))
        self.assertEqual((by_file["epochs"], by_file["cycles"]), (by_dict["epochs"], by_dict["cycles"]))
        for model, told in (({}, "model"), ({**DIGITS, "layrs": []}, "layrs"), ({**DIGITS, "batch": None}, "None as batch"),
                            ({**DIGITS, "batch": float("nan")}, "nan as batch")):
            self.assertRegex(str(self.refusal(tl.tnn_training, model)), told)

    def test_keys_of_a_model_are_options_of_a_sweep(self):
        found = tl.sweep(tl.tnn_training, {"model.layers.hidden.ranks": [2, 4], "model.optimizer.rate": [0.01, 0.03]}, DIGITS)
        table = found.table
        self.assertEqual([(row["model.layers.hidden.ranks"], row["model.optimizer.rate"]) for row in table],
                         [(2, 0.01), (2, 0.03), (4, 0.01), (4, 0.03)])
        self.assertEqual([run.state_dict()["hidden.G1"].shape[-1] for run in found.runs], [2, 2, 4, 4])
        self.assertEqual(list(table["test_accuracy"]), [run.summary["test_accuracy"] for run in found.runs])
        self.assertEqual(list(table["training_loss"]), [run.summary["training_loss"] for run in found.runs])
        self.assertEqual(DIGITS["layers"][0]["ranks"], [2])  # not changed
        self.assertNotIn("test_accuracy", tl.sweep(tl.dxt, {"seed": [1]}, shape=(2, 2, 2)).table.dtype.names)

    def test_keys_of_a_named_model_are_set_and_removed(self):
        over = [{"model.layers.hidden.ranks": 2}, {"model.layers.output": {"format": "dense", "rows": 10, "cols": 256, "ranks": None}},
                {"model.layers.hidden": {"activation": None}}]
        found = tl.sweep(tl.tnn_training, over, "digits-ttm", epochs=1)
        layers = [run.summary["configuration"]["layers"] for run in found.runs]
        self.assertEqual([layer["weights"]["ranks"] for layer, _ in layers], [[2], [4], [4]])
        self.assertEqual([layer["activation"] for layer, _ in layers], ["relu", "relu", "none"])
        self.assertEqual([layer["weights"]["format"] for _, layer in layers], ["ttm", "dense", "ttm"])
        self.assertEqual(found.runs[0].cycles, tl.sweep(tl.tnn_training, {"model.layers.0.ranks": [2]}, epochs=1).runs[0].cycles)

    def test_the_front_of_a_sweep_has_the_rows_that_no_other_dominates(self):
        found = tl.sweep(tl.tnn_training, {"model.layers.hidden.ranks": [1, 2, 4]}, DIGITS, no_check=True)
        costs = {row["model.layers.hidden.ranks"]: (-row["test_accuracy"], row["energy_pJ"]) for row in found.table}
        best = [rank for rank, own in costs.items() if not any(other != own and all(np.array(other) <= own) for other in costs.values())]
        self.assertEqual(list(found.front(test_accuracy="max", energy_pJ="min")["model.layers.hidden.ranks"]), best)
        for goals, told in (({}, "front: no objectives"), ({"energy": "min"}, "'energy' is not a column of numbers, expected one of"),
                            ({"cycles": "least"}, "cycles is 'least', expected min or max"), ({"error": "min"}, "'error' is not a column")):
            self.assertIn(told, str(self.refusal(found.front, **goals)))

    def test_wrong_keys_are_refused_in_a_line(self):
        for over, model, told in (({"model.layers.3.ranks": [2]}, DIGITS, "found no entry '3', expected 0 to 1 or hidden, output"),
                                  ({"model.layers.0.ranks": [2]}, "digits-tmm", "sweep: model: digits-tmm cannot be read: No such file"),
                                  ({"model.layers.0.ranks": [2]}, 5, "found model=5, expected a dict, a name or a file"),
                                  ({"clock.layers": [2]}, DIGITS, "expected an option of tnn_training that takes a dict"),
                                  ({"model.optimiser.rate": [2]}, DIGITS, "found no 'optimiser', expected one of data, epochs"),
                                  ({"model.batch.size": [2]}, DIGITS, "found 64 where 'size' should be"),
                                  ({5: [2]}, DIGITS, "a point has 5, expected names of options")):
            self.assertIn(told, str(self.refusal(tl.sweep, tl.tnn_training, over, model)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
