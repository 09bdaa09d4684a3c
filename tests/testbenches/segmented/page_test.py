"""docs/segmented.md says what the program says and does."""
import re

from segmented_program import METRICS, VARIANTS, SegmentedTest
from testbench_page import TestbenchPage


class Page(TestbenchPage, SegmentedTest):
    small_job = "--operation spmv --length 9"
    ranged = ("density", "columns", "bits", "array", "lanes", "banks", "scratchpad",
              "call-latency", "word-bits", "scalar-ops", "clock", "seed")
    schemas = ("summary", "comparison")
    usage_lines = 4

    def test_every_variant_is_there(self):
        rows = re.findall(r"^\| `([a-z-]+)` \| `(\w+)` \| (yes|-) \|", self.section("What it computes"), re.M)
        self.assertEqual([(operation, name) for operation, name, _ in rows],
                         [(operation, name) for operation, names in VARIANTS.items() for name in names])
        for operation, names in VARIANTS.items():
            self.assertIn(", ".join(names), self.refuses(f"--operation {operation} --variant nothing").err)

    def test_what_comparing_shows_is_what_it_shows(self):
        rows = re.findall(r"^\| `([a-z-]+)` \| `(\w+)` \| `(\w+)` \| (.*) \| (.*) \| (.*) \|$",
                          self.section("What comparing shows"), re.M)
        self.assertGreater(len(rows), 8)
        found = {operation: self.summary(f"--operation {operation} --compare --memory sram") for operation in {row[0] for row in rows}}
        for operation, first, second, *texts in rows:
            pair = next(entry for entry in found[operation]["crossovers"]
                        if (entry["first"], entry["second"]) == (first, second))
            for metric, text in zip(METRICS, texts):
                at = pair[metric]
                always = at == found[operation]["lengths"][0]
                self.assertEqual(text, "never" if at is None else "always" if always else f"from {at:,}", (first, metric))

    def test_metrics_are_those_of_a_comparison(self):
        for metric in METRICS:
            self.assertIn(metric, self.section("Comparing"))
