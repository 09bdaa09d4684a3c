"""The answer of a run to the question of its testbench, and the numbers that answer it: the templates of the manifest
("report"), filled with fields of the summary.

A field of a template is {PATH}, {PATH:UNIT}, {PATH / PATH:UNIT} for a ratio, or {PATH:UNIT|TEXT} with a text for a field
that is null or missing. A line with a missing field and no such text is left out: runs of one testbench differ.

    epochs.-1.test_accuracy          names, and places in lists, counted from the end if negative
    runs[device=tri*].0.cycles       entries of a list whose field matches a pattern, as a list
    runs[device!=torus].#            how many there are
    initiators[large.dma].bytes      a name with a dot
"""
import fnmatch
import json
import math
import re

from tensorloom.manifests import manifest_of
from tensorloom.quantities import PREFIXES, number_text, quantity_text, size_text

FIELD = re.compile(r"\{([^{}:|]+)(?::([^{}|]*))?(?:\|([^{}]*))?\}")
PART = re.compile(r"\[(?P<key>[^\]=!]+)(?P<no>!?)=(?P<pattern>[^\]]*)\]|\[(?P<dotted>[^\]=]+)\]|(?P<name>[^.\[\]]+)")
RATIO = " / "
SHARE, TIMES, AREA = "%", "x", "mm2"  # units besides those of quantities.PREFIXES
SQUARE_MM = "mm\N{SUPERSCRIPT TWO}"
UM2_PER_MM2 = 1e6
MOST_LINES = 8  # of one template


class Missing(Exception):
    """A field that the summary does not have, or that is null."""


def matches(entry, key, pattern):
    value = entry.get(key) if isinstance(entry, dict) else None
    return fnmatch.fnmatchcase(value if isinstance(value, str) else json.dumps(value), pattern)


def value_at(summary, path):
    """The value at a path, which is not null."""
    value = summary
    for part in PART.finditer(path):
        name = part["dotted"] or part["name"]
        try:
            if name is None:
                value = [entry for entry in value if matches(entry, part["key"], part["pattern"]) != bool(part["no"])]
            elif name == "#":
                value = len(value)
            else:
                value = value[int(name)] if isinstance(value, list) else value[name]
        except (LookupError, TypeError, ValueError):
            raise Missing(path) from None
    if value is None:
        raise Missing(path)
    return value


def number_at(summary, path):
    value = value_at(summary, path)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Missing(path)
    return float(value)


def value_of(summary, expression, at=value_at):
    """The value of a path, or the ratio of the numbers at two."""
    above, ratio, below = expression.partition(RATIO)
    if not ratio:
        return at(summary, above)
    if not number_at(summary, below):
        raise Missing(below)
    return number_at(summary, above) / number_at(summary, below)


def text_of(value, unit):
    if isinstance(value, list):
        return size_text(value)
    if isinstance(value, (bool, str)):
        return str(value).lower() if isinstance(value, bool) else value
    if unit == SHARE:
        return f"{number_text(100 * value, 3)} %"
    if unit == TIMES:
        return f"{number_text(value, 3)} times"
    if unit == AREA:
        return f"{number_text(value / UM2_PER_MM2)} {SQUARE_MM}"
    return quantity_text(value, unit) if unit else number_text(value)


def filled(template, summary):
    """The text of a template; Missing if a field of it is."""
    def text(field):
        expression, unit, otherwise = field.groups()
        try:
            return text_of(value_of(summary, expression), unit)
        except Missing:
            if otherwise is None:
                raise
            return otherwise
    return FIELD.sub(text, template)


def lines_of(answer, summary):
    """The lines of one answer: a template, or a template for each entry of a list."""
    if isinstance(answer, str):
        entries, template = [summary], answer
    else:
        template = answer["text"]
        try:
            entries = value_at(summary, answer["each"])
        except Missing:
            return []
    found = []
    for entry in entries:
        try:
            found.append(filled(template, entry))
        except Missing:
            continue
    more = len(found) - MOST_LINES
    return found if more <= 0 else [*found[:MOST_LINES], f"and {more} more lines of this kind, in summary.json"]


def question_of(summary):
    return manifest_of(summary["testbench"]).get("report", {}).get("question", "")


def answers_of(summary):
    """Lines that answer the question."""
    return [line for answer in manifest_of(summary["testbench"]).get("report", {}).get("answers", ())
            for line in lines_of(answer, summary)]


# ---- numbers, for tables and bars ------------------------------------------------------------------------------------

AXES = {SHARE: (" [%]", 100), AREA: (f" [{SQUARE_MM}]", 1 / UM2_PER_MM2), TIMES: (" [times]", 1)}


def numbers_named(summary):
    """Name -> field of the numbers that the testbench of this summary has besides time, energy and area."""
    return manifest_of(summary["testbench"]).get("report", {}).get("numbers", {})


def number_of(summary, field):
    """The number of a field, in the unit of its axis; NaN if the summary has none."""
    expression, _, unit = field.partition(":")
    try:
        return AXES.get(unit, ("", 1))[1] * value_of(summary, expression, number_at)
    except Missing:
        return math.nan


def numbers_of(summaries):
    """(name with its unit, base of quantities.PREFIXES, a value for each summary) of all numbers that one of them has. NaN
    for a summary of another testbench."""
    for name, field in dict.fromkeys(item for summary in summaries for item in numbers_named(summary).items()):
        unit = field.partition(":")[2]
        values = [number_of(summary, field) if numbers_named(summary).get(name) == field else math.nan for summary in summaries]
        if not all(map(math.isnan, values)):
            yield name + AXES.get(unit, ("", 1))[0], unit if unit in PREFIXES else "1", values
