"""The network of training_start in PyTorch: each layer as contractions of two tensors along our tree, or with W made of
its cores."""

import json
import math
import subprocess

import torch

ACTIVATIONS = {"none": lambda x: x, "relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}


def start_of(program, model, psum, seed, epochs):
    found = subprocess.run([program, model, psum, str(seed), str(epochs)], stdout=subprocess.PIPE, check=True)
    return json.loads(found.stdout)


class MatmulPair:
    """A contraction of two tensors as one (batched) product of matrices."""

    def __init__(self, a, b, result, sizes):
        batch = [m for m in a if m in b and m in result]
        rows = [m for m in a if m not in b]
        columns = [m for m in b if m not in a]
        summed = [m for m in a if m in b and m not in result]
        self.a_order = [a.index(m) for m in batch + rows + summed]
        self.b_order = [b.index(m) for m in batch + summed + columns]
        extent = lambda modes: math.prod(sizes[m] for m in modes)
        lead = [extent(batch)] if batch else []
        self.a_shape = lead + [extent(rows), extent(summed)]
        self.b_shape = lead + [extent(summed), extent(columns)]
        made = batch + rows + columns
        self.shape = [sizes[m] for m in made]
        self.order = [made.index(m) for m in result]

    def __call__(self, a, b):
        a = a.permute(self.a_order).reshape(self.a_shape)
        b = b.permute(self.b_order).reshape(self.b_shape)
        return torch.matmul(a, b).view(self.shape).permute(self.order)


class EinsumPair:
    def __init__(self, a, b, result, sizes):
        letters = lambda modes: "".join(chr(ord("a") + m) for m in modes)
        self.equation = letters(a) + "," + letters(b) + "->" + letters(result)

    def __call__(self, a, b):
        return torch.einsum(self.equation, a, b)


class Layer:
    """A linear one; of an LSTM one of its maps."""

    def __init__(self, description, batch, pair):
        self.sizes = list(description["modes"])
        self.sizes[description["batch"]] = batch
        self.tensors = description["tensors"]
        self.cores = description["cores"]
        self.bias = description["bias"]
        self.x, self.y = description["x"], description["y"]
        self.activation = ACTIVATIONS[description.get("activation", "none")]
        self.batch = batch
        self.x_shape = self.shape(self.tensors[self.x])
        self.pairs = [(a, b, result, pair(self.tensors[a], self.tensors[b], self.tensors[result], self.sizes))
                      for a, b, result in description["forward"]]

    def shape(self, modes):
        return [self.sizes[m] for m in modes]

    def __call__(self, x, parameters):
        values = {tensor: parameters[p] for tensor, p in self.cores}
        values[self.x] = x.view(self.x_shape)
        for a, b, result, contract in self.pairs:
            values[result] = contract(values[a], values[b])
        y = values[self.y].reshape(self.batch, -1)
        return self.activation(y if self.bias is None else y + parameters[self.bias])


class DenseLayer(Layer):
    """W of its cores, neighbours first, then torch's linear layer."""

    def __init__(self, description, batch, pair):
        super().__init__(description, batch, pair)
        outer = [m for t in (self.y, self.x) for m in self.tensors[t] if m != description["batch"]]
        self.columns = math.prod(self.sizes[m] for m in self.tensors[self.x] if m != description["batch"])
        nodes = [(tensor, self.tensors[tensor]) for tensor, _ in self.cores]
        self.steps = []  # a, b, result
        made = len(self.tensors)
        while len(nodes) > 1:
            fewer = []
            for i in range(0, len(nodes) - 1, 2):
                (a, a_modes), (b, b_modes) = nodes[i], nodes[i + 1]
                rest = [m for n in nodes[:i] + nodes[i + 2:] + fewer for m in n[1]] + outer
                modes = [m for m in a_modes + [m for m in b_modes if m not in a_modes] if m in rest]
                if len(nodes) == 2:
                    modes = outer
                self.steps.append((a, b, made, pair(a_modes, b_modes, modes, self.sizes)))
                fewer.append((made, modes))
                made += 1
            nodes = fewer + nodes[len(nodes) - len(nodes) % 2:]
        self.matrix, self.matrix_modes = nodes[0]
        self.order = [self.matrix_modes.index(m) for m in outer]

    def matrix_of(self, parameters):
        values = {tensor: parameters[p] for tensor, p in self.cores}
        for a, b, result, contract in self.steps:
            values[result] = contract(values[a], values[b])
        return values[self.matrix].permute(self.order).reshape(-1, self.columns)

    def __call__(self, x, parameters):
        bias = None if self.bias is None else parameters[self.bias]
        return self.activation(torch.nn.functional.linear(x.view(self.batch, -1), self.matrix_of(parameters), bias))


class LstmLayer:
    """Torch's, whose gates are i f g o, too, of both matrices made of their cores."""

    def __init__(self, description, batch, pair):
        self.frames, self.features, self.hidden = (description[name] for name in ("frames", "features", "hidden"))
        self.all, self.batch = description["all"], batch
        self.input, self.recurrent = (DenseLayer(map_, batch, pair) for map_ in description["maps"])

    def __call__(self, x, parameters):
        nothing = torch.zeros(1, self.batch, self.hidden)
        bias = torch.zeros(4 * self.hidden)
        weights = [self.input.matrix_of(parameters), self.recurrent.matrix_of(parameters),
                   bias if self.input.bias is None else parameters[self.input.bias], bias]
        frames, last, _ = torch.lstm(x.view(self.batch, self.frames, self.features), (nothing, nothing), weights, True, 1,
                                     0.0, True, False, True)
        return frames.reshape(self.batch, -1) if self.all else last[0]


class EncoderLayer:
    """A block of a transformer encoder of torch's parts, its matrices made of their cores."""

    def __init__(self, description, batch, pair):
        self.frames, self.features, self.heads = (description[name] for name in ("frames", "features", "heads"))
        self.pre, self.epsilon, self.norms, self.batch = description["pre"], description["epsilon"], description["norms"], batch
        self.maps = [DenseLayer(map_, batch * self.frames, pair) for map_ in description["maps"]]

    def __call__(self, x, parameters):
        query, key, values, output, up, down = self.maps

        def norm(y, number):
            gamma, beta = (parameters[p] for p in self.norms[2 * number:2 * number + 2])
            return torch.nn.functional.layer_norm(y, (self.features,), gamma, beta, self.epsilon)

        def attention(y):
            q, k, v = (map_(y, parameters).view(self.batch, self.frames, self.heads, -1).transpose(1, 2)
                       for map_ in (query, key, values))
            weights = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]), dim=-1)
            return output((weights @ v).transpose(1, 2).reshape(-1, self.features), parameters)

        def feed_forward(y):
            h = up(y, parameters)
            return down(torch.nn.functional.gelu(h, approximate="tanh"), parameters)

        x = x.reshape(-1, self.features)
        if self.pre:
            x = x + attention(norm(x, 0))
            x = x + feed_forward(norm(x, 1))
        else:
            x = norm(x + attention(x), 0)
            x = norm(x + feed_forward(x), 1)
        return x.view(self.batch, -1)


class Network:
    def __init__(self, start, layer=Layer, pair=MatmulPair):
        self.start, self.layer, self.pair = start, layer, pair
        self.features = torch.tensor(start["values"]).view(-1, start["features"])
        self.labels = torch.tensor(start["labels"])
        self.parameters = []
        shapes = {}
        for description in start["layers"]:
            for map_ in description.get("maps", [description]):
                for tensor, p in map_["cores"]:
                    shapes[p] = [map_["modes"][m] for m in map_["tensors"][tensor]]
        for p, values in enumerate(start["parameters"]):
            value = torch.tensor(values, dtype=torch.float32).view(shapes.get(p, [-1]))
            self.parameters.append(value.clone().requires_grad_(True))
        self.optimizer = self.optimizer_of(start)
        self.schedule = self.schedule_of(start)
        self.layers = {}  # by samples in a batch

    def optimizer_of(self, start):
        rate, decay = start["rate"], start["weight_decay"]
        if start["optimizer"] == "sgd":
            return torch.optim.SGD(self.parameters, lr=rate, momentum=start["momentum"], weight_decay=decay)
        kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[start["optimizer"]]
        return kind(self.parameters, lr=rate, betas=start["betas"], eps=start["epsilon"], weight_decay=decay)

    def schedule_of(self, start):
        """Stepped after every batch; None: a constant rate."""
        steps = math.ceil(len(start["orders"][0]) / start["batch"])
        warm_up, of = start["warm_up"], torch.optim.lr_scheduler
        if start["schedule"] == "cosine":
            after = of.CosineAnnealingLR(self.optimizer, start["schedule_epochs"] * steps - warm_up, start["least_rate"])
        elif start["schedule"] == "step":
            after = of.StepLR(self.optimizer, start["step_epochs"] * steps, start["step_factor"])
        else:
            return of.LinearLR(self.optimizer, 1 / warm_up, 1, warm_up - 1) if warm_up else None
        if not warm_up:
            return after
        rise = of.LinearLR(self.optimizer, 1 / warm_up, 1, warm_up - 1)
        return of.SequentialLR(self.optimizer, [rise, after], [warm_up])

    def layer_of(self, description, batch):
        if description["kind"] == "linear":
            return self.layer(description, batch * description["frames"], self.pair)
        return {"lstm": LstmLayer, "encoder": EncoderLayer}[description["kind"]](description, batch, self.pair)

    def loss(self, samples):
        batch = len(samples)
        if batch not in self.layers:
            self.layers[batch] = [self.layer_of(d, batch) for d in self.start["layers"]]
        x = self.features[samples]
        for layer in self.layers[batch]:
            x = layer(x.reshape(batch, -1), self.parameters)
        return torch.nn.functional.cross_entropy(x, self.labels[samples])

    def step(self, samples):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(samples)
        loss.backward()
        if self.start["clip_norm"]:
            torch.nn.utils.clip_grad_norm_(self.parameters, self.start["clip_norm"])
        self.optimizer.step()
        if self.schedule:
            self.schedule.step()
        return loss.detach()

    def decay(self):
        if self.start["rate_decay"] == 1:
            return
        for group in self.optimizer.param_groups:
            group["lr"] *= self.start["rate_decay"]
