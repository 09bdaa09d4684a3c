#!/usr/bin/env python3
"""network_cost_speed.py BIN [--layers N]: seconds that tensorloom.pytorch.cost takes for a training step of BERT-base at
batch 8, sequence 128, with dense layers and with the linear layers of its blocks in TTM of rank 8; and what it costs."""
import argparse
import math
import os
import sys
import time

import torch
from torch import nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "python"))
FACTORS = {768: ((8, 8, 12), (12, 8, 8)), 3072: ((16, 16, 12), (12, 16, 16))}  # of outputs, of inputs


class TensorTrainMatrix(nn.Module):
    """A layer in TTM, as far as its cost needs it: cores and bias, and an output of the right shape."""

    def __init__(self, inputs, outputs, rank=8):
        super().__init__()
        rows, cols = FACTORS[outputs][0], FACTORS[inputs][1]
        ranks = (1, *[rank] * (len(rows) - 1), 1)
        self.cores = nn.ParameterList([nn.Parameter(torch.zeros(ranks[k], rows[k], cols[k], ranks[k + 1]))
                                       for k in range(len(rows))])
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.model_layer = {"format": "ttm", "rows": rows, "cols": cols, "ranks": (rank,), "blocks": 1, "order": "mn",
                                 "bias": True}

    def forward(self, x):
        return x.new_zeros(x.shape[:-1] + self.bias.shape) + self.bias


class Block(nn.Module):
    """Attention and two layers with GELU, each with a residual sum and a norm."""

    def __init__(self, linear, width=768, heads=12, hidden=3072):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.values, self.output = (linear(width, width) for _ in range(4))
        self.up, self.down = linear(width, hidden), linear(hidden, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.gelu, self.dropout = nn.GELU(), nn.Dropout(0.1)

    def forward(self, x):
        batch, length, width = x.shape
        query, key, values = (layer(x).view(batch, length, self.heads, self.size).transpose(1, 2)
                              for layer in (self.query, self.key, self.values))
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.size)
        mixed = torch.matmul(self.dropout(torch.softmax(scores, dim=-1)), values)
        x = self.first(x + self.dropout(self.output(mixed.transpose(1, 2).contiguous().view(batch, length, width))))
        return self.second(x + self.dropout(self.down(self.gelu(self.up(x)))))


class Bert(nn.Module):
    def __init__(self, linear, layers, vocabulary=30522, length=128, width=768):
        super().__init__()
        self.tokens, self.positions, self.norm = nn.Embedding(vocabulary,
                                                              width), nn.Parameter(torch.zeros(length, width)), nn.LayerNorm(width)
        self.blocks = nn.Sequential(*(Block(linear) for _ in range(layers)))
        self.pool, self.classes = nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, tokens):
        x = self.blocks(self.norm(self.tokens(tokens) + self.positions))
        return self.classes(torch.tanh(self.pool(x[:, 0])))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin")
    parser.add_argument("--layers", type=int, default=12)
    given = parser.parse_args()
    os.environ["TENSORLOOM_BIN"] = os.path.abspath(given.bin)
    from tensorloom.pytorch import cost
    for name, linear in (("dense", nn.Linear), ("TTM, rank 8", TensorTrainMatrix)):
        module, began = Bert(linear, given.layers), time.monotonic()
        run = cost(module, torch.randint(0, 30522, (8, 128)))
        summary = run.summary
        print(f"{name}: {time.monotonic() - began:.1f} s; {run.cycles:,} cycles, {summary['macs']:,} MACs, "
              f"{run.energy_pj / 1e12:.4f} J, {100 * summary['utilisation']:.1f} %; {summary['programs']}, {summary['nodes']}")


if __name__ == "__main__":
    main()
