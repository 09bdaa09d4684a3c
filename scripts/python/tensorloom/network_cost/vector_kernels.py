"""What the vector unit executes for rows of a tensor: the sequences of tnn_training's layers where it has them; copies, windows
of pictures, parameters. The kernels of one tensor element by element are in elementwise_kernels.
"""
from tensorloom.network_cost.vector_programs import Kernel

def mean(k, x, code="sum_block"):
    return k.literal("mul", k.by_row(code, x))


def normal(k, x):
    """(x - mean) / root of the variance, and the root: of each row."""
    width = x.width
    u = k.op("sub", x, k.spread(mean(k, x), width))
    root = k.op("sqrt", k.literal("add", mean(k, k.op("mul", u, u))))
    return k.op("div", u, k.spread(root, width)), root


def layer_norm(bits, width, weight, bias):
    k = Kernel(bits)
    y, _ = normal(k, k.load(width))
    y = k.op("mul", y, k.constant(width)) if weight else y
    k.store(k.op("add", y, k.constant(width)) if bias else y)
    return k


def gradient_of_layer_norm(bits, width, weight):
    """dX; with `weight` also dY times normal X, whose sums over the rows are its gradient. X is normalised again."""
    k = Kernel(bits)
    n, root = normal(k, k.load(width))
    dy = k.load(width)
    if weight:
        k.store(k.op("mul", dy, n))
    g = k.op("mul", dy, k.constant(width)) if weight else dy
    along, means = mean(k, k.op("mul", g, n)), mean(k, g)
    g = k.op("sub", g, k.spread(means, width))
    g = k.op("sub", g, k.op("mul", k.spread(along, width), n))
    k.store(k.op("div", g, k.spread(root, width)))
    return k


def softmax(bits, width, logarithm=False):
    k = Kernel(bits)
    x = k.load(width)
    d = k.op("sub", x, k.spread(k.by_row("max_block", x), width))
    p = k.op("exp", d)
    sums = k.by_row("sum_block", p)
    k.store(k.op("sub", d, k.spread(k.op("log", sums), width)) if logarithm else k.op("div", p, k.spread(sums, width)))
    return k


def gradient_of_softmax(bits, width, logarithm=False):
    k = Kernel(bits)
    g, z = k.load(width), k.load(width)
    if logarithm:
        k.store(k.op("sub", g, k.op("mul", k.op("exp", z), k.spread(k.by_row("sum_block", g), width))))
    else:
        sums = k.by_row("sum_block", k.op("mul", g, z))
        k.store(k.op("mul", k.op("sub", g, k.spread(sums, width)), z))
    return k


def cross_entropy(bits, width):
    """A word for each row: log of the sum of powers, less the label's; labels are rows of 0 and 1."""
    k = Kernel(bits)
    x, label = k.load(width), k.load(width)
    d = k.op("sub", x, k.spread(k.by_row("max_block", x), width))
    s, w = k.by_row("sum_block", k.op("exp", d)), k.by_row("sum_block", label)
    k.store(k.op("sub", k.op("mul", k.op("log", s), w), k.by_row("sum_block", k.op("mul", d, label))), 32)
    return k


def gradient_of_cross_entropy(bits, width):
    k = Kernel(bits)
    x, label = k.load(width), k.load(width)
    p = k.op("exp", k.op("sub", x, k.spread(k.by_row("max_block", x), width)))
    w, s = k.by_row("sum_block", label), k.by_row("sum_block", p)
    p = k.op("mul", k.op("div", p, k.spread(s, width)), k.spread(w, width))
    k.store(k.literal("div", k.op("sub", p, label)))
    return k


def squared_error(bits, width):
    """A word for each row."""
    k = Kernel(bits)
    d = k.op("sub", k.load(width), k.load(width))
    k.store(k.by_row("sum_block", k.op("mul", d, d)), 32)
    return k


def row_reduction(bits, width, code, scaled, result_bits=None):
    k = Kernel(bits)
    x = k.load(width)
    k.store(mean(k, x) if scaled else k.by_row(code, x), result_bits)
    return k


def spread_rows(bits, width, scaled):
    """The gradient of a sum over rows."""
    k = Kernel(bits)
    x = k.load(1)
    k.store(k.spread(k.literal("mul", x) if scaled else x, width))
    return k


def gradient_of_largest(bits, width):
    """g where x is the largest of its row."""
    k = Kernel(bits)
    x, z, g = k.load(width), k.load(1), k.load(1)
    k.store(k.op("mask", k.spread(g, width), k.op("is_zero", k.op("sub", x, k.spread(z, width)))))
    return k


def moments(bits, width):
    """Sums of a row and of its squares."""
    k = Kernel(bits)
    x = k.load(width)
    k.store(k.by_row("sum_block", x), 32)
    k.store(k.by_row("sum_block", k.op("mul", x, x)), 32)
    return k


def scaled_rows(bits, width):
    """x times a word of its row, plus another."""
    k = Kernel(bits)
    x = k.load(width)
    k.store(k.op("add", k.op("mul", x, k.spread(k.load(1, 32), width)), k.spread(k.load(1, 32), width)))
    return k


def scaled_columns(bits, width):
    """x times a row, plus another."""
    k = Kernel(bits)
    k.store(k.op("add", k.op("mul", k.load(width), k.constant(width)), k.constant(width)))
    return k


def gradient_moments(bits, width):
    """Sums of dY and of dY times X over a row: gradients of a normalisation over a batch follow from them."""
    k = Kernel(bits)
    g, x = k.load(width), k.load(width)
    k.store(k.by_row("sum_block", g), 32)
    k.store(k.by_row("sum_block", k.op("mul", g, x)), 32)
    return k


def gradient_of_scaled_rows(bits, width):
    """dY a + X b + c, with words a, b, c of each row."""
    k = Kernel(bits)
    g, x = k.load(width), k.load(width)
    first = k.op("mul", g, k.spread(k.load(1, 32), width))
    second = k.op("mul", x, k.spread(k.load(1, 32), width))
    k.store(k.op("add", k.op("add", first, second), k.spread(k.load(1, 32), width)))
    return k


def gradient_of_scaled_columns(bits, width):
    k = Kernel(bits)
    g, x = k.load(width), k.load(width)
    k.store(k.op("add", k.op("add", k.op("mul", g, k.constant(width)), k.op("mul", x, k.constant(width))), k.constant(width)))
    return k


def statistics():
    """Of each channel, from two sums: mean and variance, and the factor and the number that normalise."""
    k = Kernel(32)
    mean, square = k.literal("mul", k.load(1)), k.literal("mul", k.load(1))
    root = k.op("sqrt", k.literal("add", k.op("sub", square, k.op("mul", mean, mean))))
    factor = k.op("div", k.load(1), root)
    k.store(factor)
    k.store(k.op("sub", k.load(1), k.op("mul", mean, factor)))
    return k


def product(bits, width=1):
    k = Kernel(bits)
    k.store(k.op("mul", k.load(width), k.load(width)))
    return k


# ---- copies, windows of pictures -------------------------------------------------------------------------------------

def copy(bits, width=1, **layout):
    k = Kernel(bits)
    k.store(k.load(width, **layout))
    return k


def cleared(bits):
    """Zeros, stored from one place on chip."""
    k = Kernel(bits)
    k.store(k.constant(1))
    return k


def transposed(bits, rows, columns, pitch=None):
    """Each row, a matrix of rows x columns, transposed; by way of a pitch that leads to all banks. pitch: it is a strip of
    the columns of a matrix whose rows have this many elements."""
    k = Kernel(bits)
    x = k.load(rows * columns, **({"stride": columns, "runs": ((rows, columns), (pitch, 1))} if pitch else {}))
    odd = columns + (columns + 1) % 2
    if odd != columns:
        x = k.copied(x, rows * odd, (rows, columns), (odd, 1), (columns, 1))
    k.store(k.copied(x, rows * columns, (columns, rows), (rows, 1), (1, odd)))
    return k


class Windows:
    """The places of a kernel in a picture of one channel: (height, width) of the picture, the kernel, stride, padding and
    dilation, and of the result.

    A strip of the picture has the rows that some rows of the result need; neighbours share the rows of a kernel's overlap.
    `step` elements after a strip the next one begins; None: the picture is whole."""

    def __init__(self, size, kernel, stride, padding, dilation, out, step=None):
        self.size, self.kernel, self.stride, self.padding, self.dilation, self.out = size, kernel, stride, padding, dilation, out
        self.step = step
        # The padded picture reaches the last place of the kernel.
        self.padded = tuple(max(n + 2 * p, (o - 1) * s + (k - 1) * d + 1)
                            for n, p, o, s, k, d in zip(size, padding, out, stride, kernel, dilation))
        self.needs_rim = self.padded != tuple(size)
        self.pixels, self.places = size[0] * size[1], out[0] * out[1]

    def strips(self):
        """(strips, Windows of one), from the whole picture to single rows of the result."""
        yield 1, self
        for count in range(2, self.out[0] + 1):
            if self.out[0] % count == 0:
                rows = self.out[0] // count
                height = (rows - 1) * self.stride[0] + (self.kernel[0] - 1) * self.dilation[0] + 1
                yield count, Windows((height, self.size[1]), self.kernel, self.stride, (0, self.padding[1]), self.dilation,
                                     (rows, self.out[1]), rows * self.stride[0] * self.size[1])

    def offsets(self):
        """The first pixel of each place of the kernel."""
        return [y * self.dilation[0] * self.padded[1] + x * self.dilation[1]
                for y in range(self.kernel[0]) for x in range(self.kernel[1])]

    def strides(self):
        return self.stride[0] * self.padded[1], self.stride[1]

    def rim(self):
        """The first pixel of the picture in the padded one."""
        return self.padding[0] * self.padded[1] + self.padding[1]


def with_rim(k, x, w):
    """The picture inside a rim; the rim itself is written once and not charged."""
    if not w.needs_rim:
        return x
    return k.copied_to(x, w.rim(), w.padded[0] * w.padded[1], w.size, (w.padded[1], 1), (w.size[1], 1))


def without_rim(k, x, w):
    if not w.needs_rim:
        return x
    return k.copied_from(x, w.rim(), w.pixels, w.size, (w.size[1], 1), (w.padded[1], 1))


def patches(bits, w):
    """im2col of one channel: for each place of the kernel a row of the result's pixels."""
    k = Kernel(bits)
    x, z = with_rim(k, k.load(w.pixels, stride=w.step), w), k.empty(w.places * len(w.offsets()))
    for number, offset in enumerate(w.offsets()):
        k.copied_into(z, number * w.places, x, offset, w.out, (w.out[1], 1), w.strides())
    k.store(z)
    return k


def summed_patches(bits, w):
    """The reverse: dX of a pixel is the sum of the gradients of all patches that have it."""
    k = Kernel(bits)
    g, total = k.load(w.places * len(w.offsets())), None
    for number, offset in enumerate(w.offsets()):
        part = k.empty(w.padded[0] * w.padded[1])
        k.copied_into(part, offset, g, number * w.places, w.out, w.strides(), (w.out[1], 1))
        total = part if total is None else k.op("add", total, part)
    k.store(without_rim(k, total, w), stride=w.step)
    return k


def pooled(bits, w, largest):
    k = Kernel(bits)
    x, z = with_rim(k, k.load(w.pixels, stride=w.step), w), None
    for offset in w.offsets():
        part = k.copied_from(x, offset, w.places, w.out, (w.out[1], 1), w.strides())
        z = part if z is None else k.op("max" if largest else "add", z, part)
    k.store(z if largest else k.literal("mul", z))
    return k


def gradient_of_pooled(bits, w, largest):
    k = Kernel(bits)
    if largest:
        x, z, g = with_rim(k, k.load(w.pixels, stride=w.step), w), k.load(w.places), k.load(w.places)
    else:
        g = k.literal("mul", k.load(w.places))
    total = None
    for offset in w.offsets():
        part = g
        if largest:
            pixels = k.copied_from(x, offset, w.places, w.out, (w.out[1], 1), w.strides())
            part = k.op("mask", g, k.op("is_zero", k.op("sub", pixels, z)))
        part = k.copied_to(part, offset, w.padded[0] * w.padded[1], w.out, w.strides(), (w.out[1], 1))
        total = part if total is None else k.op("add", total, part)
    k.store(without_rim(k, total, w), stride=w.step)
    return k


# ---- parameters ------------------------------------------------------------------------------------------------------

def table_rows(bits, width, stride):
    """Rows of a table, evenly spread over it, one after the other."""
    return copy(bits, width, stride=stride)


def gradient_of_table(bits, width, stride):
    """dZ added to the rows of the gradient of a table, in float32."""
    k = Kernel(bits)
    rows = k.load(width, 32, stride)
    k.store(k.op("add", rows, k.load(width)), 32, stride)
    return k


def update(bits, optimizer, width=1, stride=None):
    """Masters, gradients and the optimizer's state in float32; of masters also the copy that the contractions read."""
    k = Kernel(bits)
    w, g = k.load(width, 32, stride), k.load(width, 32, stride)
    if optimizer == "momentum":
        g = k.mul_add(g, k.load(width, 32, stride))
        k.store(g, 32, stride)
    if optimizer == "adam":
        m = k.mul_add(k.literal("mul", g), k.load(width, 32, stride))
        s = k.mul_add(k.literal("mul", k.op("mul", g, g)), k.load(width, 32, stride))
        k.store(m, 32, stride)
        k.store(s, 32, stride)
        g = k.op("div", k.literal("div", m), k.literal("add", k.op("sqrt", k.literal("div", s))))
    w = k.mul_add(w, g)
    k.store(w, 32, stride)
    if bits == 16:
        k.store(w, 16, stride)
    return k
