"""Runs, or the cases of one run, side by side: a panel per quantity with one unit and a linear axis from 0."""
import math

from tensorloom.comparison import ESTIMATE_MARK, comparison_of
from tensorloom.palette import colour_at
from tensorloom.pictures.figure import make_picture, named_below, plain_numbers, suptitle, wrapped
from tensorloom.quantities import number_text
from tensorloom.run import labels_of

COLUMNS = 2
HEADING, ROOM_PER_PANEL, ROOM_PER_BAR = 1.6, 1.3, 0.36  # inches


def bar_text(row, place, scale):
    """The value, and its ratio to the first."""
    value, first = row.values[place], row.values[0]
    if math.isnan(value):
        return "unknown"
    mark = ESTIMATE_MARK if row.estimated and row.estimated[place] else ""
    ratio = f"   ({number_text(value / first, 3)} x)" if place and first and not math.isnan(first) else ""
    return f"{number_text(scale(value))}{mark}{ratio}"


def draw_row(axes, names, row, with_names):
    scale = row.scale()
    values = [0 if math.isnan(value) else scale(value) for value in row.values]
    axes.barh(range(len(values)), values, 0.75, color=[colour_at(place) if len(names) <= 10 else "#0072b2"
                                                       for place in range(len(values))])
    for place, value in enumerate(values):
        axes.annotate(bar_text(row, place, scale), (value, place), (5, 0), textcoords="offset points", va="center", fontsize=12)
    axes.set_yticks(range(len(names)), [wrapped(name, 30) for name in names] if with_names else [""] * len(names))
    axes.set_ylim(len(values) - 0.5, -0.5)
    axes.set_xlim(0, 1.45 * max(values) or 1)
    axes.xaxis.set_major_formatter(plain_numbers())
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x")
    axes.set_title(scale.axis(row.name))


def draw_comparison(figure, runs, comparison, rows):
    lines = math.ceil(len(rows) / COLUMNS)
    names = labels_of(runs) if len(runs) > 1 else comparison.names
    panels = figure.subplots(lines, COLUMNS, squeeze=False)
    for place, axes in enumerate(panels.flat):
        if place < len(rows):
            draw_row(axes, names, rows[place], place % COLUMNS == 0)
        else:
            axes.set_axis_off()
    named_below(figure, runs, [f"{ESTIMATE_MARK}: includes an estimate"] if any(any(row.estimated) for row in rows) else [])
    suptitle(figure, "Comparison", runs)


def picture_of(runs):
    comparison = comparison_of(runs)
    rows = [row for row in comparison.rows if row.known()]
    height = HEADING + math.ceil(len(rows) / COLUMNS) * (ROOM_PER_PANEL + ROOM_PER_BAR * len(comparison.names)) + 0.3 * len(runs)
    return make_picture(lambda figure: draw_comparison(figure, runs, comparison, rows), height)
