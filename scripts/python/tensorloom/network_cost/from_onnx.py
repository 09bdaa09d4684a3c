"""The cost of an ONNX file: shapes by python3-onnx, the same mapper as for PyTorch modules."""
import math
import os
import warnings

import onnx
from onnx import TensorProto

from tensorloom.network_cost.mapper import Settings, check_step
from tensorloom.network_cost.onnx_shapes import FOLDED, Shapes
from tensorloom.network_cost.results import cost_of
from tensorloom.network_cost.tensors import Node, mark_gradients, plain_tensor
from tensorloom.network_cost.vector_kernels import Windows
from tensorloom.network_cost.work import NotModelled, described_einsum
from tensorloom.run_directory import InputProblem, one_line

FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16)


def read_model(path):
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise InputProblem(f"cost: {path} is not a file, expected an ONNX model")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of bytes that are no model: the checker refuses them
            model = onnx.load(path)
        onnx.checker.check_model(model)
    except Exception as error:  # protobuf, the checker and files of external data: any
        raise InputProblem(f"cost: {path} is not a valid ONNX model: {shortened(error)}") from None
    names = [model.graph.name, *(value.name for value in [*model.graph.input, *model.graph.initializer])]
    names += [text for node in model.graph.node for text in (node.name, node.op_type, *node.input, *node.output)]
    if not all(isinstance(text, str) for text in names):  # protobuf gives bytes where a text is not UTF-8
        raise InputProblem(f"cost: {path} is not a valid ONNX model: a name is not text in UTF-8")
    return model


def shortened(error):
    return one_line(error)[:200] or type(error).__name__


def with_sizes(model, sizes, path):
    """Symbolic sizes of inputs replaced by numbers."""
    known = {initializer.name for initializer in model.graph.initializer}
    symbols = {}
    for value in model.graph.input:
        if value.name in known:
            continue
        if not value.type.HasField("tensor_type") or not value.type.tensor_type.HasField("shape"):
            raise InputProblem(f"cost: {path}: input '{value.name}' has no shape, expected a tensor with one")
        for place, size in enumerate(value.type.tensor_type.shape.dim):
            if size.HasField("dim_value") and size.dim_value > 0:
                continue
            name = size.dim_param or f"{value.name}.{place}"
            symbols[name] = value.name
            if name in sizes:
                size.Clear()
                size.dim_value = sizes[name]
    unknown = [name for name in sizes if name not in symbols]
    if unknown:
        raise InputProblem(f"cost: sizes has '{unknown[0]}', expected symbolic sizes of {path}: "
                           f"{', '.join(symbols) or 'it has none'}")
    missing = [name for name in symbols if name not in sizes]
    if missing:
        raise InputProblem(f"cost: {path}: input '{symbols[missing[0]]}' has the symbolic size '{missing[0]}', expected it in "
                           f"sizes={{...}}")
    for value in [*model.graph.value_info, *model.graph.output]:
        for size in value.type.tensor_type.shape.dim:
            if size.dim_param in sizes:
                number = sizes[size.dim_param]
                size.Clear()
                size.dim_value = number


def check_sizes(sizes):
    if not isinstance(sizes, dict):
        raise InputProblem(f"cost: sizes is {sizes!r}, expected a dict of symbolic sizes, like {{'batch': 8}}")
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size < 2 ** 31:
            raise InputProblem(f"cost: sizes has {size!r} for '{name}', expected an integer of at least 1")


def cost(file, training=False, optimizer="sgd", sizes=None, workers=None, progress=None, **options):
    """What the network of an ONNX file costs on a simulated FETTA, node by node: its forward pass, or with training=True a
    training step, whose parameters are the initializers of more than one real number.

    sizes      numbers for symbolic sizes of its inputs: {"batch": 8}
    options    of the device, as those of tensorloom.contract; workers and progress as in tensorloom.pytorch.cost

    Returns a Run: summary["cycles"], table("nodes"), table("parts"), save(), show(), report().
    """
    check_step(training, optimizer)
    if not isinstance(file, (str, os.PathLike)):
        raise InputProblem(f"cost: the file is {type(file).__name__}, expected the path of an ONNX model")
    sizes = {} if sizes is None else sizes
    check_sizes(sizes)
    model = read_model(file)
    with_sizes(model, sizes, os.fspath(file))
    try:
        shapes = Shapes(model)
    except Exception as error:  # of the shape inference of any operator
        raise InputProblem(f"cost: {os.fspath(file)}: shapes cannot be inferred: {shortened(error)}") from None
    nodes = Translation(model, shapes, training).nodes()
    mark_gradients(nodes, training)
    network = {"network": model.graph.name or os.path.basename(os.fspath(file)), "front_end": "onnx", "file": os.fspath(file)}
    return cost_of(network, nodes, lambda device, bits: Settings(device, bits, training, optimizer), options, workers, progress)


# ---- nodes -----------------------------------------------------------------------------------------------------------

class Translation:
    """Nodes of ONNX as nodes of the mapper."""

    def __init__(self, model, shapes, training):
        self.graph, self.shapes, self.training = model.graph, shapes.described, training
        self.values = shapes.values  # name -> array, of what is known before a run
        self.tensors = {}            # name -> Tensor
        self.owners = set()          # names of parameters that a node has
        self.opset = max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=1)

    def nodes(self):
        made, initial = [], {initializer.name for initializer in self.graph.initializer}
        for name in initial:
            element, sizes = self.shapes[name]
            trained = self.training and kind_of(element) == "float" and math.prod(sizes) > 1
            self.tensors[name] = plain_tensor(sizes, kind_of(element), is_parameter=True, is_weight=True, has_gradient=trained)
        for value in self.graph.input:
            if value.name not in initial:
                element, sizes = self.shapes[value.name]
                self.tensors[value.name] = plain_tensor(sizes, kind_of(element))
                made.append(Node(value.name, "input", "input", [], self.tensors[value.name]))
        return made + [self.translated(node, number) for number, node in enumerate(self.graph.node)]

    def translated(self, node, number):
        name = node.name or f"{node.op_type}_{number}"
        made = Node(name, node.op_type, "host", [])
        try:
            made.result = self.result_of(node, made.attributes.setdefault("results", []))
            made.operands = [self.tensors.get(operand) for operand in node.input]
            known = [operand for operand in made.operands if operand is not None]
            made.attributes["owned"] = self.owned(node)
            attributes = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
            if node.domain not in ("", "ai.onnx"):
                raise NotModelled(f"no program for '{node.domain}.{node.op_type}'")
            if node.op_type == "Constant":
                made.operation = "constant"
            elif node.op_type in SHAPES or node.op_type in FOLDED and all(name in self.values for name in node.output):
                made.attributes["reason"] = "known from shapes and constants: the host computes it"
            elif node.op_type not in OPERATIONS:
                raise NotModelled(f"no program for '{node.op_type}'", macs_of_unknown(node, known))
            elif made.result is None:
                raise NotModelled("its shape is not known before it runs")
            else:
                made.operands = known
                OPERATIONS[node.op_type](self, node, made, attributes)
                made.attributes["owned"] = [own for own in made.attributes["owned"] if any(own is one for one in made.operands)]
        except NotModelled as why:
            made.operation = "unknown"
            made.attributes.update(reason=str(why), macs=why.macs)
        except (TypeError, IndexError, KeyError, AttributeError, ValueError):
            made.operation = "unknown"
            made.attributes.update(reason=f"attributes or inputs of '{node.op_type}' that the mapper does not know", macs=None)
        return made

    def owned(self, node):
        """The parameters that this node is the first to read; it has their update."""
        new = [name for name in dict.fromkeys(node.input) if name in self.tensors and self.tensors[name].is_parameter and
               name not in self.owners]
        self.owners.update(new)
        return [self.tensors[name] for name in new]

    def result_of(self, node, results):
        """The Tensor of the first result; None if its shape is not known. Adds all results to the list."""
        for name in node.output:
            if name in self.shapes:
                element, sizes = self.shapes[name]
                self.tensors[name] = plain_tensor(sizes, kind_of(element))
                results.append(self.tensors[name])
        return self.tensors.get(node.output[0]) if node.output else None

    def number(self, tensor_name):
        """The value of a constant of one element; None if it is not one."""
        value = self.values.get(tensor_name)
        return float(value.reshape(-1)[0]) if value is not None and value.size == 1 else None

    def integers(self, node, place, attributes, name):
        """A list of integers: an attribute, or an input in later versions."""
        if name in attributes:
            return list(attributes[name])
        if len(node.input) > place and node.input[place] in self.values:
            return [int(value) for value in self.values[node.input[place]].reshape(-1)]
        return None


def kind_of(element):
    return "float" if element in FLOATS else "bool" if element == TensorProto.BOOL else "integer"


def macs_of_unknown(node, operands):
    """Multiply-adds of products without a program: each weight once for every row."""
    if node.op_type in ("LSTM", "GRU", "RNN") and len(operands) > 2:
        return operands[0].shape[0] * operands[0].shape[1] * (operands[1].elements + operands[2].elements)
    if node.op_type == "ConvTranspose" and len(operands) > 1:
        return operands[0].shape[0] * math.prod(operands[0].shape[2:]) * operands[1].elements
    return None


def elementwise(function, operands=1):
    def translate(_, node, made, attributes):
        made.operation, made.operands = "elementwise", made.operands[:operands]
        made.attributes["function"] = function
    return translate


def binary(of_tensors, of_number):
    """With a constant of one element as an instruction with a literal."""
    def translate(translation, node, made, attributes):
        tensors = [made.operands[place] for place, name in enumerate(node.input[:2])
                   if translation.number(name) is None or made.operands[place].has_gradient]
        made.operation = "elementwise"
        made.operands = tensors or made.operands[:1]
        made.attributes["function"] = of_tensors if len(made.operands) == 2 else of_number
        if of_tensors == "div" and len(made.operands) == 1 and translation.number(node.input[0]) is not None:
            made.attributes["function"] = "reciprocal"
    return translate


def variadic(of_tensors):
    def translate(translation, node, made, attributes):
        if len(made.operands) != 2:
            raise NotModelled(f"{node.op_type} of {len(made.operands)} tensors")
        elementwise(of_tensors, 2)(translation, node, made, attributes)
    return translate


def power(translation, node, made, attributes):
    name = {2.0: "square", 0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal"}.get(translation.number(node.input[1]), "power")
    if translation.number(node.input[1]) is None:
        raise NotModelled("a power with a tensor as its exponent")
    elementwise(name)(translation, node, made, attributes)


def matmul(_, node, made, attributes):
    made.operation = "matmul"


def gemm(_, node, made, attributes):
    made.operation = "matmul"
    made.attributes["modes"] = "ki" if attributes.get("transA") else "ik", "jk" if attributes.get("transB") else "kj", "ij"


def einsum(_, node, made, attributes):
    described_einsum(made, attributes["equation"].decode(), made.operands)


def windows_of(x, out, kernel, attributes):
    modes = len(x.shape) - 2
    if modes not in (1, 2):
        raise NotModelled(f"a window over {modes} modes, and the mapper has those over one and two")
    pads = list(attributes.get("pads", [0] * 2 * modes))

    def sizes(values, neutral):
        return (neutral,) * (2 - modes) + tuple(values)

    if attributes.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
        steps, spread = (attributes.get(name, [1] * modes) for name in ("strides", "dilations"))
        pads = [max(0, (o - 1) * s + (k - 1) * d + 1 - n) // 2
                for o, s, k, d, n in zip(out.shape[2:], steps, kernel, spread, x.shape[2:])]
    return Windows((1,) * (2 - modes) + x.shape[2:], sizes(kernel, 1), sizes(attributes.get("strides", [1] * modes), 1),
                   sizes(pads[:modes], 0),
                   sizes(attributes.get("dilations", [1] * modes), 1), (1,) * (2 - modes) + out.shape[2:])


def convolution(_, node, made, attributes):
    x, weight = made.operands[:2]
    macs = made.result.elements * math.prod(weight.shape[1:])
    try:
        windows = windows_of(x, made.result, weight.shape[2:], attributes)
    except NotModelled as why:
        raise NotModelled(str(why), macs) from None
    made.operation = "convolution"
    made.attributes.update(groups=attributes.get("group", 1), windows=windows)


def pooling(largest):
    def translate(_, node, made, attributes):
        made.operation, made.operands = "pooling", made.operands[:1]
        made.attributes.update(largest=largest,
                               windows=windows_of(made.operands[0], made.result, attributes["kernel_shape"], attributes))
    return translate


def global_pooling(largest):
    def translate(_, node, made, attributes):
        x = made.operands[0]
        made.operation = "pooling"
        made.attributes.update(largest=largest, windows=windows_of(x, made.result, x.shape[2:], {"strides": x.shape[2:]}))
    return translate


def softmax(name):
    def translate(translation, node, made, attributes):
        x = made.operands[0]
        made.operation = name
        made.attributes["mode"] = attributes.get("axis", -1 if translation.opset >= 13 else 1)
        if translation.opset < 13:  # over all modes from this one on
            mode = made.attributes["mode"] % len(x.shape)
            if mode != len(x.shape) - 1 and math.prod(x.shape[mode + 1:]) > 1:
                raise NotModelled("a softmax over several modes")
    return translate


def layer_norm(_, node, made, attributes):
    x = made.operands[0]
    made.operation = "layer_norm"
    made.attributes["width"] = math.prod(x.shape[attributes.get("axis", -1) % len(x.shape):])


def batch_norm(_, node, made, attributes):
    made.operation, made.operands = "batch_norm", made.operands[:3]
    made.attributes["own_statistics"] = bool(attributes.get("training_mode", 0))


def instance_norm(_, node, made, attributes):
    made.operation = "group_norm"
    made.attributes["groups"] = made.operands[0].shape[1]


def reduction(code):
    def translate(translation, node, made, attributes):
        axes = translation.integers(node, 1, attributes, "axes")
        x = made.operands[0]
        if axes is None and len(node.input) > 1 and node.input[1]:
            raise NotModelled("a reduction whose modes depend on data")
        made.operation, made.operands = "reduction", [x]
        made.attributes.update(code=code, modes=list(range(len(x.shape))) if axes is None else axes)
    return translate


def gather(_, node, made, attributes):
    table, indices = made.operands[:2]
    if attributes.get("axis", 0) != 0 or indices.kind != "integer" or len(table.shape) != 2:
        made.operation, made.operands = "copy", [table]
        return
    made.operation, made.operands = "embedding", [indices, table]


def view(reason=None):
    def translate(_, node, made, attributes):
        x = made.operands[0] if made.operands else None
        made.operation, made.operands = "view", [x]
        if reason:
            made.attributes["reason"] = reason
        if x is not None and made.result.shape == x.shape:
            made.result.strides = x.strides
        elif x is not None and not x.is_plain:  # another shape of a permuted tensor: its elements are brought in order first
            made.operation = "copy"
    return translate


def transposition(_, node, made, attributes):
    x = made.operands[0]
    order = attributes.get("perm", list(range(len(x.shape)))[::-1])
    made.operation = "view"
    made.result.strides = tuple(x.strides[mode] for mode in order)


def part(_, node, made, attributes):
    """A slice, or the parts of a split: the same memory."""
    made.operation, made.operands = "view", made.operands[:1]
    if len(made.operands[0].shape) == len(made.result.shape):
        made.result.strides = made.operands[0].strides


def copy(_, node, made, attributes):
    made.operation = "copy"


def expansion(_, node, made, attributes):
    x = made.operands[0]
    made.operation, made.operands = "view", [x]
    own = (1,) * (len(made.result.shape) - len(x.shape)) + x.shape
    strides = (0,) * (len(made.result.shape) - len(x.shape)) + x.strides
    made.result.strides = tuple(0 if size == 1 else stride for size, stride in zip(own, strides))


def dropout(translation, node, made, attributes):
    ratio = translation.number(node.input[1]) if len(node.input) > 1 else attributes.get("ratio", 0.5)
    active = len(node.input) > 2 and node.input[2] in translation.values and bool(translation.values[node.input[2]])
    if active and ratio:
        made.operation, made.operands = "dropout", made.operands[:1]
    else:
        view("dropout that drops nothing")(translation, node, made, attributes)


def where(translation, node, made, attributes):
    elementwise("where", 3)(translation, node, made, attributes)


SHAPES = ("Shape", "Size", "ConstantOfShape", "Range")
OPERATIONS = {
    "MatMul": matmul, "Gemm": gemm, "Einsum": einsum, "Conv": convolution,
    **{name: elementwise(function) for name, function in (
        ("Relu", "relu"), ("Sigmoid", "sigmoid"), ("Tanh", "tanh"), ("Exp", "exp"), ("Log", "log"), ("Sqrt", "sqrt"),
        ("Neg", "scale"),
        ("Abs", "abs"), ("Reciprocal", "reciprocal"), ("Elu", "elu"), ("LeakyRelu", "leaky_relu"), ("Clip", "clamp"),
        ("HardSigmoid", "hardsigmoid"), ("HardSwish", "hardswish"), ("Softplus", "softplus"), ("Not", "not"), ("Erf", "erf"))},
    "Add": binary("add", "shift"), "Sub": binary("sub", "shift"), "Mul": binary("mul", "scale"), "Div": binary("div", "scale"),
    "Max": variadic("maximum"), "Min": variadic("minimum"), "Sum": variadic("add"), "Pow": power, "Where": where,
    "Greater": binary("compare", "compare_number"), "Less": binary("compare", "compare_number"),
    "GreaterOrEqual": binary("compare", "compare_number"), "LessOrEqual": binary("compare", "compare_number"),
    "Equal": binary("equals", "equals_number"), "And": elementwise("and", 2), "Or": elementwise("or", 2),
    "Softmax": softmax("softmax"), "LogSoftmax": softmax("log_softmax"), "LayerNormalization": layer_norm,
    "BatchNormalization": batch_norm,
    "InstanceNormalization": instance_norm, "ReduceSum": reduction("sum"), "ReduceMean": reduction("mean"),
    "ReduceMax": reduction("max"),
    "MaxPool": pooling(True), "AveragePool": pooling(False), "GlobalAveragePool": global_pooling(False),
    "GlobalMaxPool": global_pooling(True),
    "Gather": gather, "Transpose": transposition, "Slice": part, "Split": part, "Expand": expansion, "Dropout": dropout,
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze"), view()), "Identity": view("the identity"),
    "Cast": view("a conversion: formats in the device's memory do not follow those of ONNX"),
    **dict.fromkeys(("Concat", "Pad", "Tile"), copy),
}
