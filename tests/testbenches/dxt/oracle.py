"""What a transform of three modes is, in the words of its definition: extended precision, sums as they stand."""
import numpy as np

PI = 4 * np.arctan(np.longdouble(1))


def turn(numerator, denominator):
    """An angle of numerator / denominator turns, the numerator reduced exactly."""
    return 2 * PI * np.mod(numerator, denominator).astype(np.longdouble) / denominator


def hadamard(n):
    matrix = np.ones((1, 1), dtype=np.longdouble)
    while len(matrix) < n:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


def by_sign_changes(matrix):
    changes = (np.diff(matrix, axis=0) != 0).sum(axis=0)
    return matrix[:, np.argsort(changes)]


def unscaled(name, size):
    n, k = np.indices((size, size))
    if name == "dft":
        angle = turn(n * k, size)
        return np.cos(angle) - np.clongdouble(1j) * np.sin(angle)
    if name == "dht":
        angle = turn(n * k, size)
        return np.cos(angle) + np.sin(angle)
    if name == "dct":
        return np.cos(turn((2 * n + 1) * k, 4 * size))
    if name == "dst":
        return np.sin(turn((2 * n + 1) * (k + 1), 4 * size))
    if name == "dwht":
        return hadamard(size)
    if name == "dwht-sequency":
        return by_sign_changes(hadamard(size))
    if name == "identity":
        return np.eye(size, dtype=np.longdouble)
    raise ValueError(name)


def orthonormal_scale(name, size):
    """By which column k of the unscaled matrix is multiplied to become a unit vector."""
    scale = np.full(size, np.sqrt(1 / np.longdouble(size)))
    if name in ("dct", "dst"):
        scale *= np.sqrt(np.longdouble(2))
        scale[0 if name == "dct" else size - 1] = np.sqrt(1 / np.longdouble(size))
    return np.ones(size, np.longdouble) if name == "identity" else scale


def matrix(name, size, norm="orthonormal", inverse=False):
    """C[n, k] weighs element n of the input in element k of the output."""
    plain, scale = unscaled(name, size), orthonormal_scale(name, size)
    unitary = plain * scale
    if norm == "orthonormal" or name == "identity":
        return unitary.conj().T if inverse else unitary
    factor = 2 if name in ("dct", "dst") else 1
    # forward = factor x plain = unitary x diag(factor / scale)
    return (scale / factor)[:, None] * unitary.conj().T if inverse else factor * plain


def product(x, matrices):
    """Y[i,j,k] = sum over a,b,c of X[a,b,c] C1[a,i] C2[b,j] C3[c,k]."""
    wide = np.clongdouble if any(np.iscomplexobj(m) for m in (x, *matrices)) else np.longdouble
    first, second, third = (m.astype(wide) for m in matrices)
    y = np.tensordot(x.astype(wide), third, ([2], [0]))                          # a b k
    y = np.tensordot(y, second, ([1], [0])).transpose(0, 2, 1)                   # a j k
    return np.tensordot(y, first, ([0], [0])).transpose(2, 0, 1)                 # i j k


def transform(x, names, norm="orthonormal", inverse=False):
    names = [names] * 3 if isinstance(names, str) else names
    return product(x, [matrix(name, size, norm, inverse) for name, size in zip(names, x.shape)])


def ramp(shape):
    i, j, k = np.indices(shape)
    return ((7 * i + 11 * j + 13 * k) % 17 - 8).astype(float)


def sparse(shape):
    i, j, k = np.indices(shape)
    return np.where((5 * i + 3 * j + 7 * k) % 3 == 0, ramp(shape), 0.0)


def integer_matrix(mode, size):
    a, b = np.indices((size, size))
    return ((3 * a + 5 * b + mode) % 7 - 3).astype(float)


def sparse_integer_matrix(mode, size):
    """With zeros, also on the diagonal, and with rows of nothing but zeros."""
    a, b = np.indices((size, size))
    kept = np.where((a + 2 * b + mode) % 3 == 0, integer_matrix(mode, size), 0.0)
    kept[1::4] = 0
    return kept
