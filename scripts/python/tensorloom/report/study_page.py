"""The page of a study: the Pareto front, all points in charts and in a table, and failed runs."""
import itertools
import math
import os
from dataclasses import dataclass

import numpy as np

from tensorloom.palette import COLOURS, GREY
from tensorloom.quantities import Scale, number_text, scale_for
from tensorloom.report import tables
from tensorloom.report.markup import colour_class, escape, figure, percent, table
from tensorloom.report.page import document
from tensorloom.report.roofs import Axis, heights_and_ticks
from tensorloom.run_directory import InputProblem, Table, read_json, read_table
from tensorloom.study.directory import RESULTS, STUDY
from tensorloom.study.measures import MEASURES, Measure

ON_FRONT = COLOURS[0]
MOST_POINTS = 3000  # of a chart; points of the front are never left out
MOST_ROWS = 2000    # of the table of all runs
MOST_OPEN = 16      # lines of a table that is open at first
MOST_VALUES = 12    # most values of a swept option that are listed


@dataclass
class Point:
    """A point: the mean of its runs, if all of them are right."""
    number: int
    options: dict
    values: dict  # of objectives; {} when a run is not right
    on_front: bool

    def name(self):
        return ", ".join(f"{name} {text}" for name, text in self.options.items() if text)


@dataclass
class StudyResults:
    told: dict      # study.json
    runs: Table     # results.csv
    measures: dict  # name -> Measure
    points: list

    @property
    def objectives(self):
        return list(self.told["objectives"])


def scale_of(measure, values):
    """Scale of an axis or of one value."""
    if measure.base == "um2":
        return Scale(1e6, "mm\N{SUPERSCRIPT TWO}", "um2")
    return scale_for([] if measure.base == "1" else values, measure.base)


def value_text(measure, value):
    return scale_of(measure, [value]).text(value)


def read_results(folder):
    path = os.path.join(folder, STUDY)
    told = read_json(path)
    try:
        measures = MEASURES | {name: Measure(name, (), "1") for name in told["measures"]}
        swept, objectives = list(told["swept"]), {name: measures[name] for name in told["objectives"]}
        runs = read_table(os.path.join(folder, RESULTS))
        numbers, states, front = runs.numbers("point").astype(int), runs.texts("status"), runs.texts("on_front")
        options = {name: texts_of(runs, name) for name in swept}
        measured = {name: runs.numbers(measure.column) for name, measure in objectives.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise InputProblem(f"{path} is not a file of tensorloom-study: {error}") from None
    points = []
    for number in dict.fromkeys(numbers):
        rows = np.flatnonzero(numbers == number)
        right = all(states[row] == "done" for row in rows)
        points.append(Point(int(number), {name: texts[rows[0]] for name, texts in options.items()},
                            {name: float(values[rows].mean()) for name, values in measured.items()} if right else {},
                            front[rows[0]] == "true"))
    return StudyResults(told, runs, measures, points)


def texts_of(runs, name):
    """Texts of a column as in the file; "" for an empty cell."""
    return ["" if text == "nan" else text for text in runs.texts(name)]


# ---- charts ----------------------------------------------------------------------------------------------------------

def front_chart(results, across_name, up_name):
    """All points by two objectives, with the front marked; "" if no point has both."""
    whole = [point for point in results.points if all(math.isfinite(point.values.get(name, math.nan)) for name in (across_name, up_name))]
    if not whole:
        return ""
    shown = [point for point in whole if point.on_front]
    others = [point for point in whole if not point.on_front]
    shown += others[::max(1, -(-len(others) // MOST_POINTS))]
    scales = {name: scale_of(results.measures[name], [point.values[name] for point in shown]) for name in (across_name, up_name)}
    across, up = (Axis([scale(point.values[name]) for point in shown]) for name, scale in scales.items())
    # The front is drawn last, above the other points, but is first in the table.
    marks = [f'<circle class="m {colour_class(ON_FRONT if point.on_front else GREY)}" data-row="{place}" '
             f'cx="{percent(across(scales[across_name](point.values[across_name])))}" '
             f'cy="{percent(1 - up(scales[up_name](point.values[up_name])))}" '
             f'r="{6 if point.on_front else 4}"/>' for place, point in enumerate(shown)]
    goals = results.told["objectives"]
    heights, ticks = heights_and_ticks(across, up)
    body = (f"<div class=plane><div class=up>{heights}</div><div class=room><svg>{''.join(reversed(marks))}</svg></div>"
            f"<div class=across>{ticks}</div></div>"
            f"<p class=note>across: {axis_text(across_name, scales, goals)}; up: {axis_text(up_name, scales, goals)}</p>")
    rows = [(f"{point.number}", *point.options.values(), *(value_text(results.measures[name], point.values[name]) for name in results.objectives),
             "yes" if point.on_front else "") for point in shown]
    told = table(rows, ("point", *results.told["swept"], *results.objectives, "on the front"), "wide")
    count = sum(point.on_front for point in shown)
    if len(rows) > MOST_OPEN:
        told = f"<details><summary>{len(rows):,} points, the front first</summary>{told}</details>"
    thinned = f" {len(shown):,} of {len(whole):,} are drawn." if len(shown) < len(whole) else ""
    return figure("chart roofline pareto", f"{up_name} by {across_name}", body + told,
                  f"Large and coloured: the {count:,} points of the front over all objectives; no point is better than one of "
                  f"them in one objective and at least as good in the others.{thinned}")


def axis_text(name, scales, goals):
    return escape(f"{scales[name].axis(name)}, {'lower' if goals[name] == 'min' else 'higher'} is better")


def all_runs_chart(results):
    """A bar per run, for the chosen measure."""
    names = [column for measure in results.measures.values() for column in (measure.column,) if column in results.runs.columns]
    columns = {name: texts_of(results.runs, name) for name in results.told["swept"]}
    if results.told["runs"] > results.told["points"]:
        columns["repeat"] = texts_of(results.runs, "repeat")
    columns |= {name: results.runs.columns[name] for name in [*names, "wall_s"]}
    return tables.table_chart("all_runs", Table(results.runs.path, columns, results.runs.rows), RESULTS)


def all_runs_table(results):
    """The table of results.csv, without the columns that the page shows above."""
    left_out = {*results.told["options"], "exit_status", "started", "id", "message", "commit", "version"}
    columns = {name: texts_of(results.runs, name) for name in results.runs.columns if name not in left_out}
    rows = list(zip(*columns.values()))[:MOST_ROWS]
    more = f", the first {len(rows):,}" if len(rows) < results.runs.rows else ""
    return f"<details><summary>{results.runs.rows:,} runs{more}</summary>{table(rows, tuple(columns), 'wide')}</details>\n"


def failed_table(results):
    states, messages = results.runs.texts("status"), texts_of(results.runs, "message")
    rows = [(texts_of(results.runs, "point")[row], states[row], messages[row]) for row in range(results.runs.rows)
            if states[row] != "done"] if any(state != "done" for state in states) else []
    if not rows:
        return ""
    return figure("failed", f"{len(rows):,} runs that failed or are wrong or missing",
                  table(rows[:MOST_ROWS], ("point", "status", "message"), "wide"))


def facts(results):
    runs, told = results.runs, results.told
    states = runs.texts("status")
    rows = [("testbench", told["testbench"]), ("options", ", ".join(f"{name} {text}" for name, text in told["options"].items()) or "-")]
    for name in told["swept"]:
        values = list(dict.fromkeys(text for text in texts_of(runs, name) if text))
        few = ", ".join(values[:MOST_VALUES]) + (f" and {len(values) - MOST_VALUES:,} more" if len(values) > MOST_VALUES else "")
        rows.append((name, few))
    rows.append(("points, runs", f"{told['points']:,}, {told['runs']:,}"))
    rows.append(("runs done and right", f"{states.count('done'):,}"))
    rows.append(("objectives", ", ".join(f"{goal} {name}" for name, goal in told["objectives"].items()) or "-"))
    rows.append(("time of all runs", f"{number_text(float(np.nansum(runs.numbers('wall_s'))))} s"))
    for name in ("host", "version", "commit"):
        rows.append((name, ", ".join(dict.fromkeys(text for text in texts_of(runs, name) if text)) or "-"))
    return figure("result", "Settings and machines", table(rows))


def study_page_of(folder, title=None):
    results = read_results(folder)
    title = title or f"{results.told['testbench']}: {' by '.join(results.told['swept'])}"
    objectives = results.objectives
    pairs = list(itertools.combinations(objectives, 2)) if len(objectives) > 1 else [(name, name) for name in objectives]
    fronts = "".join(front_chart(results, *pair) for pair in pairs)
    versions = texts_of(results.runs, "version")
    body = (f"<section id=study>{facts(results)}{failed_table(results)}{fronts}{all_runs_chart(results)}"
            f"{all_runs_table(results)}</section>\n")
    return document(title, "", next(filter(None, versions), ""), "", body)
