"""Nodes that compute element by element, with operands that repeat (broadcasting), on the vector unit."""
import math

from tensorloom.network_cost.elementwise_kernels import ELEMENTWISE, Operands
from tensorloom.network_cost.rules import modes_of, rule
from tensorloom.network_cost.tensors import Tensor, plain_tensor
from tensorloom.network_cost.vector_programs import DoesNotFit, Kernel
from tensorloom.network_cost.work import FORWARD, LETTERS


class ElementwiseRules:
    """Part of mapper.NodeCost."""

    @rule("elementwise")
    def elementwise(self, node):
        self.broadcast(node.attributes["function"], [operand for operand in node.operands if isinstance(operand, Tensor)])

    def broadcast(self, function, operands):
        """An operation element by element. Operands that repeat along the first or the last modes are loaded once; others in
        full, as if they were expanded."""
        result = self.node.result
        full = [operand.elements == result.elements and not operand.is_repeated for operand in operands]
        for operand, whole in zip(operands, full):
            if whole and relative_order(operand) != relative_order(result):
                self.permuted(FORWARD, modes_of(operand, LETTERS[-len(operand.shape):]),
                              modes_of(result, LETTERS[-len(result.shape):]),
                              dict(zip(LETTERS[-len(result.shape):], result.shape)), "operand in the order of the result")
        parts = list(self.parts)
        try:
            self.in_blocks(function, operands, full, *ways_of(operands, full, result))
        except DoesNotFit:  # a row that repeats is too long: each operand in full
            self.parts = parts
            self.in_blocks(function, operands, full, result.elements, 1, ["full"] * len(operands))

    def in_blocks(self, function, operands, full, rows, width, ways):
        """The same, forward and backward, by rows of `width` numbers."""
        (forward, backward), result = ELEMENTWISE[function], self.node.result

        def load(kernel, place):
            way = "full" if place is None else ways[place]
            if way == "row":
                return kernel.constant(width)
            return kernel.spread(kernel.load(1), width) if way == "word" else kernel.load(width)

        kernel = Kernel(self.bits)
        loaded = [load(kernel, place) for place in range(len(operands))]
        kernel.store(forward(kernel, *loaded))
        self.vector(FORWARD, kernel, rows, function)
        for place, operand in enumerate(operands[:len(backward)]):
            to = self.gradient_of(operand)
            if not to:
                continue
            reduced = not full[place]
            kernel = Kernel(self.bits)
            if backward[place]:
                values = Operands(lambda which, kernel=kernel: load(kernel, which), len(operands))
                kernel.store(backward[place](kernel, values), self.bits if reduced else to[1])
                self.vector(to[0], kernel, rows, f"gradient of {function}")
            if reduced:
                self.sum_to(to, operand, result)

    def sum_to(self, to, operand, result):
        """The gradient of an operand that was broadcast: summed over the modes along which it repeats."""
        letters = LETTERS[:len(result.shape)]
        own = letters[len(letters) - len(operand.shape):]
        kept = "".join(own[mode] for mode in operand.order)
        self.summed(to[0], modes_of(result, letters), kept, dict(zip(letters, result.shape)), to[1])

    @rule("dropout")
    def dropout(self, node):
        """The mask is another operand, in memory: 0 or 1 / (1 - p)."""
        self.broadcast("dropout", [node.operands[0], plain_tensor(node.operands[0].shape)])


def relative_order(tensor):
    """The order of its modes, counted from the last: comparable between tensors of different numbers of modes."""
    return tuple(mode - len(tensor.shape) for mode in tensor.order)


def ways_of(operands, full, result):
    """(rows, width, how each operand is read: "full", "row" (one for all), "word" (one for each row))."""
    shape = result.shape
    width, ways = None, []
    plain = result.is_plain
    for operand, whole in zip(operands, full):
        own = (1,) * (len(shape) - len(operand.shape)) + operand.shape
        alike = [own[mode] == shape[mode] for mode in range(len(shape))]
        kept = [mode for mode in range(len(shape)) if own[mode] > 1 and alike[mode]]
        way, wanted = "full", None
        if not whole and plain and operand.is_plain and not operand.is_repeated:
            # The first modes left out: a row for all rows; the last ones: a word for each row.
            first = min(kept, default=len(shape))
            last = max(kept, default=-1)
            if all(alike[first:]):
                way, wanted = "row", math.prod(shape[first:])
            elif all(alike[:last + 1]):
                way, wanted = "word", math.prod(shape[last + 1:])
        if wanted is not None and width in (None, wanted):
            width = wanted
        elif wanted is not None:
            way = "full"
        ways.append(way)
    width = width or 1
    return result.elements // width, width, ways
