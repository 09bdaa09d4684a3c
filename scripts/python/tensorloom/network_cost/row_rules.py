"""Normalisations, softmax, reductions and losses, on rows of a tensor, on the vector unit."""
import math

from tensorloom.network_cost import vector_kernels as kernels
from tensorloom.network_cost.elementwise_kernels import ELEMENTWISE
from tensorloom.network_cost.rules import modes_of, rule
from tensorloom.network_cost.vector_programs import DoesNotFit, Kernel
from tensorloom.network_cost.work import BACKWARD, FORWARD, LETTERS, WEIGHTS, NotModelled


class RowRules:
    """Part of mapper.NodeCost."""

    @rule("layer_norm")
    def layer_norm(self, node):
        x, weight, bias = (*node.operands, None, None)[:3]
        width = node.attributes["width"]
        rows = x.elements // width
        self.in_plain_order(FORWARD, x, "rows in their order")
        self.vector(FORWARD, kernels.layer_norm(self.bits, width, weight is not None, bias is not None), rows, f"norm of {width:,}")
        to = self.gradient_of(x)
        if to or self.gradient_of(weight):
            self.vector(BACKWARD, kernels.gradient_of_layer_norm(self.bits, width, weight is not None), rows,
                        f"gradient of norm of {width:,}")
        for parameter in (weight, bias):
            to = self.gradient_of(parameter)
            if to:
                self.summed(to[0], "rw", "w", {"r": rows, "w": width}, to[1])

    @rule("softmax", "log_softmax")
    def softmax(self, node):
        x, mode = node.operands[0], node.attributes["mode"] % len(node.operands[0].shape)
        width, logarithm = x.shape[mode], node.operation == "log_softmax"
        letters, sizes = LETTERS[:len(x.shape)], dict(zip(LETTERS, x.shape))
        order = modes_of(x, letters)
        last = order.replace(letters[mode], "") + letters[mode]
        self.permuted(FORWARD, order, last, sizes, "rows of the softmax")
        self.vector(FORWARD, kernels.softmax(self.bits, width, logarithm), x.elements // width, f"softmax of {width:,}")
        self.permuted(FORWARD, last, modes_of(node.result, letters), sizes, "result in its order")
        if self.gradient_of(x):
            self.permuted(BACKWARD, order, last, sizes, "gradient in rows")
            self.vector(BACKWARD, kernels.gradient_of_softmax(self.bits, width, logarithm), x.elements // width,
                        f"gradient of softmax of {width:,}")
            self.permuted(BACKWARD, last, order, sizes, "gradient in its order")

    @rule("reduction")
    def reduction(self, node):
        """sum, mean, largest over some modes; of the last ones in memory on the vector unit, of others with ones on the
        engines."""
        x, code = node.operands[0], node.attributes["code"]
        letters, sizes = LETTERS[:len(x.shape)], dict(zip(LETTERS, x.shape))
        over = {letters[mode % len(x.shape)] for mode in node.attributes["modes"]}
        order = modes_of(x, letters)
        trailing = "".join(mode for mode in order if mode in over)
        kept = "".join(mode for mode in order if mode not in over)
        width, scaled = math.prod(sizes[mode] for mode in trailing), code == "mean"
        if width == 1:
            self.reason = "sums over modes of size 1"
            return
        to = self.gradient_of(x)
        if order.endswith(trailing):
            kernel = kernels.row_reduction(self.bits, width, "max_block" if code == "max" else "sum_block", scaled)
            try:
                self.vector(FORWARD, kernel, x.elements // width, f"{code} of {width:,}")
            except DoesNotFit:
                if code == "max" or kept:
                    raise
                self.reduced_in_pieces(x.elements, scaled)
        elif code == "max":
            raise NotModelled("the largest along a mode that is not the last in memory")
        else:
            self.summed(FORWARD, order, kept, sizes, self.bits)
        if to and code == "max":
            self.vector(to[0], kernels.gradient_of_largest(self.bits, width), x.elements // width, f"gradient of max of {width:,}")
        elif to:
            piece, rows = (width, x.elements // width) if width <= self.settings.device.words // 8 else (1, x.elements)
            self.vector(to[0], kernels.spread_rows(self.bits, piece, scaled), rows, f"gradient of {code}")

    def reduced_in_pieces(self, elements, scaled):
        """A sum of all elements: of rows first, then of their sums."""
        width = self.settings.device.words // 16
        self.vector(FORWARD, kernels.row_reduction(self.bits, width, "sum_block", False, 32), math.ceil(elements / width),
                    f"sums of {width:,}")
        self.vector(FORWARD, kernels.row_reduction(32, math.ceil(elements / width), "sum_block", scaled), 1, "their sum")

    @rule("cross_entropy")
    def cross_entropy(self, node):
        x = node.operands[0]
        width = x.shape[-1]
        rows = x.elements // width
        self.vector(FORWARD, kernels.cross_entropy(self.bits, width), rows, f"loss of {width:,} classes")
        self.vector(FORWARD, kernels.row_reduction(32, rows, "sum_block", True), 1, "mean of the losses")
        if self.gradient_of(x):
            self.vector(BACKWARD, kernels.gradient_of_cross_entropy(self.bits, width), rows,
                        f"gradient of the loss of {width:,} classes")

    @rule("squared_error")
    def squared_error(self, node):
        x = node.operands[0]
        width = x.shape[-1] if x.shape else 1
        rows = x.elements // width
        self.vector(FORWARD, kernels.squared_error(self.bits, width), rows, f"squared errors of {width:,}")
        self.vector(FORWARD, kernels.row_reduction(32, rows, "sum_block", True), 1, "their mean")
        for operand in node.tensors():
            if self.gradient_of(operand):
                kernel = Kernel(self.bits)
                kernel.store(kernel.literal("mul", kernel.op("sub", kernel.load(1), kernel.load(1))))
                self.vector(BACKWARD, kernel, x.elements, "gradient of squared errors")

    @rule("batch_norm")
    def batch_norm(self, node):
        """Statistics over the batch (training) or from before; sums over the batch are contractions with ones."""
        x, weight, bias = (*node.operands, None, None)[:3]
        batch, channels = x.shape[:2]
        pieces = math.prod(x.shape[2:]) // self.piece_of(math.prod(x.shape[2:]))
        batch, places = batch * pieces, math.prod(x.shape[2:]) // pieces
        self.in_plain_order(FORWARD, x, "picture in the order of its channels")
        own = node.attributes["own_statistics"]
        rows = batch * channels
        by_row = places > 1
        if own:
            self.channel_sums(FORWARD, batch, channels, places, kernels.moments, ELEMENTWISE["square"][0])
        kernel = kernels.scaled_rows(self.bits, places) if by_row else kernels.scaled_columns(self.bits, channels)
        self.vector(FORWARD, kernel, rows if by_row else batch, "scaled and shifted")
        gradients = [self.gradient_of(operand) for operand in (x, weight, bias)]
        if any(gradients[1:]) or (gradients[0] and own):
            self.channel_sums(BACKWARD, batch, channels, places, kernels.gradient_moments, None)
        if gradients[0] and own:
            kernel = kernels.gradient_of_scaled_rows(self.bits, places) if by_row else \
                kernels.gradient_of_scaled_columns(self.bits, channels)
            self.vector(BACKWARD, kernel, rows if by_row else batch, "gradient")
        elif gradients[0]:
            kernel = kernels.scaled_rows(self.bits, places) if by_row else kernels.scaled_columns(self.bits, channels)
            self.vector(BACKWARD, kernel, rows if by_row else batch, "gradient, scaled")

    def channel_sums(self, phase, batch, channels, places, by_row, by_element):
        """Two sums over each channel, and what a normalisation needs of them."""
        sizes = {"n": batch, "c": channels}
        if places > 1:
            self.vector(phase, by_row(self.bits, places), batch * channels, f"sums of {places:,}")
        else:
            kernel = kernels.product(self.bits)
            if by_element:
                kernel = Kernel(self.bits)
                kernel.store(by_element(kernel, kernel.load(1)))
            self.vector(phase, kernel, batch * channels, "products")
        for _ in range(2):
            self.summed(phase, "nc", "c", sizes, 32)
        self.vector(phase, kernels.statistics(), channels, "statistics of channels")

    @rule("group_norm")
    def group_norm(self, node):
        x, weight, bias = (*node.operands, None, None)[:3]
        batch, channels = x.shape[:2]
        places, groups = math.prod(x.shape[2:]), node.attributes["groups"]
        width = channels // groups * places
        self.in_plain_order(FORWARD, x, "picture in the order of its channels")
        self.vector(FORWARD, kernels.layer_norm(self.bits, width, False, False), batch * groups, f"norm of {width:,}")
        if weight is not None:
            self.vector(FORWARD, kernels.scaled_rows(self.bits, places), batch * channels, "scaled and shifted")
        if self.gradient_of(weight) or self.gradient_of(bias):
            self.vector(BACKWARD, kernels.gradient_moments(self.bits, places), batch * channels, f"sums of {places:,}")
            for _ in range(2):
                self.summed(WEIGHTS, "nc", "c", {"n": batch, "c": channels}, 32)
        if self.gradient_of(x):
            if weight is not None:
                self.vector(BACKWARD, kernels.scaled_rows(self.bits, places), batch * channels, "gradient, scaled")
            self.vector(BACKWARD, kernels.gradient_of_layer_norm(self.bits, width, False), batch * groups,
                        f"gradient of norm of {width:,}")
