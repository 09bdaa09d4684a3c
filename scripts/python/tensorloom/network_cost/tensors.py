"""The graph of a network as both front ends (torch.fx, ONNX) describe it to the mapper: nodes and the tensors between them."""
import math
from dataclasses import dataclass, field


@dataclass(eq=False)
class Tensor:
    """A tensor of the graph. Its layout in memory is that of PyTorch: strides of elements; 0 along a mode whose elements are
    one and the same (expand)."""
    shape: tuple
    strides: tuple
    kind: str = "float"         # "float", "integer" or "bool"
    is_parameter: bool = False
    is_weight: bool = False     # a parameter, or a view of one
    has_gradient: bool = False  # a training step computes it
    users: int = 0              # nodes that send back a gradient of it

    @property
    def elements(self):
        return math.prod(self.shape)

    @property
    def order(self):
        """The modes in the order of memory, slowest first, without those of size 1 and of stride 0."""
        own = [mode for mode in range(len(self.shape)) if self.shape[mode] > 1 and self.strides[mode] != 0]
        return tuple(sorted(own, key=lambda mode: (-self.strides[mode], mode)))

    @property
    def is_plain(self):
        """Whether its elements are in the order of its modes: C order, with gaps or without."""
        return list(self.order) == sorted(self.order)

    @property
    def is_repeated(self):
        """Whether elements are the same one, along a mode of stride 0."""
        return any(size > 1 and stride == 0 for size, stride in zip(self.shape, self.strides))

    def stored_elements(self):
        return math.prod(self.shape[mode] for mode in self.order)


def plain_strides(shape):
    """The strides of a tensor in C order."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def plain_tensor(shape, kind="float", **fields):
    return Tensor(tuple(shape), plain_strides(shape), kind, **fields)


@dataclass(eq=False)
class Node:
    """A node of the graph.

    operation   what it computes, in the mapper's words: "linear", "einsum", "add", "softmax", "view", ...; "unknown" with
                attributes["reason"]. attributes["results"]: all results, if it has several
    kind        the same in the words of its front end, as the table shows it
    operands    tensors, and numbers where the operation takes them, in the order of the operation; None: left out
    """
    name: str
    kind: str
    operation: str
    operands: list
    result: Tensor = None
    attributes: dict = field(default_factory=dict)

    def tensors(self):
        return [operand for operand in self.operands if isinstance(operand, Tensor)]

    def parameters(self):
        return [operand for operand in self.tensors() if operand.is_parameter]


def mark_gradients(nodes, training):
    """Determines which tensors have gradients: trained parameters, and what is computed of them in real numbers."""
    for node in nodes:
        if node.operation in ("parameter", "part"):  # theirs is known: its own, or that of the node whose part it is
            continue
        reached = [operand for operand in node.tensors() if operand.has_gradient]
        if node.result is not None:
            node.result.has_gradient = bool(training and reached and node.result.kind == "float"
                                            and node.operation != "constant")
            node.result.is_weight = node.result.is_weight or \
                node.operation == "view" and bool(reached) and all(operand.is_weight for operand in reached)
        for other in node.attributes.get("results", ()):
            other.has_gradient = bool(training and reached and other.kind == "float")
        for operand in reached:
            operand.users += node.result is not None and node.result.has_gradient
