#!/usr/bin/env python3
"""network_sizes.py BIN [--only NAME] [--batch COUNT] [--fidelity fast|detailed] [--check]: steps of networks of the papers'
sizes on the default FETTA: blocks, cycles of a step, lower bounds, and seconds of the whole process. Data is synthetic."""
import argparse
import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "python"))

CLASSES = 10
TT_768 = {"format": "tt", "rows": (8, 8, 12), "cols": (12, 8, 8), "ranks": 12, "order": "nm"}
BLOCK = {"kind": "encoder", "frames": 32, "features": 768, "hidden": 768, "heads": 12, "attention": TT_768, "up": TT_768,
         "down": TT_768}
UCF = {"name": "l", "kind": "lstm", "frames": 6, "features": 57600, "hidden": 256, "format": "ttm", "rows": (16, 4, 4, 4),
       "cols": (8, 20, 20, 18), "ranks": 4}


def ttm(name, rows, cols, **keys):
    return {"name": name, "format": "ttm", "rows": rows, "cols": cols, "ranks": 8, **keys}


def dense(name, rows, cols, **keys):
    return {"name": name, "format": "dense", "rows": rows, "cols": cols, **keys}


# Name: batch, layers.
NETWORKS = {
    "784-512-256-10 ttm": (128, [ttm("a", (8, 8, 8), (7, 14, 8), activation="relu"),
                                 ttm("b", (4, 8, 8), (8, 8, 8), activation="relu"), dense("c", 10, 256)]),
    "784-1024-10 ttm": (128, [ttm("a", (8, 16, 8), (7, 14, 8), activation="relu"), dense("b", 10, 1024)]),
    "784-512-256-10 dense": (128, [dense("a", 512, 784, activation="relu"), dense("b", 256, 512, activation="relu"),
                                   dense("c", 10, 256)]),
    "ucf lstm, u in ttm": (16, [{**UCF, "hidden_weights": {"format": "ttm", "rows": (16, 8, 8), "cols": (4, 8, 8), "ranks": 4}},
                                dense("o", 10, 256)]),
    "ucf lstm, dense u": (16, [UCF, dense("o", 10, 256)]),
    "atis encoder": (16, [{"name": "e1", **BLOCK}, {"name": "e2", **BLOCK},
                          {"name": "out", "format": "ttm", "rows": (1, 10), "cols": (64, 384), "ranks": 4}]),
}


def features_of(layer):
    if "features" in layer:
        return layer["frames"] * layer["features"]
    return int(np.prod(layer["cols"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", metavar="BIN", help="folder of the programs")
    parser.add_argument("--only", choices=sorted(NETWORKS), help="this network alone")
    parser.add_argument("--batch", type=int, help="instead of the network's own")
    parser.add_argument("--fidelity", default="fast", choices=("fast", "detailed"))
    parser.add_argument("--check", action="store_true", help="compare bits with the host's emulation")
    asked = parser.parse_args()
    os.environ["TENSORLOOM_BIN"] = os.path.abspath(asked.bin)
    import tensorloom as tl

    print(f"{'network':22} {'batch':>5} {'blocks':>6} {'cycles of a step':>16} {'compute':>12} {'memory':>12} {'ratio':>6} "
          f"{'estimated':>9} {'seconds':>7}")
    for name, (batch, layers) in NETWORKS.items():
        if asked.only not in (None, name):
            continue
        batch = asked.batch or batch
        draw, samples = np.random.default_rng(1), max(batch, CLASSES)
        x, y = draw.normal(size=(samples, features_of(layers[0]))).astype(np.float32), np.arange(samples) % CLASSES
        model = {"layers": layers, "batch": batch, "epochs": 1, "optimizer": {"kind": "sgd", "rate": 0.001}}
        begin = time.perf_counter()
        run = tl.tnn_training(model, train=(x, y), test=(x[:1], y[:1]), drop_last=True, no_check=not asked.check,
                              fidelity=asked.fidelity)
        seconds = time.perf_counter() - begin
        summary, steps = run.summary, run.summary["epochs"][0]["steps"]
        training, plan = summary["epochs"][0]["training"], summary["plan"]
        bound = summary["bound"]
        print(f"{name:22} {batch:5} {plan['blocks']:6} {training['cycles'] // steps:16,} {bound['compute_cycles']:12,} "
              f"{bound['dram_cycles']:12,} {run.cycles / max(bound.values()):6.3f} "
              f"{plan['estimated_cycles'] / training['cycles']:9.3f} {seconds:7.1f}", flush=True)


if __name__ == "__main__":
    main()
