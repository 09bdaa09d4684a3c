"""The table of a study: a row per run, with its options, its results, and the machine that ran it."""
import csv
import io
import math
from collections import defaultdict

import numpy as np

from tensorloom.run_directory import TensorLoomError
from tensorloom.study.directory import PARQUET, RESULTS
from tensorloom.study.pareto import front
from tensorloom.whole_files import write_whole

MISSING = "missing"


def fronts(plan, measured):
    """point -> whether it is on the front; measured: (point, status, summary) of each run. A point's value is the mean
    of its runs, and counts only if all of them are right."""
    rows = defaultdict(list)
    for point, status, summary in measured:
        rows[point].append([plan.measures[objective.name].of(summary) if status == "done" else math.nan for objective in plan.objectives])
    points = list(rows)
    if not plan.objectives:
        return dict.fromkeys(points, False)
    means = np.array([np.mean(rows[point], axis=0) for point in points])
    return dict(zip(points, front(means, [objective.goal for objective in plan.objectives])))


def plain_number(value):
    """The shortest text of the number; an integer without a point."""
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def rows_of(directory, plan):
    """One dictionary per run, all with the same keys in the same order."""
    published = directory.published()
    records, summaries = {}, {}
    for run in plan.runs:
        if run.id in published:
            records[run.id], summaries[run.id] = directory.record(run.id), directory.summary(run.id)
    on_front = fronts(plan, [(run.point, records.get(run.id, {}).get("status", MISSING), summaries.get(run.id))
                             for run in plan.runs])
    names = [*plan.swept, *plan.fixed]
    found = []
    for run in plan.runs:
        record, summary, options = records.get(run.id, {}), summaries.get(run.id) or {}, dict(run.options)
        row = {"point": run.point, "repeat": run.repeat, "status": record.get("status", MISSING)}
        row |= {name: " ".join(options[name]) if name in options else None for name in names}
        row |= {measure.column: plain_number(measure.of(summary)) for measure in plan.measures.values()}
        row["on_front"] = bool(on_front[run.point])
        row |= {name: record.get(name) for name in ("wall_s", "host", "started")}
        row |= {name: summary.get(name) for name in ("version", "commit")}
        row |= {"message": record.get("message") or None, "exit_status": record.get("exit_status"), "id": run.id}
        found.append(row)
    return found


def csv_text(value):
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_csv(directory, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([csv_text(value) for value in row.values()] for row in rows)
    write_whole(directory.path(RESULTS), text.getvalue().encode(), sync=True)


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
