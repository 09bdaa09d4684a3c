"""docs/tensor_unit.md says what the program says and does."""
import re

from tensor_unit_program import ALGORITHMS, TensorUnitTest
from testbench_page import TestbenchPage


class Page(TestbenchPage, TensorUnitTest):
    small_job = "--size 5"
    ranged = ("array", "m", "latency", "lanes", "banks", "scratchpad", "pipeline-depth", "call-latency", "word-bits", "scalar-ops", "clock", "seed")
    schemas = ("summary", "theorems")
    usage_lines = 4

    def test_ranges_are_those_of_the_program(self):
        super().test_ranges_are_those_of_the_program()
        for algorithm, line in ALGORITHMS.items():
            for option in re.findall(r"--(\w+)", line):
                self.range_is_that_of_the_program(option, f"--algorithm {algorithm}")

    def test_every_algorithm_is_there(self):
        rows = [(name, cells, re.findall(r"\w+", baselines)) for name, cells, baselines in
                re.findall(r"^\| `(\w+)` \| \w+ \d+ \| (.*) \| (`[^|]*`) \|$", self.section("What it computes"), re.M)]
        self.assertEqual([name for name, _, _ in rows], list(ALGORITHMS))
        listed = re.search(r"expected one of (.*)\n", self.refuses("--algorithm nothing").err)[1].split(", ")
        self.assertEqual(set(listed), set(ALGORITHMS) | {baseline for _, _, baselines in rows for baseline in baselines})
        for name, cells, baselines in rows:
            options, formats = cells.split(" | ")[-2:]
            used = set(re.findall(r"--(\w+)", ALGORITHMS[name])) - {"size"}
            self.assertEqual(set(re.findall(r"`--(\w+)`", options)), used, name)
            found = self.summary(f"--algorithm {name} {ALGORITHMS[name]} --m 16 --scalar")["configuration"]
            self.assertEqual(found["algorithm"], baselines[0])
            error = self.refuses(f"--algorithm {name} {ALGORITHMS[name]} --m 16 --format int16").err
            expected = re.search(r"expected (?:one of )?(.*)\n", error)[1]
            self.assertEqual(formats, expected, name)
