"""Tucker decompositions as the papers write them, by numpy."""
import numpy as np


def unfold(x, mode):
    return np.moveaxis(x, mode, 0).reshape(x.shape[mode], -1)


def leading(matrix, rank):
    return np.linalg.svd(matrix, full_matrices=False)[0][:, :rank]


def tails(matrix):
    """tails[r]: the sum of the squares of the singular values behind the first r."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return np.append(np.cumsum(values[::-1]**2)[::-1], 0)


def times(x, matrices):
    """x times matrices, K_s x N_s, along modes; None: the mode stays."""
    for mode, matrix in enumerate(matrices):
        if matrix is not None:
            x = np.moveaxis(np.tensordot(matrix, x, (1, mode)), 0, mode)
    return x


def transposed(factors):
    return [factor.T for factor in factors]


def hosvd(x, ranks):
    return [leading(unfold(x, mode), rank) for mode, rank in enumerate(ranks)]


def st_hosvd(x, ranks):
    factors, left = [], x
    for mode, rank in enumerate(ranks):
        factors.append(leading(unfold(left, mode), rank))
        left = times(left, [factors[-1].T if mode == m else None for m in range(3)])
    return factors


def hooi(x, ranks, iterations):
    factors = st_hosvd(x, ranks)
    for _ in range(iterations):
        for mode, rank in enumerate(ranks):
            others = [None if m == mode else factor.T for m, factor in enumerate(factors)]
            factors[mode] = leading(unfold(times(x, others), mode), rank)
    return factors


def error(x, factors):
    """|X - X~| / |X|"""
    approximation = times(times(x, transposed(factors)), factors)
    return np.linalg.norm(x - approximation) / np.linalg.norm(x)
