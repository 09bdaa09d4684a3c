"""Nodes of torch.fx as nodes of the mapper: which modules and functions of PyTorch are which operation."""
import inspect
import math

import torch

from tensorloom.network_cost.tensors import Node, Tensor, plain_tensor
from tensorloom.network_cost.vector_kernels import Windows
from tensorloom.network_cost.work import NotModelled, described_einsum
from tensorloom.run_directory import InputProblem

# Attribute of a tensorized module: the keys of its layer in a model of tnn_training, a dict or a method that returns
# one. The method takes `frames` if it needs their number.
LAYER = "model_layer"
SIZES = ("rows", "cols", "ranks")
LAYER_KEYS = ("format", "rows", "cols", "ranks", "blocks", "order", "bias")


class Seen:
    """A tensor of the sample run."""

    def __init__(self, tensor):
        if tensor.layout != torch.strided:
            raise InputProblem(f"cost: a tensor of the network is {tensor.layout}, expected dense ones")
        self.shape, self.strides, self.dtype = tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype
        self.storage = tensor.storage().data_ptr() if tensor.device.type != "meta" else id(tensor)

    @property
    def kind(self):
        return "bool" if self.dtype == torch.bool else "float" if self.dtype.is_floating_point else "integer"


def seen_of(value):
    if isinstance(value, torch.Tensor):
        return Seen(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(seen_of, value))
    if isinstance(value, dict):
        return {key: seen_of(inner) for key, inner in value.items()}
    return value


def layer_of(module, shape):
    """The layer of a tensorized module as a dict, with tuples of sizes. shape: of an input, batch first."""
    layer = getattr(module, LAYER)
    if callable(layer):
        needs_frames = "frames" in inspect.signature(layer).parameters
        layer = layer(frames=math.prod(shape[1:-1])) if needs_frames else layer()
    return {key: tuple(map(int, value.replace(",", "x").split("x"))) if key in SIZES and isinstance(value, str) else value
            for key, value in layer.items()}


def kind_of(node, graph):
    """The name of what a node calls."""
    if node.op == "call_module":
        return type(graph.get_submodule(node.target)).__name__
    if node.op in ("call_function", "call_method"):
        return node.target if isinstance(node.target, str) else node.target.__name__
    return node.op


class Translation:
    """Nodes of torch.fx as nodes of the mapper."""

    def __init__(self, graph, seen):
        self.graph, self.seen = graph, seen
        self.tensors = {}     # node of torch.fx -> Tensor, or a tuple of them
        self.parameters = {}  # id of a parameter -> Tensor
        self.owned = []       # parameters that a node has, which has their update

    def nodes(self):
        return [self.translated(node) for node in self.graph.graph.nodes]

    def tensor_of(self, seen):
        if isinstance(seen, Seen):
            return Tensor(seen.shape, seen.strides, seen.kind)
        if isinstance(seen, tuple):
            return tuple(self.tensor_of(inner) for inner in seen)
        return seen

    def parameter(self, tensor):
        """The Tensor of a parameter or buffer; None of None. Shared ones are one."""
        if tensor is None:
            return None
        if id(tensor) not in self.parameters:
            seen = Seen(tensor)
            trained = isinstance(tensor, torch.nn.Parameter) and tensor.requires_grad
            self.parameters[id(tensor)] = Tensor(seen.shape, seen.strides, seen.kind, is_parameter=True, is_weight=True,
                                                 has_gradient=trained)
        return self.parameters[id(tensor)]

    def value(self, argument):
        """An argument of a node: Tensors for nodes, other values as they are."""
        return torch.fx.node.map_arg(argument, self.tensors.__getitem__)

    def translated(self, node):
        self.tensors[node] = result = self.tensor_of(self.seen.get(node))
        first = result if isinstance(result, Tensor) else next((part for part in result if isinstance(part, Tensor)), None) \
            if isinstance(result, tuple) else None
        kind = kind_of(node, self.graph)
        made = Node(node.name, kind, "host", [], first)
        if isinstance(result, tuple):
            made.attributes["results"] = [part for part in flat(result) if isinstance(part, Tensor)]
        if node.op == "placeholder":
            made.operation = "input" if first is not None else "host"
        elif node.op == "output":
            made.operation = "output"
        elif node.op == "get_attr":
            self.attribute(node, made)
        elif first is not None:
            self.work_of(node, made)
        return made

    def attribute(self, node, made):
        value = self.graph
        for name in node.target.split("."):
            value = getattr(value, name)
        if isinstance(value, torch.Tensor):
            shared = id(value) in self.parameters
            made.result = self.tensors[node] = self.parameter(value)
            made.operation = "parameter" if isinstance(value, torch.nn.Parameter) and not shared else "constant"
            if shared:
                made.attributes["reason"] = "parameter of another node"
            self.owned.append(made.result)

    def work_of(self, node, made):
        try:
            arguments, keywords = self.value(node.args), self.value(node.kwargs)
            made.operands = [operand for operand in flat((arguments, keywords)) if isinstance(operand, Tensor)]
            if node.op == "call_module":
                module = self.graph.get_submodule(node.target)
                self.module(module, made, arguments, keywords)
            else:
                name = node.target if isinstance(node.target, str) else node.target.__name__
                self.function(node, name.strip("_"), made, arguments, keywords)
        except NotModelled as why:
            made.operation = "unknown"
            made.attributes.update(reason=str(why), macs=why.macs)
        except (TypeError, IndexError, KeyError, AttributeError, ValueError):
            made.operation = "unknown"
            made.attributes.update(reason=f"arguments of '{made.kind}' that the mapper does not know", macs=None)

    def is_view(self, node):
        """Whether the result is in the memory of an operand."""
        results = {part.storage for part in flat(self.seen[node]) if isinstance(part, Seen)}
        operands = {part.storage for operand in node.all_input_nodes for part in flat(self.seen.get(operand))
                    if isinstance(part, Seen)}
        return bool(results) and 0 not in results and results <= operands

    # ---- modules -----------------------------------------------------------------------------------------------------

    def module(self, module, made, arguments, keywords):
        parameters = [self.parameter(parameter) for parameter in module.parameters()]
        new = [parameter for parameter in dict.fromkeys(parameters) if not any(parameter is owned for owned in self.owned)]
        self.owned += new
        made.attributes["owned"] = new
        inputs = [value for value in flat((arguments, keywords)) if isinstance(value, Tensor)]
        made.operands = [*inputs, *parameters]
        if getattr(module, LAYER, None) is not None:
            self.tensorized(module, made, inputs, parameters)
            return
        translate = next((MODULES[kind] for kind in type(module).__mro__ if kind in MODULES), None)
        if translate is None:
            raise NotModelled(f"no program for a module {type(module).__name__}", macs_of_unknown(module, inputs))
        translate(self, module, made, *arguments, **keywords)

    def tensorized(self, module, made, inputs, parameters):
        layer = layer_of(module, inputs[0].shape)
        if layer.get("kind", "linear") != "linear":
            raise NotModelled(f"no program for a module {type(module).__name__}", macs_of_unknown(module, inputs))
        missing = [key for key in ("format", "rows", "cols") if key not in layer]
        if missing:
            raise NotModelled(f"its {LAYER} has no '{missing[0]}', expected {', '.join(LAYER_KEYS)}")
        bias = self.parameter(module.bias) if isinstance(getattr(module, "bias", None), torch.Tensor) else None
        cores = [parameter for parameter in parameters if parameter is not bias]
        weights = plain_tensor((1,), is_weight=True, has_gradient=any(core.has_gradient for core in cores))
        made.operation, made.operands = "tensorized", [inputs[0], *parameters]
        made.attributes.update(layer=layer, bias=bias, weights=weights)

    # ---- functions ---------------------------------------------------------------------------------------------------

    def function(self, node, name, made, arguments, keywords):
        if name == "getitem" and not isinstance(arguments[0], Tensor):
            made.result = arguments[0][arguments[1]]
            self.tensors[node] = made.result
            made.operation, made.operands = "part", []
            return
        if name in ALIASES and self.is_view(node):
            made.operation, made.operands = "view", made.operands[:1]
            return
        if name in ALIASES:
            made.operation = "copy"
            return
        if name in CASTS and not self.is_view(node):
            made.operation, made.operands = "view", made.operands[:1]
            made.attributes["reason"] = "a conversion: formats in the device's memory do not follow those of PyTorch"
            return
        if name == "max" and len(arguments) + len(keywords) == 1:  # with a mode it also returns places
            name = "amax"
        if name in FUNCTIONS:
            FUNCTIONS[name](self, made, *arguments, **keywords)
        elif self.is_view(node) or name in CASTS:
            made.operation, made.operands = "view", made.operands[:1]
        elif name in CONSTANTS:
            made.operation, made.operands = "constant", []
            made.attributes["reason"] = "a constant: made before the step"
        else:
            raise NotModelled(f"no program for '{name}'")


def flat(value):
    if isinstance(value, (tuple, list)):
        return [part for inner in value for part in flat(inner)]
    if isinstance(value, dict):
        return flat(tuple(value.values()))
    return [value]


def macs_of_unknown(module, inputs):
    """Multiply-adds of modules whose count follows from their parameters: each weight once for every row of the input."""
    if isinstance(module, torch.nn.RNNBase) and inputs:
        rows = math.prod(inputs[0].shape[:-1])
        return rows * sum(parameter.numel() for name, parameter in module.named_parameters() if name.startswith("weight"))
    if isinstance(module, (torch.nn.ConvTranspose1d, torch.nn.ConvTranspose2d, torch.nn.ConvTranspose3d)) and inputs:
        return inputs[0].shape[0] * math.prod(inputs[0].shape[2:]) * module.weight.numel()
    return None


# Functions whose result is in the memory of their operand, or is a copy of it.
ALIASES = {"view", "reshape", "transpose", "permute", "t", "T", "swapaxes", "movedim", "flatten", "unflatten", "squeeze",
           "unsqueeze", "contiguous", "clone", "expand", "expand_as", "view_as", "reshape_as", "getitem", "select", "narrow",
           "split", "chunk", "unbind", "cat", "concat", "stack", "repeat", "tile", "pad", "getattr", "detach", "index_select", "roll", "flip", "diagonal"}
CASTS = {"to", "float", "half", "bfloat16", "double", "type", "type_as", "long", "int", "bool", "cpu"}
CONSTANTS = {"zeros", "ones", "zeros_like", "ones_like", "arange", "full", "full_like", "eye", "empty", "empty_like", "new_zeros",
             "new_ones", "linspace", "tensor", "triu", "tril"}


def elementwise(function):
    def translate(_, made, *arguments, **keywords):
        operands = [argument for argument in [*arguments, *keywords.values()] if isinstance(argument, Tensor)]
        made.operation, made.operands = "elementwise", operands[:1]
        made.attributes["function"] = function
    return translate


def binary(of_tensors, of_number):
    """A function of two tensors, or of a tensor and a number."""
    def translate(_, made, a, b, *_rest, **_keywords):
        operands = [operand for operand in (a, b) if isinstance(operand, Tensor)]
        made.operation, made.operands = "elementwise", operands
        made.attributes["function"] = of_tensors if len(operands) == 2 else of_number
        if len(operands) == 1 and of_tensors == "div" and isinstance(b, Tensor):
            made.attributes["function"] = "reciprocal"
    return translate


def powers(_, made, a, b, **_keywords):
    if not isinstance(a, Tensor) or isinstance(b, Tensor):
        raise NotModelled("no program for a power with a tensor as its exponent")
    name = {2: "square", 0.5: "sqrt", -0.5: "rsqrt", -1: "reciprocal"}.get(b, "power")
    made.operation, made.operands = "elementwise", [a]
    made.attributes["function"] = name


def matmul(_, made, a, b, **_keywords):
    made.operation, made.operands = "matmul", [a, b]


def added_product(_, made, added, a, b, **_keywords):
    made.operation, made.operands = "matmul", [a, b, added]


def linear(_, made, x, weight, bias=None):
    made.operation, made.operands = "linear", [x, weight, bias]


def einsum(_, made, equation, *operands):
    operands = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    described_einsum(made, equation, operands)


def softmax(name):
    def translate(_, made, x, dim=None, *_rest, **_keywords):
        if dim is None:
            dim = 0 if len(x.shape) in (0, 1, 3) else 1
        made.operation, made.operands = name, [x]
        made.attributes["mode"] = dim
    return translate


def layer_norm(_, made, x, normalized_shape, weight=None, bias=None, *_rest, **_keywords):
    made.operation, made.operands = "layer_norm", [x, weight, bias]
    made.attributes["width"] = math.prod(normalized_shape)


def reduction(code):
    def translate(_, made, x, dim=None, *_rest, **_keywords):
        modes = range(len(x.shape)) if dim is None else [dim] if isinstance(dim, int) else dim
        made.operation, made.operands = "reduction", [x]
        made.attributes.update(code=code, modes=list(modes))
    return translate


def dropout(_, made, x, p=0.5, training=True, *_rest, **_keywords):
    dropped(made, x, training and p > 0)


def dropped(made, x, active):
    made.operation, made.operands = ("dropout" if active else "view"), [x]
    if not active:
        made.attributes["reason"] = "dropout that drops nothing"


def embedding(_, made, indices, weight, *_rest, **_keywords):
    made.operation, made.operands = "embedding", [indices, weight]


def where(_, made, condition, x=None, y=None):
    if not all(isinstance(operand, Tensor) for operand in (condition, x, y)):
        raise NotModelled("no program for 'where' with a number")
    made.operation, made.operands = "elementwise", [condition, x, y]
    made.attributes["function"] = "where"


def pair(value):
    return (value, value) if isinstance(value, int) else tuple(value) if len(value) > 1 else (value[0], value[0])


def windows_of(x, out, kernel, stride, padding, dilation):
    """Windows of pictures; one mode is a picture of one row."""
    modes = len(x.shape) - 2
    if modes not in (1, 2):
        raise NotModelled(f"a window over {modes} modes, and the mapper has those over one and two")

    def sizes(value, neutral):
        values = [value] * modes if isinstance(value, int) else list(value) * (modes // len(value) if len(value) == 1 else 1)
        return (neutral,) * (2 - modes) + tuple(values)

    shape, result = (1,) * (2 - modes) + x.shape[2:], (1,) * (2 - modes) + out.shape[2:]
    return Windows(shape, sizes(kernel, 1), sizes(stride, 1), sizes(padding, 0), sizes(dilation, 1), result)


def convolution(_, made, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    out = made.result
    macs = out.elements * math.prod(weight.shape[1:])
    if len(x.shape) != len(weight.shape):
        raise NotModelled("a convolution without a batch", macs)
    if isinstance(padding, str):
        sizes = zip(weight.shape[2:], pair(dilation) if len(weight.shape) == 4 else (pair(dilation)[0],))
        padding = 0 if padding == "valid" else [step * (size - 1) // 2 for size, step in sizes]
    try:
        windows = windows_of(x, out, weight.shape[2:], stride, padding, dilation)
    except NotModelled as why:
        raise NotModelled(str(why), macs) from None
    made.operation, made.operands = "convolution", [x, weight, bias]
    made.attributes.update(groups=groups, windows=windows)


def pooling(largest):
    def translate(_, made, x, kernel_size, stride=None, padding=0, dilation=1, *_rest, **_keywords):
        if len(x.shape) not in (3, 4) or isinstance(dilation, bool):
            dilation = 1
        made.operation, made.operands = "pooling", [x]
        made.attributes.update(largest=largest, windows=windows_of(x, made.result, kernel_size, stride or kernel_size, padding,
                                                                   dilation if largest else 1))
    return translate


def adaptive_pooling(largest):
    def translate(_, made, x, output_size, *_rest, **_keywords):
        sizes, out = x.shape[2:], made.result.shape[2:]
        if any(size % parts for size, parts in zip(sizes, out)):
            raise NotModelled("adaptive pooling of windows of several sizes")
        kernel = [size // parts for size, parts in zip(sizes, out)]
        made.operation, made.operands = "pooling", [x]
        made.attributes.update(largest=largest, windows=windows_of(x, made.result, kernel, kernel, 0, 1))
    return translate


def batch_norm(_, made, x, running_mean, running_var, weight=None, bias=None, training=False, *_rest, **_keywords):
    made.operation, made.operands = "batch_norm", [x, weight, bias]
    made.attributes["own_statistics"] = training


def group_norm(_, made, x, num_groups, weight=None, bias=None, *_rest, **_keywords):
    made.operation, made.operands = "group_norm", [x, weight, bias]
    made.attributes["groups"] = num_groups


def cross_entropy(_, made, x, target, *_rest, **_keywords):
    if len(x.shape) != 2:
        raise NotModelled("a cross entropy whose classes are not the last mode")
    made.operation, made.operands = "cross_entropy", [x]


def squared_error(_, made, x, y, *_rest, **_keywords):
    made.operation, made.operands = "squared_error", [x, y]


def masked_fill(_, made, x, mask, _value):
    made.operation, made.operands = "elementwise", [x, mask]
    made.attributes["function"] = "masked_fill"


UNARY = ("erf", "relu", "sigmoid", "tanh", "gelu", "silu", "elu", "leaky_relu", "hardsigmoid", "hardswish", "softplus", "exp",
         "log", "sqrt", "rsqrt", "reciprocal", "square", "abs")
FUNCTIONS = {
    **{name: elementwise(name) for name in UNARY},
    "neg": elementwise("scale"), "negative": elementwise("scale"), "relu6": elementwise("clamp"), "hardtanh": elementwise("clamp"),
    "clamp": elementwise("clamp"), "clip": elementwise("clamp"), "clamp_min": elementwise("clamp"),
    "clamp_max": elementwise("clamp"),
    "logical_not": elementwise("not"), "invert": elementwise("not"), "masked_fill": masked_fill, "where": where,
    **dict.fromkeys(("add", "iadd", "radd"), binary("add", "shift")),
    **dict.fromkeys(("sub", "isub", "subtract", "rsub"), binary("sub", "shift")),
    **dict.fromkeys(("mul", "imul", "multiply"), binary("mul", "scale")),
    **dict.fromkeys(("truediv", "div", "divide", "itruediv"), binary("div", "scale")),
    "maximum": binary("maximum", "clamp"), "minimum": binary("minimum", "clamp"), "pow": powers,
    **dict.fromkeys(("gt", "lt", "ge", "le"), binary("compare", "compare_number")),
    **dict.fromkeys(("eq", "ne"), binary("equals", "equals_number")),
    **dict.fromkeys(("logical_and", "and"), binary("and", "and")), **dict.fromkeys(("logical_or", "or"), binary("or", "or")),
    **dict.fromkeys(("matmul", "mm", "bmm", "mv", "dot"), matmul), "addmm": added_product, "baddbmm": added_product,
    "linear": linear, "einsum": einsum, "softmax": softmax("softmax"), "log_softmax": softmax("log_softmax"), "layer_norm": layer_norm,
    "sum": reduction("sum"), "mean": reduction("mean"), "amax": reduction("max"), "dropout": dropout, "embedding": embedding,
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), convolution),
    **dict.fromkeys(("max_pool1d", "max_pool2d", "boolean_dispatch"), pooling(True)),
    **dict.fromkeys(("avg_pool1d", "avg_pool2d"), pooling(False)),
    **dict.fromkeys(("adaptive_avg_pool1d", "adaptive_avg_pool2d"), adaptive_pooling(False)),
    "batch_norm": batch_norm, "group_norm": group_norm, "cross_entropy": cross_entropy, "mse_loss": squared_error,
}
nn = torch.nn


def of_module(function, *fields):
    """A module as the function of its fields: parameters by their Tensor."""
    def translate(translation, module, made, *inputs, **_keywords):
        values = [getattr(module, field) for field in fields]
        FUNCTIONS[function](translation, made, *inputs, *(translation.parameter(value) if isinstance(value, torch.Tensor) else value
                                                         for value in values))
    return translate


def convolution_module(translation, module, made, x):
    if module.padding_mode != "zeros":
        raise NotModelled(f"a padding of {module.padding_mode}", made.result.elements * math.prod(module.weight.shape[1:]))
    convolution(translation, made, x, translation.parameter(module.weight), translation.parameter(module.bias), module.stride,
                module.padding, module.dilation, module.groups)


def batch_norm_module(translation, module, made, x):
    batch_norm(translation, made, x, None, None, translation.parameter(module.weight), translation.parameter(module.bias),
               module.training or module.running_mean is None)


def instance_norm_module(translation, module, made, x):
    group_norm(translation, made, x, x.shape[1], translation.parameter(module.weight), translation.parameter(module.bias))


def dropout_module(_, module, made, x):
    dropped(made, x, module.training and module.p > 0)


def identity_module(_, module, made, x):
    made.operation, made.operands = "view", [x]
    made.attributes["reason"] = "the identity"


def view_module(_, module, made, x):
    made.operation, made.operands = ("view" if x.is_plain else "copy"), [x]


def embedding_module(translation, module, made, indices):
    embedding(translation, made, indices, translation.parameter(module.weight))


def pooling_module(largest):
    def translate(translation, module, made, x):
        pooling(largest)(translation, made, x, module.kernel_size, module.stride, module.padding, getattr(module, "dilation", 1))
    return translate


def adaptive_module(largest):
    def translate(translation, module, made, x):
        adaptive_pooling(largest)(translation, made, x, module.output_size)
    return translate


def attention_module(translation, module, made, query, key, value, *_rest, **_keywords):
    """Projections of query, key and values; scores, softmax and mixture by head; the output's projection."""
    if not module._qkv_same_embed_dim or module.bias_k is not None or module.add_zero_attn:
        raise NotModelled("attention with projections of several sizes, or with further keys")
    width, heads = module.embed_dim, module.num_heads
    batched = len(query.shape) == 3
    if not batched:
        raise NotModelled("attention without a batch")
    batch = query.shape[0 if module.batch_first else 1]
    rows, keys = ((tensor.shape[1 if module.batch_first else 0]) for tensor in (query, key))
    weight, bias = translation.parameter(module.in_proj_weight), translation.parameter(module.in_proj_bias)
    out_weight, out_bias = translation.parameter(module.out_proj.weight), translation.parameter(module.out_proj.bias)
    part = plain_tensor((width, width), is_weight=True, has_gradient=weight.has_gradient)
    part_bias = plain_tensor((width,), is_weight=True, has_gradient=bias.has_gradient) if bias is not None else None
    grown = any(tensor.has_gradient for tensor in (query, key, value)) or weight.has_gradient

    def tensor(*shape):
        return plain_tensor(shape, has_gradient=grown)

    inner, projected = [], []
    for number, x in enumerate((query, key, value)):
        y = tensor(*x.shape)
        inner.append(Node(f"projection {number}", "linear", "linear", [x, part, part_bias], y))
        projected.append(y)
    first, second = ("biHd", "bjHd") if module.batch_first else ("ibHd", "jbHd")
    shape = (batch, rows, heads, width // heads) if module.batch_first else (rows, batch, heads, width // heads)
    other = (batch, keys, heads, width // heads) if module.batch_first else (keys, batch, heads, width // heads)
    q, k, v = tensor(*shape), tensor(*other), tensor(*other)
    scores, weights, mixed = tensor(batch, heads, rows, keys), tensor(batch, heads, rows, keys), tensor(*shape)
    inner += [Node("scores", "einsum", "einsum", [q, k], scores, {"modes": [first, second], "result": "bHij"}),
              Node("scaled scores", "scale", "elementwise", [scores], weights, {"function": "scale"}),
              Node("softmax", "softmax", "softmax", [scores], weights, {"mode": 3}),
              Node("mixture", "einsum", "einsum", [weights, v], mixed, {"modes": ["bHij", second], "result": first}),
              Node("output", "linear", "linear", [tensor(*query.shape), out_weight, out_bias], tensor(*query.shape))]
    made.operation = "attention"
    made.operands = [query, key, value, weight, bias, out_weight, out_bias]
    made.operands = [operand for operand in made.operands if operand is not None]
    made.attributes["nodes"] = inner


MODULES = {
    nn.Linear: of_module("linear", "weight", "bias"), nn.Identity: identity_module, nn.Flatten: view_module,
    nn.Unflatten: view_module,
    nn.LayerNorm: of_module("layer_norm", "normalized_shape", "weight", "bias"), nn.Embedding: embedding_module,
    nn.Softmax: of_module("softmax", "dim"), nn.LogSoftmax: of_module("log_softmax", "dim"),
    **{kind: dropout_module for kind in (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout)},
    **{kind: convolution_module for kind in (nn.Conv1d, nn.Conv2d, nn.Conv3d)},
    **{kind: batch_norm_module for kind in (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)},
    **{kind: instance_norm_module for kind in (nn.InstanceNorm1d, nn.InstanceNorm2d)},
    nn.GroupNorm: of_module("group_norm", "num_groups", "weight", "bias"),
    nn.MaxPool1d: pooling_module(True), nn.MaxPool2d: pooling_module(True), nn.AvgPool1d: pooling_module(False),
    nn.AvgPool2d: pooling_module(False), nn.AdaptiveAvgPool1d: adaptive_module(False), nn.AdaptiveAvgPool2d: adaptive_module(False),
    nn.AdaptiveMaxPool2d: adaptive_module(True), nn.MultiheadAttention: attention_module,
    nn.CrossEntropyLoss: of_module("cross_entropy"), nn.MSELoss: of_module("mse_loss"),
    **{kind: of_module(function) for kind, function in (
        (nn.ReLU, "relu"), (nn.Sigmoid, "sigmoid"), (nn.Tanh, "tanh"), (nn.GELU, "gelu"), (nn.SiLU, "silu"), (nn.ELU, "elu"),
        (nn.LeakyReLU, "leaky_relu"), (nn.Hardsigmoid, "hardsigmoid"), (nn.Hardswish, "hardswish"), (nn.Softplus, "softplus"),
        (nn.ReLU6, "relu6"), (nn.Hardtanh, "hardtanh"))},
}
