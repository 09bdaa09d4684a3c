"""A plane of points: its axes, the numbers beside them, and the labels of points, which do not cover each other."""
import math

from tensorloom.quantities import number_text
from tensorloom.report.markup import escape, percent

ROOM = 0.35           # decades beyond the outermost point
MARGIN = 0.08         # of a linear axis beyond the outermost point
EDGE = 0.05           # share of the plane, where a number would not fit
LEAST_RATIO = 4       # values that span less have a linear axis: a logarithmic one would have one number or none
LEAST_TICKS = 4
LABEL = (0.03, 0.07)  # room of a letter across on a narrow page, and of a line up, as shares of the plane
DOT = (0.01, 0.015)   # half a point
SIDES = ("ne", "se", "nw", "sw")  # of its point, where a label may be


class LogarithmicAxis:
    """From 0 to 1 on the page."""

    def __init__(self, values):
        logarithms = [math.log10(value) for value in values if value > 0 and math.isfinite(value)] or [0.0]
        self.low, self.high = min(logarithms) - ROOM, max(logarithms) + ROOM

    def __call__(self, value):
        return (math.log10(value) - self.low) / (self.high - self.low) if value > 0 else 0.0

    def ticks(self):
        """Decades, and numbers between them if the axis spans few."""
        whole = [10.0 ** place for place in range(math.ceil(self.low), math.floor(self.high) + 1)]
        if len(whole) >= 3:
            return whole[::math.ceil(len(whole) / 5)]
        return [digit * 10.0 ** place for place in range(math.floor(self.low), math.ceil(self.high) + 1) for digit in (1, 2, 5)
                if self.low <= math.log10(digit) + place <= self.high]


class LinearAxis:
    """From 0 to 1 on the page; a bounded quantity never leaves its bounds."""

    def __init__(self, values, bounds=(-math.inf, math.inf)):
        known = [value for value in values if math.isfinite(value)] or [0.0]
        room = MARGIN * (max(known) - min(known)) or 0.1 * abs(known[0]) or 0.1
        self.low, self.high = max(min(known) - room, bounds[0]), min(max(known) + room, bounds[1])

    def __call__(self, value):
        return (value - self.low) / (self.high - self.low)

    def ticks(self):
        """Round numbers in equal steps."""
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / LEAST_TICKS))
        step *= max(digit for digit in (1, 2, 5) if digit * step * LEAST_TICKS <= self.high - self.low)
        return [place * step for place in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def axis_of(values, bounded=False):
    """Linear for a share, and for values that are not above 0 or lie close together."""
    known = [value for value in values if math.isfinite(value)]
    if bounded:
        return LinearAxis(known, (0, 1))
    close = not known or min(known) <= 0 or max(known) < LEAST_RATIO * min(known)
    return LinearAxis(known) if close else LogarithmicAxis(known)


def line(x1, y1, x2, y2, kind):
    return f'<line class="{kind}" x1="{percent(x1)}" y1="{percent(1 - y1)}" x2="{percent(x2)}" y2="{percent(1 - y2)}"/>'


def heights_and_ticks(across, up):
    """The numbers beside a plane and below it."""
    def shown(axis):
        return [(axis(value), number_text(float(f"{value:.10g}"))) for value in axis.ticks()]
    ticks = "".join(f'<span style="left:{percent(place)}">{text}</span>' for place, text in shown(across) if EDGE < place < 1 - EDGE)
    return "".join(f'<span style="bottom:{percent(place)}">{text}</span>' for place, text in shown(up) if 0 <= place <= 1), ticks


def overlaps(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def labels(points, others=()):
    """Labels of points (text, x, y), from 0 to 1, the most important ones first. A label covers no other label, and no other
    point (x, y) if one of its sides is free; it is left out if it would cover labels or leave the plane on all sides."""
    taken, found = [], ""
    for text, x, y in points:
        width, height = LABEL[0] * len(text), LABEL[1]
        boxes = {side: (left, below, left + width, below + height) for side in SIDES
                 for left, below in [(x - width * ("w" in side), y - height * ("s" in side))]}
        free = [side for side, box in boxes.items() if 0 <= box[0] and box[2] <= 1 and 0 <= box[1] and box[3] <= 1 and
                not any(overlaps(box, other) for other in taken)]
        dots = [(px - DOT[0], py - DOT[1], px + DOT[0], py + DOT[1]) for px, py in others if (px, py) != (x, y)]
        free.sort(key=lambda side: any(overlaps(boxes[side], dot) for dot in dots))  # stable: the first free side
        if free:
            taken.append(boxes[free[0]])
            found += f'<b class={free[0]} style="left:{percent(x)};bottom:{percent(y)}">{escape(text)}</b>'
    return found


def plane(across, up, shapes, points, note, others=()):
    """The plane with its shapes (SVG), labels of points beside others, and axes."""
    heights, ticks = heights_and_ticks(across, up)
    return (f"<div class=plane><div class=up>{heights}</div><div class=room>{shapes}{labels(points, others)}</div>"
            f"<div class=across>{ticks}</div></div><p class=note>{note}</p>")
