"""Figures of pages and the commands that produce them.

docs/figures/NAME.yaml binds the figures of docs/NAME.md to commands, section by section:

    TriADA:                                      # a section of the page, by its title
      - command: dxt --input M --sparsity dense
        figures:
          248 steps: steps                       # words of the page: an expression over summary.json of the command
          73,138,176 MACs: macs
      - commands:                                # several commands: their summaries by name
          a: dxt --shape 8x8x8
          b: dxt --shape 4x4x4
        figures:
          3.5 times: a.cycles / b.cycles
      - source: the paper, Table III             # not computed: only checks that the words are there
        figures:
          - 105.29 mW

Every figure appears in these words in its section, with one number. The value of its expression, rounded to the
printed digits, must equal it. A command may name a file by a letter that the page explains: `M` is `data/...`.
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

import yaml

SOURCE = os.environ["TENSORLOOM_SOURCE"]

NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"


class Fields:
    """An object of a summary: its fields as attributes, or field("...") if they are not identifiers."""

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


class UniqueKeys(yaml.BaseLoader):
    """Every scalar is text, and a duplicate key is an error."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise AssertionError(f"'{key}' stands twice{node.start_mark}")
        return super().construct_mapping(node, deep)


class Binding:
    """Figures of a section from the same commands."""

    def __init__(self, entry):
        kinds = [kind for kind in ("command", "commands", "source") if kind in entry]
        if len(kinds) != 1 or set(entry) != {*kinds, "figures"}:
            raise AssertionError(f"an entry has {', '.join(entry)}, expected figures and command, commands or source")
        kind, figures = kinds[0], entry["figures"]
        wanted = {"command": (str, dict), "commands": (dict, dict), "source": (str, list)}[kind]
        if (type(entry[kind]), type(figures)) != wanted or not entry[kind] or not figures:
            raise AssertionError(f"{kind} '{entry[kind]}': expected a {wanted[0].__name__}, and figures as a "
                                 f"{wanted[1].__name__}")
        self.commands = entry["commands"] if kind == "commands" else {"": entry[kind]} if kind == "command" else {}
        self.figures = figures if kind != "source" else dict.fromkeys(figures)  # words -> expression
        self.origin = "; ".join(self.commands.values()) or entry["source"]

    def values(self, summaries):
        """Words and value of each figure, by the summaries of its commands."""
        if not self.commands:
            return  # not computed
        names = summaries
        if "" in summaries:
            names = {name: wrapped(value) for name, value in summaries[""]._fields.items()}
        for words, expression in self.figures.items():
            yield words, eval(expression, {"__builtins__": {}} | names | FUNCTIONS)  # pylint: disable=eval-used


class Section:
    """Title and text of a section, and the bindings of its figures."""

    def __init__(self, text, bindings=()):
        self.title, _, self.markdown = text.partition("\n")
        self.text = " ".join(text.split())
        self.bindings = [Binding(entry) for entry in bindings]

    def has(self, words):
        """True if the section has these words, with the complete number."""
        return re.search(rf"(?<![\d.,]){re.escape(words)}(?!\d|[.,]\d)", self.text) is not None

    def words_not_there(self):
        """Words of bindings that are missing in the section."""
        return [words for binding in self.bindings for words in binding.figures if not self.has(words)]

    def without_command(self):
        """Results of its tables without a binding: numbers of the last column with a point or of more than three
        digits, outside of code; except sizes in commands and numbers of theorems."""
        rows = [line for line in self.markdown.split("\n") if line.startswith("|")]
        cells = " ".join(row.rstrip("| ").rsplit(" | ", 1)[-1] for row in rows)
        for words in sorted((words for binding in self.bindings for words in binding.figures), key=len, reverse=True):
            cells = cells.replace(words, " ")
        cells = re.sub(r"`[^`]*`|\]\([^)]*\)|\b(?:Theorem|Lemma|Corollary|appendix) [A-Z.\d]+|\([\d.]+\)", " ", cells)
        sizes = {size for binding in self.bindings for command in binding.commands.values()
                 for size in re.findall(r"\d+", command)}
        return [number for number in re.findall(r"\b(?:\d{1,3}(?:,\d{3})+|\d+\.\d+(?:e-?\d+)?)", cells)
                if number.replace(",", "") not in sizes]


def text_of(page, source=SOURCE):
    with open(os.path.join(source, "docs", f"{page}.md"), encoding="utf-8") as file:
        return file.read()


def bound_pages(source=SOURCE):
    """Names of the pages whose figures are bound to commands."""
    return sorted(name.removesuffix(".yaml") for name in os.listdir(os.path.join(source, "docs", "figures")))


def sections(page, source=SOURCE):
    """Sections of a bound page, with their bindings."""
    with open(os.path.join(source, "docs", "figures", f"{page}.yaml"), encoding="utf-8") as file:
        bindings = yaml.load(file, UniqueKeys)
    if not os.path.isfile(os.path.join(source, "docs", f"{page}.md")):
        raise AssertionError(f"{page}.yaml: there is no page docs/{page}.md")
    if not isinstance(bindings, dict) or not all(isinstance(part, list) and part for part in bindings.values()):
        raise AssertionError(f"{page}.yaml: expected entries by sections")
    found = [Section(part, bindings.pop(part.partition("\n")[0], ()))
             for part in re.split(r"\n## ", text_of(page, source))[1:]]
    if bindings:
        raise AssertionError(f"{page}.yaml: the page has no sections {', '.join(bindings)}")
    return found


def with_files(page, commands):
    """The commands with letters replaced by files."""
    for letter, path in re.findall(r"`([A-Z])` is `(data/[^`]+)`", " ".join(text_of(page).split())):
        commands = {name: re.sub(rf"(?<= ){letter}(?= |$)", path, command) for name, command in commands.items()}
    return commands


class PageFigures(unittest.TestCase):
    """Runs the commands of pages, each once, and measures figures."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.summaries = {}

    def printed(self, command):
        program, *options = shlex.split(command)
        done = subprocess.run([os.path.join(os.environ["TENSORLOOM_PROGRAMS"], program), *options], cwd=SOURCE,
                              capture_output=True, text=True, timeout=500, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    def summary(self, command):
        if command not in self.summaries:
            with tempfile.TemporaryDirectory(prefix="figures-test-") as directory:
                self.printed(f"{command} --quiet --out {shlex.quote(directory)}")
                with open(os.path.join(directory, "summary.json"), encoding="utf-8") as file:
                    self.summaries[command] = wrapped(json.load(file))
        return self.summaries[command]

    def measure_page(self, page):
        for section in sections(page):
            self.assertEqual(section.words_not_there(), [], f"{page}.yaml, {section.title}: not in the section")
            for binding in section.bindings:
                found = {name: self.summary(command) for name, command in with_files(page, binding.commands).items()}
                for words, value in binding.values(found):
                    with self.subTest(page=page, figure=words, command=binding.origin):
                        self.assertTrue(is_what_is_printed(value, words),
                                        f"the page says {words}, measured is {value:.10g}")
