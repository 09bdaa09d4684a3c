"""docs/compare_accelerators.md says what the program says and does. Its figures: testbenches/figures."""
import re

from compare_accelerators_program import CompareAcceleratorsTest
from testbench_page import TestbenchPage
from testbench_words import TestbenchWords


class Words(TestbenchWords, CompareAcceleratorsTest):
    job = long_job = "--workloads atis-tt"
    helped = ("--workloads", "--accelerators", "--sweep", "--mode-orders")
    nonsense = "--workloads nothing"


class Page(TestbenchPage, CompareAcceleratorsTest):
    small_job = "--workloads atis-tt --accelerators tpu"
    ranged = ("batch", "buffer-cycles", "max-conflict-factor", "conflicts", "run-cycles", "clock", "seed")
    usage_lines = 5

    def test_accelerators_of_the_page_are_those_of_the_program(self):
        rows = [[cell.strip(" `") for cell in line[1:-1].split("|")]
                for line in self.section("What it computes").splitlines() if line.startswith("|")]
        known = re.search(r"expected names of (.*)\n", self.refuses("--mode inference --accelerators none").err)[1].split(", ")
        training = re.search(r"expected names of (.*)\n", self.refuses("--accelerators none").err)[1].split(", ")
        self.assertEqual({row[0]: row[3] for row in rows if row[0] in known},
                         {name: "both" if name in training else "inference" for name in known})
