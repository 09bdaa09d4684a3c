"""Numbers with units, as texts and as a common scale for all values of an axis."""
import math
from dataclasses import dataclass

# Units of every quantity, from its base unit in steps of a thousand.
PREFIXES = {
    "pJ": ("pJ", "nJ", "\N{MICRO SIGN}J", "mJ", "J"),
    "ns": ("ns", "\N{MICRO SIGN}s", "ms", "s"),
    "mW": ("mW", "W", "kW"),  # = pJ / ns
    "B": ("B", "kB", "MB", "GB", "TB"),
    "1": ("", "thousand", "million", "billion", "thousand billion"),
}


@dataclass
class Scale:
    """Scale of a chart: the divisor of values, and the resulting unit."""
    divisor: float
    unit: str
    base: str

    def __call__(self, value):
        return value / self.divisor

    def text(self, value, digits=4):
        return f"{number_text(value / self.divisor, digits)} {self.unit}".rstrip()

    def axis(self, name):
        return f"{name} [{self.unit}]" if self.unit else name


def scale_for(values, base):
    """The scale in which the largest value is from 1 to 1000."""
    largest = max((abs(value) for value in values if value is not None and math.isfinite(value)), default=0)
    units, divisor, place = PREFIXES[base], 1.0, 0
    while place + 1 < len(units) and largest >= 1000 * divisor:
        divisor *= 1000
        place += 1
    return Scale(divisor, units[place], base)


def number_text(value, digits=4):
    """The number with `digits` significant digits; without an exponent if a plain number is readable."""
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return str(value)
    if value == 0:
        return "0"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{value:,.0f}"
    if abs(value) < 1e-3 or abs(value) >= 1e15:
        return f"{value:.{digits - 1}e}"
    text = f"{value:,.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def quantity_text(value, base, digits=4):
    """One value in the most readable unit."""
    return "-" if value is None else scale_for([value], base).text(value, digits)


def size_text(sizes):
    """16 x 16 x 16"""
    return " x ".join(str(size) for size in sizes)
