"""docs/compare_accelerators.md says what the program says and does, and its figures are what is measured."""
import os
import re

from compare_accelerators_program import SOURCE, CompareAcceleratorsTest, load_json
from page_figures import PageFigures, wrapped
from testbench_page import TestbenchPage
from testbench_words import TestbenchWords

FOUND = {}  # command -> summary: of all tests of this page


class Words(TestbenchWords, CompareAcceleratorsTest):
    job = long_job = "--workloads atis-tt"
    helped = ("--workloads", "--accelerators", "--sweep", "--layouts")
    nonsense = "--workloads nothing"


class Page(TestbenchPage, CompareAcceleratorsTest):
    small_job = "--workloads atis-tt --accelerators tpu"
    ranged = ("batch", "most-conflicts", "conflicts", "run-cycles", "clock", "seed")
    usage_lines = 4


class Figures(PageFigures, CompareAcceleratorsTest):
    pages = ("compare_accelerators.md",)

    def summary(self, command, _folder=None):
        if command not in FOUND:
            self.succeeds(f"{command.removeprefix(self.program)} --quiet --out files")
            FOUND[command] = wrapped(load_json(self.path("files/summary.json")))
        return FOUND[command]

    def cells(self, row):
        return [f"{ratios.cycles_by_fetta:.2f} ({ratios.energy_by_fetta:.2f})" for ratios in row]

    def means(self, ranges):
        return [f"{r.cycles_by_fetta.mean:.2f} ({r.energy_by_fetta.mean:.2f})" for r in ranges if r.accelerator != "fetta"]

    def tables(self):
        """Title of a section -> rows of its first table, cells without marks."""
        with open(os.path.join(SOURCE, "docs/compare_accelerators.md"), encoding="utf-8") as file:
            parts = re.split(r"\n## ", file.read())[1:]
        return {part.split("\n")[0]: [[cell.strip(" `") for cell in line[1:-1].split("|")]
                                      for line in part.split("\n| command")[0].split("\n") if line.startswith("|")][2:]
                for part in parts}

    def test_ratios_by_layer_and_by_rule(self):
        found = self.summary("compare_accelerators --sweep all")
        tables = self.tables()
        by_layer = tables["Training, layer by layer"]
        layers = list(dict.fromkeys(row.workload for row in found.results))
        self.assertEqual([row[0] for row in by_layer], [*layers, "geometric mean"])
        for row in by_layer[:-1]:
            self.assertEqual(row[1:], self.cells(r for r in found.results
                                                 if r.workload == row[0] and r.accelerator != "fetta"), row[0])
        self.assertEqual(by_layer[-1][1:], self.means(found.ranges))
        by_rule = tables["By rule"]
        self.assertEqual([row[:2] for row in by_rule], [[sweep.rule, sweep.value] for sweep in found.sweeps])
        for row, sweep in zip(by_rule, found.sweeps):
            self.assertEqual(row[2:], self.means(sweep.ranges), row[:2])

    def test_inference_by_layer(self):
        rows = self.tables()["Inference, layer by layer"]
        found = self.summary("compare_accelerators --mode inference --workloads " + ",".join(row[0] for row in rows))
        for layer, *cells in rows:
            of_layer = [r for r in found.results if r.workload == layer and r.accelerator != "fetta"]
            self.assertEqual(cells, ["-" if r.cycles is None else self.cells([r])[0] for r in of_layer], layer)

    def test_accelerators_of_the_page_are_those_of_the_program(self):
        rows = self.tables()["What it computes"]
        known = re.search(r"expected names of (.*)\n", self.refuses("--mode inference --accelerators none").err)[1].split(", ")
        training = re.search(r"expected names of (.*)\n", self.refuses("--accelerators none").err)[1].split(", ")
        self.assertEqual({row[0]: row[3] for row in rows if row[0] in known},
                         {name: "both" if name in training else "inference" for name in known})
