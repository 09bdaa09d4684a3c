"""Random networks on random devices: bit for bit as the emulation on the host, and as numpy trains them in float64.

random_networks_test.py --case 17 runs network 17 alone and keeps its files; --first 500 --count 1500 runs more of them.
tests/support/numpy_training.py says how far the device may be from float64.
"""
import argparse
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

from numpy_training import Spread, Training
from random_networks import network_of
from testbench_program import RIGHT, load_json, program_path

# Largest distance, in roundings: of the 500 networks of many_random_networks_test.py the worst is at 5.5.
MOST_ROUNDINGS = 10
TOO_SMALL = re.compile(r"the tensors of a step need \d+ bytes or more.* do not fit into")
DETAILED_MACS = 20000


@dataclasses.dataclass
class Outcome:
    complaints: list = dataclasses.field(default_factory=list)
    notes: dict = dataclasses.field(default_factory=dict)


class Runs:
    """Runs of one network, in a folder."""

    def __init__(self, network, folder):
        self.network, self.folder, self.outcome = network, folder, Outcome()
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "model.yaml"), "w", encoding="utf-8") as file:
            json.dump(network.model, file)
        np.savez(os.path.join(folder, "data.npz"), **network.data)
        np.savez(os.path.join(folder, "weights.npz"), **network.weights)

    def complain(self, text):
        self.outcome.complaints.append(f"network {self.network.number}: {text}")

    def line(self, **changes):
        options = {"model": "model.yaml", "data": "data.npz", "weights-in": "weights.npz", "weights-out": "out.npz", "quiet": True,
                   "out": "files", **self.network.training, **self.network.device,
                   **{name.replace("_", "-"): value for name, value in changes.items()}}
        words = []
        for name, value in options.items():
            if value is not None:
                words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        return words

    def run(self, **changes):
        """Summary and parameters of a run; None if the memory is too small for it."""
        line = self.line(**changes)
        try:
            done = subprocess.run([program_path("tnn_training"), *line], cwd=self.folder, timeout=300, check=False, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            self.complain(f"{' '.join(line)}: not finished in 300 s")
            return None
        if done.returncode != RIGHT:
            if not (done.returncode == 2 and TOO_SMALL.search(done.stderr)):
                self.complain(f"{' '.join(line)}: exit status {done.returncode}, {done.stderr.strip()}")
            else:
                self.outcome.notes["refused"] = self.outcome.notes.get("refused", []) + [" ".join(line)]
            return None
        with np.load(os.path.join(self.folder, "out.npz")) as file:
            weights = dict(file)
        return load_json(os.path.join(self.folder, "files", "summary.json")), weights

    def compare(self, summary, weights):
        """With float64."""
        n = self.network
        exact = Training(n.model, n.data, n.weights, n.training["seed"], "drop-last" in n.training, n.training["psum"])
        worst, of = 0, "nothing"
        pairs = [(f"{name} of epoch {e + 1}", summary["epochs"][e][name], losses[name])
                 for e, losses in enumerate(exact.epochs) for name in losses]
        pairs += [(name, weights[name], node.value) for name, node in exact.parameters.items()]
        for name, found, replicas in pairs:
            spread = Spread(found, replicas)
            if not spread.ratio <= worst:
                worst, of = spread.ratio, name
            if not spread.ratio <= MOST_ROUNDINGS:
                self.complain(f"{name} is {spread.distance:.3g} from float64, expected at most {MOST_ROUNDINGS * spread.size:.3g}")
        changes = [np.linalg.norm(node.value[0] - n.weights[name]) for name, node in exact.parameters.items()]
        sizes = [Spread(weights[name], node.value).size for name, node in exact.parameters.items()]
        self.outcome.notes.update(worst=worst, of=of, share=[s / c for s, c in zip(sizes, changes) if c > 0])

    def compare_fidelities(self, summary, weights):
        found = self.run(fidelity="detailed", no_check=True)
        if found is None:
            return
        for field in ("cycles_by_cause", "events", "energy_pJ"):
            if found[0][field] != summary[field]:
                self.complain(f"{field} of detailed is {found[0][field]}, of fast {summary[field]}")
        if any(found[1][name].tobytes() != weights[name].tobytes() for name in weights):
            self.complain("parameters of detailed are other than those of fast")

    def compare_costs(self, summary):
        """A larger memory costs at most 2 % more; a batch at most as much as the next one, to which it can be padded."""
        bank = self.network.device["bank-bytes"]
        larger = self.run(bank_bytes=4 * bank, no_check=True)
        if larger is not None:
            ratio = larger[0]["cycles"] / summary["cycles"]
            self.outcome.notes["larger"] = ratio
            if ratio > 1.02:
                self.complain(f"with banks of {4 * bank} instead of {bank} bytes {larger[0]['cycles']} cycles, "
                              f"expected at most 1.02 of {summary['cycles']}")
        count, batch = len(self.network.data["x"]), self.network.model["batch"]
        if count == batch and not self.network.model.get("validation"):
            padded = self.run(batch=batch + 1, no_check=True)
            if padded is not None:
                steps = [s["phases"][p]["cycles"] for s in (summary, padded[0]) for p in ("fp", "bp", "wg", "update")]
                ratio = sum(steps[:4]) / sum(steps[4:])
                self.outcome.notes["padded"] = ratio
                if ratio > 1.02:
                    self.complain(f"steps of {batch} samples take {sum(steps[:4])} cycles, expected at most 1.02 of the "
                                  f"{sum(steps[4:])} of {batch + 1}")


def outcome_of(number, folder, costs=True):
    network = network_of(number)
    runs = Runs(network, folder)
    began = time.monotonic()
    found = runs.run()
    runs.outcome.notes["seconds"] = time.monotonic() - began
    if found is None and runs.outcome.complaints == []:
        found = runs.run(bank_bytes=1 << 20)
        if found is None and runs.outcome.complaints == []:
            runs.complain("refused with banks of 1 MiB")
        costs = False
    if found is not None:
        summary, weights = found
        if not summary["check"]["passed"]:
            runs.complain(f"check: {summary['check']}")
        runs.compare(summary, weights)
        if costs:
            runs.compare_costs(summary)
        if summary["macs"] <= DETAILED_MACS and "refused" not in runs.outcome.notes:
            runs.compare_fidelities(summary, weights)
    return runs.outcome


class RandomNetworksTest(unittest.TestCase):
    numbers = range(25)

    def test_random_networks(self):
        complaints = []
        for number in self.numbers:
            with tempfile.TemporaryDirectory(prefix="random-network-") as folder:
                complaints += outcome_of(number, folder).complaints
        self.assertEqual(complaints, [])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--log", help="append a JSON line for each network")
    parser.add_argument("--no-costs", action="store_true", help="one run of each network")
    o = parser.parse_args()
    numbers = range(o.first, o.first + o.count) if o.case is None else [o.case]
    failed = 0
    for number in numbers:
        if o.case is not None:
            folder = f"random-network-{number}"
            outcome = outcome_of(number, folder, not o.no_costs)
            print(f"in {folder}: tnn_training {' '.join(Runs(network_of(number), folder).line())}\n{outcome.notes}")
        else:
            with tempfile.TemporaryDirectory(prefix="random-network-") as folder:
                outcome = outcome_of(number, folder, not o.no_costs)
        for complaint in outcome.complaints:
            print("FAILED:", complaint, flush=True)
        failed += bool(outcome.complaints)
        if o.log:
            with open(o.log, "a", encoding="utf-8") as file:
                file.write(json.dumps({"number": number, "complaints": outcome.complaints, **outcome.notes}) + "\n")
    print(f"{len(numbers)} networks, {failed} with complaints")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
