"""A run of any testbench with its records over time; and several runs joined to one.

A record is a row of latency.csv with its row of energy.csv: a time-step, an instruction, a transfer. Records of 0
cycles ran in parallel with others and did not extend the run. If the rows of a run are longer (epochs), its records are
those of trace.json, an excerpt.
"""
import os
from dataclasses import dataclass, field

import numpy as np

from tensorloom.cases import cases_of, device_text, workload_text
from tensorloom.compared_devices import compares_devices, directories_by_device
from tensorloom.run_directory import InputProblem, RunDirectory, read_run_directory

PARTS = 2        # depth of these slices in trace.json, below a job and its command
WINDOWS = 100    # number of windows of a run for its mean power
BETWEEN = " + "  # between the workloads of joined runs


@dataclass
class Records:
    device: list
    job: list                # the job of the record's program; "" if unknown
    cause: list
    phase: list
    start_ns: np.ndarray     # since the first START
    duration_ns: np.ndarray
    macs: np.ndarray
    energy_pj: dict          # component -> array; {} without energy.csv
    source: str = "latency.csv"

    def is_excerpt(self):
        return self.source != "latency.csv"

    def __len__(self):
        return len(self.cause)

    def end_ns(self):
        return float((self.start_ns + self.duration_ns).max()) if len(self) else 0.0

    def total_pj(self):
        return sum(self.energy_pj.values(), np.zeros(len(self)))

    def power_mw(self):
        """Power of every record, in the order of the file; 0 for records without duration. Their energy is added to the
        record that is running when they begin, or to the last one before: the area below the curve is the total
        energy."""
        energy = self.total_pj().copy()
        for device in dict.fromkeys(self.device):
            own = np.array([name == device for name in self.device])
            timed = np.flatnonzero(own & (self.duration_ns > 0))
            beside = np.flatnonzero(own & (self.duration_ns <= 0))
            if not len(timed):
                continue
            order = timed[np.argsort(self.start_ns[timed], kind="stable")]
            places = np.searchsorted(self.start_ns[order], self.start_ns[beside], side="right") - 1
            np.add.at(energy, order[np.maximum(places, 0)], energy[beside])
            energy[beside] = 0
        return np.divide(energy, self.duration_ns, out=np.zeros(len(self)), where=self.duration_ns > 0)


@dataclass
class Run:
    """The data of charts. directories: one, or those of the joined runs."""
    label: str
    device: str
    workload: str
    technology: str
    period_ns: float         # clock period; of joined runs that of the first
    time_ns: float
    cycles: float
    macs: float
    causes: dict             # cause -> cycles
    energy_pj: dict          # component -> pJ, without the total
    estimated: set           # components that include an estimate
    records: Records
    cases: list
    directories: list = field(default_factory=list)

    @property
    def summary(self):
        """The summary of the first directory."""
        return self.directories[0].summary

    def title(self):
        return f"{self.device}: {self.workload}"

    def total_pj(self):
        return sum(self.energy_pj.values())

    def shown_ns(self):
        """Duration covered by the records."""
        return self.records.end_ns() if self.records.is_excerpt() else max(self.records.end_ns(), self.time_ns)

    def marked(self, component):
        """The component's name, with a star if it includes an estimate."""
        return component + ("*" if component in self.estimated else "")


def mean_power_mw(records, power, end_ns, windows=WINDOWS):
    """Mean power of all devices in `windows` equal windows from 0 to the end. Energy belongs to the row in which it was
    counted, which may be much shorter than the transfer that consumed it: the power of a row can be far above the
    actual power."""
    edges = np.linspace(0, end_ns, windows + 1)
    starts, ends = records.start_ns, records.start_ns + records.duration_ns
    spent = np.zeros(windows)
    for window in range(windows):
        inside = np.minimum(ends, edges[window + 1]) - np.maximum(starts, edges[window])
        spent[window] = float((power * np.maximum(inside, 0)).sum())
    return spent / (edges[1] - edges[0])


def program_starts_ns(directory, devices, programs, ends_ns):
    """(device, program) -> start time. From the outermost slices of trace.json if their number matches; else programs
    follow each other without the host's time between them."""
    keys = list(dict.fromkeys(zip(devices, programs)))
    starts = {}
    for device in dict.fromkeys(devices):
        own = [key for key in keys if key[0] == device]
        seen = [piece.start_us * 1000 for piece in directory.slices
                if piece.depth == 0 and piece.process.rsplit(".", 1)[-1] == device and piece.track == "device"]
        if len(seen) != len(own):
            seen, behind = [], 0.0
            for key in own:
                seen.append(behind)
                behind += ends_ns[key]
        starts.update(zip(own, seen))
    first = min(starts.values(), default=0.0)
    return {key: start - first for key, start in starts.items()}


def records_of_trace(directory):
    """The innermost slices of the devices' tracks: a command's parts by cause, and overlapped work."""
    pieces = [piece for piece in directory.slices
              if (piece.track == "device" and piece.depth == PARTS) or piece.track.startswith("device, overlapped")]
    if not pieces:
        return empty_records()
    start = np.array([piece.start_us * 1000 for piece in pieces])
    names = [piece.name for piece in pieces]
    return Records([piece.process.rsplit(".", 1)[-1] for piece in pieces], [""] * len(pieces), names, names, start - start.min(),
                   np.array([piece.end_us * 1000 for piece in pieces]) - start, np.zeros(len(pieces)),
                   {"energy": np.array([piece.energy_pj for piece in pieces])}, "trace.json")


def records_of(directory, period_ns):
    """The records of a run; empty if it has no rows over time."""
    latency, energy = directory.tables.get("latency"), directory.tables.get("energy")
    if latency is None or "start_cycle" not in latency.columns or latency.rows == 0:
        return records_of_trace(directory)
    start, cycles = (latency.numbers(name) * period_ns for name in ("start_cycle", "cycles"))
    cause, phase = latency.texts("cause"), latency.texts("phase")
    device = latency.texts("device") if "device" in latency.columns else ["device"] * latency.rows
    program = latency.texts("run") if "run" in latency.columns else ["0"] * latency.rows
    ends = {}
    for key, end in zip(zip(device, program), start + cycles):
        ends[key] = max(ends.get(key, 0.0), end)
    offsets = program_starts_ns(directory, device, program, ends)
    start = start + np.array([offsets[key] for key in zip(device, program)])
    spent = {}
    if energy is not None:
        if energy.rows != latency.rows or not np.array_equal(energy.numbers("start_cycle"), latency.numbers("start_cycle")):
            raise InputProblem(f"{directory.folder}: latency.csv and energy.csv do not have the same rows")
        spent = {name[:-len("_pJ")]: energy.numbers(name) for name in energy.columns
                 if name.endswith("_pJ") and name != "total_pJ"}
    macs = latency.numbers("mac") if "mac" in latency.columns else np.zeros(latency.rows)
    job = latency.texts("job") if "job" in latency.columns else [""] * latency.rows
    return Records(device, job, cause, phase, start, cycles, macs, spent)


def empty_records():
    return Records([], [], [], [], np.zeros(0), np.zeros(0), np.zeros(0), {})


def clock_period_ns(summary):
    period = summary["configuration"].get("clock_period_ps")
    return period / 1000 if isinstance(period, (int, float)) else 1.0


def by_name(names, values):
    """Values added name by name, in order of first appearance."""
    total = dict.fromkeys(names, 0.0)
    for name, value in zip(names, values):
        total[name] += value
    return total


def run_of(directory: RunDirectory, label):
    """The run of a directory. A comparison of many programs has no totals in its summary; they are summed from its
    records."""
    summary, period_ns = directory.summary, clock_period_ns(directory.summary)
    records = records_of(directory, period_ns)
    energy = {name: value or 0.0 for name, value in (summary.get("energy_pJ") or {}).items() if name != "total"}
    causes = dict(summary.get("cycles_by_cause") or by_name(records.cause, records.duration_ns / period_ns))
    return Run(label, device_text(summary), workload_text(summary), summary["configuration"].get("technology") or "-", period_ns,
               summary.get("simulated_time_ns") or float(records.duration_ns.sum()),
               summary.get("cycles") or sum(causes.values()), summary.get("macs") or float(records.macs.sum()), causes,
               energy or {name: float(values.sum()) for name, values in records.energy_pj.items()},
               set(summary.get("energy_estimated") or []), records, cases_of(directory), [directory])


def summed(parts):
    """Dictionaries of numbers, added name by name."""
    total = {}
    for part in parts:
        for name, value in part.items():
            total[name] = total.get(name, 0) + value
    return total


def joined_records(runs):
    """Records of consecutive runs; components that a run does not have are 0."""
    names = list(dict.fromkeys(name for run in runs for name in run.records.energy_pj))
    starts, behind = [], 0.0
    for run in runs:
        starts.append(run.records.start_ns + behind)
        behind += max(run.time_ns, run.records.end_ns())
    parts = [run.records for run in runs]

    def texts(of):
        return [text for part in parts for text in of(part)]

    return Records(texts(lambda part: part.device), texts(lambda part: part.job), texts(lambda part: part.cause),
                   texts(lambda part: part.phase), np.concatenate(starts), np.concatenate([part.duration_ns for part in parts]),
                   np.concatenate([part.macs for part in parts]),
                   {name: np.concatenate([part.energy_pj.get(name, np.zeros(len(part))) for part in parts]) for name in names},
                   runs[0].records.source)


def joined(runs, label):
    """Consecutive runs as one run with the sum of their costs."""
    first = runs[0]
    if len(runs) == 1:
        first.label = label
        return first
    return Run(label, BETWEEN.join(dict.fromkeys(run.device for run in runs)),
               BETWEEN.join(dict.fromkeys(run.workload for run in runs)),
               BETWEEN.join(dict.fromkeys(run.technology for run in runs)), first.period_ns,
               sum(run.time_ns for run in runs), sum(run.cycles for run in runs), sum(run.macs for run in runs),
               summed(run.causes for run in runs), summed(run.energy_pj for run in runs),
               set().union(*(run.estimated for run in runs)), joined_records(runs),
               [case for run in runs for case in run.cases], [directory for run in runs for directory in run.directories])


def technologies_of(runs):
    """The technology of every run: a shipped one, or its file without the folder. [] if all have the same one."""
    if len({run.technology for run in runs}) < 2:
        return []
    files = [os.path.basename(run.technology) for run in runs]
    return files if len(set(files)) > 1 else [run.technology for run in runs]


def labels_of(runs):
    """The label of every run, with its technology if the runs differ in it."""
    technologies = technologies_of(runs) or [""] * len(runs)
    return [run.label if technology in run.label else f"{run.label} ({technology})"
            for run, technology in zip(runs, technologies)]


def read_runs(arguments):
    """A run for each argument, DIR or LABEL=DIR[,DIR].., named by its label or its directory. A directory in which
    devices are compared gives a run per device, named by the device."""
    named = []
    for argument in arguments:
        label, equals, folders = argument.partition("=")
        if equals and not os.path.isdir(argument):
            if not label or not all(folders.split(",")):
                raise InputProblem(f"'{argument}' has no label or no directory, expected LABEL=DIR[,DIR]..")
            named.append((label, folders.split(",")))
        else:
            named.append((None, [argument]))
    names = [label or os.path.basename(os.path.abspath(folders[0])) for label, folders in named]
    runs = []
    for name, (label, folders) in zip(names, named):
        shown = folders[0] if label is None and names.count(name) > 1 else name
        directories = [read_run_directory(folder) for folder in folders]
        if not any(map(compares_devices, directories)):
            runs.append(joined([run_of(directory, shown) for directory in directories], shown))
        elif len(directories) > 1:
            raise InputProblem(f"'{shown}' joins runs with a comparison of devices, expected them as separate arguments")
        else:
            before = f"{shown}: " if len(named) > 1 or label else ""
            runs += [run_of(device, before + title) for title, device in directories_by_device(directories[0])]
    return runs
