"""Charts over time: a lane per cause, power, and traffic on the bus, over a common time axis that zooms together.

Marks are placed in units of time inside their lanes: page.js zooms by showing a part of them. The unit is 1 ns, or more
for a long run: browsers do not draw beyond about 3e7 units.
"""
import math
from dataclasses import dataclass

import numpy as np

from tensorloom.energy_breakdown import outside_records
from tensorloom.palette import INK, colours_of
from tensorloom.quantities import number_text, scale_for
from tensorloom.report.markup import colour_class, figure, name_text, short
from tensorloom.run import Records, mean_power_mw

MOST_MARKS = 6000  # of a chart; with more rows, consecutive rows are merged into one mark
HEADROOM = 1.5     # above the highest mean power
FINEST = 1500      # parts of the time shown: a mark is at least as wide
LOWEST = 8         # of 1000: the least height of a mark of power
TICKS = 5
MOST_UNITS = 1e7   # of time along a chart


@dataclass
class Extent:
    """The time that the charts show, and the unit of their marks."""
    end_ns: float
    unit_ns: float

    def place(self, time_ns):
        return short(time_ns / self.unit_ns)


def extent_of(end_ns):
    return Extent(end_ns, 10.0 ** max(0, math.ceil(math.log10(end_ns / MOST_UNITS))) if end_ns > 0 else 1.0)


@dataclass
class Thinned:
    records: Records
    per_mark: int  # rows of the file that became one mark


def group_starts(records, per_mark):
    """Indices at which a group begins: after every per_mark rows, and where the device changes."""
    changes = [0] + [place for place in range(1, len(records)) if records.device[place] != records.device[place - 1]]
    return np.array([place for first, last in zip(changes, changes[1:] + [len(records)])
                     for place in range(first, last, per_mark)], dtype=int)


def thinned(records, most):
    """Merges consecutive rows into one: from the first begin to the last end, with the sum of energies and
    multiply-adds; job, cause and phase are those of the longest row."""
    if len(records) <= most:
        return Thinned(records, 1)
    per_mark = math.ceil(len(records) / most)
    starts = group_starts(records, per_mark)
    begin = np.minimum.reduceat(records.start_ns, starts)
    end = np.maximum.reduceat(records.start_ns + records.duration_ns, starts)
    longest = [first + int(np.argmax(records.duration_ns[first:last]))
               for first, last in zip(starts, list(starts[1:]) + [len(records)])]
    device, job, cause, phase = ([names[place] for place in longest]
                                 for names in (records.device, records.job, records.cause, records.phase))
    return Thinned(Records(device, job, cause, phase, begin, end - begin, np.add.reduceat(records.macs, starts),
                           {name: np.add.reduceat(values, starts) for name, values in records.energy_pj.items()},
                           records.source), per_mark)


def rule_text(file, rows, per_mark):
    if per_mark == 1:
        return f"A mark per {'row' if file.endswith('.csv') else 'slice'} of {file}."
    return (f"{file} has {rows:,} rows: {per_mark} consecutive rows share one mark, from the first begin to the last end, "
            f"named after the longest row.")


def lane(name, colour, height, marks, extent):
    return (f'<div class=lane><span class=name>{name_text(name)}</span><svg class="time {colour_class(colour)}" '
            f'viewBox="0 0 {extent.place(extent.end_ns)} {short(height)}" preserveAspectRatio="none">{marks}'
            f'<line class=cursor x1="0" x2="0" y1="0" y2="{short(height)}"/></svg></div>')


def span(start, duration, extent):
    """Position of a mark. A mark that is too short to be visible is drawn wider and keeps its length in data-w, so that
    page.js can draw it to scale when it zooms. (A stroke would do, but takes ten times as long to paint.)"""
    least = extent.end_ns / FINEST
    if duration >= least:
        return f'x="{extent.place(start)}" width="{extent.place(duration)}"'
    return f'x="{extent.place(start)}" width="{extent.place(least)}" data-w="{extent.place(duration)}"'


def axis(extent):
    """The time axis; page.js rewrites its numbers when it zooms."""
    scale = scale_for([extent.end_ns], "ns")
    ticks = "".join(f"<span>{number_text(scale(extent.end_ns * place / (TICKS - 1)), 3)}</span>" for place in range(TICKS))
    return (f'<div class=lane><span class=name>time [{scale.unit}]</span>'
            f'<div class=axis data-divisor="{short(scale.divisor / extent.unit_ns)}">{ticks}</div></div>')


def lanes_chart(run, shown, extent):
    """Activity of the device's units: a lane per cause of cycles."""
    records = shown.records
    several = len(set(records.device)) > 1
    keys = list(zip(records.device, records.cause))
    colours = colours_of(dict.fromkeys(records.cause))
    body = ""
    for device, cause in dict.fromkeys(keys):
        marks = "".join(f'<rect class=m data-r="{place}" '
                        f'{span(records.start_ns[place], records.duration_ns[place], extent)} height="1"/>'
                        for place, key in enumerate(keys) if key == (device, cause))
        body += lane(f"{device}: {cause}" if several else cause, colours[cause], 1, marks, extent)
    source = records.source
    title = "Activity of the device" + (", an excerpt" if records.is_excerpt() else "")
    return figure("chart lanes", title, body + axis(extent), rule_text(source, len(run.records), shown.per_mark), source,
                  len(run.records), shown.per_mark)


def mean_line(mean, top, extent):
    """Path of the mean power, a step per window."""
    width = extent.end_ns / len(mean)
    steps = "".join(f"{'L' if place else 'M'}{extent.place(place * width)} {1000 * (1 - level / top):.0f}"
                    f"H{extent.place((place + 1) * width)}"
                    for place, level in enumerate(mean))
    return f'<path class=mean d="{steps}"/>'


def outside_text(run):
    """What the rows do not have of the energy of the run."""
    left = outside_records(run)
    if not left:
        return ""
    scale = scale_for([run.total_pj()], "pJ")
    parts = ", ".join(f"{name} {scale.text(pj, 3)}" for name, pj in left.items())
    return (f" The rows have {scale.text(run.total_pj() - sum(left.values()))} of the {scale.text(run.total_pj())} of the run; not in "
            f"them: {parts}.")


def power_chart(run, shown, extent):
    """A bar per row, and the mean over windows, as a power meter would show it; the mean sets the scale of the
    chart."""
    records, power = shown.records, shown.records.power_mw()
    several = len(set(records.device)) > 1
    mean = mean_power_mw(records, power, extent.end_ns)
    top = min(float(power.max()), HEADROOM * float(mean.max())) or 1.0
    scale = scale_for([top], "mW")
    body = ""
    for device in dict.fromkeys(records.device):
        # A mark hangs from its power down to 0, in units of 1/1000 of the top.
        heights = [min(max(1000 * power[place] / top, LOWEST), 1000) for place in range(len(records))]
        marks = "".join(f'<rect class=m data-r="{place}" {span(records.start_ns[place], records.duration_ns[place], extent)} '
                        f'y="{1000 - heights[place]:.0f}" height="{heights[place]:.0f}"/>'
                        for place in range(len(records)) if records.device[place] == device)
        body += lane(f"{device}: " * several + f"0 to {scale.text(top, 3)}", INK, 1000,
                     marks + ("" if several else mean_line(mean, top, extent)), extent)
    highest = scale.text(float(power.max()), 3)
    cut = f" Single rows, shorter than a window, reach {highest} and are cut." if power.max() > top else ""
    source = records.source if records.is_excerpt() else "energy.csv"
    note = rule_text(source, len(run.records), shown.per_mark) + \
        ("" if several else f" The line is the mean over {len(mean)} windows of the run.") + cut + \
        " The energy of overlapped rows is added to the row that was running." + outside_text(run) + \
        (" The power includes an estimate." if "total" in run.estimated else "")
    return figure("chart power", "Power", body + axis(extent), note, source, len(run.records), shown.per_mark)


def traffic_chart(table, most, extent):
    """Transactions by recorder, in simulated time."""
    begin, end = table.numbers("begin_ps") / 1000, table.numbers("end_ps") / 1000
    recorder = table.texts("recorder")
    end = np.where(np.isnan(end), begin, end)
    per_mark = math.ceil(table.rows / most)
    extent = Extent(max(extent.end_ns, float(end.max())), extent.unit_ns)
    names = list(dict.fromkeys(recorder))
    colours = colours_of(names)
    body = ""
    for name in names:
        own = [place for place in range(table.rows) if recorder[place] == name]
        groups = [own[place:place + per_mark] for place in range(0, len(own), per_mark)]
        marks = "".join(f'<rect class=m data-t="{group[0]}" '
                        f'{span(begin[group].min(), end[group].max() - begin[group].min(), extent)} height="1"/>'
                        for group in groups)
        body += lane(name.rsplit(".", 1)[-1].replace("_", " "), colours[name], 1, marks, extent)
    return figure("chart lanes", "Transactions on the bus", body + axis(extent),
                  rule_text("transactions.csv", table.rows, per_mark), "transactions.csv", table.rows, per_mark)


CONTROLS = ("<p class=controls><button data-zoom=in>zoom in</button><button data-zoom=out>zoom out</button>"
            "<button data-zoom=left>earlier</button><button data-zoom=right>later</button>"
            "<button data-zoom=whole>whole run</button></p><p class=details aria-live=polite>Click a mark for its row.</p>")


def time_charts(run, shown, most):
    """All charts over time with their controls; "" for a run without rows over time."""
    table = run.directories[0].tables.get("transactions")
    body = ""
    extent = extent_of(run.shown_ns())
    if len(run.records):
        body += lanes_chart(run, shown, extent)
        if run.records.energy_pj:
            body += power_chart(run, shown, extent)
    if table is not None and table.rows and "begin_ps" in table.columns:
        body += traffic_chart(table, most, extent)
    return f'<div class=together data-end="{extent.place(extent.end_ns)}" data-unit="{short(extent.unit_ns)}">{CONTROLS}{body}</div>' if body else ""
