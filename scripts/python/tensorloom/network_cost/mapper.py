"""Maps the nodes of a network to programs of a FETTA. Both front ends use it.

Every node is a job of its own: it reads its operands from memory and writes its result back. Tensors between nodes have the
format of the operands (bf16, or float32 with operand="f32"), gradients of parameters, masters and the optimizer's state
float32.
"""
import math

from tensorloom.equations import merged
from tensorloom.network_cost import vector_kernels as kernels
from tensorloom.network_cost.contraction_rules import ContractionRules
from tensorloom.network_cost.elementwise_rules import ElementwiseRules
from tensorloom.network_cost.memory_rules import MemoryRules
from tensorloom.network_cost.row_rules import RowRules
from tensorloom.network_cost.rules import RULES, modes_of
from tensorloom.network_cost.vector_programs import DoesNotFit, Kernel
from tensorloom.network_cost.work import BACKWARD, FORWARD, LETTERS, UPDATE, WEIGHTS, NotModelled, Part, contraction, vector_work
from tensorloom.run_directory import InputProblem

OPTIMIZERS = ("sgd", "momentum", "adam", None)


def check_step(training, optimizer):
    if not isinstance(training, bool):
        raise InputProblem(f"cost: training is {training!r}, expected True or False")
    if optimizer not in OPTIMIZERS:
        raise InputProblem(f"cost: optimizer is {optimizer!r}, expected one of {', '.join(map(repr, OPTIMIZERS))}")


class Settings:
    """bits: of numbers between nodes; device: of FETTA; optimizer: of the update; training: a step, not the forward pass
    alone."""

    def __init__(self, device, bits=16, training=True, optimizer="sgd"):
        self.device, self.bits, self.training, self.optimizer = device, bits, training, optimizer


class NodeCost(ContractionRules, ElementwiseRules, RowRules, MemoryRules):
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

    # ---- building blocks ---------------------------------------------------------------------------------------------

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
        (source, target), sizes = merged((source, target), sizes)
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
        """An operation on windows of pictures: each picture in one piece or, if it is large, in strips."""
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
        """Updates the parameters that belong to this node."""
        if not self.settings.training or not self.settings.optimizer:
            return
        own = [self.node.result] if self.node.operation == "parameter" else self.node.attributes.get("owned", ())
        for parameter in own:
            if parameter.has_gradient:
                self.vector(UPDATE, kernels.update(self.bits, self.settings.optimizer), parameter.elements, "update")
