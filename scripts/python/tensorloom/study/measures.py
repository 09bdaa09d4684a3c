"""Measures of every run, which can be objectives: numbers of summary.json."""
import math
from dataclasses import dataclass

from tensorloom.quantities import Scale, number_text, scale_for
from tensorloom.schemas import load_schema

NEGLIGIBLE = 1e-3  # deviation relative to the mean
OF_CAUSES = ("cycles_by_cause",)  # a cause that did not occur is left out of a summary: it has 0 cycles
UNTOLD = ("oneOf", "anyOf", "patternProperties")  # these parts of a schema are not searched


@dataclass(frozen=True)
class Measure:
    column: str  # of results.csv
    path: tuple  # in summary.json; a number is an index of a list, from 0
    base: str    # unit, as in tensorloom.quantities; "1" for a number, "um2" for an area

    def of(self, summary):
        """The measure of a summary; NaN if the summary does not have it."""
        for place, name in enumerate(self.path):
            if isinstance(summary, list):
                summary = dict(zip(map(str, range(len(summary))), summary))
            absent = 0 if place and self.path[place - 1] in OF_CAUSES else None
            summary = summary.get(name, absent) if isinstance(summary, dict) else None
        return float(summary) if isinstance(summary, (int, float)) and not isinstance(summary, bool) else math.nan

    def scale(self, values):
        """Scale of an axis or of one value."""
        if self.base == "um2":
            return Scale(1e6, "mm\N{SUPERSCRIPT TWO}", "um2")
        return scale_for([] if self.base == "1" else values, self.base)

    def text(self, value, deviation=0.0):
        """The value, and its deviation in the same unit unless it is negligible."""
        scale = self.scale([value])
        if not deviation > NEGLIGIBLE * abs(value):
            return scale.text(value)
        return f"{number_text(scale(value))} \N{PLUS-MINUS SIGN} {number_text(scale(deviation), 2)} {scale.unit}".rstrip()


# Fields with the same meaning in all testbenches that have them.
MEASURES = {
    "latency": Measure("time_ns", ("simulated_time_ns",), "ns"),
    "cycles": Measure("cycles", ("cycles",), "1"),
    "energy": Measure("energy_pJ", ("energy_pJ", "total"), "pJ"),
    "area": Measure("area_um2", ("area_um2", "total"), "um2"),
    "power": Measure("power_mW", ("power_mW", "average"), "mW"),
    "utilisation": Measure("utilisation", ("utilisation",), "1"),
    "macs": Measure("macs", ("macs",), "1"),
    "error": Measure("max_rel_error", ("check", "max_rel_error"), "1"),
    "accuracy": Measure("test_accuracy", ("test_accuracy",), "1"),
    "loss": Measure("training_loss", ("training_loss",), "1"),
}
OF_TRAINING = ("accuracy", "loss")  # columns only where the testbench reports them
GOALS = ("min", "max")


def schema_of(testbench):
    """The schema of its summary; {} if it is not installed."""
    try:
        return load_schema(f"{testbench}-summary")
    except FileNotFoundError:
        return {}


def unknown_name(schema, path):
    """The first name of a path that summaries of this schema cannot have; None if all are possible."""
    for name in path:
        if not schema or any(word in schema for word in UNTOLD):
            return None
        if "items" in schema or "properties" not in schema and "additionalProperties" not in schema:
            schema = schema.get("items", {}) if name.isdigit() and "items" in schema else None
        else:
            more = schema.get("additionalProperties", True)
            schema = schema.get("properties", {}).get(name, {} if more is True else more)
        if schema is None or schema is False:
            return name
    return None


def measures_of(testbench, own=()):
    """Name -> Measure: the common ones, and its own."""
    schema = schema_of(testbench)
    return {name: measure for name, measure in MEASURES.items() if name not in OF_TRAINING or
            schema and unknown_name(schema, measure.path) is None} | dict(own)


def is_share(schema, path):
    """Whether the values at a path are from 0 to 1."""
    for name in path:
        schema = schema["items"] if name.isdigit() and "items" in schema else schema.get("properties", {}).get(name, {})
    return (schema.get("minimum"), schema.get("maximum")) == (0, 1)
