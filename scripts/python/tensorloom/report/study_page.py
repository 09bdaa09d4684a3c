"""The page of a study: its question and answer, the Pareto front, all points in charts and in a table, and failed runs."""
import itertools
import math

import numpy as np

from tensorloom.palette import COLOURS, GREY, colour_at
from tensorloom.quantities import number_text
from tensorloom.report import tables
from tensorloom.report.markup import answer_block, colour_class, escape, figure, legend, percent, short, table
from tensorloom.report.page import document
from tensorloom.report.plane import axis_of, line, plane
from tensorloom.run_directory import Table
from tensorloom.study.constraints import constraints_text, nearest
from tensorloom.study.directory import POINTS, REFUSED
from tensorloom.study.published import read_results, texts_of

ON_FRONT = COLOURS[0]
MOST_POINTS = 3000    # of a chart; points of the front are never left out
MOST_ROWS = 2000      # of the table of all runs
MOST_OPEN = 16        # lines of a table that is open at first
MOST_VALUES = 12      # most values of a swept option that are listed
MOST_COLOURED = 10    # lines of the front with a colour of their own in parallel coordinates
TOP, BOTTOM = 20, 980  # of the axes of parallel coordinates, from 0 to 1000


# ---- question and answer ---------------------------------------------------------------------------------------------

def question_of(results):
    told = results.told
    goals = " and ".join(f"{'least' if goal == 'min' else 'most'} {name}" for name, goal in told["objectives"].items())
    under = f" under {constraints_text(results.constraints)}" if results.constraints else ""
    claimed = f"Claim: {told['claim']['claim']}" if told["claim"] else ""
    return told["question"] or claimed or (f"Which {' and '.join(told['swept'])} gives {told['testbench']} the {goals}{under}?" if goals else "")


def answers_of(results):
    """How many points meet the constraints, and the best of them by each objective."""
    right = [point for point in results.points if any(math.isfinite(value) for value in point.values.values())]
    meeting = [point for point in right if point.meets]
    lines = [results.conclusion()] if results.told["claim"] else []
    if results.constraints:
        lines.append(f"{len(meeting):,} of {len(right):,} points meet {constraints_text(results.constraints)}.")
        if right and not meeting:
            closest = nearest(results.constraints, right)
            values = ", ".join(f"{constraint.name} {number_text(constraint.value(closest.values))}" for constraint in results.constraints)
            lines.append(f"The nearest is {closest.name()}: {values}.")
    for name, goal in results.told["objectives"].items():
        known = [point for point in meeting if math.isfinite(point.values[name])]
        if known:
            sign = 1 if goal == "min" else -1
            best = min(known, key=lambda point: (sign * point.values[name], not point.on_front))  # of equal ones that of the front
            others = ", ".join(f"{other} {told_value(results, best, other)}" for other in needed(results) if other != name)
            lines.append(f"{'Least' if goal == 'min' else 'Most'} {name}: {told_value(results, best, name)} at {best.name()}" +
                         (f", with {others}." if others else "."))
    if results.objectives:
        count = sum(point.on_front for point in results.points)
        lines.append(f"{count:,} point{' is' if count == 1 else 's are'} on the front of {' and '.join(results.objectives)}.")
    return lines


def needed(results):
    """The objectives and the measures that are constrained."""
    return list(dict.fromkeys([*results.objectives, *(constraint.measure for constraint in results.constraints)]))


def told_value(results, point, name):
    return results.measures[name].text(point.values[name], point.deviations[name])


# ---- charts ----------------------------------------------------------------------------------------------------------

def drawn_points(results, names):
    """The points that have these measures, the front first."""
    whole = [point for point in results.points if all(math.isfinite(point.values[name]) for name in names)]
    shown = [point for point in whole if point.on_front]
    others = [point for point in whole if not point.on_front]
    return shown + others[::max(1, -(-len(others) // MOST_POINTS))], len(whole)


def noise_lines(point, x, y, ends_across, ends_up):
    """The deviation of a point on both axes."""
    colour = colour_class(ON_FRONT if point.on_front else GREY)
    return (line(ends_across[0], y, ends_across[1], y, f"noise {colour}") if ends_across[0] < ends_across[1] else "") + \
        (line(x, ends_up[0], x, ends_up[1], f"noise {colour}") if ends_up[0] < ends_up[1] else "")


def limit_lines(results, name, place_of, axis):
    """The constraints of one axis."""
    limits = [place_of(constraint.limit * constraint.factor) for constraint in results.constraints if constraint.measure == name]
    return "".join(line(at, 0, at, 1, "limit") if axis == "across" else line(0, at, 1, at, "limit") for at in limits if 0 <= at <= 1)


def front_line(places):
    """The front of two objectives, from point to point."""
    path = " ".join(f"{short(1000 * x)},{short(1000 * (1 - y))}" for x, y in sorted(places))
    return (f'<svg viewBox="0 0 1000 1000" preserveAspectRatio="none"><polyline class="front {colour_class(ON_FRONT)}" '
            f'points="{path}"/></svg>')


def front_chart(results, across_name, up_name, first=False):
    """All points by two objectives, with the front marked; "" if no point has both."""
    shown, whole = drawn_points(results, (across_name, up_name))
    if not shown:
        return ""
    names = (across_name, up_name)
    scales = {name: results.measures[name].scale([point.values[name] for point in shown]) for name in names}
    axes = {name: axis_of([scales[name](point.values[name] + sign * point.deviations[name]) for point in shown for sign in (-1, 0, 1)] +
                          [scales[name](constraint.limit * constraint.factor) for constraint in results.constraints
                           if constraint.measure == name], results.bounded(name)) for name in names}

    def place_of(name):
        return lambda value: axes[name](scales[name](value))

    def ends_of(point, name):
        return [place_of(name)(point.values[name] + sign * point.deviations[name]) for sign in (-1, 1)]

    places = [tuple(place_of(name)(point.values[name]) for name in names) for point in shown]
    # The front is drawn last, above the other points, but is first in the table.
    marks = [noise_lines(point, *place, *(ends_of(point, name) for name in names)) +
             f'<circle class="m {colour_class(ON_FRONT if point.on_front else GREY)}{"" if point.meets else " out"}" data-row="{row}" '
             f'cx="{percent(place[0])}" cy="{percent(1 - place[1])}" r="{6 if point.on_front else 4}"/>'
             for row, (point, place) in enumerate(zip(shown, places))]
    front = [place for point, place in zip(shown, places) if point.on_front]
    body = plane(axes[across_name], axes[up_name],
                 (front_line(front) if results.objectives == list(names) else "") +
                 f"<svg>{limit_lines(results, across_name, place_of(across_name), 'across')}"
                 f"{limit_lines(results, up_name, place_of(up_name), 'up')}{''.join(reversed(marks))}</svg>",
                 [(str(point.number), *place) for point, place in zip(shown, places) if point.on_front],
                 f"across: {axis_text(results, across_name, scales)}; up: {axis_text(results, up_name, scales)}", places)
    return figure("chart roofline pareto", f"{up_name} by {across_name}", body + points_table(results, shown, first), front_note(results, names, shown, whole))


def points_table(results, shown, first):
    """All points; folded below charts that are not the first, and if they are many."""
    names = needed(results)
    rows = [(f"{point.number}", *point.options.values(), *(told_value(results, point, name) for name in names),
             *(["yes" if point.meets else ""] if results.constraints else []), "yes" if point.on_front else "") for point in shown]
    told = table(rows, ("point", *results.told["swept"], *names, *(["meets"] if results.constraints else []), "on the front"), "wide")
    if not first or len(rows) > MOST_OPEN:
        told = f"<details><summary>{len(rows):,} points, the front first</summary>{told}</details>"
    return told


def front_note(results, names, shown, whole):
    count = sum(point.on_front for point in shown)
    noise = any(value > 0 for point in shown for name, value in point.deviations.items() if name in results.objectives)
    return (f"Large, numbered and coloured: the {count:,} points of the front over all objectives; no point is better than one of "
            f"them in one objective{' by more than the deviation of the difference' * noise} and at least as good in the others." +
            " Bars: standard deviation of the runs of a point." * noise +
            " Dashed: a constraint." * any(constraint.measure in names for constraint in results.constraints) +
            " Hollow: points that do not meet the constraints." * any(not point.meets for point in shown) +
            (f" {len(shown):,} of {whole:,} are drawn." if len(shown) < whole else ""))


def axis_text(results, name, scales):
    goal = results.told["objectives"].get(name)
    told = [f"{'lower' if goal == 'min' else 'higher'} is better"] if goal else []
    told += [str(constraint) for constraint in results.constraints if constraint.measure == name]
    return escape(", ".join([scales[name].axis(name), *told]))


def parallel_chart(results):
    """Parallel coordinates of more than two objectives: an axis per objective, the better end above; a line per point."""
    names = results.objectives
    shown, whole = drawn_points(results, names)
    if not shown:
        return ""
    scales = {name: results.measures[name].scale([point.values[name] for point in shown]) for name in names}
    axes = {name: axis_of([scales[name](point.values[name]) for point in shown], results.bounded(name)) for name in names}
    ends = {name: sorted((point.values[name] for point in shown), reverse=results.told["objectives"][name] == "max") for name in names}

    def height(point, name):
        best, worst = (axes[name](scales[name](ends[name][end])) for end in (0, -1))
        share = (axes[name](scales[name](point.values[name])) - best) / (worst - best) if worst != best else 0.5
        return TOP + (BOTTOM - TOP) * share

    coloured = {point.number: colour_at(row) for row, point in enumerate(shown[:MOST_COLOURED]) if point.on_front}
    step = 1000 / len(names)
    marks = [f'<polyline class="m front {colour_class(coloured.get(point.number, ON_FRONT if point.on_front else GREY))}" data-row="{row}" '
             f'points="{" ".join(f"{short((place + 0.5) * step)},{short(height(point, name))}" for place, name in enumerate(names))}"/>'
             for row, point in enumerate(shown)]
    bars = "".join(f'<line class=roof x1="{short((place + 0.5) * step)}" x2="{short((place + 0.5) * step)}" y1="{TOP}" y2="{BOTTOM}" '
                   f'vector-effect="non-scaling-stroke"/>' for place in range(len(names)))
    heads, feet = ("".join(f"<span>{escape(f'{name} ' * named + results.measures[name].text(ends[name][end]))}</span>" for name in names)
                   for end, named in ((0, True), (-1, False)))
    body = (f'<div class=parallel><div class=ends>{heads}</div><svg viewBox="0 0 1000 1000" preserveAspectRatio="none">{bars}'
            f"{''.join(reversed(marks))}</svg><div class=ends>{feet}</div></div>" +
            legend({point.name(): coloured[point.number] for point in shown if point.number in coloured}))
    return figure("chart roofline parallel", "All objectives", body + points_table(results, shown, True),
                  f"A line per point, coloured on the front; the best value of each objective is above. {whole:,} points.")


def all_points_chart(results):
    """A bar per point, for the mean of the chosen measure."""
    columns = {name: [point.options[name] for point in results.points] for name in results.told["swept"]}
    columns |= {measure.column: np.array([point.values[name] for point in results.points]) for name, measure in results.measures.items()}
    return tables.table_chart("all_points", Table(POINTS, columns, len(results.points)), POINTS)


def all_runs_table(results):
    """The table of results.csv, without the columns that the page shows above."""
    left_out = {*results.told["options"], "exit_status", "started", "id", "message", "commit", "version"}
    columns = {name: texts_of(results.runs, name) for name in results.runs.columns if name not in left_out}
    rows = list(zip(*columns.values()))[:MOST_ROWS]
    more = f", the first {len(rows):,}" if len(rows) < results.runs.rows else ""
    return f"<details><summary>{results.runs.rows:,} runs{more}</summary>{table(rows, tuple(columns), 'wide')}</details>\n"


def rows_by_status(results):
    """Status -> (point, status, message) of the runs that are not done; what is the same for all runs of a point is there once."""
    found = {}
    for row in zip(texts_of(results.runs, "point"), results.runs.texts("status"), texts_of(results.runs, "message")):
        if row[1] != "done" and (row[1] != REFUSED or row not in found.get(REFUSED, ())):
            found.setdefault(row[1], []).append(row)
    return found


def status_table(rows, kind, title):
    """A table of runs that are not done; "" if there are none."""
    return figure(kind, f"{len(rows):,} {title}", table(rows[:MOST_ROWS], ("point", "status", "message"), "wide")) if rows else ""


def facts(results):
    runs, told = results.runs, results.told
    states = runs.texts("status")
    rows = [("testbench", told["testbench"]), ("options", ", ".join(f"{name} {text}" for name, text in told["options"].items()) or "-")]
    for label, name in zip(told["swept"], results.swept):
        values = list(dict.fromkeys(text for text in texts_of(runs, name) if text))
        few = ", ".join(values[:MOST_VALUES]) + (f" and {len(values) - MOST_VALUES:,} more" if len(values) > MOST_VALUES else "")
        rows.append((label, few))
    rows.append(("points, runs", f"{told['points']:,}, {told['runs']:,}"))
    rows.append(("runs done and right", f"{states.count('done'):,}"))
    if results.constraints:
        rows.append(("constraints", constraints_text(results.constraints)))
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
    limited = [name for name in needed(results) if name not in objectives] if objectives else []
    pairs += [(objectives[0], name) for name in limited]
    parallel = parallel_chart(results) if len(objectives) > 2 else ""
    fronts = parallel + "".join(front_chart(results, *pair, not parallel and place == 0) for place, pair in enumerate(pairs))
    versions = texts_of(results.runs, "version")
    unfinished = rows_by_status(results)
    refused = status_table(unfinished.pop(REFUSED, []), "refused", f"designs that {results.told['testbench']} refuses")
    failed = status_table(list(itertools.chain(*unfinished.values())), "failed", "runs that failed or are wrong or missing")
    body = (f"<section id=study>{failed}{fronts}{refused}{facts(results)}{all_points_chart(results)}"
            f"{all_runs_table(results)}</section>\n")
    return document(title, answer_block(question_of(results), answers_of(results)), next(filter(None, versions), ""), "", body)
