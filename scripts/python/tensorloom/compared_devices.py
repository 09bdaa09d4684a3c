"""The output of a comparison of devices as one run per device, as if each had written a separate directory."""
import numpy as np

from tensorloom import manifests
from tensorloom.run_directory import RunDirectory, Table

PLACE = ("device", "run", "job", "command", "cause", "phase", "id", "detail", "start_cycle", "cycles", "total_pJ")
WORK = ("einsum", "shape", "out_shape", "options_given", "inputs")  # of the configuration: the same for all


def compares_devices(directory):
    return manifests.summary_of(directory.summary["testbench"]).get("cases") == "device_runs"


def summary_of(summary, run):
    """A summary with the fields of a run of one device; a unit multiplies once per cycle."""
    configuration = summary["configuration"]
    own = {**run["settings"], **{name: configuration[name] for name in WORK}}
    check = {**(run["check"] or {"passed": None}), "reference": summary["check"]["reference"]}
    return {**{name: summary[name] for name in ("schema", "testbench", "version", "commit", "simulation")},
            **{name: value for name, value in run.items() if name != "settings"}, "configuration": own, "check": check,
            "roofline": {"peak_macs_per_cycle": run["mac_units"]}}


def rows_of(table, device):
    """The device's rows, without columns that are all 0, which belong to other devices."""
    own = [place for place, text in enumerate(table.texts("device")) if text == device]
    columns = {}
    for name, values in table.columns.items():
        taken = [values[place] for place in own] if isinstance(values, list) else values[own]
        if name in PLACE or isinstance(taken, list) or np.any(taken != 0):
            columns[name] = taken
    return Table(table.path, columns, len(own))


def directories_by_device(directory):
    """Title and part of the directory for each device: summary, rows and slices. Other tables are shared."""
    rows = {name: table for name, table in directory.tables.items() if "device" in table.columns and "run" in table.columns}
    shared = {name: table for name, table in directory.tables.items() if name not in rows}
    found = []
    for run in directory.summary["runs"]:
        device = run["device"]
        tables = {name: rows_of(table, device) for name, table in rows.items()}
        slices = [piece for piece in directory.slices if piece.process.split(".")[0] == device]
        found.append((run["title"], RunDirectory(directory.folder, summary_of(directory.summary, run), tables, slices,
                                                 shared)))
    return found
