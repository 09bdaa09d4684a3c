"""The cores of a tensorized matrix W, M x N, in the formats and orders of the models of tnn_training
(docs/contraction_search.md#formats): factors of M are rows, of N columns, the first one most significant."""
import math
import string
from dataclasses import dataclass

from tensorloom.run_directory import InputProblem

FORMATS = ("tt", "ttm", "tr", "ht", "bt")
ORDERS = ("mn", "nm")
FEW_FEATURES = 512  # below, a matrix has two factors of rows and columns by default, else three


@dataclass(frozen=True)
class Core:
    name: str
    modes: tuple  # "m1", "n1", "r1", ..; of bt the first one is "k", its blocks
    shape: tuple


def factors_of(number, count):
    """`count` factors of a number, ascending, as equal as they can be: 768 in three is 8 x 8 x 12."""
    best = None

    def search(left, least, chosen):
        nonlocal best
        if len(chosen) == count - 1:
            if left >= least:
                found = (*chosen, left)
                if best is None or found[-1] / found[0] < best[-1] / best[0]:
                    best = found
            return
        factor = least
        while factor ** (count - len(chosen)) <= left:
            if left % factor == 0:
                search(left // factor, factor, (*chosen, factor))
            factor += 1

    search(number, 1, ())
    return best


def positive(what, numbers):
    """A tuple of whole numbers from 1, of a sequence or a text like "16x4"."""
    if isinstance(numbers, str):
        numbers = numbers.replace(",", "x").split("x")
    try:
        found = tuple(int(number) for number in numbers)
        exact = all(float(number) == int(number) for number in numbers)
    except (TypeError, ValueError):
        found, exact = (), False
    if not found or not exact or min(found) < 1:
        raise InputProblem(f"{what} are {numbers!r}, expected whole numbers from 1, like (16, 4) or '16x4'")
    return found


@dataclass(frozen=True)
class TensorizedMatrix:
    """Format, factors and ranks of a matrix. layer_of() makes one."""
    format: str
    rows: tuple
    columns: tuple
    ranks: tuple
    blocks: int = 1
    order: str = "mn"

    @property
    def outputs(self):
        return math.prod(self.rows)

    @property
    def inputs(self):
        return math.prod(self.columns)

    def rank_names(self):
        """In the order of `ranks`."""
        pairs = len(self.rows)
        if self.format == "tr":
            return [f"r{k}" for k in range(pairs + len(self.columns))]
        if self.format == "ht":
            return [f"l{k}" for k in range(1, pairs + 1)] + [modes[0] for _, modes in tree_of(pairs) if len(modes) == 3]
        if self.format == "bt":
            return [f"q{k}" for k in range(1, pairs + 1)]
        return [f"r{k}" for k in range(1, pairs + (len(self.columns) if self.format == "tt" else 0))]

    def sizes(self):
        """Of all modes but the batch."""
        found = {f"m{k}": size for k, size in enumerate(self.rows, 1)}
        found.update({f"n{k}": size for k, size in enumerate(self.columns, 1)})
        found.update(zip(self.rank_names(), self.ranks))
        if self.format == "bt":
            found["k"] = self.blocks
        return found

    def cores(self):
        """In the order in which a model of tnn_training has them as parameters."""
        sizes = self.sizes()
        return [Core(name, tuple(modes), tuple(sizes[mode] for mode in modes)) for name, modes in self.modes_of_cores()]

    def modes_of_cores(self):
        pairs = [[f"m{k}", f"n{k}"] for k in range(1, len(self.rows) + 1)]
        if self.format == "ht":
            return [(f"U{k}", [*pair, f"l{k}"]) for k, pair in enumerate(pairs, 1)] + tree_of(len(pairs))
        if self.format == "bt":
            ranks = [f"q{k}" for k in range(1, len(pairs) + 1)]
            return [(f"A{k}", ["k", *pair, rank]) for k, (pair, rank) in enumerate(zip(pairs, ranks), 1)] + [("S", ["k", *ranks])]
        free = pairs
        if self.format != "ttm":
            rows, columns = ([[f"{letter}{k}"] for k in range(1, len(factors) + 1)]
                             for letter, factors in (("m", self.rows), ("n", self.columns)))
            free = rows + columns if self.order == "mn" else columns + rows
        ring, length = self.format == "tr", len(free)
        return [(f"G{k}", ([f"r{k - 1}"] if ring or k > 1 else []) + modes + ([f"r{k % length}"] if ring or k < length else []))
                for k, modes in enumerate(free, 1)]

    def letters(self):
        """mode -> a letter of an einsum; "b" is the batch."""
        return {mode: letter for mode, letter in zip(["b", *self.sizes()], string.ascii_letters)}

    def term(self, modes):
        letters = self.letters()
        return "".join(letters[mode] for mode in modes)

    def inputs_modes(self):
        return [f"n{k}" for k in range(1, len(self.columns) + 1)]

    def outputs_modes(self):
        return [f"m{k}" for k in range(1, len(self.rows) + 1)]

    def described(self):
        """Keys of a layer in a model file of tnn_training."""
        found = {"format": self.format, "rows": "x".join(map(str, self.rows)), "cols": "x".join(map(str, self.columns))}
        if self.ranks:
            found["ranks"] = ",".join(map(str, self.ranks))
        if self.format == "bt":
            found["blocks"] = self.blocks
        if self.format in ("tt", "tr"):
            found["order"] = self.order
        return found


def tree_of(leaves):
    """Transfer tensors of ht, (name, modes) each, those below before their parent; a node's larger half comes first."""
    found = []

    def add(first, last, root):
        if first == last:
            return f"l{first}"
        middle = first + (last - first + 2) // 2 - 1
        below = [add(first, middle, False), add(middle + 1, last, False)]
        found.append((f"B{first}_{last}", below if root else [f"t{first}_{last}", *below]))
        return f"t{first}_{last}"

    add(1, leaves, True)
    return found


def rank_limits(matrix):
    """The largest rank that adds something, in the order of `ranks`; those of tr and bt are not limited by the others."""
    sizes, names = matrix.sizes(), matrix.rank_names()
    total = matrix.inputs * matrix.outputs
    if matrix.format in ("tt", "ttm"):
        below, limits = 1, []
        for _, modes in matrix.modes_of_cores()[:-1]:
            below *= math.prod(sizes[mode] for mode in modes if mode[0] in "mn")
            limits.append(min(below, total // below))
        return limits
    pairs = [row * column for row, column in zip(matrix.rows, matrix.columns)]
    if matrix.format == "bt":
        return pairs
    if matrix.format == "tr":
        return [total] * len(names)
    limits = {f"l{k}": min(pair, total // pair) for k, pair in enumerate(pairs, 1)}
    for name, modes in tree_of(len(pairs)):
        if len(modes) == 3:
            first, last = (int(place) for place in name[1:].split("_"))
            inside = math.prod(pairs[first - 1:last])
            limits[modes[0]] = min(inside, total // inside)
    return [limits[name] for name in names]


def default_factors(outputs, inputs, format_name):
    count = 2 if min(outputs, inputs) < FEW_FEATURES else 3
    rows, columns = factors_of(outputs, count), factors_of(inputs, count)
    return rows, columns[::-1] if format_name in ("tt", "tr") else columns  # small ones at both ends of a chain


def matrix_of(called, format_name, outputs, inputs, rank, rows=None, columns=None, blocks=1, order="mn"):
    """A TensorizedMatrix. rank: one for all, of which a mode takes what it can use, or all in their order."""
    for what, number in (("out_features", outputs), ("in_features", inputs), ("blocks", blocks)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InputProblem(f"{called}: {what} is {number!r}, expected a whole number from 1")
    if order not in ORDERS:
        raise InputProblem(f"{called}: order is {order!r}, expected 'mn' (rows first) or 'nm'")
    by_default = default_factors(outputs, inputs, format_name)
    if rows is None and columns is not None:
        by_default = (factors_of(outputs, len(positive(f"{called}: cols", columns))), None)
    if columns is None and rows is not None:
        by_default = (None, factors_of(inputs, len(positive(f"{called}: rows", rows))))
    rows = by_default[0] if rows is None else positive(f"{called}: rows", rows)
    columns = by_default[1] if columns is None else positive(f"{called}: cols", columns)
    for what, factors, product in (("rows", rows, outputs), ("cols", columns, inputs)):
        if math.prod(factors) != product:
            raise InputProblem(f"{called}: {what} {'x'.join(map(str, factors))} make {math.prod(factors)}, expected "
                               f"{product} {'outputs' if what == 'rows' else 'inputs'}")
    if format_name not in ("tt", "tr") and len(rows) != len(columns):
        raise InputProblem(f"{called}: {len(rows)} factors of rows and {len(columns)} of cols, expected as many of both")
    if format_name == "ht" and len(rows) < 2:
        raise InputProblem(f"{called}: one factor of rows, expected at least two for a tree")
    return with_ranks(called, TensorizedMatrix(format_name, rows, columns, (), blocks, order), rank)


def with_ranks(called, matrix, rank):
    names = matrix.rank_names()
    several = not isinstance(rank, int)
    if several:
        ranks = positive(f"{called}: ranks", rank)
        if matrix.format in ("tt", "ttm") and len(ranks) == len(names) + 2 and ranks[0] == ranks[-1] == 1:
            ranks = ranks[1:-1]
        if len(ranks) != len(names):
            raise InputProblem(f"{called}: {len(ranks)} ranks, expected {len(names)} ({', '.join(names)}), or one for all")
    elif isinstance(rank, bool) or rank < 1:
        raise InputProblem(f"{called}: rank is {rank!r}, expected a whole number from 1")
    else:
        ranks = (rank,) * len(names)
    found = TensorizedMatrix(matrix.format, matrix.rows, matrix.columns, ranks, matrix.blocks, matrix.order)
    if not several:
        ranks = tuple(min(pair) for pair in zip(ranks, rank_limits(found)))
        found = TensorizedMatrix(matrix.format, matrix.rows, matrix.columns, ranks, matrix.blocks, matrix.order)
    if len(found.letters()) < len(found.sizes()) + 1:
        raise InputProblem(f"{called}: {len(found.sizes()) + 1} modes, expected at most 52")
    return found
