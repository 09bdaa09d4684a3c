#!/usr/bin/env python3
"""gpu_training_steps.py BIN: time of a training step of the layers of FETTA's Table II on a GPU, dense and tensorized.

Each layer is measured three ways, as in figure 8 and section VII-C of the paper: with its dense matrix (`dense`), along
the paper's fixed sequence for its format (`tnn-fixed`), and along the sequence of fewest MACs (`tnn-optimal`). A step is
the forward pass, the gradients of X (not of a first layer) and of the weights, and their update. Sequences are those of
compare_accelerators and contraction_search in BIN.

`--device cuda` uses PyTorch on the GPU, `cpu` PyTorch without it, `numpy` numpy; `auto` takes the first that is there.
On a GPU, the mean power while the steps run comes from nvidia-smi. With PyTorch, the share of matrix products and of
memory operations in the time comes from its profiler. The figures go into DIR/NAME.json, named after the device.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy

LAYERS = ("ucf-ttm", "ucf-tt", "ucf-tr", "ucf-ht", "ucf-bt", "atis-tt", "bert-tt-attention", "wmt-tt-attention")
SEQUENCES = {"tnn-fixed": "fixed", "tnn-optimal": "csse-macs"}
RATE = 0.01


class Unusable(Exception):
    """What was asked for is not there, in one line."""


# ---- where steps run

class NumpyBackend:
    """Arrays of numpy."""

    name = "numpy"

    def __init__(self, dtype):
        if dtype not in ("float32", "float64"):
            raise Unusable(f"--dtype is {dtype}, expected float32 or float64 with --device numpy")
        self.dtype = dtype
        self.random_numbers = numpy.random.default_rng(1)

    def device(self):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = re.findall(r"^model name\s*: (.*)$", file.read(), re.M)
        return {"name": names[0] if names else "cpu", "library": f"numpy {numpy.__version__}", "driver": None}

    def random(self, shape):
        return (self.random_numbers.random(shape) - 0.5).astype(self.dtype)

    def contract(self, text, a, b):
        return numpy.einsum(text, a, b, optimize=True)

    def update(self, weight, gradient):
        weight -= weight.dtype.type(RATE) * gradient

    def wait(self):
        pass

    def profile(self, _step):
        return None

    def power(self):
        return NoPower()


class TorchBackend:
    """Tensors of PyTorch, on a GPU or the processor."""

    def __init__(self, dtype, name):
        import torch
        self.torch, self.name, self.dtype = torch, name, dtype
        if name == "cuda" and not torch.cuda.is_available():
            raise Unusable("--device is cuda, found no GPU that PyTorch can use, expected cpu or numpy")
        self.generator = torch.Generator(device=name).manual_seed(1)

    def device(self):
        torch = self.torch
        found = NumpyBackend("float32").device() if self.name == "cpu" else {"name": torch.cuda.get_device_name()}
        driver = nvidia_smi("driver_version") if self.name == "cuda" else None
        cuda = f", CUDA {torch.version.cuda}" if self.name == "cuda" else ""
        return {"name": found["name"], "library": f"PyTorch {torch.__version__}{cuda}", "driver": driver}

    def random(self, shape):
        kind = getattr(self.torch, self.dtype)
        return (self.torch.rand(shape, generator=self.generator, device=self.name) - 0.5).to(kind)

    def contract(self, text, a, b):
        return self.torch.einsum(text, a, b)

    def update(self, weight, gradient):
        weight.add_(gradient, alpha=-RATE)

    def wait(self):
        if self.name == "cuda":
            self.torch.cuda.synchronize()

    def profile(self, step):
        """Shares of the time of one step: matrix products, memory operations (copies), the rest."""
        from torch.profiler import ProfilerActivity, profile
        activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if self.name == "cuda" else [])
        with profile(activities=activities) as profiler:
            step()
            self.wait()
        return shares_of(profiler.key_averages(), self.name == "cuda")

    def power(self):
        return GpuPower() if self.name == "cuda" else NoPower()


def kind_of(kernel):
    """What a kernel or an operation of PyTorch does, by its name."""
    name = kernel.lower()
    if re.search(r"gemm|gemv|aten::(mm|bmm|addmm|matmul|dot|mv)$|cutlass|xmma|cublas|nvjet", name):
        return "matrix_products"
    if re.search(r"memcpy|memset|copy|transpose|permute|contiguous|clone|cat\b|aten::(reshape|empty|fill|zero)", name):
        return "memory_operations"
    return "other"


def shares_of(events, on_gpu):
    """Shares of the time of a profile by kind. On a GPU its kernels alone count: operations carry their time again."""
    times = {"matrix_products": 0.0, "memory_operations": 0.0, "other": 0.0}
    for event in events:
        if on_gpu and not str(event.device_type).endswith("CUDA"):
            continue
        times[kind_of(event.key)] += (getattr(event, "self_device_time_total", None) or getattr(event, "self_cuda_time_total", 0)
                                      if on_gpu else event.self_cpu_time_total)
    total = sum(times.values())
    return {kind: spent / total for kind, spent in times.items()} if total else None


def nvidia_smi(field):
    """The first GPU's value of a field of nvidia-smi; None without it."""
    try:
        done = subprocess.run(["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader,nounits", "--id=0"],
                              capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


class NoPower:
    """No power is measured."""

    watts = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class GpuPower(NoPower):
    """Mean power of the GPU inside a `with`, sampled with nvidia-smi as in the paper."""

    def __enter__(self):
        self.samples, self.ended = [], threading.Event()
        self.thread = threading.Thread(target=self.sample)
        self.thread.start()
        return self

    def sample(self):
        while not self.ended.wait(0.05):
            watts = nvidia_smi("power.draw")
            if watts is None or not re.fullmatch(r"[\d.]+", watts):
                return
            self.samples.append(float(watts))

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.watts = statistics.mean(self.samples) if self.samples else None
        return False


def backend_of(device, dtype):
    """The backend of a device; of `auto` a GPU, else PyTorch, else numpy."""
    if device == "numpy":
        return NumpyBackend(dtype)
    try:
        if device == "auto":
            import torch
            device = "cuda" if torch.cuda.is_available() else "cpu"
        return TorchBackend(dtype, device)
    except ImportError:
        if device == "auto":
            return NumpyBackend(dtype)
        raise Unusable(f"--device is {device}, found no PyTorch, expected numpy (Debian: package python3-torch)") from None


# ---- what steps compute

def parsed_tree(text):
    """'(X.G2).G1' -> (('X', 'G2'), 'G1')"""
    tokens = re.findall(r"[()]|\.|[^().]+", text)

    def operand():
        token = tokens.pop(0)
        if token != "(":
            return token
        inside = product()
        assert tokens.pop(0) == ")"
        return inside

    def product():
        left = operand()
        while tokens and tokens[0] == ".":
            tokens.pop(0)
            left = (left, operand())
        return left
    return product()


class TensorizedStep:
    """A training step of a layer along a tree: every contraction C = A.B once forward, dA = dC.B and dB = dC.A backward,
    as far as a gradient is needed; then the update of the cores. The blocks of a block-term layer are summed."""

    def __init__(self, backend, network, tree, blocks, with_dx):
        self.backend, self.network, self.with_dx = backend, network, with_dx
        self.letters = {index: chr(ord("a") + i if i < 26 else ord("A") + i - 26)
                        for i, index in enumerate(network["sizes"])}
        self.indices = dict(network["nodes"])
        self.steps = []
        self.add(parsed_tree(tree))
        self.x = backend.random(self.shape(self.indices["X"]))
        self.dy = backend.random(self.shape(network["out"]))
        self.cores = [{name: backend.random(self.shape(indices)) for name, indices in network["nodes"] if name != "X"}
                      for _ in range(blocks)]
        self.macs = 0

    def add(self, tree):
        """Appends the contractions of a tree; the name of its result."""
        if isinstance(tree, str):
            return tree
        a, b = self.add(tree[0]), self.add(tree[1])
        taken = {name for step in self.steps for name in step[:2]} | {a, b}
        rest = [self.indices[name] for name in self.indices if name not in taken]
        needed = set(self.network["out"]).union(*rest)
        result = f"T{len(self.steps) + 1}"
        union = list(dict.fromkeys(self.indices[a] + self.indices[b]))
        is_last = len(self.steps) + 2 == len(self.network["nodes"])
        self.indices[result] = self.network["out"] if is_last else [index for index in union if index in needed]
        self.steps.append((a, b, result))
        return result

    def shape(self, indices):
        return tuple(self.network["sizes"][index] for index in indices)

    def contract(self, a, b, result, values_a, values_b):
        words = ["".join(self.letters[index] for index in self.indices[name]) for name in (a, b, result)]
        union = dict.fromkeys(self.indices[a] + self.indices[b])
        self.macs += int(numpy.prod([self.network["sizes"][index] for index in union], dtype=object))
        return self.backend.contract(f"{words[0]},{words[1]}->{words[2]}", values_a, values_b)

    def forward(self, cores):
        values = {"X": self.x, **cores}
        for a, b, result in self.steps:
            values[result] = self.contract(a, b, result, values[a], values[b])
        return values

    def backward(self, values):
        """Gradients by tensor, of X only if it is needed."""
        gradients = {self.steps[-1][2]: self.dy}
        for a, b, result in reversed(self.steps):
            for of, other in ((a, b), (b, a)):
                if of != "X" or self.with_dx:
                    gradients[of] = self.contract(result, other, of, gradients[result], values[other])
        return gradients

    def __call__(self):
        self.macs = 0
        y, dx = None, None
        for cores in self.cores:
            values = self.forward(cores)
            gradients = self.backward(values)
            for name, core in cores.items():
                self.backend.update(core, gradients[name])
            last = values[self.steps[-1][2]]
            y = last if y is None else y + last
            dx = gradients.get("X") if dx is None else dx + gradients["X"]
        return y, dx


class DenseStep:
    """The same of a dense matrix W: Y = X W^T, dX = dY W, dW = dY^T X, W -= rate dW."""

    def __init__(self, backend, batch, rows, columns, with_dx):
        self.backend, self.with_dx = backend, with_dx
        self.x, self.dy = backend.random((batch, columns)), backend.random((batch, rows))
        self.weight = backend.random((rows, columns))
        self.macs = (3 if with_dx else 2) * batch * rows * columns

    def __call__(self):
        contract = self.backend.contract
        y = contract("bn,mn->bm", self.x, self.weight)
        dx = contract("bm,mn->bn", self.dy, self.weight) if self.with_dx else None
        self.backend.update(self.weight, contract("bm,bn->mn", self.dy, self.x))
        return y, dx


# ---- layers and measurements

def summary_of(program, *options):
    """summary.json of a testbench."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, *options, "--quiet", "--out", folder], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unusable(done.stderr.strip() or f"{program}: ended with status {done.returncode}")
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            return json.load(file)


def layer_of(folder, name, batch):
    """Network, sizes and trees of a named layer."""
    more = ["--batch", str(batch)] if batch else []
    found = summary_of(os.path.join(folder, "contraction_search"), "--layer", name, *more)
    compared = summary_of(os.path.join(folder, "compare_accelerators"), "--workloads", name, "--accelerators", "fetta",
                          "--sequences", ",".join(SEQUENCES.values()), *more)
    trees = {row["sequence"]: row["tree"] for row in compared["results"]}
    return {"name": name, "network": found["network"], "layer": found["layer"],
            "dx": compared["configuration"]["workloads"][0]["dx"],
            "trees": {way: trees[sequence] for way, sequence in SEQUENCES.items()}}


def steps_of(backend, layer):
    """By way: a step to call."""
    shape = layer["layer"]
    yield "dense", DenseStep(backend, shape["batch"], int(numpy.prod(shape["rows"])), int(numpy.prod(shape["columns"])),
                             layer["dx"])
    for way, tree in layer["trees"].items():
        yield way, TensorizedStep(backend, layer["network"], tree, shape["blocks"], layer["dx"])


def measured(backend, step, rounds):
    """Times of a step after one that warms up, its power and its profile."""
    step()
    backend.wait()
    times = []
    with backend.power() as power:
        for _ in range(rounds):
            begin = time.perf_counter()
            step()
            backend.wait()
            times.append(time.perf_counter() - begin)
    median = statistics.median(times)
    return {"macs": step.macs, "median_s": median, "least_s": min(times), "most_s": max(times),
            "power_W": power.watts, "energy_J": None if power.watts is None else power.watts * median,
            "profile": backend.profile(step)}


def file_name(device):
    return re.sub(r"[^a-z0-9]+", "-", device["name"].lower()).strip("-") + ".json"


def report(found):
    device = found["device"]
    print(f"{device['name']}, {device['library']}, {found['dtype']}, medians of {found['rounds']} steps")
    print(f"  {'layer':20}{'':14}{'MACs':>18}{'ms':>12}{'/ dense':>10}{'GEMM':>9}{'memory':>9}{'W':>9}")
    for layer in found["layers"]:
        for way, of in layer["ways"].items():
            profile = of["profile"] or {}
            share = lambda kind, p=profile: f"{100 * p[kind]:.1f} %" if kind in p else "-"
            ratio = of["median_s"] / layer["ways"]["dense"]["median_s"]
            power = "-" if of["power_W"] is None else f"{of['power_W']:.1f}"
            print(f"  {layer['name'] if way == 'dense' else '':20}{way:14}{of['macs']:>18,}{1000 * of['median_s']:>12.4g}"
                  f"{ratio:>10.4g}{share('matrix_products'):>9}{share('memory_operations'):>9}{power:>9}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", metavar="BIN", help="folder of contraction_search and compare_accelerators")
    parser.add_argument("--layers", default=",".join(LAYERS), help="named layers, separated by commas")
    parser.add_argument("--batch", type=int, help="samples (default: those of each layer)")
    parser.add_argument("--device", default="auto", choices=("auto", "cuda", "cpu", "numpy"))
    parser.add_argument("--dtype", default="float32", choices=("float32", "float64", "bfloat16"))
    parser.add_argument("--rounds", type=int, default=15, help="steps that are timed, at least 1")
    parser.add_argument("--out", metavar="DIR", default=".", help="folder of the file with the figures")
    o = parser.parse_args()
    try:
        if o.rounds < 1:
            raise Unusable(f"--rounds is {o.rounds}, expected at least 1")
        if not os.path.isdir(o.out):
            raise Unusable(f"--out is '{o.out}', expected a folder")
        backend = backend_of(o.device, o.dtype)
        found = {"device": {**backend.device(), "kind": backend.name}, "dtype": o.dtype, "rounds": o.rounds, "layers": []}
        for name in o.layers.split(","):
            layer = layer_of(o.bin, name, o.batch)
            ways = {way: measured(backend, step, o.rounds) for way, step in steps_of(backend, layer)}
            found["layers"].append({"name": name, "batch": layer["layer"]["batch"], "dx": layer["dx"],
                                    "trees": layer["trees"], "ways": ways})
    except (Unusable, OSError) as error:
        print(f"gpu_training_steps: {error}", file=sys.stderr)
        return 2
    report(found)
    path = os.path.join(o.out, file_name(found["device"]))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=2)
        file.write("\n")
    print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
