#!/usr/bin/env python3
"""training_speed.py BIN [--rounds N] [--only NAME]: CPU time of a training step, simulated in fast fidelity, beside that
of PyTorch over the same batch: the fastest of pairwise matrix products along our tree, of W made of its cores and a
linear layer, and of pairwise einsum; float32, SGD, one thread.

The digits networks as tnn_training has them, a mean over the steps of an epoch; a step of UCF-TTM at batch 96 as
tnn_step has it; networks of ordinary layers, at batches of 32 and 128, beside torch.nn, eager and traced by torch.jit.
Medians of rounds in which all take turns, behind one that warms up. Ours is measured in the process that simulates
(training_step_speed): planning and elaboration are reported apart.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "workloads", "training")
sys.path.insert(0, SOURCE)
from torch_network import DenseLayer, EinsumPair, Layer, MatmulPair, Network, start_of  # noqa: E402

WAYS = {"matmul along our tree": (Layer, MatmulPair), "W, then linear": (DenseLayer, MatmulPair),
        "einsum along our tree": (Layer, EinsumPair)}
NETWORKS = ("digits-ttm", "digits-tt")
LAYER = "ucf-ttm"
# Digits: the layers of a model file, and torch.nn's.
HEAD = """data: digits
epochs: 1
optimizer: {kind: sgd, rate: 0.05, momentum: 0.9}
layers:
"""
ORDINARY = {
    "mlp": ("""
  - {name: a, format: dense, rows: 128, cols: 64, activation: relu}
  - {name: b, format: dense, rows: 64, cols: 128, activation: relu}
  - {name: c, format: dense, rows: 10, cols: 64}
""", lambda nn: nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))),
    "wide-mlp": ("""
  - {name: a, format: dense, rows: 512, cols: 64, activation: relu}
  - {name: b, format: dense, rows: 10, cols: 512}
""", lambda nn: nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 10))),
    "convolution": ("""
  - {name: a, kind: convolution, height: 8, width: 8, channels: 1, kernel: 3x3, padding: 1, format: dense, rows: 12,
     cols: 9, activation: relu}
  - {name: b, format: dense, rows: 10, cols: 768}
""", lambda nn: nn.Sequential(nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.Flatten(),
                              nn.Linear(768, 10))),
    "lstm": ("""
  - {name: a, kind: lstm, frames: 8, features: 8, hidden: 32, format: dense, rows: 128, cols: 8,
     hidden_weights: {format: dense, rows: 128, cols: 32}}
  - {name: b, format: dense, rows: 10, cols: 32}
""", lambda nn: nn.Sequential(nn.Unflatten(1, (8, 8)), nn.LSTM(8, 32, batch_first=True), LastFrame(),
                              nn.Linear(32, 10))),
}


class LastFrame(torch.nn.Module):
    def forward(self, found):
        return found[0][:, -1]


class ModuleSteps:
    """Steps of a module with random pictures of the digits' size; the mean of several."""

    def __init__(self, make, batch, traced):
        self.x, self.y = torch.rand(batch, 64), torch.randint(0, 10, (batch,))
        module = make(torch.nn)
        self.module = torch.jit.trace(module, self.x) if traced else module
        self.optimizer = torch.optim.SGD(module.parameters(), lr=0.05, momentum=0.9)
        self.step()

    def step(self, steps=50):
        before = time.process_time()
        for _ in range(steps):
            self.optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(self.module(self.x), self.y).backward()
            self.optimizer.step()
        return (time.process_time() - before) / steps


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
    parser.add_argument("--only", choices=[*NETWORKS, LAYER, *ORDINARY])
    o = parser.parse_args()
    torch.set_num_threads(1)
    for model in NETWORKS:
        if o.only in (None, model):
            start = start_of(os.path.join(o.bin, "training_start"), model, "f32", 1, 1)
            measure(f"{model}, batch {start['batch']}", o.rounds,
                    {way: NetworkSteps(start, made) for way, made in WAYS.items()},
                    {f"simulated, sums in {psum}": Simulation(o, "tnn_training", "--model", model, "--psum", psum)
                     for psum in ("f32", "bf16")})
    for name, (layers, module) in ORDINARY.items():
        if o.only not in (None, name):
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as model:
            model.write(HEAD + layers)
            model.flush()
            for batch in (32, 128):
                measure(f"{name}, batch {batch}", o.rounds,
                        {way: ModuleSteps(module, batch, way == "torch.jit") for way in ("torch.nn", "torch.jit")},
                        {"simulated": Simulation(o, "tnn_training", "--model", model.name, "--batch", str(batch))})
    if o.only in (None, LAYER):
        ours = {f"simulated, {residency}": Simulation(o, "tnn_step", "--layer", LAYER, "--sequence", "macs",
                                                      "--residency", residency)
                for residency in ("batch-blocked", "micro-batch")}
        description = next(iter(ours.values())).said
        measure(f"{LAYER}, batch 96", o.rounds, {way: LayerSteps(description, made) for way, made in WAYS.items()}, ours)


if __name__ == "__main__":
    main()
