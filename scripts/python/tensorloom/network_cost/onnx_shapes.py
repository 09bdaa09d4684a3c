"""Shapes of all tensors of an ONNX graph, node by node, with the integers that nodes compute of shapes (torch exports them for
every view of a batch of symbolic size)."""
import math

import numpy as np
from onnx import TensorProto, helper, numpy_helper, shape_inference

from tensorloom.equations import parsed

CONTROL = ("If", "Loop", "Scan", "SequenceMap")  # with graphs of their own
SMALL = 4096  # elements of constants whose values are kept: shapes, axes, numbers


def fields(node):
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def sliced(x, starts, ends, axes=None, steps=None):
    place = [slice(None)] * x.ndim
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    for axis, start, end, step in zip(axes, starts, ends, steps):
        place[axis] = slice(int(start), int(end), int(step))
    return x[tuple(place)]


def unsqueezed(x, axes):
    for axis in sorted(int(axis) for axis in axes):
        x = np.expand_dims(x, axis)
    return x


# Operation -> function(values of its inputs, attributes): what the host computes.
FOLDED = {
    "Gather": lambda v, a: np.take(v[0], v[1].astype(int), axis=a.get("axis", 0)),
    "Concat": lambda v, a: np.concatenate(v, axis=a["axis"]),
    "Unsqueeze": lambda v, a: unsqueezed(v[0], a["axes"] if "axes" in a else v[1].reshape(-1)),
    "Squeeze": lambda v, a: np.squeeze(v[0], tuple(int(axis) for axis in (a["axes"] if "axes" in a else v[1].reshape(-1)))
                                       if "axes" in a or len(v) > 1 else None),
    "Reshape": lambda v, a: v[0].reshape(v[1].astype(int)),
    "Slice": lambda v, a: sliced(v[0], a["starts"], a["ends"], a.get("axes")) if "starts" in a else sliced(*v),
    "Cast": lambda v, a: v[0].astype(helper.mapping.TENSOR_TYPE_TO_NP_TYPE[a["to"]]),
    "Identity": lambda v, a: v[0],
    "Add": lambda v, a: v[0] + v[1], "Sub": lambda v, a: v[0] - v[1], "Mul": lambda v, a: v[0] * v[1],
    "Div": lambda v, a: v[0] // v[1] if v[0].dtype.kind in "iu" else v[0] / v[1],
    "Equal": lambda v, a: v[0] == v[1], "Where": lambda v, a: np.where(*v), "Sqrt": lambda v, a: np.sqrt(v[0]),
    "ReduceProd": lambda v, a: np.prod(v[0], keepdims=bool(a.get("keepdims", 1))),
    "Range": lambda v, a: np.arange(*(x.item() for x in v)),
    "ConstantOfShape": lambda v, a: np.full(v[0].astype(int),
                                            numpy_helper.to_array(a["value"])[0] if "value" in a else np.float32(0)),
    "Floor": lambda v, a: np.floor(v[0]), "Ceil": lambda v, a: np.ceil(v[0]), "Neg": lambda v, a: -v[0],
}


class Shapes:
    """described: name -> (type of its elements, sizes); values: name -> array, of what is known before a run."""

    def __init__(self, model):
        self.model, self.described, self.values = model, {}, {}
        for initializer in model.graph.initializer:
            self.keep(initializer.name, initializer)
        for value in model.graph.input:
            if value.name not in self.described:
                sizes = tuple(size.dim_value for size in value.type.tensor_type.shape.dim)
                self.described[value.name] = value.type.tensor_type.elem_type, sizes
        for node in model.graph.node:
            self.infer(node)

    def keep(self, name, proto):
        self.described[name] = proto.data_type, tuple(proto.dims)
        if math.prod(proto.dims) <= SMALL:
            self.values[name] = numpy_helper.to_array(proto)

    def keep_array(self, name, array):
        self.described[name] = helper.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], tuple(array.shape)
        if array.size <= SMALL:
            self.values[name] = array

    def infer(self, node):
        """Raises an error of onnx, or an InputProblem, for a node whose inputs do not fit."""
        own = fields(node)
        if node.op_type == "Constant":
            if isinstance(own.get("value"), TensorProto):
                self.keep(node.output[0], own["value"])
            elif own:
                name, value = next(iter(own.items()))
                kind = np.float32 if "float" in name else np.int64
                self.keep_array(node.output[0], np.array(value, dtype=kind))
            return
        if node.op_type == "Shape" and node.input[0] in self.described:
            self.keep_array(node.output[0],
                            np.array(self.described[node.input[0]][1][own.get("start", 0):own.get("end")], dtype=np.int64))
            return
        if node.op_type in FOLDED and all(name in self.values for name in node.input if name):
            try:
                found = np.asarray(FOLDED[node.op_type]([self.values[name] for name in node.input if name], own))
                self.keep_array(node.output[0], found)
                return
            except (KeyError, TypeError, ValueError, IndexError):
                pass
        if node.op_type in CONTROL or node.domain not in ("", "ai.onnx"):
            return
        if all(name in self.described for name in node.input if name):
            if node.op_type == "Einsum":
                self.infer_einsum(node, own["equation"].decode())
            else:
                self.infer_alone(node)

    def infer_einsum(self, node, equation):
        """onnx 1.12 infers the number of modes alone."""
        equation = parsed(equation, [self.described[name][1] for name in node.input])
        self.described[node.output[0]] = self.described[node.input[0]][0], tuple(equation.sizes[mode] for mode in equation.result)

    def infer_alone(self, node):
        inputs = [helper.make_tensor_value_info(name, *self.described[name]) for name in dict.fromkeys(filter(None, node.input))]
        known = [numpy_helper.from_array(np.ascontiguousarray(self.values[name]).reshape(self.values[name].shape), name)
                 for name in dict.fromkeys(node.input) if name in self.values]
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        graph = helper.make_graph([node], "node", inputs, outputs, known)
        alone = helper.make_model(graph, opset_imports=self.model.opset_import, ir_version=self.model.ir_version)
        inferred = shape_inference.infer_shapes(alone, strict_mode=True, data_prop=True)
        for value in [*inferred.graph.output, *inferred.graph.value_info]:
            described = value.type.tensor_type
            sizes = tuple(size.dim_value if size.HasField("dim_value") else -1 for size in described.shape.dim)
            if described.HasField("shape") and described.elem_type and min(sizes, default=0) >= 0:
                self.described[value.name] = described.elem_type, sizes
