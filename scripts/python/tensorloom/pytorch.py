"""Contractions of PyTorch on a simulated FETTA, forward and backward: needs torch, which the rest of the package does not.

    from tensorloom.pytorch import einsum, recorded
    with recorded() as runs:
        y = einsum("bi,io->bo", x, weight)
        y.sum().backward()
    sum(run.cycles for run in runs)
"""
import contextlib

import numpy as np
import torch

from tensorloom.network_cost.from_torch import cost  # noqa: F401: part of this module
from tensorloom.run_directory import InputProblem
from tensorloom.testbenches import FUNCTIONS

TYPES = (torch.float32, torch.bfloat16, torch.float16)
open_records = []  # lists of recorded(), the innermost last


@contextlib.contextmanager
def recorded():
    """A list of the Runs of all contractions inside, forward and backward, in their order."""
    runs = []
    open_records.append(runs)
    try:
        yield runs
    finally:
        open_records[:] = [open_record for open_record in open_records if open_record is not runs]  # equal ones may be open


def modes_of(equation):
    """("ij", "jk", "ik") of "ij,jk->ik"; without an arrow as in torch.einsum: the modes of only one operand, sorted."""
    text = equation.replace(" ", "")
    operands, arrow, result = text.partition("->")
    parts = operands.split(",")
    if len(parts) != 2:
        raise InputProblem(f"einsum: '{equation}' has {len(parts)} operands, expected two")
    if not arrow:
        result = "".join(sorted(mode for mode in set(operands) - {","} if operands.count(mode) == 1))
    return parts[0], parts[1], result


def on_device(modes, a, b, options):
    """The contraction as a float32 tensor; modes are those of a, of b and of the result."""
    left, right, result = modes
    a, b = (operand.detach().float().cpu().numpy() for operand in (a, b))
    run = FUNCTIONS["contract"](f"{left},{right}->{result}", a, b, **options)
    for runs in open_records:
        runs.append(run)
    return torch.from_numpy(np.array(run.result))  # np.array: a scalar keeps its shape


class Contraction(torch.autograd.Function):
    """Both gradients of a contraction are contractions of the gradient of its result with the other operand."""

    @staticmethod
    def forward(context, modes, options, a, b):
        context.save_for_backward(a, b)
        context.modes, context.options = modes, options
        return on_device(modes, a, b, options).to(torch.promote_types(a.dtype, b.dtype)).to(a.device)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context, gradient):
        (a, b), (left, right, result) = context.saved_tensors, context.modes
        of_a = of_b = None
        if context.needs_input_grad[2]:
            of_a = on_device((result, right, left), gradient, b, context.options).to(a.dtype).to(a.device)
        if context.needs_input_grad[3]:
            of_b = on_device((left, result, right), a, gradient, context.options).to(b.dtype).to(b.device)
        return None, None, of_a, of_b


def einsum(equation, a, b, **options):
    """torch.einsum of two operands, on the device. Options are those of tensorloom.contract: operand="f32" keeps
    operands as they are; by default they are rounded to bfloat16. The result has the operands' type; sums are float32.

    Second-order gradients are not supported.
    """
    for operand in (a, b):
        if not isinstance(operand, torch.Tensor):
            raise InputProblem(f"einsum: an operand is {type(operand).__name__}, expected a tensor of torch")
        if operand.dtype not in TYPES:
            raise InputProblem(f"einsum: an operand is {operand.dtype}, expected float32, bfloat16 or float16, as the device sums "
                               f"in float32")
    return Contraction.apply(modes_of(equation), options, a, b)
