"""A claim of a paper, and what the points of a study say about it: numbers computed from the table of points, and the first
verdict whose condition holds.

A formula is arithmetic with numbers, comparisons, `and`, `or`, `not`, and names. Outside of the functions over points a name
is one of the values above it; inside, it is also a measure, or an option by the label of its column with - and . as _ (and class as class_).

    most(abs(steps / (n1 + n2 + n3) - 1))      over all points; also least, mean, total
    every(steps == 3 * p)                      true or false; also some
    count(cycles > 0)                          points
    slope(log2(cycles), log2(length))          of the straight line nearest to them
    the(cycles, mesh="8x8x8")                  of the one point of which this is true
    mean(error, sparsity="esop", zeros=0.9)    every function takes options of the points that it is over; an option that
                                               a point does not have is ""
"""
import ast
import keyword
import math
import operator

from tensorloom.answers import filled
from tensorloom.run_directory import InputProblem

VERDICTS = ("reproduced", "reproduced under a condition", "not reproduced")
SCALES = ("linear", "logarithmic")

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow,
             ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
             ast.GtE: operator.ge, ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
OF_NUMBERS = {"abs": abs, "log2": math.log2, "log10": math.log10, "sqrt": math.sqrt, "ceil": math.ceil, "max": max, "min": min}


def slope(y, x):
    """Of the straight line with the least squares of differences."""
    middle_x, middle_y = mean(x), mean(y)
    return math.fsum((one - middle_x) * (other - middle_y) for one, other in zip(x, y)) / math.fsum((one - middle_x) ** 2 for one in x)


def only(values):
    if len(values) != 1:
        raise ValueError(f"the() is over {len(values)} points, expected one")
    return values[0]


def mean(values):
    return math.fsum(values) / len(values)


OVER_POINTS = {"most": max, "least": min, "mean": mean, "total": math.fsum, "every": all, "some": any, "count": sum, "the": only}
OVER_PAIRS = {"slope": slope}


def name_in_formulas(label):
    name = label.replace("-", "_").replace(".", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


class Formula:
    """An expression that reads nothing but names and calls nothing but these functions. ValueError for another one."""

    def __init__(self, text):
        self.text = text
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(f"'{text}' is not a formula") from None
        self.check(self.tree)

    def check(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)) or isinstance(node, ast.Name):
            return
        if isinstance(node, ast.Call):
            self.check_call(node)
            parts = [*node.args, *(named.value for named in node.keywords)]
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            parts = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            parts = [node.operand]
        elif isinstance(node, ast.BoolOp):
            parts = node.values
        elif isinstance(node, ast.Compare) and all(type(one) in OPERATORS for one in node.ops):
            parts = [node.left, *node.comparators]
        else:
            raise ValueError(f"'{ast.unparse(node)}' in '{self.text}' is not part of a formula")
        for part in parts:
            self.check(part)

    def check_call(self, node):
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        arguments = 2 if name in OVER_PAIRS else 1 if name in OVER_POINTS else None
        if arguments is None and name not in OF_NUMBERS:
            raise ValueError(f"'{name}' in '{self.text}' is not a function, expected one of "
                             f"{', '.join((*OVER_POINTS, *OVER_PAIRS, *OF_NUMBERS))}")
        if arguments is not None and len(node.args) != arguments or any(named.arg is None for named in node.keywords) or \
                node.keywords and arguments is None:
            raise ValueError(f"'{ast.unparse(node)}': {name} takes {arguments or 'numbers'}"
                             f"{' argument' if arguments == 1 else ' arguments' if arguments else ''}"
                             f"{', and options of the points' if arguments else ' only'}")

    def names(self):
        """Names that it reads, with those of options that select points."""
        functions = {id(node.func) for node in ast.walk(self.tree) if isinstance(node, ast.Call)}
        return [node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and id(node) not in functions] + \
            [node.arg for node in ast.walk(self.tree) if isinstance(node, ast.keyword)]

    def of(self, names, points):
        """Its value; ValueError where it has none."""
        try:
            value = self.value(self.tree, names, points)
        except (ArithmeticError, TypeError, KeyError, ValueError) as error:
            raise ValueError(f"'{self.text}' has no value: {error}") from None
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"'{self.text}' has no value: found {value}")
        return value

    def value(self, node, names, points):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return names[node.id]
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](self.value(node.left, names, points), self.value(node.right, names, points))
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](self.value(node.operand, names, points))
        if isinstance(node, ast.BoolOp):
            return (all if isinstance(node.op, ast.And) else any)(self.value(part, names, points) for part in node.values)
        if isinstance(node, ast.Compare):
            parts = [self.value(part, names, points) for part in (node.left, *node.comparators)]
            return all(OPERATORS[type(one)](*parts[place:place + 2]) for place, one in enumerate(node.ops))
        if node.func.id in OF_NUMBERS:
            return OF_NUMBERS[node.func.id](*(self.value(part, names, points) for part in node.args))
        wanted = {named.arg: self.value(named.value, names, points) for named in node.keywords}
        chosen = [point for point in points if all(point.options.get(name, point.names.get(name)) == value for name, value in wanted.items())]
        if not chosen:
            raise ValueError(f"no point has {', '.join(f'{name} {value}' for name, value in wanted.items())}")
        columns = [[self.value(part, {**names, **point.names}, points) for point in chosen] for part in node.args]
        return OVER_PAIRS[node.func.id](*columns) if node.func.id in OVER_PAIRS else OVER_POINTS[node.func.id](columns[0])


def number_or_text(text):
    try:
        return float(text)
    except ValueError:
        return text


class ReadPoint:
    """What formulas read of a point: options: label -> text; values: measure -> number, which has the name if both do."""

    def __init__(self, options, values):
        self.options = {name_in_formulas(label): number_or_text(text) for label, text in options.items()}
        self.names = {**self.options, **values}


class Claim:
    """What a file of a study says: the claim, values, and the verdicts in their order, (formula or None, verdict, reason)."""

    def __init__(self, text, values, verdicts):
        self.text = text
        self.values = values      # name -> Formula
        self.verdicts = verdicts

    def described(self):
        return {"claim": self.text, "values": {name: formula.text for name, formula in self.values.items()},
                "verdicts": [{"if": formula and formula.text, "is": verdict, "because": reason} for formula, verdict, reason in self.verdicts]}

    def verdict(self, points):
        """(verdict, its reason), by the points; InputProblem for a formula that has no value there."""
        names = {}
        try:
            for name, formula in self.values.items():
                names[name] = formula.of(names, points)
            for formula, verdict, reason in self.verdicts:
                if formula is None or formula.of(names, points):
                    return verdict, filled(reason, names)
        except ValueError as error:
            raise InputProblem(str(error)) from None
        raise InputProblem("no verdict holds")


def claim_of(claim):
    """The claim in study.json, described(); None for none."""
    if not claim:
        return None
    return Claim(claim["claim"], {name: Formula(text) for name, text in claim["values"].items()},
                 [(Formula(entry["if"]) if entry["if"] else None, entry["is"], entry["because"]) for entry in claim["verdicts"]])
