"""A study as its file says (`picture`): a measure of the points by an option or another measure, a line per value of an option."""
import math

from tensorloom.palette import colour_at
from tensorloom.pictures.figure import HEIGHT, legend_beside, logarithmic, make_picture, wrapped
from tensorloom.run_directory import InputProblem
from tensorloom.study.claim import SCALES, number_or_text
from tensorloom.study.published import read_results

MARKS = "osD^vP*X"


def value_at(point, name):
    return point.values[name] if name in point.values else number_or_text(point.options[name])


def axis_text(results, name):
    unit = results.measures[name].base if name in results.measures else "1"
    return name if unit == "1" else f"{name} [{unit}]"


def lines_of(results, across, up, by):
    """Value of the option `by` -> [(across, up, deviation), ..] in the order of across; one line without `by`."""
    found = {}
    for point in results.points:
        if math.isfinite(point.values.get(up, math.nan)):
            found.setdefault(point.options[by] if by else "", []).append(
                (value_at(point, across), point.values[up], point.deviations[up]))
    if not found:
        raise InputProblem(f"no point of the study has {up}, expected one for its picture")
    texts = any(isinstance(place, str) for line in found.values() for place, _, _ in line)
    return {name: line if texts else sorted(line) for name, line in found.items()}


def draw(figure, results, told):
    axes = figure.subplots()
    across, up, by = told["across"], told["up"], told.get("lines")
    drawn = lines_of(results, across, up, by)
    for place, (name, line) in enumerate(drawn.items()):
        texts = any(isinstance(point[0], str) for point in line)
        axes.errorbar([str(point[0]) if texts else point[0] for point in line], [point[1] for point in line],
                      yerr=[point[2] for point in line] if any(point[2] for point in line) else None,
                      marker=MARKS[place % len(MARKS)], linestyle="none" if texts else "-", capsize=3, color=colour_at(place), label=f"{by} {name}" if by else None)
    if told["scale"] == SCALES[1]:
        for place, axis in enumerate("xy"):
            if all(isinstance(point[place], float) and point[place] > 0 for line in drawn.values() for point in line):
                logarithmic(axes, axis)
    if any(isinstance(point[0], str) for line in drawn.values() for point in line):
        axes.tick_params("x", labelrotation=30)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    axes.set_xlabel(axis_text(results, across))
    axes.set_ylabel(axis_text(results, up))
    if by:
        legend_beside(axes, *axes.get_legend_handles_labels())
    claim = results.told["claim"]
    figure.suptitle(wrapped(claim["claim"] if claim else results.told["question"] or results.told["testbench"]), x=0.01, ha="left",
                    parse_math=False)
    if claim:
        figure.supxlabel(wrapped(results.conclusion(), 130), x=0.01, ha="left", fontsize=12, parse_math=False)


def picture_of(folders):
    if len(folders) != 1:
        raise InputProblem(f"study with {len(folders)} directories, expected that of one study")
    results = read_results(folders[0])
    told = results.told["picture"]
    if not told:
        raise InputProblem(f"{folders[0]} is a study without a picture, expected one in its file")
    return make_picture(lambda figure: draw(figure, results, told), HEIGHT)
