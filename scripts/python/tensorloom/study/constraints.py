"""Constraints of a study: limits that a design must meet to be an answer, such as area_mm2 <= 50."""
import math
import re
from dataclasses import dataclass

from tensorloom.quantities import number_text

FORM = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(<=|>=)\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*")
EXPECTED = "expected a limit like area_mm2 <= 50"
# The endings of names: unit -> its size in the unit of the measure.
UNITS = {"um2": {"um2": 1.0, "mm2": 1e6}, "mW": {"mW": 1.0, "W": 1e3}, "pJ": {"pJ": 1.0, "nJ": 1e3, "uJ": 1e6, "mJ": 1e9, "J": 1e12},
         "ns": {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}, "1": {}}


@dataclass(frozen=True)
class Constraint:
    name: str      # as written: the measure, and its unit where the limit has another than results.csv
    measure: str
    factor: float  # of the unit of the limit, in the unit of the measure
    most: bool     # the limit is a maximum
    limit: float

    def __str__(self):
        return f"{self.name} {'<=' if self.most else '>='} {number_text(self.limit, 6)}"

    def value(self, values):
        """In the unit of the limit; NaN if the design does not have the measure."""
        return values.get(self.measure, math.nan) / self.factor

    def met(self, values):
        value = self.value(values)
        return value <= self.limit if self.most else value >= self.limit

    def excess(self, values):
        """How far a value is beyond the limit, relative to it; at most 0 if the limit is met."""
        beyond = (self.value(values) - self.limit) * (1 if self.most else -1)
        return math.inf if math.isnan(beyond) else beyond / abs(self.limit) if self.limit else beyond


def constraint_of(text, measures):
    """The constraint of a text. ValueError: what is wrong with it."""
    parts = FORM.fullmatch(text)
    if not parts:
        raise ValueError(f"'{text}' is not a constraint, {EXPECTED}")
    name, way, limit = parts.groups()
    for measure, known in measures.items():
        unit = name[len(measure) + 1:] if name.startswith(measure + "_") else None
        if name == measure or unit in UNITS[known.base]:
            return Constraint(name, measure, UNITS[known.base].get(unit, 1.0), way == "<=", float(limit))
    raise ValueError(f"'{name}' is not a measure, expected one of {', '.join(measures)}, perhaps with a unit, like area_mm2")


def contradict(a, b):
    """Whether no value of a measure meets both."""
    if a.measure != b.measure or a.most == b.most:
        return False
    most, least = (a, b) if a.most else (b, a)
    return most.limit * most.factor < least.limit * least.factor


def nearest(constraints, designs):
    """Of designs (anything with .values), the one whose largest excess is the least."""
    return min(designs, key=lambda design: max(constraint.excess(design.values) for constraint in constraints))


def constraints_text(constraints):
    return " and ".join(map(str, constraints))
