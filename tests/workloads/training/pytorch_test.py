#!/usr/bin/env python3
"""pytorch_test.py TRAINING_START [--epochs N]: the same network from the same weights over the same batches, in PyTorch
and as the device has it: gradients of the first step within the rounding of bf16 operands, losses beside each other.
Exit 77, a skipped test, without PyTorch."""

import argparse
import os
import sys
import tempfile

try:
    import torch
except ImportError:
    print("skipped: no PyTorch (python3-torch)")
    sys.exit(77)

from torch_network import DenseLayer, EinsumPair, Layer, MatmulPair, Network, start_of

WAYS = {"matmul": (Layer, MatmulPair), "W": (DenseLayer, MatmulPair), "einsum": (Layer, EinsumPair)}


def gradients_differ(start, ways):
    """Each operand of a contraction is rounded to bf16, by 2^-8 of it at most."""
    bound = start["operands"] / 256
    first = torch.tensor(start["orders"][0][:start["batch"]])
    wrong = []
    for way, (layer, pair) in ways.items():
        network = Network(start, layer, pair)
        network.loss(first).backward()
        worst = 0
        for p, (parameter, ours) in enumerate(zip(network.parameters, start["gradients"])):
            theirs = parameter.grad.flatten()
            size = float(theirs.norm())
            if size < 1e-6:  # the bias of keys, which adds the same to all scores of a row
                size = 1.0
            difference = float((torch.tensor(ours) - theirs).norm()) / size
            worst = max(worst, difference)
            if not difference <= bound:
                wrong.append(f"{way}: gradient of parameter {p} is {difference:.4f} away, at most {bound:.4f}")
        print(f"  {way:7} gradients {worst:.4f} away at most, bound {bound:.4f}")
    return wrong


def losses_differ(start, relative, absolute):
    network = Network(start, DenseLayer)
    wrong = []
    for epoch, (order, ours) in enumerate(zip(start["orders"], start["losses"])):
        samples, loss = torch.tensor(order), 0.0
        for first in range(0, len(order), start["batch"]):
            batch = samples[first:first + start["batch"]]
            loss += float(network.step(batch)) * len(batch)
        network.decay()
        loss /= len(order)
        print(f"  epoch {epoch + 1:2}: loss {ours:.4f}, PyTorch {loss:.4f}")
        if abs(ours - loss) > max(relative * loss, absolute):
            wrong.append(f"loss of epoch {epoch + 1} is {ours}, of PyTorch {loss}")
    return wrong


# Networks small enough that both curves stay close to each other.
LAYERS = """
layers:
  - {format: ttm, rows: 8x8, cols: 8x8, ranks: 4, activation: tanh}
  - {format: dense, rows: 10, cols: 64}
"""
OPTIMIZERS = (
    "{kind: sgd, rate: 0.1, momentum: 0.9, weight_decay: 0.01, clip_norm: 0.5}",
    "{kind: sgd, rate: 0.2, momentum: 0.5, schedule: step, step_factor: 0.25}",
    "{kind: adam, rate: 0.003, weight_decay: 0.02, warm_up: 20}",
    "{kind: adamw, rate: 0.003, weight_decay: 0.5, clip_norm: 1, schedule: cosine, least_rate: 0.0003, warm_up: 10}",
)


def optimizers_differ(program, seed):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for optimizer in OPTIMIZERS:
            path = os.path.join(folder, "model.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"data: digits\nepochs: 3\noptimizer: {optimizer}{LAYERS}")
            print(optimizer)
            wrong += losses_differ(start_of(program, path, "f32", seed, 3), 0.02, 0.003)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    o = parser.parse_args()
    torch.set_num_threads(1)
    wrong = []
    # The encoder trains by SGD here. Of the LSTM two epochs: then its loss has steps up and down, each of which comes a
    # little earlier or later.
    for model, epochs in (("digits-ttm", o.epochs), ("digits-tt", o.epochs), ("digits-lstm", min(o.epochs, 2)),
                          ("digits-encoder", min(o.epochs, 2))):
        for psum, relative, absolute in (("f32", 0.05, 0.005), ("bf16", 0.1, 0.02)):
            print(f"{model}, sums in {psum}")
            start = start_of(o.program, model, psum, o.seed, epochs)
            if psum == "f32":
                wrong += gradients_differ(start, WAYS if model in ("digits-ttm", "digits-tt") else {"W": WAYS["W"]})
            wrong += losses_differ(start, relative, absolute)
    wrong += optimizers_differ(o.program, o.seed)
    for complaint in wrong:
        print("FAILED:", complaint)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
