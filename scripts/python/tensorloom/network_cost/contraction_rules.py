"""Nodes that are contractions: products of matrices, einsum, convolutions as products with patches, tensorized layers."""
import math

from tensorloom.network_cost import vector_kernels as kernels
from tensorloom.network_cost.rules import modes_of, rule
from tensorloom.network_cost.tensors import plain_tensor
from tensorloom.network_cost.vector_programs import Kernel
from tensorloom.network_cost.work import FORWARD, LETTERS, NotModelled, Part, layer_work


class ContractionRules:
    """Part of mapper.NodeCost."""

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
        left, right, out = node.attributes.get("modes") or matmul_modes(a, b)
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
            self.windows(FORWARD, lambda strip: kernels.patches(self.bits, strip), windows, batch * channels,
                         f"patches of {area} pixels")
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
        if not self.gradient_of(node.attributes["weights"]) and self.gradient_of(x):
            raise NotModelled("a frozen layer that passes a gradient on: tnn_step has no bp without wg")
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
            for tensor in (*inner.tensors(), inner.result):
                if not tensor.is_weight and not any(tensor is own for own in node.operands):
                    tensor.has_gradient = node.result.has_gradient
            self.inside(inner)

    def inside(self, node):
        """The parts of a node inside of this one."""
        cost = type(self)(node, self.settings)
        if cost.not_modelled:
            raise NotModelled(cost.not_modelled, cost.macs)
        self.parts += cost.parts


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
