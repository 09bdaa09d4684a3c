"""What one run of dxt wrote into its folder: summary.json, latency.csv, energy.csv."""
import csv
import json
import os
from dataclasses import dataclass

from input_problem import InputProblem

# Fields that are read here, with the fields inside them.
SUMMARY_FIELDS = {
    "configuration": ("technology", "clock_period_ps"),
    "check": ("max_abs_error", "max_rel_error"),
    "cycles": (),
    "cycles_by_cause": (),
    "simulated_time_ns": (),
    "steps": (),
    "steps_skipped": (),
    "macs": (),
    "macs_skipped": (),
    "utilisation": (),
    "energy_pJ": ("leakage", "total"),
    "energy_estimated": (),
    "kept": (),
    "simulation": ("wall_s", "cpu_s"),
}
LATENCY_COLUMNS = ("cause", "phase", "start_cycle", "cycles", "mac")
ENERGY_COLUMNS = ("cause", "phase", "start_cycle", "cycles", "leakage_pJ", "total_pJ")
TEXT_COLUMNS = ("cause", "phase")


@dataclass
class Record:
    """A time-step, or a phase that is not made of steps."""
    cause: str
    phase: str
    start_ns: float
    duration_ns: float
    macs: int
    energy_pj: dict  # component -> pJ, without the total

    def leakage_pj(self):
        return self.energy_pj["leakage"]

    def dynamic_pj(self):
        """All energy but leakage."""
        return sum(pj for component, pj in self.energy_pj.items() if component != "leakage")


@dataclass
class Run:
    """One run: its summary as it stands in the file, and its records in time order."""
    folder: str
    summary: dict
    records: list

    def components(self):
        return [name for name in self.summary["energy_pJ"] if name != "total"]

    def is_estimated(self, component):
        return component in self.summary["energy_estimated"]


def read_summary(path):
    try:
        with open(path, encoding="utf-8") as file:
            summary = json.load(file)
    except FileNotFoundError:
        raise InputProblem(f"{path} is missing, expected what dxt --out writes") from None
    except (OSError, ValueError) as error:
        raise InputProblem(f"{path} cannot be read as JSON: {error}") from None
    for field, inner_fields in SUMMARY_FIELDS.items():
        require_field(path, summary, field, field)
        for inner in inner_fields:
            require_field(path, summary[field], inner, f"{field}.{inner}")
    return summary


def require_field(path, fields, name, shown_name):
    if not isinstance(fields, dict) or name not in fields:
        raise InputProblem(f"{path} has no field '{shown_name}'")


def read_table(path, columns):
    """The rows of a .csv file, as dictionaries with numbers in all columns but the texts."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            for column in columns:
                if column not in names:
                    raise InputProblem(f"{path} has no column '{column}'")
            return [{name: value if name in TEXT_COLUMNS else float(value) for name, value in row.items()}
                    for row in reader]
    except FileNotFoundError:
        raise InputProblem(f"{path} is missing, expected what dxt --out writes") from None
    except (OSError, TypeError, ValueError) as error:
        raise InputProblem(f"{path} cannot be read as a table: {error}") from None


def read_run(folder):
    """The run that wrote into this folder. InputProblem when a file is missing, damaged, or does not fit the others."""
    summary = read_summary(os.path.join(folder, "summary.json"))
    latency = read_table(os.path.join(folder, "latency.csv"), LATENCY_COLUMNS)
    energy = read_table(os.path.join(folder, "energy.csv"), ENERGY_COLUMNS)
    if not latency or [row["start_cycle"] for row in latency] != [row["start_cycle"] for row in energy]:
        raise InputProblem(f"{folder}: latency.csv and energy.csv do not have the same rows, or none")

    period_ns = summary["configuration"]["clock_period_ps"] / 1000
    records = []
    for timing, cost in zip(latency, energy):
        by_component = {name[:-len("_pJ")]: pj for name, pj in cost.items()
                        if name.endswith("_pJ") and name != "total_pJ"}
        records.append(Record(timing["cause"], timing["phase"], timing["start_cycle"] * period_ns,
                              timing["cycles"] * period_ns, int(timing["mac"]), by_component))
    return Run(folder, summary, records)
