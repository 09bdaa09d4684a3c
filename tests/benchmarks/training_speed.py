#!/usr/bin/env python3
"""training_speed.py BIN [--rounds N]: CPU time of a training step, simulated by tnn_training in fast fidelity, beside
that of PyTorch over the same batches: the fastest of pairwise matrix products along our tree, of W made of its cores
and a linear layer, and of pairwise einsum; float32, SGD with momentum, one thread.

Medians of rounds in which all take turns. Ours is the difference of a run of few epochs and one of more, with their
tests taken off, divided by the steps between: planning, elaboration and files are in both.
"""

import argparse
import os
import resource
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
FEW, MORE = 1, 9  # epochs
TEST_SAMPLES = 360


def cpu_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def ours(program, model, psum, steps):
    command = [program, "--model", model, "--psum", psum, "--no-check", "--quiet", "--epochs"]
    return (cpu_of(command + [str(MORE)]) - cpu_of(command + [str(FEW)])) / (steps * (MORE - FEW))


def theirs(network, batches):
    before = time.process_time()
    for batch in batches:
        network.step(batch)
    return (time.process_time() - before) / len(batches)


def measure(o, model):
    start = start_of(os.path.join(o.bin, "training_start"), model, "f32", 1, 1)
    order, size = torch.tensor(start["orders"][0]), start["batch"]
    batches = [order[first:first + size] for first in range(0, len(order) - size + 1, size)]
    steps = -(-len(order) // size)
    networks = {way: Network(start, *made) for way, made in WAYS.items()}
    program = os.path.join(o.bin, "tnn_training")
    times = {name: [] for name in [*WAYS, "f32", "bf16"]}
    for measured in range(-1, o.rounds):  # the first one warms up
        for way, network in networks.items():
            found = theirs(network, batches)
            times[way] += [found] if measured >= 0 else []
        for psum in ("f32", "bf16"):
            found = ours(program, model, psum, steps)
            times[psum] += [found] if measured >= 0 else []
    medians = {name: statistics.median(all) for name, all in times.items()}
    fastest = min(WAYS, key=medians.get)
    print(f"{model}, batch {size}, us a step")
    for name, median in medians.items():
        print(f"  {name:24}{1e6 * median:9.0f}")
    for psum in ("f32", "bf16"):
        ratios = [a / b for a, b in zip(times[psum], times[fastest])]
        print(f"  ours with sums in {psum} / {fastest}: {statistics.median(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", help="folder of tnn_training and training_start")
    parser.add_argument("--rounds", type=int, default=15)
    o = parser.parse_args()
    torch.set_num_threads(1)
    for model in ("digits-ttm", "digits-tt"):
        measure(o, model)


if __name__ == "__main__":
    main()
