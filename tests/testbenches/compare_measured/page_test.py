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
    usage_lines = 4

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

    def test_errors_of_every_machine_are_those_of_its_run(self):
        table = re.findall(r"^\| `([a-z0-9-]+)` \| (\d+) [^|]*\|[^|]*\| ([\d.]+) %[^|]*\| (\d+) % \|", self.page, re.MULTILINE)
        self.assertEqual(len(table), 5)
        for machine, cases, mean, largest in table:
            found = self.summary(f"--machine {machine} --no-check")
            errors = found["errors"]["other"]
            self.assertEqual(len(found["cases"]), int(cases))
            self.assertEqual((f"{100 * errors['mean_abs']:.{len((mean.split('.') + [''])[1])}f}", f"{100 * errors['largest_abs']:.0f}"),
                             (mean, largest), machine)
            if machine in ("gemmini", "systolic-rtl"):  # their lines are those of examples, which are run
                continue
            rows = re.findall(rf"`compare_measured --machine {machine}` prints\n\n(.*?)\n\n", self.page, re.DOTALL)
            printed = re.findall(r"^ +(\S+) +(\S+) +(\S+) +[+-]\S+ %", "".join(rows), re.MULTILINE)
            self.assertEqual([(name, *(float(value.replace(",", "")) for value in values)) for name, *values in printed],
                             [(case["name"], *(float(f"{case[field]:.4g}") if found["quantity"] == "ratio" else case[field]
                                               for field in ("measured", "model"))) for case in found["cases"]], machine)

    def test_fitted_parameters_are_those_of_a_run(self):
        for parameter in self.summary(SMALL)["fitted"]:
            self.assertRegex(self.page, rf"\| `{parameter['name']}` \| {parameter['value']:g}\b")
