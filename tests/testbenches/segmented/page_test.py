"""docs/segmented.md says what the program says and does."""
import re

from segmented_program import METRICS, VARIANTS, SegmentedTest, crossover_text
from testbench_page import TestbenchPage


class Page(TestbenchPage, SegmentedTest):
    small_job = "--operation spmv --length 9"
    ranged = ("density", "columns", "bits", "array", "lanes", "banks", "scratchpad",
              "pairs", "pipeline-depth", "call-latency", "word-bits", "scalar-ops", "clock", "seed")
    schemas = ("summary", "comparison", "theorems")
    usage_lines = 4

    def test_every_variant_is_there(self):
        rows = re.findall(r"^\| `([a-z-]+)` \| `(\w+)` \| (yes|-) \|", self.section("What it computes"), re.M)
        self.assertEqual([(operation, name) for operation, name, _ in rows],
                         [(operation, name) for operation, names in VARIANTS.items() for name in names])
        for operation, names in VARIANTS.items():
            self.assertIn(", ".join(names), self.refuses(f"--operation {operation} --variant nothing").err)

    def of_pair(self, crossovers, first, second):
        return next(entry for entry in crossovers if (entry["first"], entry["second"]) == (first, second))

    def test_what_comparing_shows_is_what_it_shows(self):
        rows = re.findall(r"^\| `([a-z-]+)` \| `(\w+)` \| `(\w+)` \| (.*) \| (.*) \| (.*) \|$",
                          self.section("What comparing shows"), re.M)
        self.assertGreater(len(rows), 8)
        found = {operation: self.summary(f"--operation {operation} --compare --memory sram") for operation in {row[0] for row in rows}}
        for operation, first, second, *texts in rows:
            pair = self.of_pair(found[operation]["crossovers"], first, second)
            for metric, text in zip(METRICS, texts):
                self.assertEqual(text, crossover_text(pair[metric], found[operation]["lengths"]), (first, metric))

    def test_what_sizes_change_is_what_they_change(self):
        rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (\d+) \| (.*) \| (.*) \| (.*) \| (.*) \|$",
                          self.section("What comparing shows"), re.M)
        self.assertGreater(len(rows), 8)
        operation_of = {name: operation for operation, names in VARIANTS.items() for name in names}
        found = {operation: self.summary(f"--operation {operation} --compare --memory sram --no-check --vary array=4,16,64,128 "
                                         "--vary lanes=64,128 --vary banks=64,128")
                 for operation in {operation_of[row[0]] for row in rows}}
        for first, second, width, *texts in rows:
            here = found[operation_of[first]]
            for side, text in zip((4, 16, 64, 128), texts):
                sizes = {"array": side, "lanes": int(width), "banks": int(width)}
                device = next(device for device in here["varied"] if sizes.items() <= device.items())
                at = self.of_pair(device["crossovers"], first, second)["cycles"]
                self.assertEqual(text, crossover_text(at, here["lengths"]), (first, second, sizes))

    def test_metrics_are_those_of_a_comparison(self):
        for metric in METRICS:
            self.assertIn(metric, self.section("Comparing"))

    def test_lines_of_several_pairs_are_printed(self):
        command, sample, *_ = self.code_blocks("Several pairs on one bus")
        printed = self.succeeds(command.strip().removeprefix("segmented ")).out.splitlines()
        lines = sample.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertLessEqual(set(lines), set(printed))
