"""The cores of a dense matrix by singular value decompositions, in float64, as the library workloads/tensor_formats has them:
ranks above that of an unfolding are padded with zeros."""
import math

import torch

SWEEPS = 30       # of the blocks of bt, at most
CHANGE = 1e-6     # a sweep that lowers the relative error by less is the last


def leading(unfolding, rank):
    """The `rank` leading left singular vectors, as columns."""
    vectors = torch.linalg.svd(unfolding, full_matrices=False)[0][:, :rank]
    return torch.nn.functional.pad(vectors, (0, rank - vectors.shape[1]))


def in_order_of_cores(dense, matrix):
    """(tensor, its modes): the matrix with the modes of one core after those of another."""
    modes = matrix.outputs_modes() + matrix.inputs_modes()
    order = [mode for _, core in matrix.modes_of_cores() for mode in core if mode in modes]
    tensor = dense.reshape(*matrix.rows, *matrix.columns)
    return tensor.permute([modes.index(mode) for mode in order]), order


def chain(dense, matrix):
    """TT-SVD (Oseledets, 2011): core by core from the left. A ring's first core takes both of its ranks at once (Zhao and
    others, arXiv 1606.05535)."""
    tensor, _ = in_order_of_cores(dense, matrix)
    cores, made = matrix.cores(), []
    ring = matrix.format == "tr"
    rest, rank = tensor.reshape(-1), 1
    for place, core in enumerate(cores[:-1]):
        opens = ring and place == 0
        if opens:
            before, (first, *own, after) = 1, core.shape
        else:
            before, own = rank, [size for mode, size in zip(core.modes, core.shape) if mode[0] in "mn"]
            first, after = 1, core.shape[-1]
        unfolding = rest.reshape(before * math.prod(own), -1)
        vectors = leading(unfolding, first * after)
        rest = vectors.T @ unfolding
        if opens:
            made.append(vectors.reshape(*own, first, after).movedim(-2, 0))
            rest = rest.reshape(first, after, -1).movedim(0, 2)  # its other end has r0
        else:
            made.append(vectors.reshape(core.shape))
        rank = after
    made.append(rest.reshape(cores[-1].shape))
    return made


def hierarchical(dense, matrix):
    """From the leaves to the root, each of what is left (Grasedyck, 2010)."""
    rest, modes = in_order_of_cores(dense, matrix)
    made = []
    cores = matrix.cores()
    for core in cores[:-1]:
        leaf = core.modes[0] in modes
        rank, taken = (core.modes[-1], core.modes[:-1]) if leaf else (core.modes[0], core.modes[1:])
        size = core.shape[-1] if leaf else core.shape[0]
        place, shape = modes.index(taken[0]), rest.shape
        outer, inside = math.prod(shape[:place]), math.prod(shape[place:place + len(taken)])
        around = rest.reshape(outer, inside, -1)
        vectors = leading(around.movedim(1, 0).reshape(inside, -1), size)
        own = vectors.reshape(*shape[place:place + len(taken)], size)
        made.append(own if leaf else own.movedim(-1, 0))
        rest = torch.einsum("oir,ik->okr", around, vectors).reshape(*shape[:place], size, *shape[place + len(taken):])
        modes = modes[:place] + [rank] + modes[place + len(taken):]
    made.append(rest)
    return made


def tucker(tensor, ranks, start=None, sweeps=1):
    """(factors, core) of a tensor, a factor for each of its modes: orthogonal iteration from `start`, or from the leading
    vectors of its unfoldings."""
    factors = start or [leading(tensor.movedim(k, 0).reshape(tensor.shape[k], -1), rank) for k, rank in enumerate(ranks)]
    for _ in range(sweeps):
        for k, rank in enumerate(ranks):
            projected = tensor
            for other, factor in enumerate(factors):
                if other != k:
                    projected = torch.tensordot(projected, factor, ([other], [0])).movedim(-1, other)
            factors[k] = leading(projected.movedim(k, 0).reshape(tensor.shape[k], -1), rank)
    return factors, folded(tensor, [factor.T for factor in factors])


def folded(core, factors):
    """A core times a matrix, rows first, in each of its modes."""
    for k, factor in enumerate(factors):
        core = torch.tensordot(core, factor, ([k], [1])).movedim(-1, k)
    return core


def block_term(dense, matrix):
    """Block by block of what is left; then each block in turn of what the others leave, until the error stays (alternating
    least squares by blocks)."""
    rest, _ = in_order_of_cores(dense, matrix)
    pairs = [row * column for row, column in zip(matrix.rows, matrix.columns)]
    rest, blocks = rest.reshape(pairs), []
    whole = float(rest.norm())
    for _ in range(matrix.blocks):
        factors, core = tucker(rest, matrix.ranks)
        blocks.append((factors, core))
        rest = rest - folded(core, factors)
    error = float(rest.norm())
    for _ in range(SWEEPS if matrix.blocks > 1 else 0):
        for place, (factors, core) in enumerate(blocks):
            rest = rest + folded(core, factors)
            factors, core = blocks[place] = tucker(rest, matrix.ranks, factors)
            rest = rest - folded(core, factors)
        before, error = error, float(rest.norm())
        if before - error <= CHANGE * whole:
            break
    cores = matrix.cores()
    stacked = [torch.stack([factors[k] for factors, _ in blocks]) for k in range(len(pairs))]
    stacked.append(torch.stack([core for _, core in blocks]))
    return [values.reshape(core.shape) for values, core in zip(stacked, cores)]


def cores_of(dense, matrix):
    """The cores of a dense matrix, outputs x inputs, in the order of matrix.cores(), in float64."""
    how = {"ht": hierarchical, "bt": block_term}.get(matrix.format, chain)
    return how(dense.detach().to("cpu", torch.float64), matrix)
