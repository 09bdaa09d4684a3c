"""The tables of a study: a row per run, with its options, its results, and the machine that ran it; and a row per point, with
mean and deviation of its runs."""
import csv
import io
import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tensorloom.run_directory import TensorLoomError
from tensorloom.study.directory import DEVIATION, PARQUET, REFUSED
from tensorloom.study.pareto import front
from tensorloom.whole_files import write_whole

MISSING = "missing"
BAD_INPUT = 2  # exit status of a program


@dataclass
class Design:
    """A point with the mean and the standard deviation of its runs, if all of them are right."""
    point: int
    status: str       # done; else that of its first run that is not
    runs: int
    options: dict     # name -> text
    values: dict      # measure -> mean; {} unless done
    deviations: dict  # measure -> sample standard deviation, 0 for a single run
    meets: bool       # all constraints, by the means
    overclocked: bool  # a run has a clock that its device does not allow
    on_front: bool = False


def deviation_of(values):
    return float(np.std(values, ddof=1)) if len(set(values)) > 1 else 0.0


def designs_of(plan, measured):
    """The designs in the order of the points. measured: (run, status, summary) of each run. On the front are designs that
    meet the constraints and that no other of them dominates beyond the deviations."""
    by_point = defaultdict(list)
    for run, status, summary in measured:
        by_point[run.point].append((run, status, summary))
    designs = []
    for point, runs in by_point.items():
        status = next((status for _, status, _ in runs if status != "done"), "done")
        found = {name: [measure.of(summary) for _, _, summary in runs] for name, measure in plan.measures.items()} \
            if status == "done" else {}
        values = {name: float(np.mean(column)) for name, column in found.items()}
        options = {name: " ".join(texts) for name, texts in runs[0][0].values().items() if name in plan.varied()}
        designs.append(Design(point, status, len(runs), options, values,
                              {name: deviation_of(column) for name, column in found.items()},
                              bool(found) and all(constraint.met(values) for constraint in plan.constraints),
                              any((summary or {}).get("overclocked") for _, _, summary in runs)))
    names = [objective.name for objective in plan.objectives]
    meeting = [design for design in designs if design.meets]
    if names and meeting:
        table, noise = ([[part[name] for name in names] for part in parts]
                        for parts in ([design.values for design in meeting], [design.deviations for design in meeting]))
        for design, on_front in zip(meeting, front(table, [objective.goal for objective in plan.objectives], noise)):
            design.on_front = bool(on_front)
    return designs


def plain_number(value):
    """The shortest text of the number; an integer without a point."""
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def records_of(directory, plan, refused):
    """(run, its record or {}, its summary or None) of each run. refused: id -> complaint of runs that did not start."""
    published, found = directory.published(), []
    for run in plan.runs:
        record = directory.record(run.id) if run.id in published else \
            {"status": REFUSED, "message": refused[run.id]} if run.id in refused else {}
        if plan.templates and record.get("exit_status") == BAD_INPUT:
            record = {**record, "status": REFUSED}
        found.append((run, record, directory.summary(run.id) if run.id in published else None))
    return found


def rows_of(plan, records, designs):
    """One dictionary per run, all with the same keys in the same order."""
    by_point = {design.point: design for design in designs}
    names = [*plan.swept, *plan.fixed]
    found = []
    for run, record, summary in records:
        summary = summary or {}
        options = {**run.values(), **{name: (text,) for name, text in plan.fixed.items() if name in plan.templates}}
        row = {"point": run.point, "repeat": run.repeat, "status": record.get("status", MISSING)}
        row |= {name: " ".join(options[name]) if name in options else None for name in names}
        row |= {measure.column: plain_number(measure.of(summary)) for measure in plan.measures.values()}
        row["on_front"] = by_point[run.point].on_front
        row["overclocked"] = summary.get("overclocked")
        row |= {name: record.get(name) for name in ("wall_s", "host", "started")}
        row |= {name: summary.get(name) for name in ("version", "commit")}
        row |= {"message": record.get("message") or None, "exit_status": record.get("exit_status"), "id": run.id}
        found.append(row)
    return found


def rows_of_points(plan, designs):
    """One dictionary per point: mean and deviation of every measure."""
    found = []
    for design in designs:
        row = {"point": design.point, "status": design.status, "runs": design.runs}
        row |= {name: design.options.get(name) for name in plan.varied()}
        for name, measure in plan.measures.items():
            row[measure.column] = plain_number(design.values.get(name, math.nan))
            row[measure.column + DEVIATION] = plain_number(design.deviations.get(name, math.nan))
        found.append(row | {"meets": design.meets, "overclocked": design.overclocked, "on_front": design.on_front})
    return found


def csv_text(value):
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_csv(directory, file, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([csv_text(value) for value in row.values()] for row in rows)
    write_whole(directory.path(file), text.getvalue().encode(), sync=True)


def write_parquet(directory, rows):
    """Writes results.parquet; False if pyarrow is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return False
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    for name, values in columns.items():
        if any(isinstance(value, float) for value in values):
            columns[name] = [None if value is None else float(value) for value in values]
    path, content = directory.path(PARQUET), io.BytesIO()
    try:
        parquet.write_table(pyarrow.table(columns), content)
    except pyarrow.ArrowException as error:
        raise TensorLoomError(f"{path} cannot be written: {error}") from None
    write_whole(path, content.getvalue(), sync=True)
    return True
