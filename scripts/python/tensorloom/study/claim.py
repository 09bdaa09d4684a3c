"""A claim of a paper, and what the points of a study say about it: numbers computed from the table of points, and the first
verdict whose condition holds.

A formula is arithmetic with numbers, comparisons, `and`, `or`, `not`, and names. Outside of the functions over points a name
is one of the values above it; inside, it is also a measure, or an option by the label of its column with - and . as _ (and
class as class_).

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

from tensorloom.answers import AREA, SHARE, TIMES, filled
from tensorloom.quantities import PREFIXES
from tensorloom.run_directory import InputProblem

VERDICTS = ("reproduced", "reproduced under a condition", "not reproduced")
UNDECIDED = "undecided"
SCALES = ("linear", "logarithmic")
UNITS = (*PREFIXES, AREA, SHARE, TIMES)  # of values in a reason
MOST_LETTERS = 1000  # of a formula, a claim or a reason
DEEPEST = 50         # parts of a formula within each other


def of_numbers(function):
    """A function of numbers alone, such as + of an operator."""
    def checked(*operands):
        for one in operands:
            if not isinstance(one, (int, float)):
                raise TypeError(f"'{one}' is not a number")
        return float(function(*map(float, operands)))
    return checked


OPERATORS = {ast.Add: of_numbers(operator.add), ast.Sub: of_numbers(operator.sub), ast.Mult: of_numbers(operator.mul),
             ast.Div: of_numbers(operator.truediv), ast.Pow: of_numbers(math.pow), ast.USub: of_numbers(operator.neg),
             ast.UAdd: of_numbers(operator.pos), ast.Not: operator.not_, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
             ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
OF_NUMBERS = {"abs": abs, "log2": math.log2, "log10": math.log10, "sqrt": math.sqrt, "ceil": math.ceil, "max": max, "min": min}
OF_SEVERAL = ("max", "min")


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
OVER = (*OVER_POINTS, *OVER_PAIRS)


def name_in_formulas(label):
    name = label.replace("-", "_").replace(".", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def number_or_text(text):
    try:
        return float(text)
    except ValueError:
        return text


class Formula:
    """An expression that reads nothing but names and calls nothing but these functions. ValueError for another one."""

    def __init__(self, text):
        self.text = text
        self.values = []   # names that it reads outside of functions over points
        self.of_points = []  # inside, with those of options that choose points
        if len(text) > MOST_LETTERS:
            raise ValueError(f"a formula of {len(text):,} letters found, expected at most {MOST_LETTERS:,}")
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(f"'{text}' is not a formula") from None
        self.check(self.tree, False, 0)

    def refuse(self, complaint):
        raise ValueError(f"{complaint} in '{self.text}'")

    def check(self, node, inside, depth):
        """inside: a function over points."""
        if depth > DEEPEST:
            self.refuse(f"more than {DEEPEST} parts within each other found")
        if isinstance(node, ast.Constant) and type(node.value) in (int, float, str):
            if isinstance(node.value, int):
                node.value = self.as_float(node.value)
            return
        if isinstance(node, ast.Name):
            (self.of_points if inside else self.values).append(node.id)
            return
        if isinstance(node, ast.Call):
            inside = self.check_call(node, inside)
            parts = node.args
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            parts = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            parts = [node.operand]
        elif isinstance(node, ast.BoolOp):
            parts = node.values
        elif isinstance(node, ast.Compare) and all(type(one) in OPERATORS for one in node.ops):
            parts = [node.left, *node.comparators]
        else:
            self.refuse(f"{type(node).__name__} found, expected arithmetic, comparisons and functions")
        for part in parts:
            self.check(part, inside, depth + 1)

    def as_float(self, whole):
        try:
            return float(whole)
        except OverflowError:
            return self.refuse("a number that is too large found")

    def check_call(self, node, inside):
        """Whether its arguments are inside a function over points."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in (*OVER, *OF_NUMBERS):
            self.refuse(f"'{name}' found, expected one of the functions {', '.join((*OVER, *OF_NUMBERS))}")
        over = name in OVER
        wanted = 2 if name in OVER_PAIRS else 1
        fits = len(node.args) >= 2 if name in OF_SEVERAL else len(node.args) == wanted
        if not fits or any(isinstance(part, ast.Starred) for part in node.args):
            self.refuse(f"{name} of {len(node.args)} found, expected {'two or more' if name in OF_SEVERAL else wanted}")
        if node.keywords and not over:
            self.refuse(f"{name} found with options of points, expected numbers only")
        if over and inside:
            self.refuse(f"{name} found within another function over points, expected a value of its own for it")
        for named in node.keywords:
            if named.arg is None or not isinstance(named.value, ast.Constant) or type(named.value.value) not in (int, float, str):
                self.refuse(f"an option of {name} found that is no number or text, expected one")
            self.of_points.append(named.arg)
        return inside or over

    def of(self, names, points):
        """Its value; ValueError where it has none."""
        try:
            value = self.value(self.tree, names, points)
        except KeyError as error:
            raise ValueError(f"'{self.text}' has no value: found no {error}") from None
        except (ArithmeticError, TypeError, ValueError) as error:
            raise ValueError(f"'{self.text}' has no value: {error}") from None
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ValueError(f"'{self.text}' has no value: found {value}")
        return value

    def value(self, node, names, points):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            found = names[node.id]
            if isinstance(found, float) and math.isnan(found):
                raise ValueError(f"a point has no {node.id}")
            return found
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
            return of_numbers(OF_NUMBERS[node.func.id])(*(self.value(part, names, points) for part in node.args))
        return self.over_points(node, names, points)

    def over_points(self, node, names, points):
        wanted = {named.arg: number_or_text(named.value.value) for named in node.keywords}
        chosen = [point for point in points if all(point.chosen_by(name) == value for name, value in wanted.items())]
        if not chosen:
            raise ValueError(f"no point has {', '.join(f'{name} {value}' for name, value in wanted.items())}")
        columns = [[self.value(part, {**names, **point.names}, points) for point in chosen] for part in node.args]
        if node.func.id in OVER_PAIRS:
            return OVER_PAIRS[node.func.id](*columns)
        return OVER_POINTS[node.func.id](columns[0])


class ReadPoint:
    """What formulas read of a point: options: label -> text; values: measure -> number, which has the name if both do."""

    def __init__(self, options, values):
        self.options = {name_in_formulas(label): number_or_text(text) for label, text in options.items()}
        self.names = {**self.options, **values}

    def chosen_by(self, name):
        return self.options[name] if name in self.options else self.names.get(name)


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
    """The claim in study.json, described(); None for none. ValueError for one that is none."""
    if not claim:
        return None
    return Claim(claim["claim"], {name: Formula(text) for name, text in claim["values"].items()},
                 [(Formula(entry["if"]) if entry["if"] else None, entry["is"], entry["because"]) for entry in claim["verdicts"]])
