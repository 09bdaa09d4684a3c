"""Random networks for tnn_training and random layers for tnn_step, with data and devices; a number makes each."""
import dataclasses
import math

import numpy as np

from numpy_training import bfloat16, cores_of, matrix_size, numbers, rank_count, shapes_of

ACTIVATIONS = ("none", "relu", "sigmoid", "tanh", "gelu")
FORMATS = ("dense", "tt", "ttm", "tr", "ht", "bt")


@dataclasses.dataclass
class Network:
    number: int
    model: dict       # content of the model file
    data: dict        # x, y, x_test, y_test
    weights: dict     # first parameters by name
    training: dict    # options that change what is learned
    device: dict      # options that do not


class RandomParts:
    """`large`: layers whose tensors leave a small memory."""

    def __init__(self, kind, number):
        self.random = np.random.default_rng([kind, number])
        self.number, self.large = number, bool(self.random.random() < 0.3)

    def one_of(self, values):
        return values[self.random.integers(len(values))]

    def size(self, most, least=1):
        """Small ones are more frequent."""
        return int(math.exp(self.random.uniform(math.log(least), math.log(most + 1))))

    def chance(self, p):
        return bool(self.random.random() < p)

    def divided(self, n):
        """Two factors of n."""
        a = self.one_of([d for d in range(1, n + 1) if n % d == 0])
        return a, n // a

    def factors(self, n, count):
        """`count` factors of n, some of which may be 1."""
        made = []
        for _ in range(count - 1):
            a, n = self.divided(n)
            made.append(a)
        made.append(n)
        return [int(f) for f in self.random.permutation(made)]

    # ---- matrices

    def matrix(self, rows, cols, bias=True, formats=FORMATS):
        kind = self.one_of(formats)
        made = {"format": kind}
        if kind == "dense":
            made.update(rows=rows, cols=cols)
        else:
            paired = kind in ("ttm", "ht", "bt")
            count = self.one_of((2, 2, 3) if paired else (1, 2, 2, 3))
            other = count if paired else self.one_of((1, 2))
            of_rows, of_cols = self.factors(rows, count), self.factors(cols, other)
            ranks = rank_count(kind, count, other)
            made.update(rows="x".join(map(str, of_rows)), cols="x".join(map(str, of_cols)))
            made["ranks"] = str(self.size(6)) if self.chance(0.5) else ",".join(str(self.size(6)) for _ in range(ranks))
            if kind in ("tt", "tr") and self.chance(0.5):
                made["order"] = self.one_of(("mn", "nm"))
            if kind == "bt" and self.chance(0.7):
                made["blocks"] = self.size(3)
        if bias and self.chance(0.2):
            made["bias"] = False
        return made

    def device(self, batch):
        engines = self.one_of((4, 16, 16, 64))
        made = {"engines": engines, "array": self.one_of((2, 4, 4, 8, 16)), "lanes": self.one_of((1, 7, 16, 64, 64, 256)),
                "layout": self.one_of(("linear",) * 5 + ("banked",)), "bank-bytes": self.one_of((4096, 4096, 8192, 32768)),
                "accumulator-bytes": self.one_of((1024, 8192, 8192)), "memory": self.one_of(("dram", "dram", "sram")),
                "dma-width": self.one_of((32, 128, 512, 512)), "burst": self.one_of((64, 1024, 4096))}
        if self.chance(0.1):
            made["no-overlap"] = True
        if self.chance(0.2):
            made["overlap-runs"] = "off"
        if self.chance(0.1):
            made["program-prefetch"] = self.one_of((256, 4096))
        if self.chance(0.1):
            made.update({"buffer-cycles": 3, "mac-latency": 4})
        if self.chance(0.1):
            made["bank-broadcast"] = "off"
        if self.chance(0.4):
            made["block-samples"] = int(self.random.integers(1, batch + 1))
        return made

    def cores(self, matrix, prefix=""):
        """Random ones that keep the size of numbers, by name: W has the variance 1 / inputs."""
        cores = cores_of(matrix)
        ranks = {i: n for _, indices, shape in cores for i, n in zip(indices, shape) if i[0] not in "mn"}
        variance = 1 / (matrix_size(matrix, "cols") * math.prod(ranks.values()))
        return {prefix + name: self.random.normal(size=shape).astype(np.float32) * np.float32(variance ** (0.5 / len(cores)))
                for name, _, shape in cores}


class NetworkGenerator(RandomParts):
    def __init__(self, number):
        super().__init__(33, number)
        self.most = 256 if self.large else 48  # outputs of a layer

    # ---- layers, each from n inputs

    def linear(self, n, outputs=None):
        frames, cols = self.divided(n) if self.chance(0.25) and not outputs else (1, n)
        rows = outputs or self.size(max(self.most // frames, 1))
        return {**self.matrix(rows, cols), "activation": self.one_of(ACTIVATIONS), **({"frames": frames} if frames > 1 else {})}

    def picture(self, n):
        channels, pixels = self.divided(n) if n < 4 or self.chance(0.5) else (1, n)
        height, width = self.divided(pixels)
        return height, width, channels

    def convolution(self, n):
        height, width, channels = self.picture(n)
        padding = self.one_of((0, 0, 1, 2))
        kernel = [self.size(min(size + 2 * padding, 4)) for size in (height, width)]
        stride = self.size(3)
        places = math.prod((size + 2 * padding - k) // stride + 1 for size, k in zip((height, width), kernel))
        made = {"kind": "convolution", "height": height, "width": width, "channels": channels, "padding": padding,
                "kernel": "x".join(map(str, kernel)), "stride": stride, "activation": self.one_of(ACTIVATIONS),
                "patches": self.one_of(("chip", "chip", "bus"))}
        return {**made, **self.matrix(self.size(max(min(self.most // places, 16), 1)), math.prod(kernel) * channels)}

    def pool(self, n):
        height, width, channels = self.picture(n)
        made = {"kind": "pool", "height": height, "width": width, "channels": channels, "function": self.one_of(("max", "average"))}
        if self.chance(0.2):
            return {**made, "kernel": "global"}
        kernel = [self.size(min(size, 4)) for size in (height, width)]
        made["kernel"] = "x".join(map(str, kernel))
        made["padding"] = int(self.random.integers(0, min(kernel) // 2 + 1))
        if self.chance(0.6):
            made["stride"] = self.size(3) if self.chance(0.5) else f"{self.size(3)}x{self.size(3)}"
        return made

    def norm(self, n):
        frames, features = self.divided(n)
        return {"kind": "norm", "frames": frames, "features": features, **({"epsilon": 0.01} if self.chance(0.3) else {})}

    def dropout(self, n):
        return {"kind": "dropout", "features": n, "rate": self.one_of((0, 0.1, 0.25, 0.5, 0.9))}

    def lstm(self, n):
        frames, features = self.divided(n)
        while frames > 12:
            frames, features = self.divided(n)
        made = {"kind": "lstm", "frames": frames, "features": features, "output": self.one_of(("last", "all"))}
        hidden = self.size(max(min(self.most // frames if made["output"] == "all" else self.most, 32), 1))
        made["hidden"] = hidden
        if self.chance(0.6):
            made.update(self.matrix(4 * hidden, features))
        if self.chance(0.6):
            made["hidden_weights"] = self.matrix(4 * hidden, hidden, bias=False)
        return made

    def encoder(self, n):
        frames, features = self.divided(n)
        while frames > 32:
            frames, features = self.divided(n)
        made = {"kind": "encoder", "frames": frames, "features": features, "heads": self.divided(features)[0],
                "hidden": self.size(32), "norm": self.one_of(("post", "pre"))}
        hidden = made["hidden"]
        for key, rows, cols in (("attention", features, features), ("up", hidden, features), ("down", features, hidden)):
            if self.chance(0.5):
                made[key] = self.matrix(rows, cols)
        return made

    def residual(self, n, depth=1):
        layers, at = [], n
        for _ in range(self.one_of((0, 1, 1, 2))):
            layers.append(self.layer(at, depth))
            at = outputs_of(layers[-1], at)
        if at != n or not layers:
            layers.append(self.linear(at, n))
        return {"kind": "residual", "layers": layers}

    def layer(self, n, depth=0):
        kinds = ["linear"] * 3 + ["convolution", "convolution", "pool", "norm", "dropout", "lstm", "encoder"]
        if depth < 2:
            kinds.append("residual")
        kind = self.one_of(kinds)
        return self.residual(n, depth + 1) if kind == "residual" else getattr(self, kind)(n)

    # ---- the whole

    def optimizer(self, epochs):
        kind = self.one_of(("sgd", "adam", "adamw"))
        rate = self.random.uniform(0.001, 0.03 if kind == "sgd" else 0.01)
        made = {"kind": kind, "rate": float(f"{rate:.3g}")}
        if kind == "sgd":
            made["momentum"] = self.one_of((0, 0.5, 0.9))
        elif self.chance(0.5):
            made.update(first_decay=self.one_of((0, 0.5, 0.9)), second_decay=self.one_of((0.9, 0.99)),
                        epsilon=self.one_of((1e-8, 1e-4)))
        if self.chance(0.3):
            made["rate_decay"] = 0.9
        if self.chance(0.4):
            made["weight_decay"] = self.one_of((0.001, 0.1))
        if self.chance(0.4):
            made["clip_norm"] = self.one_of((0.1, 1, 10))
        if self.chance(0.3):
            made["warm_up"] = self.size(4)
        schedule = self.one_of(("constant", "constant", "step", "cosine"))
        if schedule == "step":
            made.update(schedule=schedule, step_epochs=self.size(2), step_factor=0.5)
        elif schedule == "cosine":
            made.update(schedule=schedule, least_rate=made["rate"] / 8, schedule_epochs=self.one_of((0, epochs, epochs + 1)))
        return made

    def loss(self):
        kind = self.one_of(("cross-entropy",) * 3 + ("mse", "l1", "huber"))
        return {"kind": kind, **({"delta": self.one_of((0.5, 1))} if kind == "huber" else {})}

    def network(self):
        layers = []
        tokens = self.chance(0.15)
        n = self.size(256 if self.large else 64, 2)
        if tokens:
            frames, features = self.size(8), self.size(16)
            layers.append({"kind": "embedding", "vocabulary": self.size(40), "frames": frames, "features": features,
                           "positions": self.chance(0.5)})
            n = frames * features
        inputs, at = (frames if tokens else n), n
        for _ in range(self.one_of((0, 1, 1, 2, 2, 3))):
            layers.append(self.layer(at))
            at = outputs_of(layers[-1], at)
        loss = self.loss()
        outputs = self.size(8, 2 if loss["kind"] == "cross-entropy" else 1)
        layers.append({**self.matrix(outputs, at), "activation": self.one_of(("none", "none", "none", "tanh"))})
        for number, layer in enumerate(layers):
            if self.chance(0.5):
                layer["name"] = f"part {number}"
        batch = self.size(64 if self.large else 32)
        epochs = self.size(3)
        samples = self.size(2 * batch + 1) if self.chance(0.5) else batch
        training = {}
        if samples >= 2 * batch and self.chance(0.3):
            training["drop-last"] = True
        training["psum"] = "bf16" if self.chance(0.25) else "f32"
        training["seed"] = int(self.random.integers(1, 2 ** 40)) if self.chance(0.5) else 1
        model = {"epochs": epochs, "batch": batch, "loss": loss, "optimizer": self.optimizer(epochs), "layers": layers}
        if samples >= 4 and self.chance(0.2):
            model["validation"] = self.one_of((0.1, 0.25, 0.5))
            if round(samples * (1 - model["validation"])) < batch:
                training.pop("drop-last", None)
        data, weights = self.data(layers, loss, samples, inputs, outputs), self.weights(layers)
        return Network(self.number, model, data, weights, training, self.device(batch))

    def data(self, layers, loss, samples, inputs, outputs):
        made = {}
        for of, count in (("", samples), ("_test", self.size(12))):
            if layers[0].get("kind") == "embedding":
                x = self.random.integers(0, layers[0]["vocabulary"], (count, inputs))
            else:
                x = bfloat16(self.random.normal(size=(count, inputs)))
            is_label = loss["kind"] == "cross-entropy" or (outputs > 1 and inputs % 2 == 0)
            made["x" + of] = x
            made["y" + of] = self.random.integers(0, outputs, count) if is_label \
                else self.random.normal(size=(count, outputs)).astype(np.float32)
        return made

    def weights(self, layers):
        """Such that a layer keeps the size of numbers."""
        made = {}
        for name, shape in shapes_of(layers).items():
            last = name.rsplit(".", 1)[-1]
            if last == "gamma":
                values = self.random.uniform(0.5, 1.5, shape)
            elif last in ("bias", "beta", "positions"):
                values = self.random.normal(size=shape) * 0.3
            elif last == "table":
                values = self.random.normal(size=shape)
            else:
                continue
            made[name] = values
        for matrix, prefix in matrices_of(layers):
            made.update(self.cores(matrix, prefix))
        return {name: values.astype(np.float32) for name, values in made.items()}


def outputs_of(layer, n):
    """Numbers that a layer gives for each sample, of n."""
    kind = layer.get("kind", "linear")
    if kind == "linear":
        return layer.get("frames", 1) * matrix_size(layer, "rows")
    if kind in ("convolution", "pool"):
        size = [layer["height"], layer["width"]]
        kernel = size if layer["kernel"] == "global" else numbers(layer["kernel"])
        stride = numbers(layer["stride"]) if "stride" in layer else kernel
        stride = stride * 2 if len(stride) == 1 else stride
        places = math.prod((s + 2 * layer.get("padding", 0) - k) // t + 1 for s, k, t in zip(size, kernel, stride))
        return places * (matrix_size(layer, "rows") if kind == "convolution" else layer["channels"])
    if kind == "lstm":
        return layer["hidden"] * (layer["frames"] if layer["output"] == "all" else 1)
    if kind == "embedding":
        return layer["frames"] * layer["features"]
    return n


def matrices_of(layers, prefix=""):
    """Each matrix with the prefix of its parameters' names."""
    for number, layer in enumerate(layers):
        name, kind = prefix + layer.get("name", f"layer {number + 1}") + ".", layer.get("kind", "linear")
        if kind in ("linear", "convolution"):
            yield layer, name
        elif kind == "residual":
            yield from matrices_of(layer["layers"], name)
        elif kind == "lstm":
            dense = {"format": "dense", "rows": 4 * layer["hidden"]}
            yield {**dense, "cols": layer["features"], **layer}, name
            yield {**dense, "cols": layer["hidden"], **layer.get("hidden_weights", {})}, name + "hidden weights."
        elif kind == "encoder":
            f, h = layer["features"], layer["hidden"]
            for key, roles, rows, cols in (("attention", ("query", "key", "values", "output"), f, f), ("up", ("up",), h, f),
                                           ("down", ("down",), f, h)):
                for role in roles:
                    yield {"format": "dense", "rows": rows, "cols": cols, **layer.get(key, {})}, f"{name}{role}."


def network_of(number):
    return NetworkGenerator(number).network()


@dataclasses.dataclass
class Layer:
    number: int
    matrix: dict      # as in a model file
    operands: dict    # X, dY and the cores, float32
    options: dict


def layer_of(number):
    """A layer for tnn_step, with the options of its step."""
    parts = RandomParts(34, number)
    rows, cols = parts.size(256 if parts.large else 48), parts.size(256 if parts.large else 48, 2)
    matrix = parts.matrix(rows, cols, False, FORMATS[1:])
    batch = parts.size(96 if parts.large else 24)
    phases = parts.one_of(("fp", "fp,bp,wg", "fp,bp,wg,update", "fp,bp,wg,update"))
    operands = {"X": bfloat16(parts.random.normal(size=(batch, cols))), "dY": bfloat16(parts.random.normal(size=(batch, rows))),
                **parts.cores(matrix)}
    options = {**parts.device(batch), "phases": phases, "dx": parts.one_of(("on", "on", "off")), "rate": 0.25,
               "residency": parts.one_of(("auto", "auto", "spill", "keep", "batch-blocked", "micro-batch")),
               "sequence": parts.one_of(("estimate", "estimate", "macs", "ascending", "descending", "tetrix")),
               "objective": parts.one_of(("latency", "energy", "edp"))}
    options.pop("block-samples", None)
    if options["residency"] == "micro-batch" and phases == "fp":
        options["residency"] = "spill"
    if options["residency"] == "batch-blocked":
        options["between-passes"] = parts.one_of(("auto", "store", "recompute"))
    if parts.chance(0.4):
        options["block-samples"] = parts.one_of([d for d in range(1, batch + 1) if batch % d == 0])
    return Layer(number, matrix, operands, options)
