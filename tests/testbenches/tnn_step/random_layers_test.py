"""Random layers, residencies and memories: the step's own checks pass, and its results are those of numpy in float64.

random_layers_test.py --case 17 runs layer 17 alone and keeps its files; --first 500 --count 500 runs more of them.
tests/support/numpy_training.py says how far the device may be from float64.
"""
import os
import re
import sys
import unittest

import numpy as np

from numpy_training import BF16, WORD, Layers, Node, Tape, cores_of
from random_networks import layer_of
from random_runs import Runs, main_of

MOST_OF_SPREAD = 2  # distance from float64, of that of the furthest replica
TOO_SMALL = re.compile(r"fits? into the \d+ bytes of the unified memory")


class LayerRuns(Runs):
    program = "tnn_step"
    too_small = TOO_SMALL

    def __init__(self, layer, folder):
        super().__init__(layer.number, folder)
        self.layer = layer
        np.save(os.path.join(folder, "x.npy"), layer.operands["X"])
        np.save(os.path.join(folder, "dy.npy"), layer.operands["dY"])
        np.savez(os.path.join(folder, "cores.npz"), **{name: layer.operands[name] for name, _, _ in cores_of(layer.matrix)})

    def options(self):
        with_gradient = self.layer.options["phases"] != "fp"
        return {**self.layer.matrix, "input": "x.npy", **({"gradient": "dy.npy"} if with_gradient else {}), "cores": "cores.npz",
                "output": "out.npz", "quiet": True, "out": "files", **self.layer.options}

    def compare(self, summary, arrays):
        layer, operands = self.layer, self.layer.operands
        tape = Tape(16, np.random.default_rng(1), "f32")
        nodes = {name: Node(np.repeat(np.asarray(values, float)[None], tape.replicas, 0)) for name, values in operands.items()}
        batch = len(operands["X"])
        y = Layers(tape, nodes, 0, True).multiplied(layer.matrix, nodes["X"], "", batch)
        expected = {"Y": tape.rounded(y.value, BF16)}
        phases = layer.options["phases"]
        if phases != "fp":
            y.add(nodes["dY"].value)
            tape.backward()
            if layer.options["dx"] == "on":
                expected["dX"] = tape.rounded(nodes["X"].grad, BF16)
            for name, _, _ in cores_of(layer.matrix):
                if phases.endswith("update"):
                    expected[name] = tape.rounded(nodes[name].value - layer.options["rate"] * nodes[name].grad, WORD)
                else:
                    expected["d" + name] = nodes[name].grad
        if set(arrays) != set(expected):
            self.complain(f"arrays {sorted(arrays)}, expected {sorted(expected)}")
            return
        self.near_float64([(name, arrays[name], expected[name]) for name in expected], MOST_OF_SPREAD)
        self.notes["estimate"] = summary["plan"]["estimated_cycles"] / summary["cycles"]

    def complete(self, costs):
        found = self.run()
        if found is None:
            if not self.complaints and self.run(bank_bytes=1 << 20, block_samples=None) is None and not self.complaints:
                self.complain("refused with banks of 1 MiB")
            return
        summary, arrays = found
        if not summary["check"]["passed"]:
            self.complain(f"check: {summary['check']}")
        self.compare(summary, arrays)
        if costs:
            larger = self.larger_memory(self.layer.options["bank-bytes"])
            if larger:
                self.costs_at_most("banks of four times the size", larger["cycles"], summary["cycles"])
        self.both_fidelities(summary, arrays)


def outcome_of(number, folder, costs=True):
    runs = LayerRuns(layer_of(number), folder)
    runs.complete(costs)
    return runs


class RandomLayersTest(unittest.TestCase):
    def test_random_layers(self):
        self.assertEqual(LayerRuns.complaints_of(outcome_of, range(25)), [])


if __name__ == "__main__":
    sys.exit(main_of(__doc__, outcome_of))
