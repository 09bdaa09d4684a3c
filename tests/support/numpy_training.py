"""Training of the models of tnn_training in numpy, in float64: an oracle of its own for their losses and parameters.

It follows the formulas on the page docs/tnn_training.md, not the code of the device: a tape of operations, each with its
derivative, and PyTorch's optimizers.

The device rounds: operands of contractions to bfloat16, all else to float32, partial sums to either. How far may its
results be from these? That depends on the network: a rounded operand flips a relu, Adam divides by a small gradient. So
every array here has a first axis of *replicas* (Monte Carlo arithmetic, Parker 1997). Replica 0 is exact. In the others
each operation multiplies by 1 + d, d uniform within four times the unit roundoff of the format that the device has there.
`Spread` compares the device's distance from replica 0 with that of the furthest replica. Four times: a sign that is
rarely seen to change (of a gradient near 0, by which Adam makes a full step) must change in a replica if it can at all.
"""
import math

import numpy as np

BF16 = 4 * 2.0 ** -8     # four unit roundoffs of 8 bits
WORD = 4 * 2.0 ** -24    # of 24 bits: a parameter or a constant in float32
F32 = 4 * WORD           # the elementary functions of the vector unit have a few operations each


def bfloat16(x):
    """x rounded to bfloat16, ties to even, as float32."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16 << 16).astype(np.uint32)
    return bits.view(np.float32).reshape(np.shape(x))


# ---- random numbers of the program, by their definitions

class Mt19937_64:
    """std::mt19937_64 (Nishimura and Matsumoto), seeded by std::seed_seq (C++17, [rand.util.seedseq])."""
    WORDS = 312

    def __init__(self, seeds):
        words = _seed_sequence(seeds, 2 * self.WORDS)
        self.state = [words[2 * i] | words[2 * i + 1] << 32 for i in range(self.WORDS)]
        if self.state[0] >> 31 == 0 and not any(self.state[1:]):
            self.state[0] = 1 << 63
        self.at = self.WORDS

    @classmethod
    def of_number(cls, seed):
        """Seeded by one number, as std::mt19937_64(seed)."""
        made = cls.__new__(cls)
        made.state = [seed]
        for i in range(1, cls.WORDS):
            made.state.append((6364136223846793005 * (made.state[-1] ^ made.state[-1] >> 62) + i) & (1 << 64) - 1)
        made.at = cls.WORDS
        return made

    def __call__(self):
        n, s = self.WORDS, self.state
        if self.at == n:
            for i in range(n):
                y = (s[i] & 0xffffffff80000000) | (s[(i + 1) % n] & 0x7fffffff)
                s[i] = s[(i + 156) % n] ^ (y >> 1) ^ (0xb5026f5aa96619e9 if y & 1 else 0)
            self.at = 0
        x = s[self.at]
        self.at += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71d67fffeda60000
        x ^= (x << 37) & 0xfff7eee000000000
        return (x ^ (x >> 43)) & 0xffffffffffffffff


def _seed_sequence(seeds, count):
    mask = 0xffffffff
    out = [0x8b8b8b8b] * count
    length = len(seeds)
    t = 11 if count >= 623 else 7
    p = (count - t) // 2
    q = p + t
    most = max(length + 1, count)
    mix = lambda x: x ^ (x >> 27)
    for k in range(most):
        r = 1664525 * mix(out[k % count] ^ out[(k + p) % count] ^ out[(k - 1) % count]) & mask
        more = length if k == 0 else k % count + (seeds[k - 1] if k <= length else 0)
        out[(k + p) % count] = (out[(k + p) % count] + r) & mask
        r = (r + more) & mask
        out[(k + q) % count] = (out[(k + q) % count] + r) & mask
        out[k % count] = r
    for k in range(most, most + count):
        r = 1566083941 * mix((out[k % count] + out[(k + p) % count] + out[(k - 1) % count]) & mask) & mask
        out[(k + p) % count] ^= r
        r = (r - k % count) & mask
        out[(k + q) % count] ^= r
        out[k % count] = r
    return out


def permuted(all_of_them, random):
    """Fisher and Yates, from the end."""
    made = list(all_of_them)
    for left in range(len(made), 1, -1):
        other = random() % left
        made[left - 1], made[other] = made[other], made[left - 1]
    return made


def order_of_epoch(training, seed, epoch):
    return permuted(training, Mt19937_64([seed & 0xffffffff, seed >> 32, epoch]))


def held_out(count, share, seed):
    """Samples of training and of validation, of `count`."""
    places = permuted(range(count), Mt19937_64([seed & 0xffffffff, seed >> 32, 0xffffffff, 0xffffffff]))
    wanted = min(max(math.floor(float(np.float32(share)) * count + 0.5), 1), count - 1)
    validation = sorted(places[:wanted])
    return [s for s in range(count) if s not in set(validation)], validation


def philox_2x32(counter_0, counter_1, key):
    """Philox-2x32-10 (Salmon and others, 2011); counters may be arrays."""
    c0, c1 = (np.asarray(c, np.uint64) for c in (counter_0, counter_1))
    low = np.uint64(0xffffffff)
    for _ in range(10):
        product = c0 * np.uint64(0xd256d193)
        c0, c1 = (product >> np.uint64(32)) ^ np.uint64(key) ^ c1, product & low
        key = (key + 0x9e3779b9) & 0xffffffff
    return c0, c1


def mask_key(seed, epoch, step):
    of_run = int(philox_2x32(seed & 0xffffffff, seed >> 32, 0)[0])
    return int(philox_2x32(step, epoch, of_run)[0])


def random_fractions(key, stream, first, count):
    i = np.arange(first, first + count)
    words = np.stack(philox_2x32(i // 2, np.full(count, stream), key))
    return (words[i % 2, np.arange(count)] >> np.uint64(8)).astype(np.float64) * 2.0 ** -24


# ---- a tape

class Node:
    """Values of a tensor in all replicas, and the derivative of the loss by them."""
    __slots__ = ("value", "grad")

    def __init__(self, value):
        self.value, self.grad = value, None

    def add(self, grad):
        self.grad = grad if self.grad is None else self.grad + grad


class Tape:
    """Operations on nodes, in the order of the forward pass. Indices and axes are those without the replicas."""

    def __init__(self, replicas, random, psum):
        self.replicas, self.random, self.psum = replicas, random, psum
        self.back = []

    def rounded(self, x, unit):
        """x as the replicas have it after a rounding. Values are not changed where they are."""
        d = self.random.uniform(-unit, unit, x.shape)
        d[0] = 0
        return x * (1 + d)

    def node(self, value, back):
        """`back`: from the derivative by this node; is not called if there is none."""
        made = Node(self.rounded(value, F32))

        def run():
            if made.grad is not None:
                back(self.rounded(made.grad, F32))
        self.back.append(run)
        return made

    def backward(self):
        for run in reversed(self.back):
            run()
        self.back = []

    def _product(self, a, b, a_is, b_is, out):
        batch = [i for i in a_is if i in b_is and i in out]
        rows, columns = ([i for i in of if i not in other] for of, other in ((a_is, b_is), (b_is, a_is)))
        summed = [i for i in a_is if i in b_is and i not in out]
        sizes = dict(zip(list(a_is) + list(b_is), a.shape[1:] + b.shape[1:]))
        extent = lambda of: math.prod(sizes[i] for i in of)

        def as_matrices(x, is_, order, shape):
            return x.transpose([0] + [1 + is_.index(i) for i in order]).reshape([len(x), extent(batch)] + shape)
        a = as_matrices(a, a_is, batch + rows + summed, [extent(rows), extent(summed)])
        b = as_matrices(b, b_is, batch + summed + columns, [extent(summed), extent(columns)])
        c = a @ b
        if self.psum == "bf16":
            # Each of K partial sums is rounded. Of terms t of either sign they are as large as sqrt(sum of t^2), of
            # terms of one sign as the result; errors add up as a random walk.
            size = np.sqrt((a * a) @ (b * b)) + abs(c)
            d = self.random.uniform(-BF16, BF16, c.shape) * math.sqrt(extent(summed) / 2 + 1)
            d[0] = 0
            c = c + d * size
        made = batch + rows + columns
        c = c.reshape([len(c)] + [sizes[i] for i in made])
        return c.transpose([0] + [1 + made.index(i) for i in out])

    def contract(self, a, a_is, b, b_is, out):
        """A contraction of two tensors by the names of their indices, of operands in bf16."""
        a_is, b_is, out = list(a_is), list(b_is), list(out)
        x, y = self.rounded(a.value, BF16), self.rounded(b.value, BF16)

        def back(g):
            g = self.rounded(g, BF16)
            a.add(self._product(g, y, out, b_is, a_is))
            b.add(self._product(g, x, out, a_is, b_is))
        return self.node(self._product(x, y, a_is, b_is, out), back)

    def shaped(self, x, shape, order=None):
        """Reshaped; then its axes are permuted."""
        before = x.value.shape
        value = x.value.reshape([len(x.value)] + list(shape))
        axes = None if order is None else [0] + [1 + i for i in order]
        made = Node(value if axes is None else value.transpose(axes))

        def run():
            if made.grad is not None:
                x.add((made.grad if axes is None else made.grad.transpose(np.argsort(axes))).reshape(before))
        self.back.append(run)
        return made

    def bias(self, y, b):
        """y[rows, outputs] + b; the derivative of b is a contraction of that of y with ones."""
        def back(g):
            y.add(g)
            summed = self.rounded(g, BF16)
            if self.psum == "bf16":
                rows = g.shape[1]
                d = self.random.uniform(-BF16, BF16, [len(g), 1, g.shape[2]]) * math.sqrt(rows / 2 + 1)
                d[0] = 0
                size = np.sqrt((summed ** 2).sum(1)) + abs(summed.sum(1))
                b.add(summed.sum(1) + d[:, 0] * size)
            else:
                b.add(summed.sum(1))
        return self.node(y.value + b.value[:, None], back)

    def sum(self, a, b):
        def back(g):
            a.add(g)
            b.add(g)
        return self.node(a.value + b.value, back)

    def multiply(self, a, b):
        def back(g):
            a.add(g * b.value)
            b.add(g * a.value)
        return self.node(a.value * b.value, back)

    def scaled(self, x, factor):
        """Times an array without replicas, or a number."""
        return self.node(x.value * factor, lambda g: x.add(g * factor))

    def function(self, x, name):
        v = x.value
        if name == "none":
            return x
        if name == "relu":
            return self.node(np.where(v > 0, v, 0), lambda g: x.add(np.where(v > 0, g, 0)))
        if name == "sigmoid":
            z = 1 / (1 + np.exp(-v))
            return self.node(z, lambda g: x.add(g * z * (1 - z)))
        if name == "tanh":
            z = np.tanh(v)
            return self.node(z, lambda g: x.add(g * (1 - z * z)))
        # gelu in its tanh form
        r = math.sqrt(2 / math.pi)
        h = np.tanh(r * (v + 0.044715 * v ** 3))
        slope = (1 + h) / 2 + v / 2 * (1 - h * h) * r * (1 + 3 * 0.044715 * v * v)
        return self.node(v * (1 + h) / 2, lambda g: x.add(g * slope))

    def softmax(self, x):
        e = np.exp(x.value - x.value.max(-1, keepdims=True))
        p = e / e.sum(-1, keepdims=True)
        return self.node(p, lambda g: x.add((g - (g * p).sum(-1, keepdims=True)) * p))

    def norm(self, x, gamma, beta, epsilon):
        """Rows of x[.., features]."""
        u = x.value - x.value.mean(-1, keepdims=True)
        r = np.sqrt((u * u).mean(-1, keepdims=True) + epsilon)
        n = u / r
        lead = (slice(None),) + (None,) * (u.ndim - 2)
        rows = tuple(range(1, u.ndim - 1))

        def back(g):
            h = g * gamma.value[lead]
            x.add((h - h.mean(-1, keepdims=True) - n * (h * n).mean(-1, keepdims=True)) / r)
            gamma.add((g * n).sum(rows))
            beta.add(g.sum(rows))
        return self.node(n * gamma.value[lead] + beta.value[lead], back)

    def taken(self, x, index, rim):
        """x[samples, n] at `index`, an array; where that is n, `rim`. Every column of the index has each place once."""
        n = x.value.shape[-1]
        edge = np.full(x.value.shape[:-1] + (1,), rim)
        value = np.concatenate([x.value, edge], -1)[..., index]

        def run():
            if made.grad is None:
                return
            summed = np.zeros(x.value.shape[:-1] + (n + 1,))
            flat = index.reshape(index.shape[0], -1)
            g = made.grad.reshape(made.grad.shape[:2] + flat.shape)
            for column in range(flat.shape[1]):
                summed[..., flat[:, column]] += g[..., column]
            x.add(summed[..., :n])
        made = Node(value)
        self.back.append(run)
        return made

    def largest(self, x):
        """Over the last axis; the first of equal ones."""
        at = x.value.argmax(-1)[..., None]

        def back(g):
            all_of_them = np.zeros_like(x.value)
            np.put_along_axis(all_of_them, at, g[..., None], -1)
            x.add(all_of_them)
        return self.node(np.take_along_axis(x.value, at, -1)[..., 0], back)

    def average(self, x):
        count = x.value.shape[-1]
        return self.node(x.value.mean(-1), lambda g: x.add(np.repeat(g[..., None] / count, count, -1)))

    def rows_of(self, table, tokens):
        """Rows of table[vocabulary, features] in bf16, by tokens[samples, frames]."""
        def back(g):
            summed = np.zeros_like(table.value)
            for s in range(tokens.shape[0]):
                for f in range(tokens.shape[1]):
                    summed[:, tokens[s, f]] += g[:, s, f]
            table.add(summed)
        return self.node(self.rounded(table.value, BF16)[:, tokens], back)

    def repeated(self, x, count):
        return self.node(np.repeat(x.value[:, None], count, 1), lambda g: x.add(g.sum(1)))


# ---- tensor formats (docs/contraction_search.md#formats)

def numbers(text, separator="x"):
    return [int(n) for n in str(text).split(separator)]


def cores_of(matrix):
    """[name, indices, shape] of each core of a matrix."""
    rows, cols, kind = numbers(matrix["rows"]), numbers(matrix["cols"]), matrix["format"]
    sizes = {f"m{k + 1}": n for k, n in enumerate(rows)}
    sizes.update({f"n{k + 1}": n for k, n in enumerate(cols)})
    ranks = numbers(matrix["ranks"], ",") if "ranks" in matrix else []
    if kind == "dense":
        cores = [("G1", ["m1", "n1"])]
        names = []
    elif kind in ("tt", "tr", "ttm"):
        m, n = [f"m{k + 1}" for k in range(len(rows))], [f"n{k + 1}" for k in range(len(cols))]
        chain = m + n if matrix.get("order", "mn") == "mn" else n + m
        free = [[a, b] for a, b in zip(m, n)] if kind == "ttm" else [[i] for i in chain]
        count = len(free)
        cores = []
        for k, indices in enumerate(free):
            left = [f"r{k}"] if k > 0 or kind == "tr" else []
            right = [f"r{(k + 1) % count}"] if k + 1 < count or kind == "tr" else []
            cores.append((f"G{k + 1}", left + indices + right))
        names = [f"r{k}" for k in range(0 if kind == "tr" else 1, count)]
    elif kind == "ht":
        cores = [(f"U{k + 1}", [f"m{k + 1}", f"n{k + 1}", f"l{k + 1}"]) for k in range(len(rows))]
        names = [f"l{k + 1}" for k in range(len(rows))]

        def transfer(first, last):  # from 1
            if first == last:
                return f"l{first}"
            middle = first + (last - first + 2) // 2 - 1
            below = [transfer(first, middle), transfer(middle + 1, last)]
            root = (first, last) == (1, len(rows))
            up = f"t{first}_{last}"
            cores.append((f"B{first}_{last}", ([] if root else [up]) + below))
            if not root:
                names.append(up)
            return up
        transfer(1, len(rows))
    else:
        cores = [(f"A{k + 1}", [f"m{k + 1}", f"n{k + 1}", f"q{k + 1}"]) for k in range(len(rows))]
        names = [f"q{k + 1}" for k in range(len(rows))]
        cores.append(("S", list(names)))
        blocks = matrix.get("blocks", 1)
        if blocks > 1:
            cores = [(name, ["block"] + indices) for name, indices in cores]
            sizes["block"] = blocks
    sizes.update(zip(names, ranks if len(ranks) == len(names) else ranks * len(names)))
    return [(name, indices, [sizes[i] for i in indices]) for name, indices in cores]


def rank_count(kind, rows, cols):
    return {"dense": 0, "tt": rows + cols - 1, "ttm": rows - 1, "tr": rows + cols, "ht": 2 * rows - 2, "bt": rows}[kind]


def weights_of(matrix, prefix):
    """Shapes of the parameters of a matrix by their names."""
    shapes = {prefix + name: shape for name, _, shape in cores_of(matrix)}
    if matrix.get("bias", True):
        shapes[prefix + "bias"] = [math.prod(numbers(matrix["rows"]))]
    return shapes


def matrix_size(matrix, key):
    return math.prod(numbers(matrix[key]))


# ---- layers

class Layers:
    """A model's layers on a tape, of one batch."""

    def __init__(self, tape, parameters, key, training):
        self.tape, self.parameters, self.key, self.training = tape, parameters, key, training
        self.stream = 0  # of the next dropout layer

    def run(self, layers, x, prefix=""):
        for number, layer in enumerate(layers):
            name = prefix + layer.get("name", f"layer {number + 1}") + "."
            x = getattr(self, layer.get("kind", "linear"))(layer, x, name)
        return x

    def multiplied(self, matrix, x, name, rows):
        """W x of x[rows, inputs], core by core, without the bias."""
        t = self.tape
        cols = numbers(matrix["cols"])
        at = ["b"] + [f"n{k + 1}" for k in range(len(cols))]
        out = ["b"] + [f"m{k + 1}" for k in range(len(numbers(matrix["rows"])))]
        x = t.shaped(x, [rows] + cols)
        left = cores_of(matrix)
        while left:
            # the next core that shares an index with what there is; of several that with the smallest result
            def made(core):
                others = {i for c in left if c is not core for i in c[1]} | set(out)
                return [i for i in at if i in others] + [i for i in core[1] if i not in at and i in others]
            sizes = dict(zip(at, x.value.shape[1:]))
            candidates = [c for c in left if set(c[1]) & set(at)] or left
            extent = lambda c: math.prod({**sizes, **dict(zip(c[1], c[2]))}[i] for i in made(c))
            core = min(candidates, key=extent)
            indices = made(core)
            x = t.contract(x, at, self.parameters[name + core[0]], core[1], indices)
            at = indices
            left.remove(core)
        order = [at.index(i) for i in out]
        x = t.shaped(x, x.value.shape[1:], order)
        return t.shaped(x, [rows, -1])

    def mapped(self, matrix, x, name, rows):
        y = self.multiplied(matrix, x, name, rows)
        return self.tape.bias(y, self.parameters[name + "bias"]) if matrix.get("bias", True) else y

    def linear(self, layer, x, name):
        samples, frames = x.value.shape[1], layer.get("frames", 1)
        y = self.mapped(layer, self.tape.shaped(x, [samples * frames, -1]), name, samples * frames)
        return self.tape.shaped(self.tape.function(y, layer.get("activation", "none")), [samples, -1])

    def embedding(self, layer, tokens, name):
        t, f = self.tape, layer["features"]
        table = t.shaped(self.parameters[name + "table"], [layer["vocabulary"], f])
        samples = tokens.shape[0]
        z = t.shaped(t.rows_of(table, tokens), [samples, -1])
        return t.sum(z, t.repeated(self.parameters[name + "positions"], samples)) if layer.get("positions") else z

    def _places(self, layer, kernel, stride, padding):
        """Numbers of the pixels of [position, tap], of one channel; height x width for the rim."""
        h, w = layer.get("height", 1), layer.get("width", 1)
        positions = [((h + 2 * padding - kernel[0]) // stride[0] + 1), ((w + 2 * padding - kernel[1]) // stride[1] + 1)]
        index = np.empty([*positions, *kernel], int)
        for (r, c, y, x) in np.ndindex(*index.shape):
            at = r * stride[0] + y - padding, c * stride[1] + x - padding
            index[r, c, y, x] = at[0] * w + at[1] if 0 <= at[0] < h and 0 <= at[1] < w else h * w
        return index.reshape(math.prod(positions), -1)

    def _pixels(self, layer, kernel, stride, padding, channels_last):
        """Numbers of elements of [position, tap, channel] or [position, channel, tap]."""
        places, channels = self._places(layer, kernel, stride, padding), layer.get("channels", 1)
        rim = layer.get("height", 1) * layer.get("width", 1)
        index = places[..., None] * channels + np.arange(channels)
        index[places == rim] = rim * channels
        return index if channels_last else index.swapaxes(1, 2)

    def convolution(self, layer, x, name):
        t, samples = self.tape, x.value.shape[1]
        kernel, stride = numbers(layer.get("kernel", "1x1")), [layer.get("stride", 1)] * 2
        index = self._pixels(layer, kernel, stride, layer.get("padding", 0), True)
        patches = t.taken(x, index, 0.0)
        rows = samples * index.shape[0]
        y = self.mapped(layer, t.shaped(patches, [rows, -1]), name, rows)
        return t.shaped(t.function(y, layer.get("activation", "none")), [samples, -1])

    def pool(self, layer, x, name):
        t, samples = self.tape, x.value.shape[1]
        kernel = [layer.get("height", 1), layer.get("width", 1)] if layer["kernel"] == "global" else numbers(layer["kernel"])
        stride = numbers(layer["stride"]) if "stride" in layer else kernel
        stride = stride * 2 if len(stride) == 1 else stride
        index = self._pixels(layer, kernel, stride, layer.get("padding", 0), False)
        is_max = layer.get("function", "max") == "max"
        taps = t.taken(x, index, -np.inf if is_max else 0.0)
        return t.shaped(t.largest(taps) if is_max else t.average(taps), [samples, -1])

    def norm(self, layer, x, name):
        t, samples, frames = self.tape, x.value.shape[1], layer.get("frames", 1)
        y = t.norm(t.shaped(x, [samples * frames, -1]), self.parameters[name + "gamma"], self.parameters[name + "beta"],
                   layer.get("epsilon", 1e-5))
        return t.shaped(y, [samples, -1])

    def dropout(self, layer, x, name):
        stream, self.stream = self.stream, self.stream + 1
        if not self.training:
            return x
        samples, features = x.value.shape[1:]
        rate = np.float32(layer.get("rate", 0.5))
        kept = random_fractions(self.key, stream, 0, samples * features) >= rate
        return self.tape.scaled(x, kept.reshape(samples, features) * float(np.float32(1) / (np.float32(1) - rate)))

    def residual(self, layer, x, name):
        return self.tape.sum(x, self.run(layer["layers"], x, name))

    def lstm(self, layer, x, name):
        t, samples = self.tape, x.value.shape[1]
        frames, hidden = layer["frames"], layer["hidden"]
        features = layer["features"]
        w = {"format": "dense", "rows": 4 * hidden, "cols": features, **layer}
        u = {"format": "dense", "rows": 4 * hidden, "cols": hidden, **layer.get("hidden_weights", {}), "bias": False}
        rows = t.shaped(t.shaped(x, [samples, frames, features], [1, 0, 2]), [frames * samples, features])
        inputs = t.shaped(self.mapped(w, rows, name, frames * samples), [frames, samples, 4, hidden])
        h = c = None
        outputs = []
        for f in range(frames):
            a = self._part(inputs, (f,))
            if h is not None:
                a = t.sum(a, t.shaped(self.multiplied(u, h, name + "hidden weights.", samples), [samples, 4, hidden]))
            i, forget, g, o = (t.function(self._part(a, (slice(None), k)), "tanh" if k == 2 else "sigmoid") for k in range(4))
            made = t.multiply(i, g)
            c = made if c is None else t.sum(t.multiply(forget, c), made)
            h = t.multiply(o, t.function(c, "tanh"))
            outputs.append(h)
        return outputs[-1] if layer.get("output", "last") == "last" else self._joined(outputs)

    def _part(self, x, place):
        place = (slice(None),) + place

        def back(g):
            whole = np.zeros_like(x.value)
            whole[place] = g
            x.add(whole)
        return self.tape.node(x.value[place], back)

    def _joined(self, parts):
        """[samples, frames x hidden]"""
        size = parts[0].value.shape[-1]

        def back(g):
            for k, part in enumerate(parts):
                part.add(g[..., k * size:(k + 1) * size])
        return self.tape.node(np.concatenate([p.value for p in parts], -1), back)

    def encoder(self, layer, x, name):
        t, samples = self.tape, x.value.shape[1]
        frames, features, heads = layer["frames"], layer["features"], layer.get("heads", 1)
        hidden, pre = layer["hidden"], layer.get("norm", "post") == "pre"
        rows = samples * frames
        matrix = lambda key, outputs, inputs: {"format": "dense", "rows": outputs, "cols": inputs, **layer.get(key, {})}
        attention = matrix("attention", features, features)
        up, down = matrix("up", hidden, features), matrix("down", features, hidden)

        def norm(of, number):
            return t.norm(of, self.parameters[f"{name}norm {number}.gamma"], self.parameters[f"{name}norm {number}.beta"],
                          layer.get("epsilon", 1e-5))

        def attend(of):
            q, k, v = (t.shaped(self.mapped(attention, of, f"{name}{role}.", rows), [samples, frames, heads, -1])
                       for role in ("query", "key", "values"))
            scores = t.scaled(t.contract(q, "bthe", k, "bshe", "bhts"), 1 / math.sqrt(features // heads))
            mixed = t.contract(t.softmax(scores), "bhts", v, "bshe", "bthe")
            return self.mapped(attention, t.shaped(mixed, [rows, features]), name + "output.", rows)

        def feed(of):
            return self.mapped(down, t.function(self.mapped(up, of, name + "up.", rows), "gelu"), name + "down.", rows)
        x = t.shaped(x, [rows, features])
        if pre:
            r = t.sum(x, attend(norm(x, 1)))
            z = t.sum(r, feed(norm(r, 2)))
        else:
            n = norm(t.sum(x, attend(x)), 1)
            z = norm(t.sum(n, feed(n)), 2)
        return t.shaped(z, [samples, -1])


def shapes_of(layers, prefix=""):
    """Shapes of all parameters of a list of layers, by the names of --weights-in."""
    shapes = {}
    for number, layer in enumerate(layers):
        name, kind = prefix + layer.get("name", f"layer {number + 1}") + ".", layer.get("kind", "linear")
        if kind in ("linear", "convolution"):
            shapes.update(weights_of(layer, name))
        elif kind == "embedding":
            shapes[name + "table"] = [layer["vocabulary"] * layer["features"]]
            if layer.get("positions"):
                shapes[name + "positions"] = [layer["frames"] * layer["features"]]
        elif kind == "norm":
            shapes[name + "gamma"] = shapes[name + "beta"] = [layer["features"]]
        elif kind == "residual":
            shapes.update(shapes_of(layer["layers"], name))
        elif kind == "lstm":
            gates = {"format": "dense", "rows": 4 * layer["hidden"]}
            shapes.update(weights_of({**gates, "cols": layer["features"], **layer}, name))
            of_hidden = {**gates, "cols": layer["hidden"], **layer.get("hidden_weights", {}), "bias": False}
            shapes.update(weights_of(of_hidden, name + "hidden weights."))
        elif kind == "encoder":
            f, h = layer["features"], layer["hidden"]
            matrix = lambda key, rows, cols: {"format": "dense", "rows": rows, "cols": cols, **layer.get(key, {})}
            for role in ("query", "key", "values", "output"):
                shapes.update(weights_of(matrix("attention", f, f), f"{name}{role}."))
            shapes.update(weights_of(matrix("up", h, f), name + "up."))
            shapes.update(weights_of(matrix("down", f, h), name + "down."))
            for n in (1, 2):
                shapes[f"{name}norm {n}.gamma"] = shapes[f"{name}norm {n}.beta"] = [f]
    return shapes


# ---- losses, optimizers, training

def loss_of(loss, outputs, answers):
    """Loss of each sample [replicas, samples], and its derivative by the outputs."""
    if loss["kind"] == "cross-entropy":
        d = outputs - outputs.max(-1, keepdims=True)
        s = np.exp(d).sum(-1, keepdims=True)
        of_label = np.eye(outputs.shape[-1])[answers]
        return np.log(s)[..., 0] - (d * of_label).sum(-1), np.exp(d) / s - of_label
    if answers.ndim == 1:
        answers = np.eye(outputs.shape[-1])[answers] if outputs.shape[-1] > 1 else answers[:, None]
    e, n = outputs - answers, outputs.shape[-1]
    if loss["kind"] == "mse":
        return (e * e).mean(-1), 2 * e / n
    if loss["kind"] == "l1":
        return abs(e).mean(-1), np.sign(e) / n
    delta = float(np.float32(loss.get("delta", 1)))
    inside = np.clip(e, -delta, delta)
    return ((e - inside / 2) * inside).mean(-1), inside / n


class Optimizer:
    """The formulas of PyTorch."""

    def __init__(self, settings, epochs, tape):
        single = lambda key, default: float(np.float32(settings.get(key, default)))
        self.tape, self.epochs, self.settings = tape, epochs, settings
        self.kind, self.rate, self.momentum = settings.get("kind", "sgd"), single("rate", 0.05), single("momentum", 0.9)
        self.b1, self.b2, self.epsilon = single("first_decay", 0.9), single("second_decay", 0.999), single("epsilon", 1e-8)
        self.decay, self.clip = single("weight_decay", 0), single("clip_norm", 0)
        self.rate_decay, self.step_factor, self.least = single("rate_decay", 1), single("step_factor", 0.1), single("least_rate", 0)
        self.moments, self.count = {}, 0

    def factor(self, epoch, step, steps):
        t, warm = epoch * steps + step, self.settings.get("warm_up", 0)
        rise = (t + 1) / warm if t < warm else 1
        schedule = self.settings.get("schedule", "constant")
        if schedule == "step":
            return rise * self.step_factor ** (epoch // self.settings.get("step_epochs", 1))
        if schedule == "cosine":
            length = (self.settings.get("schedule_epochs", 0) or self.epochs) * steps - warm
            q = self.least / self.rate
            done = min(max((t - warm) / max(length, 1), 0), 1)
            return rise * (q + (1 - q) * (1 + math.cos(math.pi * done)) / 2)
        return rise

    def step(self, parameters, epoch, step, steps):
        noisy = lambda x, unit=F32: self.tape.rounded(np.asarray(x, float), unit)
        replicas = self.tape.replicas
        rate = noisy(np.full(replicas, self.rate * self.rate_decay ** epoch * self.factor(epoch, step, steps)))
        self.count += 1
        # Powers of the decays have an absolute error of float32, which 1 - B multiplies.
        b1, b2 = (1 - noisy(np.full(replicas, b ** self.count), WORD) for b in (self.b1, self.b2))
        grads = {name: np.zeros_like(p.value) if p.grad is None else p.grad for name, p in parameters.items()}
        if self.clip:
            norm = np.sqrt(sum((g ** 2).reshape(replicas, -1).sum(1) for g in grads.values()))
            scale = noisy(np.minimum(self.clip / (norm + 1e-6), 1))
            grads = {name: g * wide(scale, g) for name, g in grads.items()}
        for name, p in parameters.items():
            g, w = grads[name], p.value
            r = wide(rate, w)
            if self.kind == "adamw":
                w = w * (1 - r * self.decay)
            else:
                g = g + self.decay * w
            if self.kind == "sgd":
                v = self.moments[name] = noisy(self.momentum * self.moments.get(name, 0) + g)
                w = w - r * v
            else:
                m, v = self.moments.get(name, (0, 0))
                m, v = self.moments[name] = noisy(self.b1 * m + (1 - self.b1) * g), noisy(self.b2 * v + (1 - self.b2) * g * g)
                w = w - r * noisy(m / wide(b1, w) / (np.sqrt(v / wide(b2, w)) + self.epsilon))
            p.value, p.grad = noisy(w, WORD), None


def wide(x, like):
    """One number for each replica, for all of an array."""
    return x.reshape([-1] + [1] * (like.ndim - 1))


class Training:
    """Trains a model as tnn_training does; afterwards each epoch's losses and the parameters, by replica.

    model       the content of a model file
    data        x, y, x_test, y_test as in --data; x is in bf16
    weights     the first parameters, float32
    """

    def __init__(self, model, data, weights, seed=1, drop_last=False, psum="f32", replicas=16):
        self.model, self.data, self.seed = model, data, seed
        self.tape = Tape(replicas, np.random.default_rng(1), psum)
        self.parameters = {name: Node(np.repeat(np.asarray(w, float)[None], replicas, 0)) for name, w in weights.items()}
        self.loss = model.get("loss", {"kind": "cross-entropy"})
        batch, epochs = model["batch"], model["epochs"]
        samples, validation = list(range(len(data["x"]))), []
        if model.get("validation"):
            samples, validation = held_out(len(samples), model["validation"], seed)
        optimizer = Optimizer(model.get("optimizer", {}), epochs, self.tape)
        steps = len(samples) // batch if drop_last else -(-len(samples) // batch)
        self.epochs = []
        for epoch in range(epochs):
            order = order_of_epoch(samples, seed, epoch)[:steps * batch]
            summed = 0
            for step in range(steps):
                chosen = order[step * batch:(step + 1) * batch]
                loss, slope = self._losses(data["x"], data["y"], chosen, mask_key(seed, epoch, step), True)
                summed = summed + loss.sum(1)
                self.outputs.add(slope / len(chosen))
                self.tape.backward()
                optimizer.step(self.parameters, epoch, step, steps)
            found = {"training_loss": summed / len(order)}
            found["test_loss"] = self._mean(data["x_test"], data["y_test"], range(len(data["x_test"])))
            if validation:
                found["validation_loss"] = self._mean(data["x"], data["y"], validation)
            self.epochs.append(found)

    def _losses(self, x, y, chosen, key, training):
        rows = x[list(chosen)].reshape(len(chosen), -1)
        is_tokens = self.model["layers"][0].get("kind") == "embedding"
        first = rows.astype(int) if is_tokens else Node(np.repeat(rows.astype(float)[None], self.tape.replicas, 0))
        self.outputs = Layers(self.tape, self.parameters, key, training).run(self.model["layers"], first)
        loss, slope = loss_of(self.loss, self.outputs.value, y[list(chosen)])
        return self.tape.rounded(loss, F32), self.tape.rounded(slope, F32)

    def _mean(self, x, y, chosen):
        mean = self._losses(x, y, chosen, 0, False)[0].mean(1)
        self.tape.back = []
        return mean


class Spread:
    """How far an array of the device is from replica 0, as a multiple of the furthest replica's distance.

    Distances are L2 norms of differences. To that of the replica a floor of 2^-20 of the array's norm is added.
    """

    def __init__(self, found, replicas):
        exact = replicas[0]
        distance = lambda x: float(np.linalg.norm((np.asarray(x, float).reshape(exact.shape) - exact).ravel()))
        self.size = max(distance(other) for other in replicas[1:]) + 2.0 ** -20 * float(np.linalg.norm(exact))
        self.distance = distance(found)
        self.ratio = self.distance / self.size if self.size > 0 else (0.0 if self.distance == 0 else math.inf)
