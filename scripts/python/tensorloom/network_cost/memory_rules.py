"""Nodes that move or window elements: pooling, tables, copies; and nodes without work."""
from tensorloom.network_cost import vector_kernels as kernels
from tensorloom.network_cost.rules import modes_of, rule
from tensorloom.network_cost.tensors import Tensor, plain_tensor
from tensorloom.network_cost.work import BACKWARD, FORWARD, LETTERS, UPDATE


class MemoryRules:
    """Part of mapper.NodeCost."""

    @rule("pooling")
    def pooling(self, node):
        x, windows, largest = node.operands[0], node.attributes["windows"], node.attributes["largest"]
        planes = x.elements // windows.pixels
        self.in_plain_order(FORWARD, x, "picture in the order of its channels")
        whole = windows.places == 1 and not largest and not windows.needs_rim
        if whole:
            self.vector(FORWARD, kernels.row_reduction(self.bits, windows.pixels, "sum_block", True), planes,
                        f"mean of {windows.pixels:,}")
        else:
            self.windows(FORWARD, lambda strip: kernels.pooled(self.bits, strip, largest), windows, planes, "pooling")
        if self.gradient_of(x) and whole:
            self.vector(BACKWARD, kernels.spread_rows(self.bits, windows.pixels, True), planes, "gradient of pooling")
        elif self.gradient_of(x):
            self.windows(BACKWARD, lambda strip: kernels.gradient_of_pooled(self.bits, strip, largest), windows, planes,
                         "gradient of pooling")

    @rule("embedding")
    def embedding(self, node):
        indices, table = node.operands[:2]
        rows, width = indices.elements, table.shape[-1]
        stride = max(1, table.shape[0] // max(1, rows)) * width
        self.vector(FORWARD, kernels.table_rows(self.bits, width, stride), rows, f"rows of {width:,}")
        to = self.gradient_of(table)
        if to:
            self.vector(to[0], kernels.gradient_of_table(self.bits, width, stride), rows, f"gradient of rows of {width:,}")
            if self.settings.optimizer == "sgd":  # rows without a token have no gradient, and stay
                owned = node.attributes.get("owned", ())
                if any(parameter is table for parameter in owned):
                    node.attributes["owned"] = [parameter for parameter in owned if parameter is not table]
                    self.vector(UPDATE, kernels.update(self.bits, "sgd", width, stride), rows, "update of rows")

    @rule("copy")
    def copy(self, node):
        """The elements of all operands, in the order of the result."""
        result = node.result
        tensors = node.tensors()
        same = len(tensors) == 1 and tensors[0].shape == result.shape and not tensors[0].is_repeated
        if same and tensors[0].order != result.order:
            for phase, of, to in ((FORWARD, tensors[0], result), (BACKWARD, result, tensors[0])):
                if phase == FORWARD or self.gradient_of(tensors[0]):
                    self.permuted(phase, modes_of(of, LETTERS), modes_of(to, LETTERS), dict(zip(LETTERS, result.shape)),
                                  "permutation")
            return
        for operand in tensors:
            if not operand.is_plain and operand.shape != result.shape:
                self.in_plain_order(FORWARD, operand, "elements in their order")
            else:
                self.vector(FORWARD, kernels.copy(self.bits), min(operand.elements, result.elements), "copy")
            to = self.gradient_of(operand)
            if to and operand.stored_elements() < result.elements and len(tensors) == 1 and operand.is_repeated:
                self.sum_to(to, operand, result)
            elif to:
                self.vector(to[0], kernels.copy(self.bits), min(operand.elements, result.elements), "copy of the gradient")

    @rule("view")
    def view(self, node):
        """No work forward, also for several parts. The gradient of an expanded tensor is a sum, that of a part is written among
        zeros."""
        self.reason = node.attributes.get("reason", "a view: the same memory, read in another order")
        x = node.operands[0] if node.operands else None
        to = self.gradient_of(x) if isinstance(x, Tensor) else None
        parts = node.attributes.get("results", [node.result])
        if to and node.result.is_repeated and not x.is_repeated and len(node.result.shape) >= len(x.shape):
            self.sum_to(to, x, plain_tensor(node.result.shape))
        elif to and sum(part.stored_elements() for part in parts) < x.stored_elements():
            self.vector(to[0], kernels.cleared(self.bits), x.stored_elements(), "gradient among zeros")

    @rule("input", "parameter", "output", "constant", "part", "host")
    def nothing(self, node):
        self.reason = node.attributes.get("reason") or {
            "input": "input of the network, in memory", "parameter": "parameter, in memory", "constant": "constant, in memory",
            "part": "a part of the result of another node",
            "output": "output of the network, in memory", "host": "no tensor: the host computes it"}[node.operation]
