#!/usr/bin/env python3
"""Draws what compare_accelerators found: cycles and energy of every accelerator by those of FETTA, workload by workload,
and the geometric means as functions of the rules that were swept.

Usage: rivals.py PICTURE.png SUMMARY.json

Exit status: 0 done; 2 wrong use, or a file is missing, damaged or cannot be written.
"""
import sys

from input_problem import InputProblem
from picture import plain_numbers, save_picture
from picture_command import read_summary, run_command

RATIOS = (("cycles_by_fetta", "cycles / FETTA's [1]"), ("energy_by_fetta", "energy / FETTA's [1]"))
COLOURS = ("#0072b2", "#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#7a6a53", "#3b4a5a", "#b8b8b8", "#f0e442")
BAR = 0.8  # of the room of a workload


def field(path, fields, name):
    if not isinstance(fields, dict) or name not in fields:
        raise InputProblem(f"{path} has no field '{name}', expected a summary of compare_accelerators")
    return fields[name]


def read_comparison(path):
    """The summary, and the rivals of FETTA in the order of its table."""
    summary = read_summary(path)
    for name in ("results", "ranges", "sweeps"):
        field(path, summary, name)
    for row in summary["results"]:
        for name in ("workload", "sequence", "accelerator", *(ratio for ratio, _ in RATIOS)):
            field(path, row, name)
    rivals = [entry["accelerator"] for entry in summary["ranges"] if entry["accelerator"] != "fetta"]
    if not rivals:
        raise InputProblem(f"{path} has no accelerator besides fetta, expected one")
    return summary, rivals


def groups_of(summary):
    """(workload, sequence) -> how it is called; the sequence where there are several."""
    found = list(dict.fromkeys((row["workload"], row["sequence"]) for row in summary["results"]))
    several = len({sequence for _, sequence in found}) > 1
    return {key: f"{key[0]}, {key[1]}" if several else key[0] for key in found}


def draw_bars(axes, summary, rivals, ratio, label):
    groups = groups_of(summary)
    places = {key: place for place, key in enumerate(groups)}
    width = BAR / len(rivals)
    for index, rival in enumerate(rivals):
        rows = [row for row in summary["results"] if row["accelerator"] == rival and row[ratio] is not None]
        axes.bar([places[row["workload"], row["sequence"]] + (index + 0.5) * width - BAR / 2 for row in rows],
                 [row[ratio] for row in rows], width, color=COLOURS[index % len(COLOURS)], label=rival)
    axes.axhline(1, color="#3b4a5a", linewidth=0.8)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(plain_numbers())
    axes.set_xticks(range(len(groups)), groups.values(), rotation=30, ha="right")
    axes.set_ylabel(label)
    axes.grid(True, axis="y")


def draw_sweep(axes, summary, rivals, rule):
    """Geometric means of cycles by FETTA's, by the values of one rule."""
    points = [sweep for sweep in summary["sweeps"] if sweep["rule"] == rule]
    for index, rival in enumerate(rivals):
        means = [next(entry for entry in point["ranges"] if entry["accelerator"] == rival)["cycles_by_fetta"]["mean"]
                 for point in points]
        if None not in means:
            axes.plot(range(len(points)), means, "o-", color=COLOURS[index % len(COLOURS)], label=rival)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(plain_numbers())
    axes.set_xticks(range(len(points)), [point["value"] for point in points])
    axes.set_title(f"by {rule}")
    axes.set_ylabel(RATIOS[0][1])
    axes.grid(True, axis="y")


def draw_rivals(figure, summary, rivals):
    rules = list(dict.fromkeys(sweep["rule"] for sweep in summary["sweeps"]))
    columns = max(len(rules), 1)
    grid = figure.add_gridspec(len(RATIOS) + (1 if rules else 0), columns)
    for line, (ratio, label) in enumerate(RATIOS):
        axes = figure.add_subplot(grid[line, :])
        draw_bars(axes, summary, rivals, ratio, label)
        if line == 0:
            axes.legend(ncols=len(rivals), loc="lower left", bbox_to_anchor=(0, 1))
    for column, rule in enumerate(rules):
        draw_sweep(figure.add_subplot(grid[len(RATIOS), column]), summary, rivals, rule)


def draw(picture_path, summary_paths):
    if len(summary_paths) != 1:
        raise InputProblem(f"{len(summary_paths)} summaries, expected one (see --help)")
    summary, rivals = read_comparison(summary_paths[0])
    size = (10, 9 if summary["sweeps"] else 6.5)  # inches
    save_picture(picture_path, size, lambda figure: draw_rivals(figure, summary, rivals))


if __name__ == "__main__":
    sys.exit(run_command("rivals", __doc__, draw, sys.argv[1:]))
