"""Modules and functions of PyTorch as layers of tnn_training (docs/tnn_training.md#the-model-file). A rule takes the
Translation, the module (if the node is one) and the arguments of the call, and returns the Value of the result."""
import math

import torch

from tensorloom.network_cost.torch_nodes import SIZES, layer_of
from tensorloom.pytorch.formats import TensorizedMatrix, positive
from tensorloom.pytorch.training.values import Constant, Layer, Link, Refused, Step, Value, rows_of, whole

nn, F = torch.nn, torch.nn.functional
GATES = 4
# Functions that change no number: they are followed on the places of elements.
VIEWS = {"view", "reshape", "transpose", "permute", "t", "T", "swapaxes", "movedim", "flatten", "unflatten", "squeeze",
         "unsqueeze", "contiguous", "clone", "getitem", "select", "narrow", "view_as", "reshape_as", "unbind", "split", "chunk",
         "expand", "expand_as"}
# Activations that may come before a maximum (they never fall), or before dropout (0 stays 0, factors pass).
BEFORE_MAXIMUM, BEFORE_DROPOUT = ("relu", "sigmoid", "tanh"), ("relu",)
NEAR_GELU = 1e-3  # both forms of gelu differ by at most 0.0005


def operand(value):
    """(Value, places of a sample's elements) of an argument. The last frame of an LSTM is its output `last`."""
    if not isinstance(value, Value):
        raise Refused(f"found {'a constant' if isinstance(value, Constant) else type(value).__name__}, expected a tensor that "
                      f"layers compute from the input")
    if value.is_logarithm:
        raise Refused("found the logarithm of a softmax as its input, expected it at the end of the module alone")
    layer, batch = value.step.layer, value.places.shape[0] if value.places.ndim else 0
    if layer is not None and layer.kind == "lstm" and layer.described["output"] == "all" and batch:
        hidden, width = layer.described["hidden"], value.step.width
        if hidden != width and value.places.numel() == batch * hidden and bool((value.places % width >= width - hidden).all()):
            sample, place = value.places // width, value.places % width - (width - hidden)
            value = Value(value.step.last_frame(), sample * hidden + place)
    return value, value.of_sample()


def row_operand(t, value, modes=1):
    """(Value, places, Rows); the input of the module is put in an order that has its rows side by side."""
    value, places = operand(value)
    if value.is_token:
        raise Refused("found integers as its input, expected real numbers, or an Embedding before it")
    rows = rows_of(places, modes) if places.ndim >= modes else None
    if rows is None:
        t.in_order(value, places, in_sequence(places), "found an input whose last modes are not side by side on the device, where "
                   "a picture is [y][x][channel], expected features in the last modes")
    return value, places, rows


def in_sequence(places):
    return torch.arange(places.numel()).reshape(places.shape)


def plain_rows(t, value):
    """Rows whose numbers are in the order of PyTorch; the input of the module is put in this order."""
    value, places, rows = row_operand(t, value)
    if not (rows.is_plain and rows.is_in_sequence):
        t.in_order(value, places, in_sequence(places), "found an input in the device's order of a picture, [y][x][channel], "
                   "expected that of PyTorch, as after x.permute(0, 2, 3, 1) before flatten")
    return value, places, rows


def matrix_link(name, weight, rows):
    """outputs x inputs, columns in the order of the device."""
    index = torch.arange(weight.numel()).reshape(weight.shape)
    return Link(name, weight, index[:, rows.order.argsort()])


def linear(t, module, x):
    value, _, rows = row_operand(t, x)
    described = {"format": "dense", "rows": module.out_features, "cols": module.in_features, "bias": module.bias is not None}
    if rows.count > 1:
        described["frames"] = rows.count
    links = [matrix_link("G1", module.weight, rows)]
    if module.bias is not None:
        links.append(whole("bias", module.bias))
    return t.made(value.step, described, links, rows.of_width(module.out_features))


# ---- tensorized layers -----------------------------------------------------------------------------------------------


def with_sizes(described):
    """Sizes as tuples, those of the matrix of a state, too."""
    found = {key: positive(f"model_layer: {key}", value) if key in SIZES else value for key, value in described.items()}
    if "hidden_weights" in found:
        found["hidden_weights"] = with_sizes(found["hidden_weights"])
    return found


def cores_in(described, before=""):
    """Names of the cores of a matrix, by its keys."""
    if described.get("format", "ttm") == "dense":
        return [before + "G1"]
    rows, columns, ranks = (described.get(key, ()) for key in SIZES)
    matrix = TensorizedMatrix(described.get("format", "ttm"), rows, columns, ranks, described.get("blocks", 1),
                              described.get("order", "mn"))
    return [before + core.name for core in matrix.cores()]


def parameter_names(described):
    names = cores_in(described) + (["bias"] if described.get("bias", True) else [])
    return names + (cores_in(described.get("hidden_weights", {"format": "dense"}), "hidden weights.")
                    if described.get("kind") == "lstm" else [])


def tensorized(t, module, x, *state):
    if any(part is not None for part in state):
        raise Refused("found a second input, expected the input alone")
    if not callable(getattr(module, "model_parameters", None)):
        raise Refused(f"found a {type(module).__name__} without model_parameters(), expected its parameters in the order of its "
                      f"layer")
    value, places, rows = plain_rows(t, x)
    described = with_sizes(layer_of(module, (1, *places.shape)))
    kind = described.get("kind", "linear")
    if kind not in ("linear", "lstm"):
        raise Refused(f"found a model_layer() of kind {kind}, expected linear or lstm")
    names, parameters = parameter_names(described), list(module.model_parameters())
    if len(names) != len(parameters):
        raise Refused(f"found {len(parameters)} model_parameters(), expected {', '.join(names)}")
    links = [whole(name, parameter) for name, parameter in zip(names, parameters)]
    if kind == "lstm":
        return lstm_outputs(t, t.made(value.step, {"output": "all", **described}, links,
                                      torch.arange(places.shape[0] * described["hidden"]).reshape(places.shape[0], -1)), 1)
    if rows.count > 1:
        described["frames"] = rows.count
    return t.made(value.step, described, links, rows.of_width(math.prod(described["rows"])))


# ---- sequences -------------------------------------------------------------------------------------------------------


def lstm_outputs(t, value, layers):
    """(states of all frames, (last h, last c)): h of the last layer is the last frame, the other states are not on the device."""
    last = value.places[:, -1]
    h = torch.full((layers, *last.shape), -1)
    h[-1] = last
    return value, (value.viewed(h), value.viewed(torch.full_like(h, -1)))


def lstm(t, module, x, state=None):
    if state is not None:
        raise Refused("found an initial state, expected none: it is 0")
    for what, found, expected in (("batch_first", module.batch_first, True), ("bidirectional", module.bidirectional, False),
                                  ("proj_size", module.proj_size, 0), ("dropout", float(module.dropout), 0.0)):
        if found != expected:
            raise Refused(f"found {what}={found}, expected {what}={expected}")
    value, places, rows = row_operand(t, x)
    if places.ndim != 2 or not rows.is_in_sequence:
        raise Refused(f"found an input of {places.ndim} modes without the batch, or frames in another order than on the device, "
                      f"expected frames x features")
    frames = places.shape[0]
    for number in range(module.num_layers):
        weight, hidden_weight = getattr(module, f"weight_ih_l{number}"), getattr(module, f"weight_hh_l{number}")
        described = {"kind": "lstm", "frames": frames, "features": weight.shape[1], "hidden": module.hidden_size, "output": "all",
                     "bias": module.bias}
        links = [matrix_link("G1", weight, rows)]
        if module.bias:
            links.append(whole("bias", getattr(module, f"bias_ih_l{number}"), added=getattr(module, f"bias_hh_l{number}")))
        links.append(whole("hidden weights.G1", hidden_weight))
        name = t.node.name if module.num_layers == 1 else f"{t.node.name}_l{number}"
        made = torch.arange(frames * module.hidden_size).reshape(frames, -1)
        value = t.made_by(value.step, Layer(name, described, links), made)
        rows = rows_of(made, 1)
    return lstm_outputs(t, value, module.num_layers)


def is_gelu(function):
    if function is F.gelu or isinstance(function, nn.GELU):
        return True
    try:
        x = torch.linspace(-6, 6, 97)
        return bool((function(x) - F.gelu(x)).abs().max() < NEAR_GELU)
    except Exception:  # of a function of the user: any
        return False


def encoder_keys(module, frames):
    attention = module.self_attn
    rates = [part.p for part in module.modules() if isinstance(part, nn.Dropout)] + [attention.dropout]
    checks = (("batch_first", attention.batch_first, True), ("dropout", float(max(rates)), 0.0),
              ("an epsilon of its second norm", module.norm2.eps, module.norm1.eps))
    for what, found, expected in checks:
        if found != expected:
            raise Refused(f"found {what}={found}, expected {what}={expected}")
    if not is_gelu(module.activation):
        name = getattr(module.activation, "__name__", type(module.activation).__name__)
        raise Refused(f"found the activation {name}, expected activation=\"gelu\", which encoder blocks of the device have")
    return {"kind": "encoder", "frames": frames, "features": attention.embed_dim, "heads": attention.num_heads,
            "hidden": module.linear1.out_features, "norm": "pre" if module.norm_first else "post", "epsilon": module.norm1.eps}


def encoder_links(module):
    attention = module.self_attn
    width = attention.embed_dim
    weight, bias = attention.in_proj_weight, attention.in_proj_bias
    places, bias_places = (torch.arange(found.numel()).reshape(found.shape) for found in (weight, bias))
    links = []
    for part, name in enumerate(("query", "key", "values")):
        here = slice(part * width, (part + 1) * width)
        links += [Link(f"{name}.G1", weight, places[here]), Link(f"{name}.bias", bias, bias_places[here])]
    for name, dense in (("output", attention.out_proj), ("up", module.linear1), ("down", module.linear2)):
        links += [whole(f"{name}.G1", dense.weight), whole(f"{name}.bias", dense.bias)]
    for number, norm in enumerate((module.norm1, module.norm2), 1):
        links += [whole(f"norm {number}.gamma", norm.weight), whole(f"norm {number}.beta", norm.bias)]
    return links


def no_masks(masks, keywords):
    given = next((part for part in [*masks, *keywords.values()] if part is not None and part is not False), None)
    if given is not None:
        raise Refused("found a mask, expected none: all frames attend to one another")


def encoder_block(t, name, module, x):
    value, places, _ = plain_rows(t, x)
    if places.ndim != 2:
        raise Refused(f"found an input of {places.ndim} modes without the batch, expected frames x features")
    described = encoder_keys(module, places.shape[0])
    return t.made_by(value.step, Layer(name, described, encoder_links(module)), in_sequence(places))


def encoder(t, module, x, *masks, **keywords):
    no_masks(masks, keywords)
    return encoder_block(t, t.node.name, module, x)


def encoders(t, module, x, *masks, **keywords):
    no_masks(masks, keywords)
    for number, layer in enumerate(module.layers):
        x = encoder_block(t, f"{t.node.name}_layers_{number}", layer, x)
    return x if module.norm is None else normalized(t, f"{t.node.name}_norm", module.norm, x)


def embedding(t, module, x):
    if module.padding_idx is not None or module.max_norm is not None or module.scale_grad_by_freq or module.sparse:
        raise Refused("found padding_idx, max_norm, scale_grad_by_freq or sparse, expected an Embedding without them")
    index = torch.arange(module.weight.numel()).reshape(module.weight.shape)
    if isinstance(x, Constant):  # of the numbers of frames, as for positions
        return Constant(module.weight.detach()[x.tensor], module.weight, index[x.tensor])
    value, places = operand(x)
    if not value.is_token or value.step.before is not None:
        raise Refused("found numbers of other layers as its input, expected the tokens of the input")
    described = {"kind": "embedding", "vocabulary": module.num_embeddings, "frames": places.numel(),
                 "features": module.embedding_dim}
    return t.made(value.step, described, [Link("table", module.weight, torch.arange(module.weight.numel()))],
                  places.unsqueeze(-1) * module.embedding_dim + torch.arange(module.embedding_dim))


def with_positions(t, value, constant):
    """An embedding plus a learned row for each frame."""
    value, places = operand(value)
    layer = value.step.layer
    if layer is None or layer.kind != "embedding" or constant.parameter is None or "positions" in layer.described:
        raise Refused("found a sum with a constant, expected a parameter of frames x features after an Embedding")
    index = constant.index
    while index.ndim > places.ndim and index.shape[0] == 1:
        index = index[0]
    if index.shape != places.shape:
        raise Refused(f"found positions of shape {tuple(constant.tensor.shape)}, expected {' x '.join(map(str, places.shape))}: a "
                      f"row for each frame")
    flat = torch.empty(places.numel(), dtype=torch.int64)
    flat[places.reshape(-1)] = index.reshape(-1)
    keys = layer.with_keys(positions=True)
    links = [*layer.links, Link("positions", constant.parameter, flat)]
    return t.made_by(value.step.before, Layer(layer.node, keys.described, links), places)


# ---- pictures --------------------------------------------------------------------------------------------------------


def pair(value):
    return (value, value) if isinstance(value, int) else tuple(value) * (2 // len(value))


def picture(t, x, modes=2):
    """(Value, height, width, channels) of [channel][y][x], or of [channel][x] as a picture of one row."""
    value, places = operand(x)
    if value.is_token:
        raise Refused("found integers as its input, expected real numbers")
    if places.ndim != modes + 1:
        raise Refused(f"found an input of {places.ndim} modes without the batch, expected {modes + 1}: channels first")
    channels, (height, width) = places.shape[0], (places.shape[1:] if modes == 2 else (1, places.shape[1]))
    wanted = picture_places(channels, height, width)
    t.in_order(value, places.reshape(channels, height, width), wanted,
               "found a picture in another order than [y][x][channel] on the device, expected the input, or the result of a "
               "convolution or of pooling")
    return value, height, width, channels


def picture_places(channels, height, width):
    return torch.arange(channels * height * width).reshape(height, width, channels).permute(2, 0, 1)


def after_window(t, value, described, links, outputs, sizes, modes):
    """The value of a layer that moves a window over a picture."""
    kernel, stride, padding = sizes
    height, width = ((described[key] + 2 * padding - k) // s + 1 for key, k, s in zip(("height", "width"), kernel, stride))
    places = picture_places(outputs, height, width)
    return t.made(value.step, described, links, places if modes == 2 else places.reshape(outputs, width))


def one_padding(module_padding, kernel, modes):
    padding = pair(module_padding)
    if padding[0] != padding[1]:
        raise Refused(f"found a padding of {tuple(padding)}, expected the same in both directions")
    if modes == 1 and padding[0]:
        raise Refused(f"found a padding of {padding[0]} of a picture of one row, expected 0")
    return padding[0]


def convolution(modes):
    def rule(t, module, x):
        kernel = (1,) * (2 - modes) + tuple(module.kernel_size)
        stride = pair(module.stride) if modes == 2 else pair(module.stride[0])
        padding = module.padding
        if isinstance(padding, str):
            if padding != "valid" and any(size % 2 == 0 for size in kernel) or stride != (1, 1):
                raise Refused(f"found padding={padding!r} of an even kernel, expected a number")
            padding = 0 if padding == "valid" else tuple(size // 2 for size in kernel[2 - modes:])
        for what, found, expected in (("groups", module.groups, 1), ("dilation", max(module.dilation), 1),
                                      ("padding_mode", module.padding_mode, "zeros"),
                                      ("a stride to the side", stride[1], stride[0])):
            if found != expected:
                raise Refused(f"found {what}={found}, expected {what}={expected}")
        padding = one_padding(padding, kernel, modes)
        value, height, width, channels = picture(t, x, modes)
        described = {"kind": "convolution", "height": height, "width": width, "channels": channels,
                     "kernel": f"{kernel[0]}x{kernel[1]}", "stride": stride[0], "padding": padding, "format": "dense",
                     "rows": module.out_channels, "cols": channels * kernel[0] * kernel[1], "bias": module.bias is not None}
        index = torch.arange(module.weight.numel()).reshape(module.out_channels, channels, *kernel)
        links = [Link("G1", module.weight, index.permute(0, 2, 3, 1).reshape(module.out_channels, -1))]
        if module.bias is not None:
            links.append(whole("bias", module.bias))
        return after_window(t, value, described, links, module.out_channels, (kernel, stride, padding), modes)
    return rule


def pooled(t, x, function, kernel, stride, padding, modes):
    kernel = pair(kernel) if modes == 2 else (1, pair(kernel)[0])
    stride = kernel if stride in (None, []) else pair(stride) if modes == 2 else (1, pair(stride)[0])
    padding = one_padding(padding, kernel, modes)
    value, height, width, channels = picture(t, x, modes)
    described = {"kind": "pool", "function": function, "height": height, "width": width, "channels": channels,
                 "kernel": f"{kernel[0]}x{kernel[1]}", "stride": f"{stride[0]}x{stride[1]}", "padding": padding}
    return after_window(t, value, described, [], channels, (kernel, stride, padding), modes)


def pooling(function, modes):
    def rule(t, x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, count_include_pad=True, divisor_override=None,
             return_indices=False):
        for what, found, expected in (("dilation", max(pair(dilation)), 1), ("ceil_mode", bool(ceil_mode), False),
                                      ("count_include_pad", bool(count_include_pad), True),
                                      ("divisor_override", divisor_override, None),
                                      ("return_indices", bool(return_indices), False)):
            if found != expected and not (what == "count_include_pad" and max(pair(padding)) == 0):
                raise Refused(f"found {what}={found}, expected {what}={expected}")
        return pooled(t, x, function, kernel_size, stride, padding, modes)
    return rule


def average_function(modes):
    """avg_pool of torch.nn.functional, whose third option is another one than that of max_pool."""
    def rule(t, x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        return pooling("average", modes)(t, x, kernel_size, stride, padding, 1, ceil_mode, count_include_pad, divisor_override)
    return rule


def maximum_function(t, x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    modes = operand(x)[1].ndim - 1
    return pooling("max", modes)(t, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices=return_indices)


def pooling_module(function, modes):
    def rule(t, module, x):
        options = {name: getattr(module, name) for name in ("dilation", "ceil_mode", "count_include_pad", "divisor_override",
                                                            "return_indices") if hasattr(module, name)}
        return pooling(function, modes)(t, x, module.kernel_size, module.stride, module.padding, **options)
    return rule


def adaptive(function, modes):
    def rule(t, x, output_size):
        places = operand(x)[1]
        sizes, wanted = places.shape[-modes:], pair(output_size)[:modes]
        wanted = [size if want is None else want for size, want in zip(sizes, wanted)]
        if any(size % want for size, want in zip(sizes, wanted)):
            raise Refused(f"found {' x '.join(map(str, wanted))} windows of {' x '.join(map(str, sizes))} pixels, expected windows "
                          f"of one size")
        kernel = [size // want for size, want in zip(sizes, wanted)]
        return pooled(t, x, function, kernel, None, 0, modes)
    return rule


def adaptive_module(function, modes):
    return lambda t, module, x: adaptive(function, modes)(t, x, module.output_size)


def mean(t, x, dim=None, keepdim=False):
    """Over pixels or frames: average pooling of what is left as channels."""
    value, places = operand(x)
    if dim is None:
        raise Refused("found a mean over everything, expected modes of pixels or frames")
    ndim = places.ndim + 1
    modes = sorted(mode % ndim for mode in ([dim] if isinstance(dim, int) else dim))
    if not modes or modes[0] == 0:
        raise Refused("found a mean over samples, expected modes of pixels or frames")
    kept = [mode for mode in range(1, ndim) if mode not in modes]
    of_kept = places.permute([mode - 1 for mode in modes + kept]).reshape(-1, math.prod(places.shape[mode - 1] for mode in kept))
    rows = rows_of(of_kept, 1)
    if rows is None:
        raise Refused("found a mean over modes that are inside of others on the device, expected pixels or frames, with channels "
                      "or features left")
    described = {"kind": "pool", "function": "average", "height": of_kept.shape[0], "width": 1, "channels": of_kept.shape[1],
                 "kernel": "global"}
    made = rows.order.reshape([places.shape[mode - 1] for mode in kept])
    for mode in modes if keepdim else ():
        made = made.unsqueeze(mode - 1)
    return t.made(value.step, described, [], made)


# ---- by element ------------------------------------------------------------------------------------------------------


def normalized(t, name, module, x):
    if module.weight is None:
        raise Refused("found elementwise_affine=False, expected scale and shift, which are trained")
    value, places, rows = row_operand(t, x, len(module.normalized_shape))
    described = {"kind": "norm", "frames": rows.count, "features": len(rows.order), "epsilon": module.eps}
    back = rows.order.argsort()
    links = [Link(called, parameter, back) for called, parameter in (("gamma", module.weight), ("beta", module.bias))]
    return t.made_by(value.step, Layer(name, described, links), places)


def layer_norm(t, module, x):
    return normalized(t, t.node.name, module, x)


def active(step, function):
    """The step with an activation in its layer, which may be before pooling or dropout; None if there is no such layer."""
    layer = step.layer
    if layer is None:
        return None
    if layer.kind in ("linear", "convolution"):
        return Step(step.width, step.before, layer.with_keys(activation=function)) if "activation" not in layer.described else None
    passes = layer.kind == "pool" and layer.described["function"] == "max" and function in BEFORE_MAXIMUM or \
        layer.kind == "dropout" and function in BEFORE_DROPOUT
    before = active(step.before, function) if passes else None
    return Step(step.width, before, layer) if before else None


def activation(function):
    """Of the layer before it, unless its input has other users; else a layer of its own."""
    def rule(t, x, *_options, **_keywords):
        value, places = operand(x)
        if value.is_token:
            raise Refused("found integers as its input, expected real numbers")
        used_once = all(len(node.users) == 1 for node in t.node.all_input_nodes)
        step = active(value.step, function) if used_once else None
        if step is not None:
            return Value(step, value.places)
        return t.made(value.step, {"kind": "activation", "features": value.step.width, "function": function}, [], places)
    return rule


def activation_module(function):
    return lambda t, _, x: activation(function)(t, x)


def dropout(t, x, p=0.5, training=True, inplace=False):
    value, places = operand(x)
    if p == 0 or not training:
        return value
    t.dropouts[t.node.name] = (p, places)
    return t.made(value.step, {"kind": "dropout", "features": value.step.width, "rate": p}, [], places)


def dropout_module(t, module, x):
    return dropout(t, x, module.p)


def identity(_t, _module, x):
    return x


def flatten(t, module, x):
    return x.viewed(x.places.flatten(module.start_dim, module.end_dim))


def unflatten(t, module, x):
    return x.viewed(x.places.unflatten(module.dim, module.unflattened_size))


def added(t, a, b, alpha=1):
    """A residual sum: one of both is made of the other."""
    if alpha != 1:
        raise Refused(f"found alpha={alpha}, expected 1")
    if isinstance(a, Constant) or isinstance(b, Constant):
        return with_positions(t, *((b, a) if isinstance(a, Constant) else (a, b)))
    (first, places), (second, others) = operand(a), operand(b)
    for value, before in ((second, first), (first, second)):
        layers = value.step.layers(before.step) if value.step is not before.step else None
        if layers:
            break
    else:
        raise Refused("found a sum of two branches, expected a residual sum: x + f(x) of layers f after x")
    if not torch.equal(places, others):
        raise Refused("found two tensors in different orders on the device, expected one order of both, as after layers that keep "
                      "it")
    return t.made_by(before.step, Layer(t.node.name, {"kind": "residual"}, [], tuple(layers)), places)


def log_softmax(t, x, dim=None, *_rest, **_keywords):
    value, places = operand(x)
    if places.ndim != 1 or dim not in (1, -1):
        raise Refused("found another mode than that of the classes, expected dim=1 of batch x classes")
    return Value(value.step, value.places, is_logarithm=True)


MODULES = {
    nn.Linear: linear, nn.LSTM: lstm, nn.TransformerEncoderLayer: encoder, nn.TransformerEncoder: encoders, nn.Embedding: embedding,
    nn.Conv1d: convolution(1), nn.Conv2d: convolution(2), nn.LayerNorm: layer_norm, nn.Dropout: dropout_module,
    nn.MaxPool1d: pooling_module("max", 1), nn.MaxPool2d: pooling_module("max", 2), nn.AvgPool1d: pooling_module("average", 1),
    nn.AvgPool2d: pooling_module("average", 2), nn.AdaptiveAvgPool1d: adaptive_module("average", 1),
    nn.AdaptiveAvgPool2d: adaptive_module("average", 2), nn.AdaptiveMaxPool1d: adaptive_module("max", 1),
    nn.AdaptiveMaxPool2d: adaptive_module("max", 2), nn.ReLU: activation_module("relu"),
    nn.Sigmoid: activation_module("sigmoid"), nn.Tanh: activation_module("tanh"), nn.GELU: activation_module("gelu"),
    nn.Identity: identity, nn.Flatten: flatten, nn.Unflatten: unflatten,
    nn.LogSoftmax: lambda t, module, x: log_softmax(t, x, module.dim),
}
FUNCTIONS = {
    **{name: activation(name) for name in ("relu", "sigmoid", "tanh", "gelu")}, "dropout": dropout,
    **dict.fromkeys(("add", "iadd", "radd"), added), "log_softmax": log_softmax, "mean": mean,
    **dict.fromkeys(("max_pool1d", "max_pool2d", "boolean_dispatch", "fn"), maximum_function),
    "avg_pool1d": average_function(1), "avg_pool2d": average_function(2), "adaptive_avg_pool1d": adaptive("average", 1),
    "adaptive_avg_pool2d": adaptive("average", 2),
}
