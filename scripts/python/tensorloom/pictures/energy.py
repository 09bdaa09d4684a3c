"""Energy by component, and by phase without the background. All bars of a chart have one unit and a linear axis, so
that lengths can be compared."""
import math

from tensorloom.energy_breakdown import energy_by_phase, is_background, parts_of
from tensorloom.palette import colours_of
from tensorloom.pictures.figure import legend_panel, make_picture, named_below, plain_numbers, suptitle
from tensorloom.quantities import scale_for
from tensorloom.run import labels_of, technologies_of
from tensorloom.run_directory import InputProblem

HEADING, ROOM_PER_BAR = 3.4, 0.55  # inches
LEGEND_COLUMNS = 5


def components_of(runs):
    """Components of all runs, the largest first: the order in which bars stack."""
    total = {}
    for run in runs:
        for energy in parts_of(run).values():
            for name, pj in energy.items():
                total[name] = total.get(name, 0) + pj
    return sorted((name for name, pj in total.items() if pj > 0), key=lambda name: -total[name])


def draw_bars(axes, bars, names, colours, title, label):
    """bars: (name, component -> pJ, its text) from top to bottom."""
    scale = scale_for([sum(parts.values()) for _, parts, _ in bars], "pJ")
    for y, (_, parts, text) in enumerate(bars):
        left = 0.0
        for name in names:
            axes.barh(y, scale(parts.get(name, 0)), 0.7, left=left, color=colours[name], edgecolor="white", linewidth=0.5)
            left += scale(parts.get(name, 0))
        axes.annotate(text(scale), (left, y), (5, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(bars)), [name for name, _, _ in bars])
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.12)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(plain_numbers())
    axes.grid(True, axis="x")
    axes.set_xlabel(scale.axis(label))
    axes.set_title(title)


def bars_of_whole(runs):
    """A bar per run, or per part of a run."""
    bars = []
    for run, label in zip(runs, labels_of(runs)):
        star = "*" if "total" in run.estimated else ""
        parts = parts_of(run)
        for part, energy in parts.items():
            bars.append((label if len(parts) == 1 else part if len(runs) == 1 else f"{label}, {part}", energy,
                         lambda scale, energy=energy, star=star: f"{scale.text(sum(energy.values()))}{star}"))
    return bars


def bars_of_phases(runs):
    """Phases with energy; with several runs, prefixed with the run's name."""
    bars = []
    for run, label in zip(runs, labels_of(runs)):
        for phase, parts in energy_by_phase(run).items():
            if sum(parts.values()) > 0:
                name = phase.replace("_", " ")
                bars.append((name if len(runs) == 1 else f"{label}, {name}", parts,
                             lambda scale, parts=parts: scale.text(sum(parts.values()))))
    return bars


def is_estimated(component, runs):
    return any(name.rsplit(".", 1)[-1] == component for run in runs for name in run.estimated)


def draw_energy(figure, runs):
    names = components_of(runs)
    colours = colours_of(names)
    whole, phases = bars_of_whole(runs), bars_of_phases(runs)
    lower = [name for name in names if not is_background(name)]
    legend = math.ceil(len(names) / LEGEND_COLUMNS) * 0.6 + 0.4
    ratios = (len(whole) + 0.5, *((len(phases),) if phases else ()), legend)
    axes = figure.subplots(len(ratios), 1, height_ratios=ratios)
    of_all = "" if technologies_of(runs) else f", technology {runs[0].technology}"
    draw_bars(axes[0], whole, names, colours, f"The whole run{of_all}", "energy")
    if phases:
        what = "leakage and DRAM background" if any(is_background(name) for name in names) else ""
        draw_bars(axes[1], phases, lower, colours, "By phase" + (f", without {what}" if what else ""), "energy")
    for name in names:
        axes[0].barh(0, 0, color=colours[name], label=name + ("*" if is_estimated(name, runs) else ""))
    estimated = any(run.estimated for run in runs)
    legend_panel(axes[-1], axes[0], LEGEND_COLUMNS, "*: includes an estimate" if estimated else None)
    named_below(figure, runs)
    suptitle(figure, "Energy by component", runs)


def picture_of(runs):
    for run in runs:
        if not run.total_pj() > 0:
            raise InputProblem(f"{run.directories[0].folder} has no energy, so it has no such picture")
    bars = len(bars_of_whole(runs)) + len(bars_of_phases(runs))
    return make_picture(lambda figure: draw_energy(figure, runs), HEADING + ROOM_PER_BAR * max(bars, 6))
