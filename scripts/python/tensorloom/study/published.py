"""What a study has written: its points and its runs, as its page, its pictures and its claim read them."""
import math
import os
from dataclasses import dataclass

from tensorloom.option_keys import short_names
from tensorloom.run_directory import InputProblem, Table, read_json, read_table
from tensorloom.study.claim import UNDECIDED, ReadPoint, claim_of
from tensorloom.study.constraints import constraint_of
from tensorloom.study.directory import DEVIATION, POINTS, RESULTS, STUDY, is_study
from tensorloom.study.measures import Measure, measures_of

FIELDS = ("testbench", "options", "swept", "points", "runs", "measures", "objectives", "constraints", "shares", "question")
OPTIONAL_FIELDS = ("claim", "picture")  # that studies of before do not have


@dataclass
class Point:
    """A point: mean and deviation of its runs, if all of them are right."""
    number: int
    options: dict
    values: dict      # measure -> mean; NaN if unknown or if a run is not right
    deviations: dict  # measure -> standard deviation of its runs
    meets: bool       # the constraints
    on_front: bool

    def name(self):
        return f"point {self.number} (" + ", ".join(f"{name} {text}" for name, text in self.options.items() if text) + ")"


@dataclass
class StudyResults:
    told: dict      # study.json, with labels of the swept options
    swept: list     # their columns
    runs: Table     # results.csv
    measures: dict  # name -> Measure
    points: list
    constraints: list

    @property
    def objectives(self):
        return list(self.told["objectives"])

    def verdict(self):
        """(verdict, its reason) of the study's claim. InputProblem: not all points are right, or there is no claim."""
        if not self.told["claim"]:
            raise InputProblem("the study makes no claim, expected claim and verdict in its file")
        bad = [state for state in self.runs.texts("status") if state != "done"]
        if bad:
            raise InputProblem(f"{len(bad):,} of {self.runs.rows:,} runs are not done")
        return claim_of(self.told["claim"]).verdict([ReadPoint(point.options, point.values) for point in self.points])

    def conclusion(self):
        """The verdict in a sentence, or why there is none."""
        try:
            return "{}: {}".format(*self.verdict())
        except InputProblem as problem:
            return f"{UNDECIDED}: {problem}"

    def bounded(self, name):
        """Whether a measure is a share, from 0 to 1."""
        return name in self.told["shares"]


def read_results(folder):
    path = os.path.join(folder, STUDY)
    told = read_json(path)
    try:
        told = {name: told[name] for name in FIELDS} | {name: told.get(name) for name in OPTIONAL_FIELDS}
        claim_of(told["claim"])
        measures = measures_of(told["testbench"], {name: Measure(name, (), "1") for name in told["measures"]})
        if not all(name in measures for name in told["objectives"]):
            raise ValueError("an objective is not a measure")
        constraints = [constraint_of(text, measures) for text in told["constraints"]]
    except (KeyError, TypeError, ValueError) as error:
        raise InputProblem(f"{path} is not a file of tensorloom-study: {error}") from None
    runs, rows = read_table(os.path.join(folder, RESULTS)), read_table(os.path.join(folder, POINTS))
    labels = short_names(told["swept"])
    options = {labels[name]: texts_of(rows, name) for name in told["swept"]}
    means, deviations = ({name: rows.numbers(measure.column + ending) for name, measure in measures.items()} for ending in ("", DEVIATION))
    meets, on_front = (rows.texts(name) for name in ("meets", "on_front"))
    points = [Point(int(number), *({name: float(values[row]) if convert else values[row] for name, values in columns.items()}
                                   for columns, convert in ((options, False), (means, True), (deviations, True))),
                    meets[row] == "true", on_front[row] == "true") for row, number in enumerate(rows.numbers("point"))]
    return StudyResults({**told, "swept": list(labels.values())}, list(labels), runs, measures, points, constraints)


def texts_of(runs, name):
    """Texts of a column as in the file; "" for an empty cell."""
    return ["" if text == "nan" else text for text in runs.texts(name)]


def verdict_rows(folder):
    """(lines of a table of the claims of all studies below a folder, kinds of their verdicts)"""
    rows = ["# What of the papers our models reproduce", "", "| study | claim | verdict |", "|---|---|---|"]
    kinds = []
    for within, folders, _ in os.walk(folder):
        folders.sort()
        if not is_study(within):
            continue
        folders.clear()
        results = read_results(within)
        if not results.told["claim"]:
            continue
        name = os.path.relpath(within, folder)
        linked = f"[{name}]({name}.png)" if os.path.exists(f"{within}.png") else name
        conclusion = results.conclusion()
        kinds.append(conclusion.partition(":")[0])
        rows.append("| " + " | ".join(text.replace("|", "\\|") for text in (linked, results.told["claim"]["claim"], conclusion)) + " |")
    return rows, kinds
