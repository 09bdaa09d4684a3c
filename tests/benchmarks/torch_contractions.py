#!/usr/bin/env python3
"""A step of 17 contractions (784-512-256-10, three layers of two tensor train cores of rank 8; 6 forward, 11 backward) on the
simulated device beside PyTorch's: wall and processor time, best of interleaved rounds. Usage: torch_contractions.py
DIRECTORY [BATCH] with the testbenches"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "python"))
os.environ["TENSORLOOM_BIN"] = os.path.abspath(sys.argv[1])

import torch  # noqa: E402
from tensorloom.pytorch import einsum, recorded  # noqa: E402
from tensorloom.pytorch.contraction import servers  # noqa: E402

BATCH = int(sys.argv[2]) if len(sys.argv) > 2 else 32
ROUNDS = 15
LAYERS = (((28, 28), (16, 32)), ((16, 32), (16, 16)), ((16, 16), (2, 5)))


def processor_s():
    """Of this process and of the servers."""
    ticks = 0
    for server in servers.values():
        with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
            ticks += sum(int(field) for field in file.read().rsplit(")", 1)[1].split()[11:13])
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x = torch.randn(BATCH, *LAYERS[0][0])
    cores = [[torch.randn(size, requires_grad=True) for size in ((out[0], into[0], 8), (8, out[1], into[1]))] for into, out in LAYERS]

    def step(contract, **options):
        y = x
        for place, (first, second) in enumerate(cores):
            y = contract("bij,mir->bjmr", y, first, **options)
            y = contract("bjmr,rnj->bmn", y, second, **options) / 100
            y = torch.relu(y) if place + 1 < len(cores) else y
        y.pow(2).mean().backward()

    with recorded() as runs:
        step(einsum)
    ways = {"PyTorch": lambda: step(torch.einsum), "device": lambda: step(einsum), "device, no check": lambda: step(einsum, no_check=True)}
    best = {name: [float("inf")] * 2 for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            way()
            wall, processor = time.perf_counter(), processor_s()
            for _ in range(3):
                way()
            best[name] = [min(pair) for pair in zip(best[name], ((time.perf_counter() - wall) / 3, (processor_s() - processor) / 3))]
    print(f"{len(runs)} contractions of {sum(run.summary['result']['macs'] for run in runs):,} multiply-adds, batch {BATCH}")
    for name, (wall, processor) in best.items():
        print(f"{name:18} {wall * 1e3:8.2f} ms wall {processor * 1e3:8.2f} ms processor, {wall / best['PyTorch'][0]:5.1f} x PyTorch's wall time")


if __name__ == "__main__":
    main()
