"""What the vector unit executes element by element: the sequences of tnn_training's activations if it has them.

`k` is the Kernel that gets the instructions. "literal" stands for an instruction with a constant as its second operand.
"""


def bent(k, x):
    """tanh((x + a x^3) r), which stands for erf(x / sqrt(2)) in gelu."""
    cube = k.op("mul", k.op("mul", x, x), x)
    return k.op("tanh", k.literal("mul", k.mul_add(x, cube)))


def gelu(k, x):
    return k.literal("mul", k.op("mul", k.literal("add", bent(k, x)), x))


def gradient_of_gelu(k, v):
    x = v.x
    h = bent(k, x)
    slope = k.literal("mul", k.literal("add", k.literal("mul", k.op("mul", x, x))))
    rest = k.op("mul", k.op("mul", k.literal("sub", k.op("mul", h, h)), slope), x)
    return k.op("mul", v.g, k.literal("mul", k.op("sub", k.literal("add", h), rest)))


def gradient_of_erf(k, v):
    return k.op("mul", v.g, k.literal("mul", k.op("exp", k.literal("mul", k.op("mul", v.x, v.x)))))


def silu(k, x):
    return k.op("mul", x, k.op("sigmoid", x))


def gradient_of_silu(k, v):
    s = k.op("sigmoid", v.x)
    inner = k.mul_add(s, k.op("mul", k.op("mul", v.x, s), k.literal("add", k.literal("mul", s))))
    return k.op("mul", v.g, inner)


def gradient_of_sigmoid(k, v):
    return k.op("mul", v.g, k.op("sub", v.z, k.op("mul", v.z, v.z)))


def gradient_of_tanh(k, v):
    return k.op("sub", v.g, k.op("mul", k.op("mul", v.g, v.z), v.z))


def elu(k, x):
    below = k.literal("mul", k.literal("sub", k.op("exp", k.literal("min", x))))
    return k.op("add", k.op("relu", x), below)


def gradient_of_elu(k, v):
    """g where x > 0, g exp(x) times a constant elsewhere."""
    slope = k.literal("mul", k.op("exp", k.literal("min", v.x)))
    above = k.op("relu_gradient", v.g, v.x)
    return k.op("add", above, k.op("mul", k.op("sub", v.g, above), slope))


def leaky(k, x):
    return k.op("max", x, k.literal("mul", x))


def gradient_of_leaky(k, v):
    above = k.op("relu_gradient", v.g, v.x)
    return k.op("add", above, k.literal("mul", k.op("sub", v.g, above)))


def clamp(k, x):
    return k.literal("min", k.literal("max", x))


def gradient_of_clamp(k, v):
    above = k.op("relu_gradient", v.g, k.literal("sub", v.x))
    return k.op("relu_gradient", above, k.literal("add", k.literal("mul", v.x)))


def hard_sigmoid(k, x):
    return clamp(k, k.literal("add", k.literal("mul", x)))


def hard_swish(k, x):
    return k.op("mul", x, hard_sigmoid(k, x))


def gradient_of_hard_swish(k, v):
    """g (x / 3 + 1 / 2) within -3 to 3, g above, 0 below."""
    slope = clamp(k, k.literal("add", k.literal("mul", v.x)))
    return k.op("mul", v.g, k.op("add", slope, k.op("mul", v.x, k.op("relu_gradient", slope, slope))))


def softplus(k, x):
    return k.op("log", k.literal("add", k.op("exp", x)))


def power(k, x):
    """x^a = e^(a log x)"""
    return k.op("exp", k.literal("mul", k.op("log", x)))


def greater(k, x, y):
    """1 where x > y, else 0."""
    return k.op("not", k.op("is_zero", k.op("relu", k.op("sub", x, y))))


def divided(k, v):
    return k.op("div", v.g, v.y)


def gradient_of_divisor(k, v):
    return k.literal("mul", k.op("div", k.op("mul", v.g, v.z), v.y))


def larger(first, second):
    """The gradient where the first operand is the larger one, or equal: g where not (second - first > 0)."""
    def backward(k, v):
        return k.op("sub", v.g, k.op("relu_gradient", v.g, k.op("sub", getattr(v, second), getattr(v, first))))
    return backward


def where(k, c, x, y):
    return k.op("add", k.op("mask", x, c), k.op("mask", y, k.op("not", c)))


# Name -> (forward, backward by operand). forward(k, x, ..) returns z. backward(k, v) returns the gradient of one
# operand: v.g is the gradient of z, v.z, v.x, v.y are z and the operands, each loaded where it is read. None: v.g.
ELEMENTWISE = {
    "relu": (lambda k, x: k.op("relu", x), [lambda k, v: k.op("relu_gradient", v.g, v.z)]),
    "sigmoid": (lambda k, x: k.op("sigmoid", x), [gradient_of_sigmoid]),
    "tanh": (lambda k, x: k.op("tanh", x), [gradient_of_tanh]),
    "gelu": (gelu, [gradient_of_gelu]),
    "erf": (bent, [gradient_of_erf]),
    "silu": (silu, [gradient_of_silu]),
    "elu": (elu, [gradient_of_elu]),
    "leaky_relu": (leaky, [gradient_of_leaky]),
    "clamp": (clamp, [gradient_of_clamp]),
    "hardsigmoid": (hard_sigmoid, [gradient_of_clamp]),
    "hardswish": (hard_swish, [gradient_of_hard_swish]),
    "softplus": (softplus, [lambda k, v: k.op("mul", v.g, k.op("sigmoid", v.x))]),
    "exp": (lambda k, x: k.op("exp", x), [lambda k, v: k.op("mul", v.g, v.z)]),
    "log": (lambda k, x: k.op("log", x), [lambda k, v: k.op("div", v.g, v.x)]),
    "sqrt": (lambda k, x: k.op("sqrt", x), [lambda k, v: k.op("div", k.literal("mul", v.g), v.z)]),
    "rsqrt": (lambda k, x: k.literal("mul", k.op("div", k.op("sqrt", x), x)),
              [lambda k, v: k.op("div", k.op("mul", k.literal("mul", v.g), v.z), v.x)]),
    "reciprocal": (lambda k, x: k.literal("mul", k.op("div", x, k.op("mul", x, x))),
                   [lambda k, v: k.literal("mul", k.op("mul", k.op("mul", v.g, v.z), v.z))]),
    "square": (lambda k, x: k.op("mul", x, x), [lambda k, v: k.op("mul", k.literal("mul", v.g), v.x)]),
    "power": (power, [lambda k, v: k.op("div", k.op("mul", k.literal("mul", v.g), v.z), v.x)]),
    "abs": (lambda k, x: k.op("max", x, k.literal("mul", x)),
            [lambda k, v: k.op("sub", k.literal("mul", k.op("relu_gradient", v.g, v.x)), v.g)]),
    # With a number as the second operand.
    "scale": (lambda k, x: k.literal("mul", x), [lambda k, v: k.literal("mul", v.g)]),
    "shift": (lambda k, x: k.literal("add", x), [None]),
    "not": (lambda k, x: k.op("not", x), []),
    "compare_number": (lambda k, x: k.op("not", k.op("is_zero", k.op("relu", k.literal("sub", x)))), []),
    "equals_number": (lambda k, x: k.op("is_zero", k.literal("sub", x)), []),
    "masked_fill": (lambda k, x, c: k.op("add", k.op("mask", x, k.op("not", c)), k.literal("mul", c)),
                    [lambda k, v: k.op("mask", v.g, k.op("not", v.y))]),
    # Two tensors.
    "add": (lambda k, x, y: k.op("add", x, y), [None, None]),
    "sub": (lambda k, x, y: k.op("sub", x, y), [None, lambda k, v: k.literal("mul", v.g)]),
    "mul": (lambda k, x, y: k.op("mul", x, y), [lambda k, v: k.op("mul", v.g, v.y), lambda k, v: k.op("mul", v.g, v.x)]),
    "div": (lambda k, x, y: k.op("div", x, y), [divided, gradient_of_divisor]),
    "maximum": (lambda k, x, y: k.op("max", x, y), [larger("x", "y"), larger("y", "x")]),
    "minimum": (lambda k, x, y: k.op("min", x, y), [larger("y", "x"), larger("x", "y")]),
    "compare": (greater, []),
    "equals": (lambda k, x, y: k.op("is_zero", k.op("sub", x, y)), []),
    "and": (lambda k, x, y: k.op("and", x, y), []),
    "or": (lambda k, x, y: k.op("or", x, y), []),
    "dropout": (lambda k, x, y: k.op("mul", x, y), [lambda k, v: k.op("mul", v.g, v.y)]),
    # Three: flags, and what stands where they are set and where not.
    "where": (where, [None, lambda k, v: k.op("mask", v.g, v.x), lambda k, v: k.op("mask", v.g, k.op("not", v.x))]),
}


class Operands:
    """The gradient g, the result z and the operands x, y, w of a backward sequence: each is loaded when it is first read."""

    def __init__(self, load, operands):
        self._load = {"g": lambda: load(None), "z": lambda: load(None),
                      **{name: lambda place=place: load(place) for place, name in enumerate("xyw"[:operands])}}

    def __getattr__(self, name):
        value = self._load[name]()
        setattr(self, name, value)
        return value
