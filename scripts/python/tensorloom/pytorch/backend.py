"""tensordot, matmul, dot and transpose on a simulated FETTA, as libraries call them that let the user choose who computes.

    opt_einsum.contract("ab,bc,cd->ad", x, y, z, backend="tensorloom.pytorch")
    tensorloom.pytorch.register(tensorly)       # then layers of tensorly-torch contract on the device

opt_einsum imports the module that backend= names and calls its tensordot(x, y, axes=(.., ..)), transpose(x, axes) and
einsum(equation, *operands). tensorly's register_backend_method(name, function) replaces functions of these names; its mode products call dot and matmul.
Both give no options: device_options() has them.
"""
import string

import torch

from tensorloom.pytorch.contraction import check_operand, einsum
from tensorloom.run_directory import InputProblem

REGISTERED = ("einsum", "tensordot", "matmul", "dot", "transpose")


def axes_of(axes, a, b):
    """Two lists of places from what numpy and torch accept: a number, or one list (or place) for each tensor."""
    try:
        if isinstance(axes, int):
            if not 0 <= axes <= min(a.ndim, b.ndim):
                raise InputProblem(f"tensordot: the axes are {axes}, expected a number from 0 to {min(a.ndim, b.ndim)}, or two lists")
            return list(range(a.ndim - axes, a.ndim)), list(range(axes))
        first, second = ([part] if isinstance(part, int) else [int(place) for place in part] for part in axes)
    except (TypeError, ValueError):
        raise InputProblem(f"tensordot: the axes are {axes!r}, expected a number, or a list for each tensor") from None
    for places, tensor, called in ((first, a, "first"), (second, b, "second")):
        if any(not -tensor.ndim <= place < tensor.ndim for place in places) or len({p % tensor.ndim for p in places}) != len(places):
            raise InputProblem(f"tensordot: the axes of the {called} tensor are {places}, expected different ones of {tensor.ndim}")
    if len(first) != len(second):
        raise InputProblem(f"tensordot: {len(first)} and {len(second)} axes are given, expected as many for each tensor")
    return [place % a.ndim for place in first], [place % b.ndim for place in second]


def tensordot(a, b, axes=2, dims=None, **options):
    """numpy.tensordot and torch.tensordot, where `axes` is `dims`, on the device; options as of einsum()."""
    for number, operand in enumerate((a, b), 1):
        check_operand(number, operand)
    of_a, of_b = axes_of(axes if dims is None else dims, a, b)
    letters = iter(string.ascii_letters)
    left, right = ([next(letters) for _ in range(tensor.ndim)] for tensor in (a, b))
    for place_a, place_b in zip(of_a, of_b):
        right[place_b] = left[place_a]
    result = [mode for mode in left if mode not in right] + [mode for mode in right if mode not in left]
    return einsum(f"{''.join(left)},{''.join(right)}->{''.join(result)}", a, b, **options)


def transpose(a, axes=None):
    """numpy.transpose: a view on the host, which costs nothing until a contraction reads it."""
    if not isinstance(a, torch.Tensor):
        raise InputProblem(f"transpose: the operand is {type(a).__name__}, expected a tensor of torch")
    places = list(range(a.ndim))[::-1] if axes is None else [int(place) for place in axes]
    if sorted(place % max(a.ndim, 1) for place in places) != list(range(a.ndim)):
        raise InputProblem(f"transpose: the axes are {places}, expected each of {a.ndim} once")
    return a.permute(places)


def matmul(a, b, **options):
    """torch.matmul on the device: matrices, vectors, and stacks of them that broadcast."""
    for number, operand in enumerate((a, b), 1):
        check_operand(number, operand)
        if operand.ndim == 0:
            raise InputProblem(f"matmul: operand {number} is a scalar, expected a vector or more")
    left, of_left = ("k", "") if a.ndim == 1 else ("...ik", "i")
    right, of_right = ("k", "") if b.ndim == 1 else ("...kj", "j")
    stacked = "..." if a.ndim > 1 or b.ndim > 1 else ""
    return einsum(f"{left},{right}->{stacked}{of_left}{of_right}", a, b, **options)


def dot(a, b, **options):
    """tensorly's dot: numpy.dot."""
    for number, operand in enumerate((a, b), 1):
        check_operand(number, operand)
    if a.ndim > 2 and b.ndim > 2:
        return tensordot(a, b, axes=([-1], [-2]), **options)
    return a * b if a.ndim == 0 or b.ndim == 0 else matmul(a, b, **options)


def register(tensorly):
    """Makes tensorly's backend of PyTorch contract on the device: the functions in REGISTERED. tensorly: the module."""
    manager = getattr(tensorly.backend, "BackendManager", tensorly.backend)
    for name in REGISTERED:
        manager.register_backend_method(name, globals()[name])
