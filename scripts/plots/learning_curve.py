#!/usr/bin/env python3
"""Draws what runs of tnn_training have learned: losses and accuracy by epoch.

Usage: learning_curve.py PICTURE.png SUMMARY.json [SUMMARY.json]..

Each run has a colour; its loss of the training set is a line, that of the test set a dashed one. A run that goes on from
a saved state begins with its own first epoch.
Exit status: 0 done; 2 wrong use, or a file is missing, damaged or cannot be written.
"""
import math
import sys
from dataclasses import dataclass

from matplotlib.ticker import MaxNLocator

from input_problem import InputProblem
from picture import plain_numbers, save_picture
from picture_command import read_summary, run_command

SIZE = (9, 4)  # inches
COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
FIELDS = ("epoch", "training_loss", "test_loss", "test_accuracy")


@dataclass
class Curve:
    """What a run learned, by epoch."""
    label: str
    epochs: list
    training_losses: list  # NaN where the loss is no finite number
    test_losses: list
    accuracies: list       # percent, of the test set


def number(value):
    return math.nan if value is None else value


def read_curve(path):
    summary = read_summary(path)
    epochs = summary.get("epochs") if isinstance(summary, dict) else None
    if not isinstance(epochs, list) or not epochs:
        raise InputProblem(f"{path} has no epochs, expected the summary.json of tnn_training")
    for epoch in epochs:
        for field in FIELDS:
            if field not in epoch:
                raise InputProblem(f"{path} has no field 'epochs.{field}'")
    model, parameters = summary.get("configuration", {}).get("model", path), summary.get("parameters")
    label = model if parameters is None else f"{model}, {parameters:,} parameters"
    return Curve(label, *([number(epoch[field]) for epoch in epochs] for field in FIELDS[:3]),
                 [100 * number(epoch["test_accuracy"]) for epoch in epochs])


def read_curves(paths):
    """Runs of the same model are told apart by their files."""
    curves = [read_curve(path) for path in paths]
    labels = [curve.label for curve in curves]
    for curve, path in zip(curves, paths):
        if labels.count(curve.label) > 1:
            curve.label += f" ({path})"
    return curves


def draw_curves(figure, curves):
    losses, accuracies = figure.subplots(1, 2)
    for index, curve in enumerate(curves):
        colour = COLOURS[index % len(COLOURS)]
        dot = "o" if len(curve.epochs) == 1 else ""  # of one epoch there is no line
        losses.plot(curve.epochs, curve.training_losses, "-", marker=dot, color=colour, label=f"{curve.label}: training set")
        losses.plot(curve.epochs, curve.test_losses, "--", marker=dot, color=colour, label=f"{curve.label}: test set")
        accuracies.plot(curve.epochs, curve.accuracies, "-", marker=dot, color=colour, label=curve.label)
    losses.set_yscale("log")
    losses.yaxis.set_major_formatter(plain_numbers())
    losses.set_ylabel("mean cross entropy [1], logarithmic")
    losses.set_title("Loss")
    accuracies.set_ylabel("right answers [%]")
    accuracies.set_title("Accuracy on the test set")
    for axes in (losses, accuracies):
        axes.set_xlabel("epoch [1]")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(True)
        axes.legend(fontsize=7.5)


def draw(picture_path, summary_paths):
    curves = read_curves(summary_paths)
    save_picture(picture_path, SIZE, lambda figure: draw_curves(figure, curves))


if __name__ == "__main__":
    sys.exit(run_command("learning_curve", __doc__, draw, sys.argv[1:]))
