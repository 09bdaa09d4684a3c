#!/usr/bin/env python3
"""Draws runs of segmented and tensor_unit under the roofline of their device.

Usage: roofline.py PICTURE.png SUMMARY.json [SUMMARY.json]..

A summary of a single run is a point; a comparison (--compare) has a point per variant, at its largest length. The roofs are those of the
first: peak MACs per cycle, and peak scratchpad words per cycle times MACs per word.
Exit status: 0 done; 2 wrong use, or a file is missing, damaged or cannot be written.
"""
import sys
from dataclasses import dataclass

from input_problem import InputProblem
from picture import plain_numbers, save_picture
from picture_command import read_summary, run_command

SIZE = (7, 5)  # inches
RATES = ("macs_per_cycle", "peak_macs_per_cycle", "macs_per_scratchpad_word", "peak_scratchpad_words_per_cycle")


@dataclass
class Point:
    """One run: what it is called, and its rates."""
    name: str
    macs_per_word: float
    macs_per_cycle: float
    peak_macs: float
    peak_words: float

    def roof(self, macs_per_word):
        return min(self.peak_macs, self.peak_words * macs_per_word)


def point_of(path, name, run):
    rates = run.get("roofline", {})
    for rate in RATES:
        if not isinstance(rates.get(rate), (int, float)):
            raise InputProblem(f"{path} has no number 'roofline.{rate}'")
    return Point(name, rates["macs_per_scratchpad_word"], rates["macs_per_cycle"], rates["peak_macs_per_cycle"],
                 rates["peak_scratchpad_words_per_cycle"])


def read_points(path):
    """Of a summary; runs that never use the array have no place in the picture."""
    summary = read_summary(path)
    if "runs" in summary:
        last = max(summary["lengths"])
        points = [point_of(path, run["variant"], run) for run in summary["runs"] if run["length"] == last]
    else:
        configuration = summary.get("configuration", {})
        points = [point_of(path, configuration.get("variant") or configuration.get("algorithm") or path, summary)]
    return [point for point in points if point.macs_per_cycle > 0]


def draw_roofline(figure, points):
    axes = figure.add_subplot()
    first = points[0]
    ridge = first.peak_macs / first.peak_words
    low = min([ridge] + [point.macs_per_word for point in points]) / 4
    high = max([ridge] + [point.macs_per_word for point in points]) * 4
    axes.plot([low, ridge, high], [first.roof(low), first.roof(ridge), first.roof(high)], color="#3b4a5a", label="roof")
    for point in points:
        axes.plot(point.macs_per_word, point.macs_per_cycle, "o", color="#d55e00")
        axes.annotate(point.name, (point.macs_per_word, point.macs_per_cycle), xytext=(5, -3), textcoords="offset points")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(plain_numbers())
    axes.yaxis.set_major_formatter(plain_numbers())
    axes.grid(True)
    axes.set_xlabel("multiply-adds per scratchpad word [1]")
    axes.set_ylabel("multiply-adds per cycle [1/cycle]")
    axes.set_title(f"Roofline: {first.peak_macs:g} MACs and {first.peak_words:g} words per cycle at most")


def draw(picture_path, summary_paths):
    points = [point for path in summary_paths for point in read_points(path)]
    if not points:
        raise InputProblem("no run uses the array, expected at least one that does")
    save_picture(picture_path, SIZE, lambda figure: draw_roofline(figure, points))


if __name__ == "__main__":
    sys.exit(run_command("roofline", __doc__, draw, sys.argv[1:]))
