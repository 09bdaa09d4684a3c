#!/usr/bin/env python3
"""training_speed.py BIN [--rounds N] [--only NAME]: CPU time of a training step, simulated in fast fidelity, beside that
of PyTorch over the same batch: the fastest of pairwise matrix products along our tree, of W made of its cores and a
linear layer, and of pairwise einsum; float32, SGD, one thread.

The digits networks as tnn_training has them, a mean over the steps of an epoch; a step of UCF-TTM at batch 96 as
tnn_step has it. Medians of rounds in which all take turns, behind one that warms up. Ours is measured in the process
that simulates (training_step_speed): planning and elaboration are reported apart.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import torch

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "workloads", "training")
sys.path.insert(0, SOURCE)
from torch_network import DenseLayer, EinsumPair, Layer, MatmulPair, Network, start_of  # noqa: E402

WAYS = {"matmul along our tree": (Layer, MatmulPair), "W, then linear": (DenseLayer, MatmulPair),
        "einsum along our tree": (Layer, EinsumPair)}
NETWORKS = ("digits-ttm", "digits-tt")
LAYER = "ucf-ttm"


class Simulation:
    """Steps of a testbench with these options, whenever asked."""

    def __init__(self, o, *options):
        self.process = subprocess.Popen([os.path.join(o.bin, "training_step_speed"), *options, "--no-check", "--quiet"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.said = json.loads(self.process.stdout.readline())

    def step(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


class NetworkSteps:
    """An epoch of whole batches in PyTorch; the mean of its steps."""

    def __init__(self, start, way):
        order, size = torch.tensor(start["orders"][0]), start["batch"]
        self.batches = [order[first:first + size] for first in range(0, len(order) - size + 1, size)]
        self.network = Network(start, *way)

    def step(self):
        before = time.process_time()
        for batch in self.batches:
            self.network.step(batch)
        return (time.process_time() - before) / len(self.batches)


class LayerSteps:
    """One step of a layer by itself: Y, the gradients of dY, the update."""

    def __init__(self, description, way):
        layer, pair = way
        names = description["names"]
        batch = description["modes"][description["batch"]]
        cores = [t for t, name in enumerate(names) if name.startswith("G")]
        of = dict(description, x=names.index("X"), y=names.index("Y"), bias=None, activation="none",
                  cores=[(t, p) for p, t in enumerate(cores)])
        self.layer = layer(of, batch, pair)
        random = torch.Generator().manual_seed(1)
        values = lambda tensor: torch.rand(self.layer.shape(of["tensors"][tensor]), generator=random) - 0.5
        self.x, self.dy = values(of["x"]), values(of["y"]).reshape(batch, -1)
        self.parameters = [values(t).requires_grad_(True) for t in cores]
        self.optimizer = torch.optim.SGD(self.parameters, lr=0.01)

    def step(self):
        before = time.process_time()
        self.optimizer.zero_grad(set_to_none=True)
        self.layer(self.x, self.parameters).backward(self.dy)
        self.optimizer.step()
        return time.process_time() - before


def measure(name, rounds, theirs, ours):
    times = {way: [] for way in [*theirs, *ours]}
    for measured in range(-1, rounds):  # the first one warms up
        for way, steps in [*theirs.items(), *ours.items()]:
            found = steps.step()
            times[way] += [found] if measured >= 0 else []
    medians = {way: statistics.median(all) for way, all in times.items()}
    fastest = min(theirs, key=medians.get)
    print(f"{name}, us a step")
    for way, median in medians.items():
        print(f"  {way:34}{1e6 * median:9.0f}")
    for way, simulation in ours.items():
        ratio = statistics.median(a / b for a, b in zip(times[way], times[fastest]))
        said = simulation.said
        print(f"  {way} / {fastest}: {ratio:.2f}"
              f" (before: planning {said['planning_s']:.2f} s, elaboration {said['elaboration_s']:.2f} s)")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", help="folder of training_step_speed and training_start")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=[*NETWORKS, LAYER])
    o = parser.parse_args()
    torch.set_num_threads(1)
    for model in NETWORKS:
        if o.only in (None, model):
            start = start_of(os.path.join(o.bin, "training_start"), model, "f32", 1, 1)
            measure(f"{model}, batch {start['batch']}", o.rounds,
                    {way: NetworkSteps(start, made) for way, made in WAYS.items()},
                    {f"simulated, sums in {psum}": Simulation(o, "tnn_training", "--model", model, "--psum", psum)
                     for psum in ("f32", "bf16")})
    if o.only in (None, LAYER):
        ours = {f"simulated, {residency}": Simulation(o, "tnn_step", "--layer", LAYER, "--sequence", "macs",
                                                      "--residency", residency)
                for residency in ("batch-blocked", "micro-batch")}
        description = next(iter(ours.values())).said
        measure(f"{LAYER}, batch 96", o.rounds, {way: LayerSteps(description, made) for way, made in WAYS.items()}, ours)


if __name__ == "__main__":
    main()
