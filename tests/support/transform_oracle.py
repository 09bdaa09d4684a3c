"""Transforms of three modes by definition: extended precision, direct sums."""
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
    """Factor that makes column k of the unscaled matrix a unit vector."""
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


def block(name, rows, columns, norm="orthonormal", inverse=False):
    """The first rows and columns of the matrix of the larger size."""
    return matrix(name, max(rows, columns), norm, inverse)[:rows, :columns]


def transform(x, names, norm="orthonormal", inverse=False, out_shape=None):
    names = [names] * 3 if isinstance(names, str) else names
    return product(x, [block(name, n, k, norm, inverse) for name, n, k in zip(names, x.shape, out_shape or x.shape)])


def bfloat16(x):
    """Rounds finite numbers to nearest, ties to even, as float32."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32)


def shifted(x, shift):
    """Integers x / 2^shift, to nearest, ties to even."""
    return np.rint(np.asarray(x, np.int64) / 2.0**shift).astype(np.int64)  # rint: ties to even; exact up to 2^53


def sum_over(x, matrix_of_mode, mode, start):
    """One multiply-add per element and row, rows in their order, in the type of the start."""
    sums = np.moveaxis(start.copy(), mode, -1)
    for n, row in enumerate(matrix_of_mode):
        operands = x.take(n, mode)[..., None].astype(start.dtype)
        sums += operands * row.astype(start.dtype)  # of bfloat16 and int8 the product is exact
    return np.moveaxis(sums, -1, mode)


def stages(x, matrices, order, start, rounded):
    """The sums of the last stage. rounded(sums, stage) converts them to operands."""
    for stage, digit in enumerate(order):
        mode = int(digit) - 1
        shape = list(x.shape)
        shape[mode] = matrices[mode].shape[1]
        sums = sum_over(x, matrices[mode], mode, start if stage == 2 else np.zeros(shape, start.dtype))
        if stage < 2:
            x = rounded(sums, stage)
    return sums


def bfloat16_stages(x, matrices, order, start):
    return stages(x, matrices, order, start, lambda sums, stage: bfloat16(sums))


def int8_stages(x, matrices, order, start, shifts):
    """The sums of the last stage, not shifted, and the number of saturated operands."""
    saturated = 0

    def rounded(sums, stage):
        nonlocal saturated
        wide = shifted(sums, shifts[stage])
        narrow = np.clip(wide, -128, 127)
        saturated += np.count_nonzero(wide != narrow)
        return narrow

    return stages(x, matrices, order, start, rounded), saturated


def random(shape, seed=0, complex_elements=False):
    draw = np.random.default_rng(seed)
    real = draw.uniform(-1, 1, shape)
    return real + 1j * draw.uniform(-1, 1, shape) if complex_elements else real


def ramp(shape):
    i, j, k = np.indices(shape)
    return ((7 * i + 11 * j + 13 * k) % 17 - 8).astype(float)


def sparse(shape):
    i, j, k = np.indices(shape)
    return np.where((5 * i + 3 * j + 7 * k) % 3 == 0, ramp(shape), 0.0)


def integer_matrix(mode, size, columns=None):
    a, b = np.indices((size, columns or size))
    return ((3 * a + 5 * b + mode) % 7 - 3).astype(float)


def sparse_integer_matrix(mode, size, columns=None):
    """With zeros, also on the diagonal, and with zero rows."""
    a, b = np.indices((size, columns or size))
    kept = np.where((a + 2 * b + mode) % 3 == 0, integer_matrix(mode, size, columns), 0.0)
    kept[1::4] = 0
    return kept


def stage_counts(x, matrices, order, esop):
    """The result, and counts of each stage by the closed forms. The box is the larger of both sizes in every mode."""
    box = [max(matrix.shape) for matrix in matrices]
    cells = int(np.prod(box))
    stages_found = []
    for stage, digit in enumerate(order):
        mode = int(digit) - 1
        slices = box[int(order[2 if stage < 2 else 0]) - 1]
        count = dict(mode=mode + 1, steps=0, steps_skipped=0, coefficient_sends=0, operand_sends=0, macs=0,
                     macs_skipped=0)
        for n, row in enumerate(matrices[mode]):
            if esop and not row.any():
                count["steps_skipped"] += 1
                continue
            driven = np.count_nonzero(x.take(n, mode)) if esop else cells // box[mode]
            coefficients = np.count_nonzero(row) if esop else box[mode]
            tag_alone = esop and (n >= len(row) or row[n] == 0)
            count["steps"] += 1
            count["coefficient_sends"] += slices * (coefficients + (1 if tag_alone else 0))
            count["operand_sends"] += driven
            count["macs"] += coefficients * driven
        count["macs_skipped"] = cells * len(matrices[mode]) - count["macs"]
        stages_found.append(count)
        x = np.moveaxis(np.tensordot(x, matrices[mode], ([mode], [0])), -1, mode)
    return x, stages_found
