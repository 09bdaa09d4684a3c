"""Cases under the roofline of their device: multiply-adds per cycle by multiply-adds per byte (or word) through a port.

No case is left out: a case without multiply-adds is on the lower edge, one with unknown bytes is a dashed line.
"""
import math
from dataclasses import dataclass

from tensorloom.palette import INK, colour_at
from tensorloom.pictures.figure import legend_beside, logarithmic, make_picture, suptitle, wrapped
from tensorloom.quantities import number_text
from tensorloom.run import labels_of
from tensorloom.run_directory import InputProblem

ROOM = 3.0          # factor beyond the outermost point
FEW = 12            # names in a legend of full size
LABELLED = 24       # more points are distinguished by colour only


@dataclass
class Point:
    run: object
    label: str        # of the run
    case: object
    intensity: float  # NaN if the bytes are unknown
    rate: float       # multiply-adds per cycle

    def name(self, runs):
        if len(self.run.cases) == 1:
            return self.label
        return self.case.name if len(runs) == 1 else f"{self.label}: {self.case.name}"


def ports_of(runs):
    return list(dict.fromkeys(port for run in runs for case in run.cases for port in case.ports))


def points_of(runs, port):
    """Points of all cases; InputProblem if a run has no case with cycles, or not this port."""
    points = []
    for run, label in zip(runs, labels_of(runs)):
        where = f"{run.directories[0].folder}, a run of {run.directories[0].summary['testbench']},"
        timed = [case for case in run.cases if case.cycles > 0 and not math.isnan(case.macs)]
        if not timed:
            raise InputProblem(f"{where} has no cycles and multiply-adds of a device, so it has no roofline")
        if port not in ports_of([run]) and ports_of([run]):
            raise InputProblem(f"{where} has no data of the port '{port}', expected {' or '.join(ports_of([run]))}")
        points += [Point(run, label, case, case.intensity(port) if port in case.ports else math.nan, case.macs_per_cycle())
                   for case in timed]
    return points


def roofs_of(points, port):
    """(peak multiply-adds, peak amount per cycle) -> its points, for known peaks."""
    roofs = {}
    for point in points:
        peak = point.case.ports[port].peak if port in point.case.ports else math.nan
        if not math.isnan(point.case.peak_macs):
            key = (float(f"{point.case.peak_macs:.6g}"), float(f"{peak:.3g}"))
            key = next((known for known in roofs if str(known) == str(key)), key)  # NaN is not equal to itself
            roofs.setdefault(key, []).append(point)
    return roofs


def limits_of(points, roofs):
    xs = [point.intensity for point in points if point.intensity > 0]
    xs += [macs / amount for macs, amount in roofs if amount > 0]
    ys = [point.rate for point in points if point.rate > 0] + [macs for macs, _ in roofs]
    xs, ys = xs or [1.0], ys or [1.0]
    return (min(xs) / ROOM, max(xs) * ROOM), (min(ys) / ROOM, max(ys) * ROOM)


def draw_roofs(axes, roofs, unit, limits):
    for place, (macs, amount) in enumerate(roofs):
        name = f"at most {number_text(macs)} MACs" + (f" and {number_text(amount)} {unit}" if amount > 0 else "") + " per cycle"
        xs = [limits[0], macs / amount, limits[1]] if amount > 0 else limits
        axes.plot(xs, [min(macs, amount * x) if amount > 0 else macs for x in xs], color=INK,
                  linestyle=("-", "--", ":", "-.")[place % 4], label=name)


def draw_points(axes, points, runs, limits):
    bottom = limits[1][0]
    colours = {id(run): colour_at(place) for place, run in enumerate(runs)}
    for place, point in enumerate(points):
        colour = colour_at(place) if len(runs) == 1 and len(points) <= LABELLED else colours[id(point.run)]
        name = f"{point.name(runs)}: {number_text(point.rate)}"
        if not point.rate > 0:
            x = point.intensity if point.intensity > 0 else limits[0][0]
            axes.plot(x, bottom, "v", color=colour, markersize=12, clip_on=False, label=f"{point.name(runs)}: no MACs")
        elif math.isnan(point.intensity):
            axes.axhline(point.rate, color=colour, linestyle="--", label=f"{name}, bytes unknown")
        else:
            axes.plot(point.intensity, point.rate, "o", color=colour, markersize=10, label=name)
        if len(points) <= LABELLED and point.intensity > 0:
            axes.annotate(str(place + 1), (point.intensity, max(point.rate, bottom)), (8, 5), textcoords="offset points")


def draw_roofline(figure, runs, port):
    points = points_of(runs, port)
    roofs = roofs_of(points, port)
    unit = next((point.case.ports[port].unit for point in points if port in point.case.ports), "bytes")
    limits = limits_of(points, roofs)
    axes = figure.add_subplot()
    draw_roofs(axes, roofs, unit, limits[0])
    draw_points(axes, points, runs, limits)
    for axis in ("x", "y"):
        logarithmic(axes, axis)
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])
    axes.set_xlabel(f"multiply-adds per {unit[:-1]} through the {port} [1/{unit[:-1]}]")
    axes.set_ylabel("multiply-adds per cycle [1/cycle]")
    handles, names = axes.get_legend_handles_labels()
    numbered = names[:len(roofs)] + [f"{place + 1}  {name}" for place, name in enumerate(names[len(roofs):])]
    if len(points) <= LABELLED:
        legend_beside(axes, handles, [wrapped(name, 34) for name in numbered], fontsize=13 if len(names) <= FEW else 10)
    else:
        axes.legend(handles[:len(roofs)], numbered[:len(roofs)], loc="lower right")
        axes.set_title(f"{len(points)} cases")
    suptitle(figure, "Roofline", runs)


def picture_of(runs, port="bus"):
    points_of(runs, port)
    return make_picture(lambda figure: draw_roofline(figure, runs, port))
