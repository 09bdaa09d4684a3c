"""The order in which several operands are contracted, two at a time: a given one, or the best of contraction_search."""
import functools
import itertools
import math

from tensorloom.run_directory import InputProblem
from tensorloom.testbenches import FUNCTIONS

OBJECTIVES = ("macs", "memory", "traffic")
MOST_EXACT = 10  # operands of fewest_macs(): it compares 3^n / 2 pairs of sets


def path_of(equation, path=None):
    """Pairs of places, as numpy and opt_einsum have them: both are removed, and their contraction is appended."""
    count = len(equation.operands)
    if count < 3 and path is None:
        return [(0, 1)] if count == 2 else []
    if path is None or isinstance(path, str):
        if path not in (None, *OBJECTIVES):
            raise InputProblem(f"einsum: the path is '{path}', expected a list of pairs, or one of {', '.join(OBJECTIVES)}")
        return list(searched(equation.operands, equation.result, tuple(sorted(equation.sizes.items())), path or "macs"))
    return list(pairs_of(path, count))


def pairs_of(path, count):
    """The pairs of a given path. A step of one operand is none; one of more is several pairs, from left to right."""
    try:
        steps = [tuple(step) for step in path if step != "einsum_path"]  # numpy's begins with its name
    except TypeError:
        raise InputProblem(f"einsum: the path is {path!r}, expected a list of pairs of operands") from None
    for step in steps:
        places = sorted(set(step)) if all(isinstance(place, int) for place in step) else []
        if not places or len(places) != len(step) or places[0] < 0 or places[-1] >= count:
            raise InputProblem(f"einsum: the path has the step {step}, expected different operands from 0 to {count - 1}")
        if len(step) == 1:
            yield from () if count == 1 else ((places[0], None),)
            continue
        yield step[0], step[1]
        left = count - 2  # the place of what they become
        rest = [place - sum(place > gone for gone in step[:2]) for place in step[2:]]
        while rest:
            place = rest.pop(0)
            yield left, place
            rest = [other - (other > place) for other in rest]
            left -= 1
        count -= len(step) - 1
    if count != 1:
        raise InputProblem(f"einsum: the path leaves {count} operands, expected one")


@functools.lru_cache(maxsize=1024)
def searched(operands, result, sizes, objective):
    """The best path by contraction_search."""
    sizes, names = dict(sizes), [f"operand{number}" for number in range(1, len(operands) + 1)]
    used = {letter for operand in operands for letter in operand}
    network = {"nodes": [[name, list(operand)] for name, operand in zip(names, operands)], "out": list(result),
               "sizes": {letter: sizes[letter] for letter in used}}
    run = FUNCTIONS["contraction_search"](network=network, objective=objective)
    left, path = list(names), []
    for a, b, made in run.summary["sequence"]["steps"]:
        path.append((left.index(a), left.index(b)))
        left = [name for name in left if name not in (a, b)] + [made]
    return tuple(path)


def kept(a, b, others, result):
    """The modes of the contraction of two operands: those that the result or another operand needs, a's before b's."""
    needed = set(result).union(*others)
    return "".join(mode for mode in a + "".join(mode for mode in b if mode not in a) if mode in needed)


def fewest_macs(operands, result, sizes):
    """(multiply-adds, path) without contraction_search, for PyTorch's own arithmetic: exact for few operands, else the
    cheapest pair at each step."""
    if len(operands) > MOST_EXACT:
        return cheapest_pairs(operands, result, sizes)
    everything = frozenset(range(len(operands)))

    def modes_of(chosen):
        outside = set(result).union(*(operands[i] for i in everything - chosen))
        return frozenset(mode for i in chosen for mode in operands[i] if mode in outside or len(chosen) == 1)

    best = {frozenset([i]): (0, i) for i in everything}
    for size in range(2, len(operands) + 1):
        for chosen in map(frozenset, itertools.combinations(range(len(operands)), size)):
            first, *others = sorted(chosen)
            options = []
            for count in range(len(others)):
                for more in itertools.combinations(others, count):
                    left = frozenset([first, *more])
                    right = chosen - left
                    macs = math.prod(sizes[mode] for mode in modes_of(left) | modes_of(right))
                    options.append((best[left][0] + best[right][0] + macs, (best[left][1], best[right][1])))
            best[chosen] = min(options, key=lambda option: option[0])
    macs, tree = best[everything]
    left, path = list(range(len(operands))), []

    def place(node):
        if isinstance(node, int):
            return node
        a, b = place(node[0]), place(node[1])
        path.append((left.index(a), left.index(b)))
        left[:] = [other for other in left if other not in (a, b)] + [node]
        return node

    place(tree)
    return macs, path


def cheapest_pairs(operands, result, sizes):
    left, path, total = list(operands), [], 0
    while len(left) > 1:
        costs = []
        for a, b in itertools.combinations(range(len(left)), 2):
            others = [modes for place, modes in enumerate(left) if place not in (a, b)]
            made = kept(left[a], left[b], others, result)
            macs = math.prod(sizes[mode] for mode in {*left[a], *left[b]})
            costs.append((not set(left[a]) & set(left[b]), macs, a, b, made))
        _, macs, a, b, made = min(costs)
        total += macs
        path.append((a, b))
        left = [modes for place, modes in enumerate(left) if place not in (a, b)] + [made]
    return total, path
