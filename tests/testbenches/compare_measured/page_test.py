"""docs/measured.md says what the program says and does."""
import re

from compare_measured_program import CompareMeasuredTest
from testbench_page import TestbenchPage
from testbench_words import TestbenchWords

SMALL = "--only 16x256x256"


class Words(TestbenchWords, CompareMeasuredTest):
    job = long_job = SMALL
    helped = ("--machine", "--cases", "--only")
    nonsense = "--machine nothing"


class Page(TestbenchPage, CompareMeasuredTest):
    small_job = SMALL
    ranged = ("clock", "seed")
    usage_lines = 3

    def test_errors_in_words_are_those_of_a_run(self):
        found = self.summary("--no-check")
        others = found["errors"]["other"]
        self.assertIn(f"The other {others['cases']} cases are {100 * others['mean_abs']:.0f} % off on average and "
                      f"{100 * others['largest_abs']:.0f} % at most", " ".join(self.page.split()))
        by_name = {}
        for case in found["cases"]:
            by_name.setdefault(case["name"], []).append(round(100 * case["error"]))
        wrong = self.section("Gemmini").split("### Where we are wrong, and why")[1]
        told = re.findall(r"- (\d+x\d+x\d+)[^(]*?\(([^)]*%)\)", wrong)
        self.assertGreater(len(told), 3)
        for name, percents in told:
            for percent in re.findall(r"[+-]\d+", percents):
                self.assertIn(int(percent), by_name[name], name)

    def test_fitted_parameters_are_those_of_a_run(self):
        for parameter in self.summary(SMALL)["fitted"]:
            self.assertRegex(self.page, rf"\| `{parameter['name']}` \| {parameter['value']:g}\b")
