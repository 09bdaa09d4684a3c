"""Figures of pages and the commands that they come from.

A section of a page in docs/ with results ends in a table `| command | figures | read from |`:

    | command                            | figures                          | read from              |
    | `dxt --input M --sparsity dense`   | 248 steps; 73,138,176 MACs       | `events.step`; `macs`  |
    | `dxt A` `dxt B`                    | 3.5 times                        | `a.cycles / b.cycles`  |
    | the paper, Table III               | 105.29 mW                        | -                      |

Every figure stands in these words in the section, and has one number; what it is read from is an expression over
summary.json of the command, of several commands over a, b, c. It must be what is printed, rounded to as many digits.
A command may name a file by a letter that the page explains: `M` is `data/...`.
"""
import decimal
import json
import math
import os
import re
import shlex
import subprocess
import tempfile
import unittest

SOURCE = os.environ["TENSORLOOM_SOURCE"]

HEAD = "| command | figures | read from |"
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"


class Fields:
    """An object of a summary: its fields as attributes, those that are no names by field("...")."""

    def __init__(self, fields):
        self._fields = fields

    def __getattr__(self, name):
        return self.field(name)

    def field(self, name):
        return wrapped(self._fields[name])

    def all_but(self, *names):
        """The sum of the other fields."""
        return math.fsum(value for name, value in self._fields.items() if name not in names)


def wrapped(value):
    if isinstance(value, dict):
        return Fields(value)
    return [wrapped(item) for item in value] if isinstance(value, list) else value


def one(items, **wanted):
    """The one item whose fields have these values."""
    found = [item for item in items if all(getattr(item, name) == value for name, value in wanted.items())]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} items with {wanted}, expected one")
    return found[0]


FUNCTIONS = {"one": one, "sum": sum, "max": max, "min": min, "abs": abs, "len": len, "round": round}


def printed_number(figure):
    """(value, half a unit of its last digit) of the one number in these words."""
    found = re.findall(NUMBER, figure)
    if len(found) != 1:
        raise AssertionError(f"'{figure}' has {len(found)} numbers, expected one")
    number = decimal.Decimal(found[0].replace(",", ""))
    return number, decimal.Decimal(5).scaleb(number.as_tuple().exponent - 1)


def is_what_is_printed(value, figure):
    number, half = printed_number(figure)
    if not math.isfinite(value):
        return False
    return abs(decimal.Decimal(value) - number) <= half * (1 + decimal.Decimal("1e-9"))


class Section:
    def __init__(self, text):
        self.title = text.split("\n", 1)[0]
        before, self.rows = text, []
        if HEAD in text:
            before, table = text.split(HEAD, 1)
            for line in table.split("\n")[2:]:
                if not line.startswith("|"):
                    break
                self.rows.append([cell.strip() for cell in line[1:-1].split(" | ")])
        self.before = before
        self.text = " ".join(before.split())

    def without_command(self):
        """Results of its tables that are no figure: numbers of the last column with a point or of more than three
        digits, outside of code; a size that a command has is none, nor is the number of a theorem."""
        cells = " ".join(line.rstrip("| ").rsplit(" | ", 1)[-1] for line in self.before.split("\n") if line.startswith("|"))
        for figure in sorted((f for _, figures, _ in self.rows for f in figures.split("; ")), key=len, reverse=True):
            cells = cells.replace(figure, " ")
        cells = re.sub(r"`[^`]*`|\]\([^)]*\)|\b(?:Theorem|Lemma|Corollary|appendix) [A-Z.\d]+|\([\d.]+\)", " ", cells)
        sizes = {size for commands, _, _ in self.rows for size in re.findall(r"\d+", commands)}
        return [number for number in re.findall(r"\b(?:\d{1,3}(?:,\d{3})+|\d+\.\d+(?:e-?\d+)?)", cells)
                if number.replace(",", "") not in sizes]


def sections(page):
    with open(os.path.join(SOURCE, "docs", page), encoding="utf-8") as file:
        return [Section(part) for part in re.split(r"\n## ", file.read())[1:]]


def letters(page):
    """What single letters in commands stand for."""
    with open(os.path.join(SOURCE, "docs", page), encoding="utf-8") as file:
        return dict(re.findall(r"`([A-Z])` is `(data/[^`]+)`", " ".join(file.read().split())))


class PageFigures(unittest.TestCase):
    """`pages`: those whose figures are measured."""

    maxDiff = None
    pages = ()

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="figures-test-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.summaries = {}

    def printed(self, command):
        program, *options = shlex.split(command)
        done = subprocess.run([os.path.join(os.environ["TENSORLOOM_PROGRAMS"], program), *options], cwd=SOURCE,
                              capture_output=True, text=True, timeout=500, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    def summary(self, command):
        if command not in self.summaries:
            self.printed(f"{command} --quiet --out {shlex.quote(self.directory)}")
            with open(os.path.join(self.directory, "summary.json"), encoding="utf-8") as file:
                self.summaries[command] = wrapped(json.load(file))
        return self.summaries[command]

    def measure(self, page, section, row):
        command_cell, figures, expressions = row
        figures = figures.split("; ")
        for figure in figures:
            self.assertIn(figure, section.text, f"{page}, {section.title}: no such words before the table")
        commands = re.findall(r"`([^`]+)`", command_cell)
        if not commands:
            return  # somebody else's
        for letter, path in letters(page).items():
            commands = [re.sub(rf"(?<= ){letter}(?= |$)", path, command) for command in commands]
        found = [self.summary(command) for command in commands]
        names = found[0]._fields if len(found) == 1 else {}
        names = {name: wrapped(value) for name, value in names.items()} | dict(zip("abcdefgh", found)) | FUNCTIONS
        expressions = re.findall(r"`([^`]+)`", expressions)
        self.assertEqual(len(expressions), len(figures), row)
        for figure, expression in zip(figures, expressions):
            value = eval(expression, {"__builtins__": {}} | names)  # pylint: disable=eval-used
            with self.subTest(page=page, figure=figure, command=command_cell):
                self.assertTrue(is_what_is_printed(value, figure), f"the page says {figure}, measured is {value:.10g}")

    def test_figures_are_what_is_measured(self):
        for page in self.pages:
            for section in sections(page):
                for row in section.rows:
                    self.assertEqual(len(row), 3, row)
                    self.measure(page, section, row)
