"""Maps the nodes of a network to programs of a FETTA. Both front ends use it.

Every node is a job of its own: it reads its operands from memory and writes its result back. Tensors between nodes have the
format of the operands (bf16, or float32 with operand="f32"), gradients of parameters, masters and the optimizer's state
float32.
"""
import math

from tensorloom.network_cost import vector_kernels as kernels
from tensorloom.network_cost.tensors import Tensor, plain_tensor
from tensorloom.network_cost.vector_programs import DoesNotFit, Kernel
from tensorloom.network_cost.work import (BACKWARD, FORWARD, LETTERS, UPDATE, WEIGHTS, NotModelled, Part, contraction, layer_work,
                                          vector_work)

OPTIMIZERS = ("sgd", "momentum", "adam", None)
RULES = {}  # operation -> method of NodeCost


def rule(*operations):
    def register(function):
        RULES.update(dict.fromkeys(operations, function))
        return function
    return register


class Settings:
    """bits: of numbers between nodes; device: of FETTA; optimizer: of the update; training: a step, not the forward pass
    alone."""

    def __init__(self, device, bits=16, training=True, optimizer="sgd"):
        self.device, self.bits, self.training, self.optimizer = device, bits, training, optimizer


def modes_of(tensor, letters):
    """The modes of a tensor in the order of memory."""
    return "".join(letters[mode] for mode in tensor.order)


class NodeCost:
    """The programs of one node; built by a rule."""

    def __init__(self, node, settings):
        self.node, self.settings, self.bits = node, settings, settings.bits
        self.parts = []
        self.reason = ""          # why a node does no work
        self.not_modelled = None  # why it has no program
        self.macs = None          # of a node that is not modelled, if they can be counted
        try:
            if node.operation == "unknown":
                raise NotModelled(node.attributes["reason"], node.attributes.get("macs"))
            RULES[node.operation](self, node)
            self.add_up_gradients()
            self.update()
        except (NotModelled, DoesNotFit) as why:
            self.parts, self.not_modelled, self.macs = [], str(why), getattr(why, "macs", None)

    # ---- building blocks ---------------------------------------------------------------------------------------------------

    def vector(self, phase, kernel, rows, what, count=1):
        if rows > 0 and count > 0:
            self.parts.append(Part(phase, vector_work(kernel, rows, self.settings.device, what), count))

    def contract(self, phase, a, b, c, sizes, store, count=1):
        self.parts.append(Part(phase, contraction(a, b, c, sizes, store), count))

    def gradient_of(self, tensor):
        """(phase, bits) of the gradient of an operand; None if the step does not compute it."""
        if not (self.settings.training and tensor is not None and tensor.has_gradient and self.node.result.has_gradient):
            return None
        return (WEIGHTS, 32) if tensor.is_weight else (BACKWARD, self.bits)

    def product(self, a, left, b, right, result, out, count=1):
        """A contraction with its gradients: letters by mode of each tensor."""
        sizes = {}
        for tensor, letters in ((a, left), (b, right), (result, out)):
            for mode, letter in enumerate(letters):
                sizes[letter] = max(sizes.get(letter, 1), tensor.shape[mode])
        m, n, r = (modes_of(tensor, letters) for tensor, letters in ((a, left), (b, right), (result, out)))
        self.contract(FORWARD, m, n, r, sizes, self.bits, count)
        for tensor, own, other in ((a, m, n), (b, n, m)):
            to = self.gradient_of(tensor)
            if to:
                self.contract(to[0], r, other, own, sizes, to[1], count)

    def summed(self, phase, tensor_modes, kept, sizes, bits):
        """The sum over all modes but those kept: a contraction with ones."""
        ones = "".join(mode for mode in tensor_modes if mode not in kept and sizes[mode] > 1)
        if ones:
            self.contract(phase, tensor_modes, ones, kept, sizes, bits)

    def permuted(self, phase, source, target, sizes, what):
        """A tensor in another order of modes: texts of modes, in the order of memory."""
        source, target = ("".join(mode for mode in text if sizes[mode] > 1) for text in (source, target))
        (source, target), sizes = fused_order(source, target, sizes)
        if source == target:
            return
        if source[-1] != target[-1]:
            # Brings the last mode of the target to the end: a transposition of what follows it.
            place = source.index(target[-1])
            before, after = source[:place], source[place + 1:]
            self.transposed(phase, *(math.prod(sizes[mode] for mode in text) for text in (before, target[-1], after)), what)
            self.permuted(phase, before + after + target[-1], target, sizes, what)
            return
        strides, step = {}, 1
        for mode in reversed(source):
            strides[mode], step = step, step * sizes[mode]
        for outer in range(1, len(target)):
            # Rows along the mode before; those of modes before it are programs of their own.
            row = target[outer:]
            runs = tuple(sizes[mode] for mode in row), tuple(strides[mode] for mode in row)
            along = target[outer - 1]
            kernel = kernels.copy(self.bits, math.prod(runs[0]), stride=strides[along], runs=runs)
            try:
                self.vector(phase, kernel, sizes[along], what, math.prod(sizes[mode] for mode in target[:outer - 1]))
                return
            except DoesNotFit:
                continue
        raise NotModelled("a permutation whose rows do not fit the unified memory")

    def transposed(self, phase, count, rows, columns, what):
        """`count` matrices, each transposed: on chip, in strips of columns if it is large."""
        for strips in (divisor for divisor in range(1, columns + 1) if columns % divisor == 0):
            width = columns // strips
            try:
                if strips == 1:
                    self.vector(phase, kernels.transposed(self.bits, rows, columns), count, what)
                else:
                    self.vector(phase, kernels.transposed(self.bits, rows, width, columns), strips, what, count)
                return
            except DoesNotFit:
                continue
        raise NotModelled("a transposition whose columns do not fit the unified memory")

    def windows(self, phase, kernel_of, windows, planes, what):
        """Of pictures, each in one piece or, if it is large, in strips."""
        for strips, strip in windows.strips():
            try:
                self.vector(phase, kernel_of(strip), planes * strips, what)
                return
            except DoesNotFit:
                continue
        raise NotModelled("a picture of which not one row of the result fits the unified memory")

    def piece_of(self, width):
        """The largest divisor of a row that has room on chip, in operations that may cut rows."""
        most = max(1, self.settings.device.words // 16)
        return next(width // parts for parts in range(1, width + 1) if width % parts == 0 and width // parts <= most)

    def in_plain_order(self, phase, tensor, what):
        """An operation on rows needs them contiguous."""
        self.permuted(phase, modes_of(tensor, LETTERS), LETTERS[:len(tensor.shape)], dict(zip(LETTERS, tensor.shape)), what)

    def add_up_gradients(self):
        """The gradient of a tensor with several users is the sum of theirs."""
        result = self.node.result
        if self.settings.training and result is not None and result.has_gradient and result.users > 1:
            to = (WEIGHTS, 32) if result.is_weight else (BACKWARD, self.bits)
            kernel = Kernel(to[1])
            kernel.store(kernel.op("add", kernel.load(1), kernel.load(1)))
            self.vector(to[0], kernel, result.stored_elements(), "sum of gradients", result.users - 1)

    def update(self):
        """Of the parameters that belong to this node."""
        if not self.settings.training or not self.settings.optimizer:
            return
        own = [self.node.result] if self.node.operation == "parameter" else self.node.attributes.get("owned", ())
        for parameter in own:
            if parameter.has_gradient:
                self.vector(UPDATE, kernels.update(self.bits, self.settings.optimizer), parameter.elements, "update")

    # ---- contractions ------------------------------------------------------------------------------------------------------

    @rule("linear")
    def linear(self, node):
        x, weight, bias = (*node.operands, None)[:3]
        batch = LETTERS[:len(x.shape) - 1]
        self.product(x, batch + "I", weight, "OI", node.result, batch + "O")
        self.add_row(bias, x.elements // x.shape[-1], weight.shape[0])

    def add_row(self, bias, rows, width):
        """A bias, and its gradient: the contraction of dY with ones."""
        if bias is None:
            return
        kernel = Kernel(self.bits)
        kernel.store(kernel.op("add", kernel.load(width), kernel.constant(width)))
        self.vector(FORWARD, kernel, rows, f"bias of {width:,}")
        to = self.gradient_of(bias)
        if to:
            self.summed(to[0], "rw", "w", {"r": rows, "w": width}, to[1])

    @rule("einsum")
    def einsum(self, node):
        letters, out = node.attributes["modes"], node.attributes["result"]
        tensors, texts = list(node.operands), list(letters)
        if len(tensors) == 1:
            self.single(node, texts[0], out)
        while len(tensors) > 1:
            place, kept = cheapest_pair(tensors, texts, out)
            a, b = (tensors[i] for i in place)
            left, right = (texts[i] for i in place)
            last = len(tensors) == 2
            result = node.result if last else intermediate(kept, tensors, texts, a.has_gradient or b.has_gradient)
            self.product(a, left, b, right, result, out if last else kept)
            tensors = [tensor for i, tensor in enumerate(tensors) if i not in place] + [result]
            texts = [text for i, text in enumerate(texts) if i not in place] + [kept]

    def single(self, node, text, out):
        x = node.operands[0]
        sizes = dict(zip(text, x.shape))
        if sorted(text) != sorted(out):
            raise NotModelled("an einsum of one operand with a sum or a diagonal")
        self.permuted(FORWARD, modes_of(x, text), modes_of(node.result, out), sizes, "permutation")

    @rule("matmul")
    def matmul(self, node):
        a, b = node.operands[:2]
        left, right, out = matmul_modes(a, b)
        self.product(a, left, b, right, node.result, out)
        if len(node.operands) > 2:  # baddbmm, addmm: another tensor is added
            self.broadcast("add", [node.result, node.operands[2]])

    @rule("convolution")
    def convolution(self, node):
        x, weight, bias = (*node.operands, None)[:3]
        groups, windows = node.attributes["groups"], node.attributes["windows"]
        batch, channels, out_channels, area = x.shape[0], x.shape[1], weight.shape[0], windows.kernel[0] * windows.kernel[1]
        sizes = {"n": batch, "g": groups, "q": channels // groups * area, "o": out_channels // groups, "p": windows.places}
        self.in_plain_order(FORWARD, x, "picture in the order of its channels")
        is_product = area == 1 and not windows.needs_rim and windows.places == windows.pixels
        if not is_product:
            self.windows(FORWARD, lambda strip: kernels.patches(self.bits, strip), windows, batch * channels, f"patches of {area} pixels")
        self.contract(FORWARD, "ngqp", "goq", "ngop", sizes, self.bits)
        if bias is not None:
            kernel, width = Kernel(self.bits), self.piece_of(windows.places)
            y = kernel.load(width)
            kernel.store(kernel.op("add", y, kernel.spread(kernel.load(1), width)))
            self.vector(FORWARD, kernel, batch * out_channels * windows.places // width, f"bias of {out_channels:,}")
            to = self.gradient_of(bias)
            if to:
                self.summed(to[0], "nop", "o", {"n": batch, "o": out_channels, "p": windows.places}, to[1])
        to = self.gradient_of(weight)
        if to:
            self.contract(to[0], "ngop", "ngqp", "goq", sizes, to[1])
        to = self.gradient_of(x)
        if to:
            self.contract(to[0], "ngop", "goq", "ngqp", sizes, to[1])
            if not is_product:
                self.windows(to[0], lambda strip: kernels.summed_patches(self.bits, strip), windows, batch * channels,
                             f"sums of patches of {area} pixels")

    @rule("tensorized")
    def tensorized(self, node):
        layer, x = node.attributes["layer"], node.operands[0]
        batch = x.elements // x.shape[-1]
        if not self.gradient_of(node.attributes["weights"]):
            phases = "fp"
        else:
            phases = "fp,bp,wg,update" if self.settings.optimizer == "sgd" else "fp,bp,wg"
        dx = phases != "fp" and bool(self.gradient_of(x))
        self.parts.append(Part("step" if phases != "fp" else FORWARD, layer_work(layer, batch, phases, dx)))
        bias = node.attributes.get("bias")
        self.add_row(bias, batch, math.prod(layer["rows"]))
        if self.settings.optimizer == "sgd":  # the step has its own update of the cores
            node.attributes["owned"] = [bias] if bias is not None else []

    @rule("attention")
    def attention(self, node):
        """nn.MultiheadAttention: projections, scores, softmax, mixture, output."""
        for inner in node.attributes["nodes"]:
            self.inside(inner)

    def inside(self, node):
        """The parts of a node inside of this one."""
        cost = NodeCost(node, self.settings)
        if cost.not_modelled:
            raise NotModelled(cost.not_modelled, cost.macs)
        self.parts += cost.parts

    # ---- element by element ------------------------------------------------------------------------------------------------

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
                self.permuted(FORWARD, modes_of(operand, LETTERS[-len(operand.shape):]), modes_of(result, LETTERS[-len(result.shape):]),
                              dict(zip(LETTERS[-len(result.shape):], result.shape)), "operand in the order of the result")
        parts = list(self.parts)
        try:
            self.in_blocks(function, operands, full, *ways_of(operands, full, result))
        except DoesNotFit:  # a row that repeats is too long: each operand in full
            self.parts = parts
            self.in_blocks(function, operands, full, result.elements, 1, ["full"] * len(operands))

    def in_blocks(self, function, operands, full, rows, width, ways):
        """The same, forward and backward, by rows of `width` numbers."""
        (forward, backward), result = kernels.ELEMENTWISE[function], self.node.result

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
                values = kernels.Operands(lambda which, kernel=kernel: load(kernel, which), len(operands))
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

    # ---- rows --------------------------------------------------------------------------------------------------------------

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
            self.vector(BACKWARD, kernels.gradient_of_cross_entropy(self.bits, width), rows, f"gradient of the loss of {width:,} classes")

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
            self.channel_sums(FORWARD, batch, channels, places, kernels.moments, kernels.ELEMENTWISE["square"][0])
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
            self.vector(BACKWARD, kernels.gradient_of_layer_norm(self.bits, width, False), batch * groups, f"gradient of norm of {width:,}")

    # ---- pictures, tables, copies ------------------------------------------------------------------------------------------

    @rule("pooling")
    def pooling(self, node):
        x, windows, largest = node.operands[0], node.attributes["windows"], node.attributes["largest"]
        planes = x.elements // windows.pixels
        self.in_plain_order(FORWARD, x, "picture in the order of its channels")
        whole = windows.places == 1 and not largest and not windows.needs_rim
        if whole:
            self.vector(FORWARD, kernels.row_reduction(self.bits, windows.pixels, "sum_block", True), planes, f"mean of {windows.pixels:,}")
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

    @rule("dropout")
    def dropout(self, node):
        """The mask is another operand, in memory: 0 or 1 / (1 - p)."""
        self.broadcast("dropout", [node.operands[0], plain_tensor(node.operands[0].shape)])

    @rule("copy")
    def copy(self, node):
        """The elements of all operands, in the order of the result."""
        result = node.result
        tensors = node.tensors()
        if len(tensors) == 1 and tensors[0].shape == result.shape and not tensors[0].is_repeated and tensors[0].order != result.order:
            for phase, of, to in ((FORWARD, tensors[0], result), (BACKWARD, result, tensors[0])):
                if phase == FORWARD or self.gradient_of(tensors[0]):
                    self.permuted(phase, modes_of(of, LETTERS), modes_of(to, LETTERS), dict(zip(LETTERS, result.shape)), "permutation")
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
        """No work forward, also for several parts; the gradient of an expanded tensor is a sum, that of a part is written among zeros."""
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


# ---- modes ---------------------------------------------------------------------------------------------------------------

def fused_order(source, target, sizes):
    """Modes that follow one another in both orders as one."""
    sizes, modes = dict(sizes), [source, target]
    place = 0
    while place + 1 < len(modes[0]):
        first, second = modes[0][place:place + 2]
        if first + second in modes[1]:
            sizes[first] *= sizes[second]
            modes = [text.replace(second, "") for text in modes]
        else:
            place += 1
    return modes, sizes


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


def matmul_modes(a, b):
    """The modes of torch.matmul: leading ones are batch modes, aligned from the right."""
    left_batch, right_batch = max(0, len(a.shape) - 2), max(0, len(b.shape) - 2)
    batch = LETTERS[:max(left_batch, right_batch)]
    left = batch[len(batch) - left_batch:] + ("IK" if len(a.shape) > 1 else "K")
    right = batch[len(batch) - right_batch:] + ("KJ" if len(b.shape) > 1 else "K")
    out = batch + ("I" if len(a.shape) > 1 else "") + ("J" if len(b.shape) > 1 else "")
    return left, right, out


def cheapest_pair(tensors, texts, out):
    """The pair of operands whose contraction has fewest multiply-adds, and the modes of its result."""
    sizes = {mode: size for tensor, text in zip(tensors, texts) for mode, size in zip(text, tensor.shape)}
    best = None
    for i in range(len(texts)):
        for j in range(i + 1, len(texts)):
            others = set(out).union(*(text for k, text in enumerate(texts) if k not in (i, j)))
            both = dict.fromkeys(texts[i] + texts[j])
            macs = math.prod(sizes[mode] for mode in both)
            if best is None or macs < best[0]:
                best = macs, (i, j), "".join(mode for mode in both if mode in others)
    return best[1], best[2]


def intermediate(text, tensors, texts, has_gradient):
    sizes = {mode: size for tensor, own in zip(tensors, texts) for mode, size in zip(own, tensor.shape)}
    return plain_tensor([sizes[mode] for mode in text], has_gradient=has_gradient)
