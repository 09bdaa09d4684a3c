"""The two jobs side by side, in numbers: forward, inverse and their sum, dense beside ESOP."""
import math
from dataclasses import dataclass

from image_quality import psnr_db

ESTIMATE_MARK = "*"
ABSENT = "-"


@dataclass
class Row:
    """A quantity of forward dense, forward ESOP, inverse dense, inverse ESOP, sum dense, sum ESOP; None where there is none."""
    name: str
    values: list
    text_of: object          # number -> text
    estimated: tuple = (False,) * 6
    compares: bool = True    # whether ESOP / dense of the sum says something

    def ratio(self):
        dense, esop = self.values[4:]
        if not self.compares or dense is None or esop is None or not dense > 0:
            return None
        return esop / dense


def whole(value):
    return f"{value:,.0f}"


def four_digits(value):
    """At least four significant digits, never an exponent where a plain number is readable."""
    if value == 0:
        return "0"
    if abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{value:,.{max(0, 3 - math.floor(math.log10(abs(value))))}f}"


def scientific(value):
    return "0" if value == 0 else f"{value:.2e}"


def sum_of(forward, inverse):
    return None if forward is None or inverse is None else forward + inverse


def largest_of(forward, inverse):
    return None if forward is None or inverse is None else max(forward, inverse)


def quotient(number, divisor):
    return number / divisor if divisor else None


class Comparison:
    def __init__(self, dense, esop, original):
        self._jobs = (dense, esop)
        self._original = original

    def rows(self):
        """The rows of each section, by the section's title."""
        return {"": self._work_rows(), "cycles": self._cycle_rows(), "energy": self._energy_rows(),
                "result": self._result_rows(), "simulation": self._simulation_rows()}

    def _row(self, name, value_of, text_of, combine=sum_of, **more):
        """value_of: a run's summary -> number or None; combine: of forward and inverse -> the value of both."""
        pairs = [(value_of(job.forward.summary), value_of(job.inverse.summary)) for job in self._jobs]
        values = [pair[direction] for direction in (0, 1) for pair in pairs] + [combine(*pair) for pair in pairs]
        return Row(name, values, text_of, **more)

    def _work_rows(self):
        return [self._row("steps", lambda s: s["steps"], whole),
                self._row("rows skipped", lambda s: s["steps_skipped"], whole),
                self._row("MACs done", lambda s: s["macs"], whole),
                self._row("MACs skipped", lambda s: s["macs_skipped"], whole),
                self._utilisation_row(),
                self._row("simulated time [us]", lambda s: s["simulated_time_ns"] / 1000, four_digits)]

    def _utilisation_row(self):
        """Of both: each time-step counts the same."""
        row = self._row("utilisation [%]", lambda s: 100 * s["utilisation"], four_digits, compares=False)
        for place, job in zip((4, 5), self._jobs):
            summaries = [run.summary for run in job.runs().values()]
            steps = sum(s["steps"] for s in summaries)
            row.values[place] = quotient(sum(100 * s["utilisation"] * s["steps"] for s in summaries), steps)
        return row

    def _cycle_rows(self):
        causes = []
        for job in self._jobs:
            for run in job.runs().values():
                causes += [cause for cause in run.summary["cycles_by_cause"] if cause not in causes]
        return [self._row(cause, lambda s, cause=cause: s["cycles_by_cause"].get(cause, 0), whole) for cause in causes] + \
               [self._row("total", lambda s: s["cycles"], whole)]

    def _energy_rows(self):
        components = self._jobs[0].forward.components()
        working = [name for name in components if name != "leakage"]

        def energy_row(name, parts):
            def value_of(summary):
                pj = [summary["energy_pJ"].get(part) for part in parts]
                return None if None in pj else sum(pj) / 1e6

            def is_estimated(summary):
                return any(part in summary["energy_estimated"] for part in parts)

            marks = self._row(name, is_estimated, str, combine=lambda forward, inverse: forward or inverse).values
            return self._row(name, value_of, four_digits, estimated=tuple(marks))

        return [energy_row(f"{name} [uJ]", [name]) for name in working] + \
               [energy_row("dynamic: all these [uJ]", working),
                energy_row("leakage [uJ]", ["leakage"]),
                energy_row("total [uJ]", ["total"])]

    def _result_rows(self):
        quality = [psnr_db(self._original, job.reconstruction) for job in self._jobs]
        difference = float(abs(self._jobs[1].reconstruction - self._jobs[0].reconstruction).max())
        return [self._row("kept coefficients", lambda s: s["kept"], whole, combine=lambda forward, inverse: None),
                self._row("error, largest", lambda s: s["check"]["max_abs_error"], scientific, largest_of, compares=False),
                self._row("error, relative", lambda s: s["check"]["max_rel_error"], scientific, largest_of, compares=False),
                Row("PSNR [dB]", [None, None, *quality, None, None], "{:.2f}".format, compares=False),
                Row("ESOP - dense, largest", [None, None, None, difference, None, None], scientific, compares=False)]

    def _simulation_rows(self):
        def speed(summaries):
            return quotient(sum(s["macs"] for s in summaries) / 1e6, sum(s["simulation"]["cpu_s"] for s in summaries))

        speed_row = self._row("million MACs per CPU s", lambda s: speed([s]), four_digits, compares=False)
        for place, job in zip((4, 5), self._jobs):
            speed_row.values[place] = speed([run.summary for run in job.runs().values()])
        return [self._row("wall [s]", lambda s: s["simulation"]["wall_s"], "{:.3f}".format, compares=False),
                self._row("CPU [s]", lambda s: s["simulation"]["cpu_s"], "{:.3f}".format, compares=False),
                speed_row]


LABEL_WIDTH = 25
CELL_WIDTH = 12


def line_of(label, cells, ratio):
    return (label.ljust(LABEL_WIDTH) + "".join(cells) + ratio.rjust(CELL_WIDTH)).rstrip()


def format_comparison(comparison):
    """The table as text, one line per quantity."""
    titles = "".join(f"{title:-^{2 * CELL_WIDTH - 3}}".rjust(2 * CELL_WIDTH - 1) + " "
                     for title in (" forward ", " inverse ", " both "))
    lines = [" " * LABEL_WIDTH + titles.rstrip(),
             line_of("", [f"{name:>{CELL_WIDTH - 1}} " for name in ("dense", "ESOP") * 3], "ESOP/dense")]
    has_estimates = False
    for section, rows in comparison.rows().items():
        if section:
            lines.append(section)
        for row in rows:
            cells = []
            for value, estimated in zip(row.values, row.estimated):
                mark = ESTIMATE_MARK if estimated and value is not None else " "
                has_estimates = has_estimates or mark == ESTIMATE_MARK
                cells.append((ABSENT if value is None else row.text_of(value)).rjust(CELL_WIDTH - 1) + mark)
            ratio = row.ratio()
            lines.append(line_of(("  " if section else "") + row.name, cells, "" if ratio is None else f"{ratio:.3f}"))
    if has_estimates:
        lines.append(f"{ESTIMATE_MARK} an estimate enters this number (the technology file says which)")
    return "\n".join(lines) + "\n"
