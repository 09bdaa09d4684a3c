"""Points under the roof of their device: multiply-adds per cycle by multiply-adds per byte through a port."""
import math

from tensorloom.palette import INK, colour_at
from tensorloom.quantities import number_text
from tensorloom.report.markup import colour_class, escape, figure, percent, table

ROOM = 0.35      # decades beyond the outermost point
EDGE = 0.05        # share of the plane, where a number would not fit
MOST_NUMBERS = 24  # beside points
MOST_LINES = 16    # most lines of a table that is initially open


class Axis:
    """Logarithmic, from 0 to 1 on the page."""

    def __init__(self, values):
        logarithms = [math.log10(value) for value in values if value > 0 and math.isfinite(value)] or [0.0]
        self.low, self.high = min(logarithms) - ROOM, max(logarithms) + ROOM

    def __call__(self, value):
        return (math.log10(value) - self.low) / (self.high - self.low) if value > 0 else 0.0

    def ticks(self):
        """Decades, and numbers between them if the axis spans few."""
        whole = [10.0 ** place for place in range(math.ceil(self.low), math.floor(self.high) + 1)]
        if len(whole) >= 2:
            return whole[::math.ceil(len(whole) / 5)]
        return [digit * 10.0 ** place for place in range(math.floor(self.low), math.ceil(self.high) + 1) for digit in (1, 2, 5)
                if self.low <= math.log10(digit) + place <= self.high]


def line(x1, y1, x2, y2, kind):
    return f'<line class="{kind}" x1="{percent(x1)}" y1="{percent(1 - y1)}" x2="{percent(x2)}" y2="{percent(1 - y2)}"/>'


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


def heights_and_ticks(across, up):
    """The numbers beside a plane and below it."""
    ticks = "".join(f'<span style="left:{percent(across(value))}">{number_text(value)}</span>'
                    for value in across.ticks() if EDGE < across(value) < 1 - EDGE)
    return "".join(f'<span style="bottom:{percent(up(value))}">{number_text(value)}</span>' for value in up.ticks()), ticks


def roofline(cases, port):
    """One chart with the roofs of all cases, and a table that explains the numbers; "" if no case can be drawn."""
    timed = [case for case in cases if case.cycles > 0 and not math.isnan(case.macs)]
    peaks = [case.ports[port].peak if port in case.ports else math.nan for case in timed]
    roofs = list(dict.fromkeys((float(f"{case.peak_macs:.6g}"), float(f"{peak:.4g}") if peak > 0 else 0.0)
                               for case, peak in zip(timed, peaks) if case.peak_macs > 0))
    if not timed or not roofs:
        return ""
    across = Axis([case.intensity(port) for case in timed if port in case.ports] +
                  [macs / peak for macs, peak in roofs if peak > 0])
    up = Axis([case.macs_per_cycle() for case in timed] + [macs for macs, _ in roofs])
    unit = next((case.ports[port].unit for case in timed if port in case.ports), "bytes")
    marks = "".join(point_mark(place, case, port, colour_at(place), across, up) for place, case in enumerate(timed))
    numbers = "" if len(timed) > MOST_NUMBERS else "".join(
        f'<b style="left:{percent(across(case.intensity(port)))};bottom:{percent(up(case.macs_per_cycle()))}">{place}</b>'
        for place, case in enumerate(timed, 1) if port in case.ports and case.intensity(port) > 0)
    heights, ticks = heights_and_ticks(across, up)
    body = (f"<div class=plane><div class=up>{heights}</div><div class=room><svg class={colour_class(INK)}>"
            f"{roof_lines(roofs, across, up)}{marks}</svg>{numbers}</div><div class=across>{ticks}</div></div>"
            f"<p class=note>across: multiply-adds per {unit[:-1]} through the {escape(port)}; up: multiply-adds per cycle</p>")
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
