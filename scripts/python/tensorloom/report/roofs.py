"""Points under the roof of their device: multiply-adds per cycle by multiply-adds per byte through a port."""
import math

from tensorloom.palette import COLOURS, INK, colour_at
from tensorloom.quantities import number_text
from tensorloom.report.markup import colour_class, escape, figure, legend, percent, table
from tensorloom.report.plane import LogarithmicAxis, line, plane

MOST_NUMBERS = 24  # beside points
MOST_LINES = 16    # most lines of a table that is initially open


def roof_lines(roofs, across, up):
    marks = ""
    for macs, amount in roofs:
        ridge = macs / amount if amount > 0 else 10 ** across.low
        corner = min(max(across(ridge), 0.0), 1.0)
        marks += line(corner, up(macs), 1, up(macs), "roof")
        if amount > 0:
            marks += line(across(10 ** across.low), up(amount * 10 ** across.low), corner, up(macs), "roof")
    return marks


def point_mark(place, case, port, colour, across, up):
    """A dot; on the lower edge without multiply-adds; a dashed line if the bytes are unknown."""
    rate = case.macs_per_cycle()
    intensity = case.intensity(port) if port in case.ports else math.nan
    if rate > 0 and math.isnan(intensity):
        return line(0, up(rate), 1, up(rate), f"m unknown {colour_class(colour)}")
    x = across(intensity) if intensity > 0 else 0
    return f'<circle class="m {colour_class(colour)}" data-r="{place}" cx="{percent(x)}" cy="{percent(1 - up(rate))}" r="6"/>'


def roofline(cases, port):
    """One chart with the roofs of all cases, and a table that explains the numbers; "" if no case can be drawn."""
    timed = [case for case in cases if case.cycles > 0 and not math.isnan(case.macs)]
    peaks = [case.ports[port].peak if port in case.ports else math.nan for case in timed]
    roofs = list(dict.fromkeys((float(f"{case.peak_macs:.6g}"), float(f"{peak:.4g}") if peak > 0 else 0.0)
                               for case, peak in zip(timed, peaks) if case.peak_macs > 0))
    if not timed or not roofs:
        return ""
    across = LogarithmicAxis([case.intensity(port) for case in timed if port in case.ports] +
                             [macs / peak for macs, peak in roofs if peak > 0])
    up = LogarithmicAxis([case.macs_per_cycle() for case in timed] + [macs for macs, _ in roofs])
    unit = next((case.ports[port].unit for case in timed if port in case.ports), "bytes")
    devices = list(dict.fromkeys(case.device for case in timed))
    colours = {device: colour_at(place) for place, device in enumerate(devices)}
    marks = "".join(point_mark(place, case, port, colours[case.device], across, up) for place, case in enumerate(timed))
    numbers = [(str(place), across(case.intensity(port)), up(case.macs_per_cycle())) for place, case in enumerate(timed, 1)
               if port in case.ports and case.intensity(port) > 0]
    body = ""  # without an axis of intensities, the table alone
    if any(port in case.ports and not math.isnan(case.intensity(port)) for case in timed):
        body = plane(across, up, f"<svg class={colour_class(INK)}>{roof_lines(roofs, across, up)}{marks}</svg>",
                     numbers if len(timed) <= MOST_NUMBERS else [],
                     f"across: multiply-adds per {unit[:-1]} through the {escape(port)}; up: multiply-adds per cycle",
                     [(x, y) for _, x, y in numbers]) + \
            (legend(colours) if 1 < len(devices) <= len(COLOURS) else "")
    rows = [(f"{place}  {case.name}", case.device, number_text(case.macs_per_cycle()),
             number_text(case.intensity(port)) if port in case.ports else "-",
             f"{number_text(100 * case.of_peak(), 3)} %" if case.peak_macs > 0 else "-")
            for place, case in enumerate(timed, 1)]
    peak_text = "; ".join(" and ".join([f"{number_text(macs)} multiply-adds"] + [f"{number_text(peak)} {unit}"] * (peak > 0)) +
                          " per cycle" for macs, peak in roofs)
    told = table(rows, ("case", "device", "MACs per cycle", f"MACs per {unit[:-1]}", "of the peak"), "wide")
    if len(rows) > MOST_LINES:
        told = f"<details><summary>{len(rows)} cases</summary>{told}</details>"
    return figure("chart roofline", f"Roofline: {port}", body + told, f"At most {peak_text}.")
