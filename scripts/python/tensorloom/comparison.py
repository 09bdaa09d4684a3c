"""Runs, or the cases of one run, compared as numbers: the data of comparison charts and tables."""
import math
from dataclasses import dataclass, field

from tensorloom.answers import numbers_of
from tensorloom.cases import job_text
from tensorloom.quantities import number_text, scale_for
from tensorloom.run import technologies_of
from tensorloom.run_directory import InputProblem

ESTIMATE_MARK = "*"
LABEL_WIDTH, CELL_WIDTH = 26, 15


@dataclass
class Row:
    """A quantity of all compared runs or cases, in one unit; NaN if unknown."""
    name: str
    base: str          # of quantities.PREFIXES
    values: list
    estimated: list = field(default_factory=list)
    section: str = ""

    def scale(self):
        return scale_for(self.values, self.base)

    def known(self):
        return any(not math.isnan(value) for value in self.values)


@dataclass
class Comparison:
    names: list
    rows: list
    technologies: list = field(default_factory=list)  # of the runs, if they differ


def bytes_of(run, port="bus"):
    """Bytes of all cases through the port; NaN if unknown for one of them, or if the cases do not form one run."""
    found = [case.ports[port].amount if port in case.ports and case.ports[port].unit == "bytes" else math.nan
             for case in run.cases]
    return sum(found) if found and run.cycles else math.nan


def utilisation_of(run):
    """Utilisation of the multiply-add units, from beginning to end: of several runs on one array the overall share;
    none for cases on different arrays."""
    units = {case.units() for case in run.cases}
    cycles = sum(case.cycles for case in run.cases)
    if len(units) != 1 or not cycles > 0 or run.cycles != cycles:
        return math.nan
    return sum(case.macs for case in run.cases) / (cycles * units.pop())


def or_nan(value):
    return value if value else math.nan


def main_rows(times, cycles, macs, utilisations, moved, energies, estimated):
    """The quantities of every comparison, in this order."""
    return [Row("time", "ns", times), Row("cycles", "1", cycles), Row("multiply-adds", "1", macs),
            Row("utilisation, end to end [%]", "1", [100 * share for share in utilisations]),
            Row("bytes through the port", "B", moved),
            Row("energy", "pJ", energies, estimated),
            Row("energy per multiply-add", "pJ",
                [pj / done if done else math.nan for pj, done in zip(energies, macs)], estimated)]


def area_row(runs):
    """The largest area of a joined run: its parts ran one after the other on one die."""
    return Row("area [mm\N{SUPERSCRIPT TWO}]", "1", [area / 1e6 for area in numbers_in(runs, "area_um2", "total", combine=max)],
               ["total" in (run.summary.get("area_estimated") or ()) for run in runs])


def own_rows(runs):
    """The numbers that answer the questions of the testbenches: their manifests name them. They are no sums, so a joined run
    has none."""
    return [Row(name, base, values) for name, base, values in
            numbers_of([run.summary if len(run.directories) == 1 else {"testbench": ""} for run in runs])]


def compare_runs(runs):
    return Comparison([run.label for run in runs],
                      own_rows(runs) + main_rows([or_nan(run.time_ns) for run in runs], [or_nan(run.cycles) for run in runs],
                                [run.macs for run in runs], [utilisation_of(run) for run in runs],
                                [bytes_of(run) for run in runs], [or_nan(run.total_pj()) for run in runs],
                                ["total" in run.estimated for run in runs]) + [area_row(runs)], technologies_of(runs))


def compare_cases(cases, estimated):
    moved = [case.ports["bus"].amount if "bus" in case.ports and case.ports["bus"].unit == "bytes" else math.nan
             for case in cases]
    return Comparison([case.name for case in cases],
                      main_rows([case.time_ns for case in cases], [case.cycles for case in cases],
                                [case.macs for case in cases], [case.utilisation() for case in cases], moved,
                                [case.energy_pj for case in cases], [estimated] * len(cases)))


def comparison_of(runs):
    """The cases of a single run, or the runs."""
    if len(runs) > 1:
        return compare_runs(runs)
    if not runs[0].cases:
        raise InputProblem(f"{runs[0].directories[0].folder} has no cycles, multiply-adds or energy of a device, so there is "
                           f"nothing to compare")
    return compare_cases(runs[0].cases, "total" in runs[0].estimated)


# ---- in words --------------------------------------------------------------------------------------------------------

CONCLUDED = ("time", "energy", "area")
MOST_NAMED = 5  # runs in a sentence


def least_sentence(name, row, names):
    """Which run needs least, and how much more the others need; "" if fewer than two are known."""
    known = sorted((value, label) for value, label in zip(row.values, names) if value > 0)
    if len(known) < 2:
        return ""
    least, first = known[0]
    more = [f"{label} {number_text(value / least, 3)} times" for value, label in known[1:]]
    if len(more) >= MOST_NAMED:
        more = [more[0], f"... {more[-1]}"]
    unit = row.name.partition(" [")[2][:-1]
    return f"{name.capitalize()}: {first} needs least, {row.scale().text(least)}{' ' * bool(unit)}{unit}; {', '.join(more)}."


def conclusions(runs):
    """Sentences that compare several runs: their own numbers, then time, energy and area."""
    names, found = [run.label for run in runs], []
    for row in own_rows(runs):
        known = [(label, value) for label, value in zip(names, row.values) if not math.isnan(value)]
        if len(known) < 2:
            continue
        if len(known) > MOST_NAMED:
            known = [min(known, key=lambda entry: entry[1]), max(known, key=lambda entry: entry[1])]
            found.append(f"{row.name.capitalize()}: from {row.scale().text(known[0][1])} ({known[0][0]}) to "
                         f"{row.scale().text(known[1][1])} ({known[1][0]}).")
        else:
            found.append(f"{row.name.capitalize()}: " + ", ".join(f"{label} {row.scale().text(value)}" for label, value in known) + ".")
    rows = compare_runs(runs).rows
    found += [least_sentence(name, row, names) for name in CONCLUDED for row in rows if row.name.partition(" [")[0] == name]
    return [sentence for sentence in [*found, difference(runs)] if sentence]


def difference(runs):
    """A sentence about runs of different workloads; "" if all have the same one."""
    workloads = list(dict.fromkeys(" + ".join(dict.fromkeys(job_text(directory.summary) for directory in run.directories))
                                   for run in runs))
    return f"The runs have different workloads: {'; '.join(workloads)}." if len(workloads) > 1 else ""


# ---- the table -------------------------------------------------------------------------------------------------------

def number_in(summary, path):
    """The number below these names; NaN if there is none."""
    value = summary
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan


def numbers_in(runs, *path, combine=sum):
    """For every run, the sum over the summaries of its directories; NaN if one of them does not have it."""
    found = [[number_in(directory.summary, path) for directory in run.directories] for run in runs]
    return [math.nan if any(map(math.isnan, values)) else combine(values) for values in found]


def table_of(runs):
    """The comparison of runs with cycles by cause, energy by component, check and simulation time."""
    comparison = compare_runs(runs)
    rows = comparison.rows
    times, energies = (next(row for row in rows if row.name == name) for name in ("time", "energy"))
    rows.append(Row("average power", "mW", [pj / ns for pj, ns in zip(energies.values, times.values)], energies.estimated))
    after = next(place for place, row in enumerate(rows, 1) if row.name == "multiply-adds")
    rows[after:after] = [Row(name.replace("_", " "), "1", numbers_in(runs, name)) for name in ("macs_skipped", "steps", "steps_skipped")]
    causes = list(dict.fromkeys(cause for run in runs for cause in run.causes))
    rows += [Row(cause, "1", [run.causes.get(cause, 0) for run in runs], section="cycles by cause") for cause in causes]
    components = list(dict.fromkeys(name for run in runs for name in run.energy_pj))
    rows += [Row(name, "pJ", [run.energy_pj.get(name, 0) for run in runs], [name in run.estimated for run in runs],
                 "energy by component") for name in components]
    rows += [Row(name.replace("_", " "), "1", numbers_in(runs, "check", name, combine=max), section="check")
             for name in ("max_abs_error", "max_rel_error")]
    rows += [Row("wall time [s]", "1", numbers_in(runs, "simulation", "wall_s"), section="simulation"),
             Row("CPU time [s]", "1", numbers_in(runs, "simulation", "cpu_s"), section="simulation")]
    comparison.rows = [row for row in rows if row.known()]
    return comparison


def cell(row, place, scale):
    value = row.values[place]
    mark = ESTIMATE_MARK if row.estimated and row.estimated[place] else " "
    return ("-" if math.isnan(value) else number_text(scale(value))).rjust(CELL_WIDTH - 1) + mark


def header(names):
    return " ".join(name[:CELL_WIDTH - 2].rjust(CELL_WIDTH - 1) for name in names)


def format_table(comparison):
    """The comparison as text; with two columns, followed by the ratio of the second to the first."""
    two = len(comparison.names) == 2
    lines = [(" " * LABEL_WIDTH + header(comparison.names) + (f" {'2nd / 1st':>12}" if two else "")).rstrip()]
    if comparison.technologies:
        lines.append("technology".ljust(LABEL_WIDTH) + header(comparison.technologies))
    section = ""
    for row in comparison.rows:
        if row.section != section:
            section = row.section
            lines.append(section)
        scale = row.scale()
        name = ("  " if section else "") + scale.axis(row.name)
        first = row.values[0]
        ratio = f"{row.values[1] / first:12.3f}" if two and first and not math.isnan(first + row.values[1]) else ""
        cells = "".join(cell(row, place, scale) for place in range(len(row.values)))
        lines.append(f"{name:<{LABEL_WIDTH}}{cells}{ratio}".rstrip())
    if any(any(row.estimated) for row in comparison.rows):
        lines.append(f"{ESTIMATE_MARK} includes an estimate (marked in the technology file)")
    return "\n".join(lines) + "\n"
