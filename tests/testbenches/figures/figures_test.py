"""The figures of pages are those of the commands beside them."""
import os
import re
import unittest

from page_figures import SOURCE, PageFigures, Section, is_what_is_printed, one, sections


class Figures(PageFigures):
    pages = ("claims.md", "orbital.md", "segmented.md", "tensor_unit.md")

    def test_every_figure_of_the_claims_has_its_command(self):
        for section in sections("claims.md"):
            self.assertTrue(section.rows, section.title)
            self.assertEqual(section.without_command(), [], section.title)

    def test_what_comparing_shows(self):
        table = next(section for section in sections("segmented.md") if section.title == "What comparing shows").before
        rows = re.findall(r"^\| `(.*)` \| `(.*)` \| `(.*)` \| (.*) \| (.*) \| (.*) \|$", table, re.M)
        self.assertGreater(len(rows), 10)
        for operation, first, second, *cells in rows:
            found = self.summary(f"segmented --operation {operation} --compare --memory sram")
            crossover = one(found.crossovers, first=first, second=second)
            shown = ["never" if at is None else "always" if at == found.lengths[0] else f"from {at:,}"
                     for at in (crossover.steps, crossover.cycles, crossover.energy)]
            self.assertEqual(cells, shown, (first, second))

    def test_the_readme_shows_lines_of_its_run(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            command, sample = re.search(r"    \$ build/release/bin/(.*)\n((?:    .*\n)+)", file.read()).groups()
        lines = self.printed(command).splitlines()
        self.assertEqual([line for line in sample.splitlines() if line[4:] not in lines], [])


class Reading(unittest.TestCase):
    def test_a_value_is_printed_rounded_to_the_digits_of_the_page(self):
        for value, figure in ((1.25, "1.2 uJ"), (1.25, "1.3 uJ"), (0.9999446, "0.9999"), (81403, "81,403 cycles"),
                              (1.9655e-11, "1.966e-11"), (0.6, "takes 1"), (25.59, "25.6 times")):
            self.assertTrue(is_what_is_printed(value, figure), figure)
        for value, figure in ((1.26, "1.2 uJ"), (81402, "81,403 cycles"), (0.99984, "0.9999"), (float("inf"), "1"),
                              (float("nan"), "1"), (1.9645e-11, "1.966e-11"), (0.4, "takes 1")):
            self.assertFalse(is_what_is_printed(value, figure), figure)

    def test_a_figure_without_command_is_found(self):
        section = Section("t\n\n| claim | measured |\n|---|---|\n| c | 1,024 cycles, 0.5 mJ and `3,000` |\n\n"
                          "| command | figures | read from |\n|---|---|---|\n| `p` | 1,024 cycles | `cycles` |\n")
        self.assertEqual(section.rows, [["`p`", "1,024 cycles", "`cycles`"]])
        self.assertEqual(section.without_command(), ["0.5"])


if __name__ == "__main__":
    unittest.main()
