"""The look of all pictures, and how they become files."""
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from input_problem import InputProblem

# Colours that people with colour blindness tell apart (Okabe and Ito).
COMPONENT_COLOURS = {
    "mac": "#d55e00",
    "registers": "#0072b2",
    "lines": "#009e73",
    "actuators": "#cc79a7",
    "memory": "#56b4e9",
    "leakage": "#b8b8b8",
}
OTHER_COLOUR = "#7a6a53"
JOB_COLOURS = {"dense": "#3b4a5a", "ESOP": "#e69f00"}

STYLE = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "figure.titlesize": 12,
}


def component_colour(component):
    return COMPONENT_COLOURS.get(component, OTHER_COLOUR)


def plain_numbers():
    """Ticks of a logarithmic axis as 10, 100, 1,000."""
    return FuncFormatter(lambda value, _: f"{value:,.15g}")


def marked(run, component):
    """The component's name, with a star when an estimate enters it."""
    return component + ("*" if run.is_estimated(component) else "")


def make_picture(size_inches, draw):
    """A figure with what `draw` puts on it. Needs no display."""
    with rc_context(STYLE):
        figure = Figure(figsize=size_inches, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        return figure


def save_picture(path, size_inches, draw):
    """Writes what `draw` puts on a figure as a PNG file."""
    figure = make_picture(size_inches, draw)
    try:
        with rc_context(STYLE):
            figure.savefig(path, dpi=150, format="png")
    except OSError as error:
        raise InputProblem(f"{path} cannot be written: {error.strerror}") from None
