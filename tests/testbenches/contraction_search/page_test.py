"""docs/contraction_search.md says what the program says and does."""
import re

from contraction_search_program import ContractionSearchTest
from testbench_page import TestbenchPage
from testbench_words import TestbenchWords


class Words(TestbenchWords, ContractionSearchTest):
    job = long_job = "--layer ucf-ttm"
    helped = ("--layer", "--network", "--objective")
    nonsense = "--layer nothing"


class Page(TestbenchPage, ContractionSearchTest):
    small_job = "--layer ucf-ttm"
    ranged = ("top", "on-chip", "clock", "seed")
    usage_lines = 4

    def rows(self, title):
        return [[cell.strip(" `") for cell in line.split("|")[1:-1]]
                for line in self.section(title).splitlines() if line.startswith("| `")]

    def test_named_layers(self):
        listed = re.search(r"expected one of (.*)\n", self.refuses("--layer nothing").err)[1].split(", ")
        rows = self.rows("Named layers")
        self.assertEqual([row[0] for row in rows], 2 * listed)
        for name, form, rows_, columns, _, batch, nodes, parameters, provenance, source in rows[:len(listed)]:
            found = self.found(f"--layer {name}")
            layer = found["layer"]
            self.assertEqual((form, rows_, columns, batch, nodes, parameters, provenance, source), (
                layer["format"] + (f" {layer['order']}" if layer["order"] else ""), "x".join(map(str, layer["rows"])),
                "x".join(map(str, layer["columns"])), f"{layer['batch']:,}", str(len(found["network"]["nodes"])),
                f"{layer['parameters']:,}", layer["provenance"], layer["source"]), name)
            self.assert_figures(next(row for row in rows[len(listed):] if row[0] == name), found)

    def assert_figures(self, row, found):
        self.assertEqual(row[1], f"{found['optimal_macs']:,}")
        for cell, name in zip(row[2:7], ("tetrix", "ascending", "descending", "bidirectional", "reconstruct-best")):
            strategy = found["strategies"][name]
            if strategy is None:
                self.assertEqual(cell, "-")
            else:
                self.assertAlmostEqual(float(cell) * found["optimal_macs"] / strategy["macs"], 1, delta=0.05)
