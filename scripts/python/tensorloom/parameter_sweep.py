"""A testbench over many options: points run in parallel processes; a point that fails does not stop the others."""
import collections.abc
import concurrent.futures
import difflib
import html
import itertools
import math
import numbers
import os
import warnings

import numpy as np

from tensorloom.execution import Processes, ends_cleanly
from tensorloom.option_keys import FORM, map_of, map_text, with_key
from tensorloom.programs import option_table
from tensorloom.progress import Bar
from tensorloom.quantities import number_text
from tensorloom.run_directory import InputProblem, TensorLoomError
from tensorloom.simulation import write_report
from tensorloom.study.pareto import front
from tensorloom.testbenches import FUNCTIONS, refuse_early, simulate

# Column of the table of results -> its path in a summary.
QUANTITIES = {"cycles": ("cycles",), "time_ns": ("simulated_time_ns",), "macs": ("macs",), "utilisation": ("utilisation",),
              "energy_pJ": ("energy_pJ", "total"), "area_um2": ("area_um2", "total"), "wall_s": ("simulation", "wall_s")}
OF_SOME = {name: (name,) for name in ("test_accuracy", "test_loss", "training_loss")}  # of testbenches that report them


def points_of(over):
    """The points of a grid, the last option fastest, or those of a list."""
    if not isinstance(over, collections.abc.Iterable):
        raise InputProblem(f"sweep: points are {over!r}, expected a dict of lists or a list of dicts")
    if not isinstance(over, dict):
        points = [dict(point) if isinstance(point, dict) else point for point in over]
        for number, point in enumerate(points):
            if not isinstance(point, dict) or not point:
                raise InputProblem(f"sweep: point {number} is {point!r}, expected a dict of options")
    else:
        for name, values in over.items():
            if not isinstance(values, (list, range, np.ndarray)) or len(values) == 0:
                raise InputProblem(f"sweep: '{name}' is {values!r}, expected a list of values")
        points = [dict(zip(over, values)) for values in itertools.product(*over.values())] if over else []
    if not points:
        raise InputProblem("sweep: no points, expected a dict of lists or a list of dicts")
    for name in (name for point in points for name in point):
        if not isinstance(name, str):
            raise InputProblem(f"sweep: a point has {name!r}, expected names of options")
    return points


def found_in(summary, path):
    """The number below these names; NaN if the summary has none."""
    for name in path:
        summary = summary.get(name) if isinstance(summary, dict) else None
    return float(summary) if isinstance(summary, numbers.Real) else math.nan


def value_text(value):
    """Sizes joined by x, other lists by commas, as on the command line."""
    if not isinstance(value, (tuple, list)):
        return str(value)
    return ("x" if all(isinstance(part, numbers.Integral) for part in value) else ",").join(map(value_text, value))


def column_of(values):
    """Numbers as numbers, everything else as texts; a missing option of a point is empty, or NaN."""
    if all(isinstance(value, numbers.Integral) and not isinstance(value, bool) for value in values):
        for kind in (np.int64, np.uint64):
            if all(np.iinfo(kind).min <= value <= np.iinfo(kind).max for value in values):
                return np.array(values, dtype=kind)
        return np.array([str(value) for value in values])
    if all(value is None or (isinstance(value, numbers.Real) and not isinstance(value, bool)) for value in values):
        return np.array([math.nan if value is None else value for value in values], dtype=float)
    return np.array(["" if value is None else value_text(value) for value in values])


def map_of_option(program, name, value, what):
    """The content of an option with keys: a dict, or that of a file or of a model that ships with the project."""
    option = option_table(program).options.get(name)
    if option is None or FORM not in (option.form or ""):
        raise InputProblem(f"sweep: {what} is a key of {name}, expected an option of {program} that takes a dict, like model of "
                           f"tnn_training")
    value = option.default if value is None else value
    if isinstance(value, dict):
        return value
    if not isinstance(value, (str, os.PathLike)):
        raise InputProblem(f"sweep: {what} is a key of {name}, found {name}={value!r}, expected a dict, a name or a file")
    try:
        path, text = map_text(os.fspath(value))
        return map_of(text, path)
    except InputProblem as problem:
        raise InputProblem(f"sweep: {name}: {problem}") from None


def with_keys(program, options, keys):
    """Options with keys of those that are dicts: "model.optimizer.rate"."""
    for name, value in keys.items():
        option, _, path = name.partition(".")
        content = map_of_option(program, option, options.get(option), f"'{name}'")
        options = {**options, option: with_key(content, path.split("."), value, f"sweep: '{name}'")}
    return options


class Sweep:
    """points[i] is a dict of options, runs[i] its Run or None, errors[i] the error of the point or None."""

    def __init__(self, program, points, runs, errors):
        self.program = program
        self.points = points
        self.runs = runs
        self.errors = errors

    def __len__(self):
        return len(self.points)

    @property
    def table(self):
        """A structured array, a row per point: its options, then cycles, time_ns, macs, utilisation, energy_pJ, area_um2 and
        wall_s, NaN if the testbench has none or the point failed, and the accuracy and losses of a training; error is empty
        if the point succeeded."""
        names = list(dict.fromkeys(name for point in self.points for name in point))
        columns = {name: column_of([point.get(name) for point in self.points]) for name in names}
        told = {name: path for name, path in OF_SOME.items() if any(run and name in run.summary for run in self.runs)}
        for name, path in {**QUANTITIES, **told}.items():
            columns[name] = np.array([found_in(run.summary, path) if run else math.nan for run in self.runs])
        columns["error"] = np.array([str(error or "") for error in self.errors])
        array = np.zeros(len(self.points), dtype=[(name, values.dtype) for name, values in columns.items()])
        for name, values in columns.items():
            array[name] = values
        return array

    def front(self, **goals):
        """The rows of the table on the Pareto front: front(test_accuracy="max", energy_pJ="min")."""
        table = self.table
        numeric = [name for name in table.dtype.names if table.dtype[name].kind in "iuf"]
        if not goals:
            raise InputProblem('front: no objectives, expected columns with min or max, like energy_pJ="min"')
        for name, goal in goals.items():
            if name not in numeric:
                raise InputProblem(f"front: '{name}' is not a column of numbers, expected one of {', '.join(numeric)}")
            if goal not in ("min", "max"):
                raise InputProblem(f"front: {name} is {goal!r}, expected min or max")
        return table[front(np.column_stack([table[name] for name in goals]), list(goals.values()))]

    def frame(self):
        """The table as a DataFrame, if pandas is installed."""
        try:
            import pandas
        except ImportError:
            raise InputProblem("pandas is not installed, expected it for frame(); table needs numpy alone") from None
        return pandas.DataFrame(self.table)

    def report(self, path, title=None):
        """One HTML page of all runs side by side."""
        labels = [", ".join(f"{name} {value_text(value)}" for name, value in point.items()) for point in self.points]
        labels = [label if labels.count(label) == 1 else f"{label} ({labels[:place].count(label) + 1})"
                  for place, label in enumerate(labels)]
        labelled = {label: run for label, run in zip(labels, self.runs) if run}
        if not labelled:
            raise InputProblem(f"sweep: all {len(self)} points failed, expected a run for the report; the first: {self.errors[0]}")
        write_report(labelled, path, title)

    def __repr__(self):
        failed = sum(error is not None for error in self.errors)
        return f"<Sweep of {self.program}: {len(self)} points{f', {failed} failed' if failed else ''}>"

    def _repr_html_(self):
        table = self.table
        head = "".join(f"<th>{html.escape(name)}</th>" for name in table.dtype.names)
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell if isinstance(cell, str) else number_text(cell))}</td>"
                                        for cell in row.tolist()) + "</tr>" for row in table)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def testbench_of(told):
    """The function of a testbench, from itself or its name."""
    found = FUNCTIONS.get(told) if isinstance(told, str) else told
    if hasattr(found, "program") and hasattr(found, "request"):
        return found
    close = difflib.get_close_matches(told, FUNCTIONS, 1) if isinstance(told, str) else []
    raise InputProblem(f"sweep: {told!r} is not a testbench, expected one, like tensorloom.{close[0] if close else 'dxt'}")


def sweep(testbench, over, *arguments, workers=None, progress=None, **options):
    """Runs a testbench once per point: sweep(tl.dxt, {"mesh": [(8, 8, 8), (16, 16, 16)], "dma_width": [64, 512]}, x).

    testbench  a function, like tl.dxt, or its name
    over       a dict of lists is a grid of all combinations; a list of dicts gives the points. A name with dots is a key of
               a model: "model.layers.0.ranks", "model.layers.output.ranks", "model.optimizer.rate"; a dict as its value
               sets the keys that it has, None removes one
    arguments  arguments and options of every point
    workers    parallel processes (default: the number of processors)
    progress   True, False, or None, which shows a line on terminals and in notebooks

    An option that is wrong by the program's table is rejected before anything runs. A point that its program rejects,
    or whose result is wrong, is reported in a warning and in the table, and does not stop the others.
    """
    testbench = testbench_of(testbench)
    points = points_of(over)
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, numbers.Integral) or workers < 1):
        raise InputProblem(f"sweep: workers is {workers!r}, expected an integer of at least 1")
    given = []
    for point in points:
        twice = sorted(set(point) & set(options))
        if twice:
            raise InputProblem(f"sweep: '{twice[0]}' is given for all points and for one, expected one of them")
        keys = {name: value for name, value in point.items() if "." in name}
        own = {name: value for name, value in point.items() if name not in keys}
        given.append(with_keys(testbench.program, testbench.request(*arguments, **options, **own), keys))
    for asked in given:
        refuse_early(testbench.program, asked)
    workers = workers or len(os.sched_getaffinity(0))

    runs, errors, processes = [None] * len(points), [None] * len(points), Processes()

    def run_point(place):
        try:
            runs[place] = simulate(testbench.program, given[place], progress=False, processes=processes)
        except TensorLoomError as error:
            errors[place] = error

    with ends_cleanly(), Bar(f"sweep of {testbench.program}", progress) as bar, \
            concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(run_point, place) for place in range(len(points))]
        try:
            for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
                future.result()
                failed = sum(error is not None for error in errors)
                bar.show(done / len(points), f"{done} of {len(points)} points{f', {failed} failed' if failed else ''}")
        except BaseException:
            processes.stop()
            pool.shutdown(cancel_futures=True)
            raise
    failed = [error for error in errors if error]
    if failed:
        warnings.warn(f"{len(failed)} of {len(points)} points failed, the first: {failed[0]}", RuntimeWarning, stacklevel=2)
    return Sweep(testbench.program, points, runs, errors)
