"""Any table of a run as a chart: a bar per row, of the column that the reader chooses; also the lists of its summary. Rows over
time are left to charts of their own."""
import math

import numpy as np

from tensorloom.palette import colour_at
from tensorloom.quantities import number_text, size_text
from tensorloom.report.markup import bar_row, escape, figure, json_script
from tensorloom.run_directory import Table

OF_TIME = ("start_cycle", "begin_ps")  # a table with one of these columns is drawn over time
FIRST_CHOICES = ("ratio", "total_pJ", "energy_pJ.total", "cycles", "device.cycles", "bytes_read", "peak_bytes", "won_bytes")
MOST_ROWS = 600
DIGITS = 6
TOLD_ELSEWHERE = ("configuration", "check", "simulation", "events", "cycles_by_cause", "energy_pJ", "memory")
COMPARED = ("results", "ranges", "sweeps")  # of the summary, which comparison.csv and sweep.csv have
NAMES = ("epoch", "iteration", "run", "mode", "number", "q", "n1", "n2", "n3", "length", "size")  # numbers that name a row


def named_by(table):
    """The fewest columns that distinguish all rows, in the order of the file: texts, and numbers that are names."""
    columns = [name for name, values in table.columns.items()
               if (name in NAMES or isinstance(values, list)) and len(set(table.texts(name))) > 1]
    chosen, apart = [], 0
    for name in columns:
        found = len(set(zip(*(table.texts(one) for one in [*chosen, name]))))
        if found > apart:
            chosen, apart = [*chosen, name], found
    return chosen


def short_text(text):
    """The name without the prefix "platform."."""
    return text[len("platform."):] if text.startswith("platform.") else text


def choices_of(table, columns):
    """Columns of numbers that vary, the most important ones first."""
    names = [name for name, values in table.columns.items()
             if not isinstance(values, list) and name not in columns and np.count_nonzero(np.nan_to_num(values) > 0) > 0
             and np.count_nonzero(~np.isnan(values)) > 1]
    names = [name for name in FIRST_CHOICES if name in names] + [name for name in names if name not in FIRST_CHOICES]
    return sorted(names, key=lambda name: len(set(table.numbers(name))) == 1)  # columns of equal bars are the last


def summed_by_phase(table):
    """The sum of all rows of each phase; None if the table has no phases, or a row for each."""
    phases = list(dict.fromkeys(table.texts("phase"))) if isinstance(table.columns.get("phase"), list) else []
    if not phases or len(phases) == table.rows:
        return None
    places = np.array([phases.index(phase) for phase in table.texts("phase")])
    columns = {name: np.array([values[places == place].sum() for place in range(len(phases))]) for name, values in table.columns.items()
               if not isinstance(values, list) and name not in NAMES}
    return Table(table.path, {"phase": phases, **columns}, len(phases))


def shown_table(name, table, source):
    """The chart of a table; if its rows are parts of phases, the sums by phase, and the rows folded below."""
    chart, summed = table_chart(name, table, source), summed_by_phase(table)
    if not chart or summed is None:
        return chart
    return table_chart(f"{name} by phase", summed, "", f"Sums of the {table.rows} rows of {source} by phase.") + \
        f"<details><summary>All {table.rows} rows of {escape(source)}</summary>{chart}</details>\n"


def is_shown(table):
    return table.rows > 0 and not any(name in table.columns for name in OF_TIME)


def table_chart(name, table, source=None, note=None):
    """source: the file that the table was read from; "" for sums of its rows. "" if it has nothing to draw."""
    columns = named_by(table)
    choices = choices_of(table, columns)
    if not is_shown(table) or not choices:
        return ""
    rows = range(min(table.rows, MOST_ROWS))
    texts = [table.texts(column) for column in columns]
    names = [", ".join(short_text(column[row]) for column in texts if column[row]) or f"row {row}" for row in rows]
    first = np.nan_to_num(table.numbers(choices[0]))[:MOST_ROWS]
    marks = "".join(bar_row(names[row], [(first[row], colour_at(1))], number_text(table.numbers(choices[0])[row]), first.max())
                    for row in rows)
    options = "".join(f"<option>{escape(choice)}</option>" for choice in choices)
    values = {choice: [None if math.isnan(value) else float(f"{value:.{DIGITS}g}") for value in table.numbers(choice)[:MOST_ROWS]]
              for choice in choices}
    where = source or "summary.json"
    note = note or (f"A bar per row of {where}" if source else f"A bar per entry of '{name}' in {where}") + \
        ("." if table.rows <= MOST_ROWS else f": the first {MOST_ROWS} of {table.rows:,}.") + \
        (f" Labelled by {', '.join(columns)}." if len(columns) > 1 else "") + " Click a bar to compare the others with it."
    body = (f"<p class=controls><label>column <select>{options}</select></label></p><div class=bars>{marks}</div>" +
            json_script(values))
    return figure("chart table", name.replace("_", " "), body, note, "" if source == "" else where, len(rows))


# ---- lists of the summary --------------------------------------------------------------------------------------------

def flattened(entry, before=""):
    """Numbers, texts and sizes; those of a part are prefixed with its name."""
    found = {}
    for name, value in entry.items():
        if isinstance(value, dict):
            found.update(flattened(value, f"{before}{name}."))
        elif isinstance(value, list) and value and all(isinstance(size, int) for size in value):
            found[before + name] = size_text(value)
        elif isinstance(value, (int, float, str)) and not isinstance(value, bool):
            found[before + name] = value
    return found


def entries_of(value):
    """Entries of a list of parts, or of parts by name; a list of points inside an entry gives separate entries."""
    if isinstance(value, dict):
        value = [{"name": name, **part} for name, part in value.items() if isinstance(part, dict)]
    entries = []
    for entry in value:
        if isinstance(entry, dict):
            points = entry.get("points")
            entries += [{**flattened(entry), **flattened(point)} for point in points] if isinstance(points, list) \
                else [flattened(entry)]
    return entries


def table_of_entries(path, entries):
    columns = {}
    for name in dict.fromkeys(name for entry in entries for name in entry):
        values = [entry.get(name) for entry in entries]
        texts = any(isinstance(value, str) for value in values)
        columns[name] = ["" if value is None else str(value) for value in values] if texts \
            else np.array([math.nan if value is None else value for value in values], dtype=float)
    return Table(path, columns, len(entries))


def is_of_parts(value):
    return isinstance(value, dict) and bool(value) and all(isinstance(part, dict) for part in value.values())


def lists_of(summary):
    """Names and values; several lists under one name are separate: router.initiators, router.targets."""
    for name, value in summary.items():
        lists = [inner for inner in value.values() if inner is not None] if isinstance(value, dict) else []
        if lists and all(map(is_of_parts, lists)):
            yield from ((f"{name}.{own}", inner) for own, inner in value.items() if inner is not None)
        else:
            yield name, value


def summary_charts(directory):
    """A chart per list of the summary that is not also a table of the run."""
    charts = ""
    for name, value in lists_of(directory.summary):
        told = name in TOLD_ELSEWHERE or ("comparison" in directory.tables and name in COMPARED)
        entries = entries_of(value) if isinstance(value, (list, dict)) and not told else []
        if len(entries) > 1:
            charts += table_chart(name, table_of_entries(directory.folder, entries))
    return charts
