"""Style and file formats of all pictures: 16 to 9, with letters that are readable on a slide."""
import io
import os
import textwrap

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from tensorloom.palette import INK
from tensorloom.quantities import number_text
from tensorloom.run import labels_of
from tensorloom.run_directory import InputProblem
from tensorloom.whole_files import write_whole

WIDTH, HEIGHT = 13.33, 7.5  # inches
TITLE_LETTERS = 105         # in a line of a title over the whole width
NOTE_LETTERS = 130
EQUALLY_SPACED = 4          # a logarithmic axis of a smaller factor has round numbers in equal steps
FORMATS = ("png", "svg", "pdf")
STYLE = {
    "font.size": 14,
    "axes.titlesize": 15,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "legend.fontsize": 13,
    "figure.titlesize": 17,
    "svg.hashsalt": "tensorloom",  # the same picture gives the same bytes
}


def plain_numbers():
    """Ticks as 0.01, 10, 1,000."""
    return FuncFormatter(lambda value, _: number_text(float(f"{value:.12g}")))


class BetweenDecades(LogLocator):
    """The multiples of the powers of ten; on an axis that spans less than a factor of EQUALLY_SPACED, round numbers."""

    def tick_values(self, vmin, vmax):
        narrow = 0 < vmin and vmax < EQUALLY_SPACED * vmin
        return MaxNLocator(4).tick_values(vmin, vmax) if narrow else super().tick_values(vmin, vmax)


def logarithmic(axes, axis):
    """Axis "x" or "y" of the panel, with plain numbers and a grid; with numbers between the powers of ten if it spans
    less than two of them."""
    getattr(axes, f"set_{axis}scale")("log")
    plain, limits = plain_numbers(), getattr(axes, f"get_{axis}lim")

    def between(value, place):
        low, high = limits()
        digits = "2357" if high < 10 * low else "25" if high < 100 * low else ""
        numbered = high < EQUALLY_SPACED * low or value > 0 and f"{value:e}"[0] in digits
        return plain(value, place) if numbered else ""

    ticks = getattr(axes, f"{axis}axis")
    ticks.set_major_formatter(plain)
    ticks.set_minor_locator(BetweenDecades(subs=range(2, 10)))
    ticks.set_minor_formatter(FuncFormatter(between))
    axes.grid(True, axis=axis)


def wrapped(text, letters=TITLE_LETTERS):
    return "\n".join(textwrap.wrap(text, letters, break_long_words=False)) or text


def suptitle(figure, kind, runs):
    """Title: the kind of picture, with device and workload of a single run; for several runs panels or legends name
    them."""
    titles = list(dict.fromkeys(run.title() for run in runs))
    figure.suptitle(wrapped(f"{kind}. {titles[0]}" if len(titles) == 1 else kind), x=0.01, ha="left")


def named_title(label, run):
    return wrapped(f"{label}: {run.title()}")


def make_picture(draw, height=HEIGHT):
    """A figure filled by `draw`. Needs no display."""
    with rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        return figure


def named_below(figure, runs, more=()):
    """Writes the names of several runs and other notes below the panels."""
    notes = [wrapped(f"{label}: {run.title()}", NOTE_LETTERS) for label, run in zip(labels_of(runs), runs)] if len(runs) > 1 else []
    if notes or more:
        figure.supxlabel("\n".join([*notes, *more]), x=0.01, ha="left", fontsize=12)


def legend_panel(axes, source, columns, title=None):
    """Makes a separate panel the legend of another panel's artists."""
    axes.set_axis_off()
    axes.legend(*source.get_legend_handles_labels(), loc="center left", ncols=columns, title=title, borderaxespad=0)


def legend_beside(axes, handles, names, **more):
    """To the right of the panel, which becomes smaller."""
    axes.legend(handles, names, loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0, **more)


def picture_format(path):
    """png, svg or pdf, by the ending of the path."""
    kind = os.path.splitext(path)[1][1:].lower()
    if kind not in FORMATS:
        raise InputProblem(f"--output is '{path}', expected a name that ends with .png, .svg or .pdf")
    return kind


def save_picture(path, figure):
    kind, content = picture_format(path), io.BytesIO()
    with rc_context(STYLE):
        figure.savefig(content, dpi=150, format=kind, metadata={"Date": None} if kind == "svg" else None)
    write_whole(path, content.getvalue())
