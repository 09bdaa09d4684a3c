"""Jobs by time, energy and area: a point per job, the Pareto front, and which job has the least product of the three."""
import math
from dataclasses import dataclass

from tensorloom.comparison import ESTIMATE_MARK, difference, numbers_in
from tensorloom.pictures.figure import NOTE_LETTERS, logarithmic, make_picture, named_below, suptitle, wrapped
from tensorloom.palette import colour_at
from tensorloom.quantities import number_text, scale_for
from tensorloom.run import labels_of
from tensorloom.run_directory import InputProblem
from tensorloom.study.pareto import front

GOALS = ["min", "min", "min"]
NO_FRONT = "#999999"
LARGEST_MARK = 1500  # square points
UM2_PER_MM2 = 1e6


@dataclass
class Machines:
    """Time, energy and area of every job, and which of them no other one beats in all three."""
    names: list
    time_ns: list
    energy_pj: list
    area_mm2: list
    on_front: list
    estimated: list  # whether the energy includes an estimate

    def best(self):
        """The job with the least product of time, energy and area."""
        return min(range(len(self.names)), key=lambda job: self.time_ns[job] * self.energy_pj[job] * self.area_mm2[job])


def machines_of(runs):
    if len(runs) < 2:
        raise InputProblem("pareto with one job, expected several to compare")
    areas = [area / UM2_PER_MM2 for area in numbers_in(runs, "area_um2", "total", combine=max)]
    for run, area in zip(runs, areas):
        for name, value in (("time", run.time_ns), ("energy", run.total_pj()), ("area", area)):
            if not value > 0:
                raise InputProblem(f"{run.label} has no {name}, expected runs of a device with time, energy and area")
    values = [[run.time_ns, run.total_pj(), area] for run, area in zip(runs, areas)]
    return Machines(labels_of(runs), *(list(column) for column in zip(*values)), list(front(values, GOALS)),
                    ["total" in run.estimated for run in runs])


def times_text(ratio):
    return f"{number_text(ratio, 3)} times"


def conclusion(machines):
    """One sentence."""
    best = machines.best()
    fastest = min(range(len(machines.names)), key=lambda job: (machines.time_ns[job], machines.energy_pj[job]))
    count = f"{sum(machines.on_front)} of {len(machines.names)} machines are on the front of time, energy and area"
    if best == fastest:
        return f"{count}; {machines.names[best]} is the fastest and has the least product of the three."
    ratios = [values[best] / values[fastest] for values in (machines.time_ns, machines.energy_pj, machines.area_mm2)]
    return (f"{count}; {machines.names[best]} has the least product of the three: it takes {times_text(ratios[0])} the time of "
            f"{machines.names[fastest]}, the fastest, with {times_text(ratios[1])} its energy on {times_text(ratios[2])} its area.")


def draw_machines(figure, runs, machines):
    axes = figure.subplots()
    time, energy = scale_for(machines.time_ns, "ns"), scale_for(machines.energy_pj, "pJ")
    sizes = [LARGEST_MARK * area / max(machines.area_mm2) for area in machines.area_mm2]
    x, y = [time(value) for value in machines.time_ns], [energy(value) for value in machines.energy_pj]
    axes.scatter(x, y, s=sizes, alpha=0.6, edgecolors="none",
                 color=[colour_at(0) if on else NO_FRONT for on in machines.on_front])
    for job, name in enumerate(machines.names):
        up = machines.on_front[job]  # a job that another one beats is named below, for the two often lie close together
        star = ESTIMATE_MARK if machines.estimated[job] else ""
        axes.annotate(f"{name}{star}, {number_text(machines.area_mm2[job], 3)} mm\u00b2", (x[job], y[job]),
                      (0, (1 if up else -1) * (5 + math.sqrt(sizes[job]) / 2)), textcoords="offset points", ha="center",
                      va="bottom" if up else "top", fontsize=11, fontweight="bold" if job == machines.best() else "normal",
                      color="black" if up else NO_FRONT)
    for axis in "xy":
        logarithmic(axes, axis)
    axes.margins(0.12)
    axes.set_xlabel(time.axis("time"))
    axes.set_ylabel(energy.axis("energy"))
    axes.set_title("coloured: on the front of time, energy and area; the area of a mark is proportional to that of the machine",
                   fontsize=13)
    notes = [wrapped(text, NOTE_LETTERS) for text in (conclusion(machines), difference(runs)) if text]
    if any(machines.estimated):
        notes.append(f"{ESTIMATE_MARK}: the energy includes an estimate")
    named_below(figure, [], notes)
    suptitle(figure, "Which machine", runs)


def picture_of(runs):
    machines = machines_of(runs)
    return make_picture(lambda figure: draw_machines(figure, runs, machines))
