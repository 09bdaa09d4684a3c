"""Random networks on random devices: bit for bit as the emulation on the host, and as numpy trains them in float64.

random_networks_test.py --case 17 runs network 17 alone and keeps its files; --first 500 --count 1500 runs more of them.
tests/support/numpy_training.py says how far the device may be from float64.
"""
import json
import os
import re
import sys
import unittest

import numpy as np

from numpy_training import Training
from random_networks import network_of
from random_runs import Runs, main_of

MOST_OF_SPREAD = 2  # distance from float64, of that of the furthest replica
MOST_OF_PHASES = 1.25  # cycles of phases that should not cost more than others
TOO_SMALL = re.compile(r"the tensors of a step need \d+ bytes or more.* do not fit into")


class NetworkRuns(Runs):
    program = "tnn_training"
    too_small = TOO_SMALL

    def __init__(self, network, folder):
        super().__init__(network.number, folder)
        self.network = network
        with open(os.path.join(folder, "model.yaml"), "w", encoding="utf-8") as file:
            json.dump(network.model, file)
        np.savez(os.path.join(folder, "data.npz"), **network.data)
        np.savez(os.path.join(folder, "weights.npz"), **network.weights)

    def options(self):
        return {"model": "model.yaml", "data": "data.npz", "weights-in": "weights.npz", "weights-out": "out.npz", "quiet": True,
                "out": "files", **self.network.training, **self.network.device}

    def compare(self, summary, weights):
        n = self.network
        exact = Training(n.model, n.data, n.weights, n.training["seed"], "drop-last" in n.training, n.training["psum"])
        results = [(f"{name} of epoch {e + 1}", summary["epochs"][e][name], losses[name])
                   for e, losses in enumerate(exact.epochs) for name in losses]
        results += [(name, weights[name], node.value) for name, node in exact.parameters.items()]
        self.near_float64(results, MOST_OF_SPREAD)

    def compare_costs(self, summary):
        """A larger memory costs no more, and a batch no more than the next one, to which it can be padded.

        Parameters and state that pass through a small memory in groups can cost less than those that stay, if there is
        one step or test: load, rounding and store of a group are hidden by the next one. So the update and the test are
        outside of the stricter bound. That leaves room for a search that is no exhaustive one, and for transfers that end
        in another phase.
        """
        epochs = len(summary["epochs"])
        cycles_of = lambda s, *phases: sum(s["phases"][phase]["cycles"] for phase in phases)
        larger = self.larger_memory(self.network.device["bank-bytes"])
        if larger:
            strict = [cycles_of(s, "fp", "bp", "wg") for s in (larger, summary)]
            self.costs_at_most("banks of four times the size", *strict, 2 * epochs, MOST_OF_PHASES)
            self.costs_at_most("all of it with such banks", larger["cycles"], summary["cycles"], 2 * epochs, 1.1)
        batch = self.network.model["batch"]
        if len(self.network.data["x"]) != batch or "validation" in self.network.model:
            return
        padded = self.run(batch=batch + 1, no_check=True)
        if padded:
            ours, theirs = (cycles_of(s, "fp", "bp", "wg") for s in (summary, padded[0]))
            self.costs_at_most("a batch against a padded one", ours, theirs, epochs, MOST_OF_PHASES)

    def complete(self, costs):
        found = self.run()
        if found is None:
            if not self.complaints and self.run(bank_bytes=1 << 20) is None and not self.complaints:
                self.complain("refused with banks of 1 MiB")
            return
        summary, weights = found
        if not summary["check"]["passed"]:
            self.complain(f"check: {summary['check']}")
        self.compare(summary, weights)
        if costs:
            self.compare_costs(summary)
        self.both_fidelities(summary, weights)


def outcome_of(number, folder, costs=True):
    runs = NetworkRuns(network_of(number), folder)
    runs.complete(costs)
    return runs


class RandomNetworksTest(unittest.TestCase):
    def test_random_networks(self):
        self.assertEqual(NetworkRuns.complaints_of(outcome_of, range(25)), [])


if __name__ == "__main__":
    sys.exit(main_of(__doc__, outcome_of))
