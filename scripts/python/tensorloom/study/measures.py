"""What studies tell of every run, and may have as objectives: fields that all testbenches which have them measure alike."""
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    column: str  # of results.csv
    path: tuple  # in summary.json
    base: str    # unit, as tensorloom.quantities scales it; "1" of a number, "um2" of an area

    def of(self, summary):
        """NaN where a summary does not have it."""
        for name in self.path:
            summary = summary.get(name) if isinstance(summary, dict) else None
        return float(summary) if isinstance(summary, (int, float)) and not isinstance(summary, bool) else math.nan


MEASURES = {
    "latency": Measure("simulated_time_ns", ("simulated_time_ns",), "ns"),
    "cycles": Measure("cycles", ("cycles",), "1"),
    "energy": Measure("energy_pJ", ("energy_pJ", "total"), "pJ"),
    "area": Measure("area_um2", ("area_um2", "total"), "um2"),
    "power": Measure("power_mW", ("power_mW", "average"), "mW"),
    "utilisation": Measure("utilisation", ("utilisation",), "1"),
    "macs": Measure("macs", ("macs",), "1"),
    "error": Measure("max_rel_error", ("check", "max_rel_error"), "1"),
}
GOALS = ("min", "max")
