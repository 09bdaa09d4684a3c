"""The array and the components of a device at one row of latency.csv, selected with a slider or a click on a chart.

The tables give the number of multiply-adds of a row, but not the cells that computed them: all cells have the same
shade, the share of the array that worked. For a mesh the tables also give the slab whose cells drive their operands in
a time-step; for a torus the directions in which blocks roll.
"""
import math

import numpy as np

from tensorloom.palette import colours_of
from tensorloom.report.markup import bar_row, escape, figure, json_script

MOST_CUBES = 16    # along the longest mode of an array; if there are more cells, several share a cube
DIGITS = 4         # significant digits of numbers in the data of the page
AXES = ("q", "r", "s")


def array_of(summary, device):
    """{"kind", "size", "groups"}: a mesh or a torus in space, or groups of square arrays; None if the summary does not give it."""
    configuration = summary["configuration"]
    job = (summary.get("devices") or {}).get(device) or {}
    mesh = job.get("shape") or configuration.get("mesh")
    if isinstance(mesh, list):
        return {"kind": "mesh", "size": mesh, "groups": 1}
    grid, engines, side = (configuration.get(name) for name in ("grid", "engines", "side"))
    if grid:
        return {"kind": "torus", "size": [grid] * 3, "groups": 1}
    return {"kind": "array", "size": [side, side], "groups": engines or 1} if side else None


def cubes_of(size):
    """Number of cubes drawn along each mode; the array keeps its shape."""
    cells = max(1.0, max(size) / MOST_CUBES)
    return [math.ceil(count / cells) for count in size]


def rounded(values):
    return [float(f"{value:.{DIGITS}g}") for value in values]


def peak_of(run, device):
    cases = [case for case in run.cases if case.name == device] or run.cases
    return cases[0].peak_macs if cases else math.nan


def slabs_of(run, rows):
    """For every row, the mode and the index of the cells that drive their operands; -1 if there are none. A time-step of a
    mesh has its stage as phase and its row of the matrix as detail."""
    table = run.directories[0].tables["latency"]
    modes = {f"stage_{place}": stage["mode"] for place, stage in enumerate(run.summary.get("stages") or [], 1)}
    if len(run.directories) > 1 or "detail" not in table.columns or not modes:
        return []
    phase, detail = table.texts("phase"), table.numbers("detail")
    return [[modes[phase[row]], int(detail[row])] if phase[row] in modes else [0, -1] for row in rows]


def rolls_of(run, rows):
    """Words that passed links along each direction of a torus: rolled, or written into shared memory."""
    table = run.directories[0].tables["latency"]
    names = [(f"roll_word_{along}", f"share_word_{along}") for along in AXES]
    if len(run.directories) > 1 or any(name not in table.columns for both in names for name in both):
        return []
    return [[sum(int(table.numbers(name)[row]) for name in both) for both in names] for row in rows]


def data_of(run, shown, device):
    """What page.js draws from; the rows are those of one device."""
    records = shown.records
    rows = [place for place in range(len(records)) if records.device[place] == device]
    jobs, causes, phases = (list(dict.fromkeys(names[row] for row in rows))
                            for names in (records.job, records.cause, records.phase))
    colours = colours_of(dict.fromkeys(records.cause))
    possible = records.duration_ns[rows] / run.period_ns * peak_of(run, device)
    share = np.divide(records.macs[rows], possible, out=np.zeros(len(rows)), where=possible > 0)
    array = array_of(run.summary, device)
    if array and array["kind"] != "array":
        array["cubes"] = cubes_of(array["size"])
    whole = shown.per_mark == 1
    return {"array": array, "rows": rows, "causes": causes, "phases": phases,
            "jobs": jobs if len(jobs) > 1 else [], "job": [jobs.index(records.job[row]) for row in rows] if len(jobs) > 1 else [],
            "perMark": shown.per_mark,
            "colours": [colours[cause] for cause in causes], "period": run.period_ns,
            "cause": [causes.index(records.cause[row]) for row in rows],
            "phase": [phases.index(records.phase[row]) for row in rows],
            "start": rounded(records.start_ns[rows]), "duration": rounded(records.duration_ns[rows]),
            "macs": [int(count) for count in records.macs[rows]], "share": rounded(np.minimum(share, 1)),
            "slab": slabs_of(run, rows) if whole and array and array["kind"] == "mesh" else [],
            "roll": rolls_of(run, rows) if whole and array and array["kind"] == "torus" else [],
            "energy": {name: rounded(values[rows]) for name, values in records.energy_pj.items() if values[rows].any()}}


def note_of(data):
    array = data["array"]
    if array is None:
        return ""
    size = " x ".join(map(str, array["size"]))
    if array["kind"] == "array":
        return (f"{array['groups']} x ({size}) PEs" if array["groups"] > 1 else f"{size} PEs") + \
            ", shaded by their utilisation in this row."
    cells = [count / cubes for count, cubes in zip(array["size"], array["cubes"])]
    merged = "" if max(cells) == 1 else f" A cube represents {' x '.join(f'{count:.3g}' for count in cells)} cells."
    blue = "; the blue slab drives its operands in this time-step" if data["slab"] else \
        "; blue lines: blocks roll" if data["roll"] else ""
    return f"{size} {'cells' if array['kind'] == 'mesh' else 'nodes'}, shaded by their utilisation{blue}.{merged}"


def activity_views(run, shown, number):
    """One view per device, with the data of its rows; and whether one of them is in space."""
    markup, in_space = "", False
    if len(run.directories) > 1 and len({directory.summary["testbench"] for directory in run.directories}) > 1:
        return markup, in_space
    for device in dict.fromkeys(shown.records.device):
        data = data_of(run, shown, device)
        space = bool(data["array"]) and data["array"]["kind"] != "array"
        in_space = in_space or space
        colours = colours_of(data["energy"])
        components = "".join(bar_row(name, [(0, colours[name])], "-", 1) for name in data["energy"])
        buttons = "<button data-walk=back>back</button><button data-walk=play>play</button><button data-walk=on>on</button>" + \
            ("<button data-walk=flat>as slabs</button>" if space else "")
        body = (f'<div class=scene></div><p class=controls>{buttons}</p>'
                f'<input type=range min=0 max="{len(data["rows"]) - 1}" value=0 aria-label="row of latency.csv">'
                f"<p class=details aria-live=polite></p>" +
                (f"<p class=note>Power of every component in this row, relative to its maximum</p><div class=bars>{components}</div>"
                 if components else "") +
                json_script(data))
        name = f"{device}: step by step" if len(set(shown.records.device)) > 1 else "Step by step"
        markup += figure("activity", name, body, note_of(data)).replace(
            "<figure ", f'<figure data-device="{escape(device)}" data-run="{number}" ', 1)
    return markup, in_space
