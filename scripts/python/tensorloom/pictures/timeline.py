"""Activity of a device over time, a lane per cause of cycles, and its power below."""
import numpy as np
from matplotlib.collections import PolyCollection

from tensorloom.palette import INK, colours_of
from tensorloom.pictures.figure import make_picture, named_title, plain_numbers
from tensorloom.quantities import number_text, scale_for
from tensorloom.run import labels_of, mean_power_mw
from tensorloom.run_directory import InputProblem

HEIGHT_PER_RUN = 5.0   # inches
HEADING = 1.2
LANE = 0.8             # share of a lane's height
HEADROOM = 1.5         # above the highest mean power
SHORTEST = 0.0008      # share of the time shown: shorter marks would be invisible


class Window:
    """The cycles that are shown; all by default."""

    def __init__(self, first=None, last=None):
        self.first, self.last = first, last

    def limits_ns(self, run):
        end = run.shown_ns()
        return (0.0 if self.first is None else self.first * run.period_ns,
                end if self.last is None else self.last * run.period_ns)


def lanes_of(run):
    """(device, cause) in order of first appearance; the device is named where there are several."""
    return list(dict.fromkeys(zip(run.records.device, run.records.cause)))


def lane_names(lanes):
    several = len({device for device, _ in lanes}) > 1
    return [f"{device}: {cause}" if several else cause for device, cause in lanes]


def draw_lanes(axes, run, label, limits, scale):
    """A bar per record; overlapped records, which have no duration, are drawn as the thinnest visible bars."""
    records, lanes = run.records, lanes_of(run)
    colours = colours_of(dict.fromkeys(cause for _, cause in lanes))
    least = SHORTEST * (limits[1] - limits[0])
    keys = list(zip(records.device, records.cause))
    for place, lane in enumerate(lanes):
        own = np.array([key == lane for key in keys])
        left = records.start_ns[own]
        right = left + np.maximum(records.duration_ns[own], least)
        low, high = np.full(len(left), place - LANE / 2), np.full(len(left), place + LANE / 2)
        corners = np.stack([np.stack([scale(left), low], 1), np.stack([scale(right), low], 1),
                            np.stack([scale(right), high], 1), np.stack([scale(left), high], 1)], 1)
        axes.add_collection(PolyCollection(corners, facecolors=colours[lane[1]], edgecolors="none", label=lane[1]))
    axes.set_yticks(range(len(lanes)), lane_names(lanes))
    axes.set_ylim(len(lanes) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x")
    excerpt = f"; an excerpt, from {records.source}" if records.is_excerpt() else ""
    axes.set_title(f"{named_title(label, run)}\n{number_text(run.cycles)} cycles, {scale_for([run.time_ns], 'ns').text(run.time_ns)}"
                   f"{excerpt}")


def power_steps(run):
    """Edges in ns and levels in mW per device: its records in the order of time, with 0 between them."""
    records, power = run.records, run.records.power_mw()
    for device in dict.fromkeys(records.device):
        own = np.flatnonzero(np.array([name == device for name in records.device]) & (records.duration_ns > 0))
        own = own[np.argsort(records.start_ns[own], kind="stable")]
        edges, levels = [], []
        for place in own:
            start = records.start_ns[place]
            if edges and start > edges[-1]:
                levels.append(0.0)
                edges.append(start)
            if not edges:
                edges.append(start)
            levels.append(power[place])
            edges.append(start + records.duration_ns[place])
        yield device, np.array(edges), np.array(levels)


def top_of(run, limits):
    """Slightly above the highest mean power of a window: single rows may exceed it by far, because their energy was
    counted there but not consumed there."""
    records, power = run.records, run.records.power_mw()
    shown = (records.start_ns < limits[1]) & (records.start_ns + records.duration_ns > limits[0])
    highest = float(power[shown].max()) if shown.any() else 0.0
    return min(highest * 1.05, HEADROOM * float(mean_power_mw(records, power, records.end_ns()).max())) or 1.0


def draw_power(axes, run, limits, scale, watts):
    colours = colours_of(dict.fromkeys(run.records.device)) if len(set(run.records.device)) > 1 else {}
    for device, edges, levels in power_steps(run):
        if len(levels):
            axes.stairs(watts(levels), scale(edges), color=colours.get(device, INK), fill=not colours, linewidth=1.5,
                        label=device)
    if colours:
        axes.legend(loc="upper right", ncols=len(colours))
    axes.set_xlim(scale(limits[0]), scale(limits[1]))
    top = top_of(run, limits)
    axes.set_ylim(0, watts(top))
    highest = float(run.records.power_mw().max())
    if highest > top:
        axes.annotate(f"cut: a row of {watts.text(highest, 3)}", (0.995, 0.9), xycoords="axes fraction", ha="right", fontsize=12)
    axes.yaxis.set_major_formatter(plain_numbers())
    axes.xaxis.set_major_formatter(plain_numbers())
    axes.grid(True)
    axes.set_ylabel(watts.axis("power*" if "total" in run.estimated else "power"))


def draw_timeline(figure, runs, window):
    time = scale_for([limit for run in runs for limit in window.limits_ns(run)], "ns")
    watts = scale_for([top_of(run, window.limits_ns(run)) for run in runs], "mW")
    grid = figure.add_gridspec(2 * len(runs), 1, height_ratios=(1.4, 1) * len(runs))
    for place, (run, label) in enumerate(zip(runs, labels_of(runs))):
        lanes = figure.add_subplot(grid[2 * place])
        power = figure.add_subplot(grid[2 * place + 1], sharex=lanes)
        lanes.tick_params(axis="x", labelbottom=False)
        draw_lanes(lanes, run, label, window.limits_ns(run), time)
        draw_power(power, run, window.limits_ns(run), time, watts)
        power.set_xlabel(time.axis("simulated time"))
    if any("total" in run.estimated for run in runs):
        power.set_xlabel(f"{time.axis('simulated time')}      (*: includes an estimate)")


def picture_of(runs, window=None):
    """The figure; InputProblem names the runs that have no records over time."""
    without = [run for run in runs if not len(run.records)]
    if without:
        raise InputProblem(f"{without[0].directories[0].folder} has no rows over time in latency.csv or trace.json, so "
                           f"there is no timeline of {without[0].directories[0].summary['testbench']}")
    window = window or Window()
    for run in runs:
        first, last = window.limits_ns(run)
        if not first < min(last, run.records.end_ns()):
            raise InputProblem(f"--cycles {window.first}:{window.last} has no record of {run.label}, whose {run.cycles:,.0f} "
                               f"cycles begin with 0")
    return make_picture(lambda figure: draw_timeline(figure, runs, window), HEADING + HEIGHT_PER_RUN * len(runs))
