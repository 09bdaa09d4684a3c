"""The figures of pages are those of the commands that docs/figures binds them to."""
import os
import re
import tempfile
import unittest

from page_figures import SOURCE, Binding, Fields, PageFigures, Section, bound_pages, is_what_is_printed, one, sections


def table(page, title):
    """Rows of the first table of a section, cells without marks."""
    section, = [section for section in sections(page) if section.title == title]
    lines = re.search(r"(?:^\|.*\n)+", section.markdown, re.M)[0].splitlines()
    return [[cell.strip(" `") for cell in line[1:-1].split("|")] for line in lines[2:]]


def ratios(cycles, energy):
    return f"{cycles:.2f} ({energy:.2f})"


def mean_ratios(ranges):
    return [ratios(r.cycles_by_fetta.mean, r.energy_by_fetta.mean) for r in ranges if r.accelerator != "fetta"]


class Figures(PageFigures):
    """Tables whose rows name their commands, and (below) a test for each page of docs/figures."""

    def test_every_section_of_the_claims_has_its_commands(self):
        for section in sections("claims"):
            self.assertTrue(section.bindings, section.title)
            self.assertEqual(section.without_command(), [], section.title)

    def ratios_of_layer(self, found, layer):
        return ["-" if row.cycles is None else ratios(row.cycles_by_fetta, row.energy_by_fetta)
                for row in found.results if row.workload == layer and row.accelerator != "fetta"]

    def test_accelerators_in_training(self):
        found = self.summary("compare_accelerators --sweep all")
        *by_layer, means = table("compare_accelerators", "Training, layer by layer")
        self.assertEqual([layer for layer, *_ in by_layer], list(dict.fromkeys(row.workload for row in found.results)))
        for layer, *cells in by_layer:
            self.assertEqual(cells, self.ratios_of_layer(found, layer), layer)
        self.assertEqual(means, ["geometric mean", *mean_ratios(found.ranges)])
        by_rule = table("compare_accelerators", "By rule")
        self.assertEqual([row[:2] for row in by_rule], [[sweep.rule, sweep.value] for sweep in found.sweeps])
        for row, sweep in zip(by_rule, found.sweeps):
            self.assertEqual(row[2:], mean_ratios(sweep.ranges), row[:2])

    def test_accelerators_in_inference(self):
        rows = table("compare_accelerators", "Inference, layer by layer")
        found = self.summary("compare_accelerators --mode inference --workloads " + ",".join(row[0] for row in rows))
        for layer, *cells in rows:
            self.assertEqual(cells, self.ratios_of_layer(found, layer), layer)

    def test_the_readme_shows_lines_of_its_run(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            command, sample = re.search(r"    \$ build/release/bin/(.*)\n((?:    .*\n)+)", file.read()).groups()
        lines = self.printed(command).splitlines()
        self.assertEqual([line for line in sample.splitlines() if line[4:] not in lines], [])


for bound_page in bound_pages():
    setattr(Figures, f"test_{bound_page}", lambda self, page=bound_page: self.measure_page(page))


class Reading(unittest.TestCase):
    def test_a_value_is_printed_rounded_to_the_digits_of_the_page(self):
        for value, figure in ((1.25, "1.2 uJ"), (1.25, "1.3 uJ"), (0.9999446, "0.9999"), (81403, "81,403 cycles"),
                              (1.9655e-11, "1.966e-11"), (0.6, "takes 1"), (25.59, "25.6 times")):
            self.assertTrue(is_what_is_printed(value, figure), figure)
        for value, figure in ((1.26, "1.2 uJ"), (81402, "81,403 cycles"), (0.99984, "0.9999"), (float("inf"), "1"),
                              (float("nan"), "1"), (1.9645e-11, "1.966e-11"), (0.4, "takes 1")):
            self.assertFalse(is_what_is_printed(value, figure), figure)

    def test_a_figure_without_command_is_found(self):
        text = "t\n\n| claim | measured |\n|---|---|\n| c | 1,024 cycles, 0.5 mJ and `3,000` |\n"
        section = Section(text, [{"command": "p", "figures": {"1,024 cycles": "cycles"}}])
        self.assertEqual(section.without_command(), ["0.5"])

    def test_words_that_the_section_no_longer_has_are_found(self):
        text = "t\n\nTakes 49 steps,\n1,024 cycles and 0.55 mJ (1.5 uJ).\n"
        figures = ["49 steps", "9 steps", "49 steps, 1,024 cycles", "024 cycles", "0.5", "0.55 mJ", "1.5 uJ", "and 0.5",
                   "7"]
        section = Section(text, [{"source": "a book", "figures": figures}])
        self.assertEqual(section.words_not_there(), ["9 steps", "024 cycles", "0.5", "and 0.5", "7"])

    def test_entries_that_bind_nothing_are_refused(self):
        for entry in ({"command": "p"}, {"figures": {"1": "x"}}, {"command": "p", "figures": {}},
                      {"command": "p", "figures": ["1"]}, {"command": ["p"], "figures": {"1": "x"}},
                      {"commands": "p", "figures": {"1": "x"}}, {"source": "a book", "figures": {"1": "x"}},
                      {"command": "p", "source": "q", "figures": {"1": "x"}},
                      {"command": "p", "figure": {"1": "x"}}, {"command": "p", "figures": {"1": "x"}, "more": "y"}):
            with self.subTest(entry), self.assertRaisesRegex(AssertionError, "expected"):
                Binding(entry)

    def test_values_are_those_of_the_summaries(self):
        a, b = Fields({"steps": 12, "part": {"a-b": 2}}), Fields({"steps": 5})
        one_command = Binding({"command": "p", "figures": {"12 steps": "steps", "2": "part.field('a-b')"}})
        self.assertEqual(list(one_command.values({"": a})), [("12 steps", 12), ("2", 2)])
        two = Binding({"commands": {"a": "p", "b": "q"}, "figures": {"2.4 times": "a.steps / b.steps"}})
        self.assertEqual(list(two.values({"a": a, "b": b})), [("2.4 times", 2.4)])
        self.assertEqual(list(Binding({"source": "a book", "figures": ["7"]}).values({})), [])

    def bound(self, page, bindings):
        """Sections of a page with these bindings."""
        with tempfile.TemporaryDirectory(prefix="figures-test-") as source:
            os.makedirs(os.path.join(source, "docs/figures"))
            for name, text in (("docs/a.md", page), ("docs/figures/a.yaml", bindings)):
                with open(os.path.join(source, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(bound_pages(source), ["a"])
            return sections("a", source)

    PAGE = "# A page\n\n## First\n\n1 step\n\n## Second\n\n2 steps\n"
    BINDINGS = "Second:\n  - command: p\n    figures:\n      2 steps: steps\n"

    def test_bindings_are_of_their_section(self):
        first, second = self.bound(self.PAGE, self.BINDINGS)
        self.assertEqual((first.title, first.bindings), ("First", []))
        self.assertEqual((second.title, second.bindings[0].figures), ("Second", {"2 steps": "steps"}))

    def test_bindings_of_nothing_are_refused(self):
        for page, bindings in ((self.PAGE.replace("Second", "Last"), self.BINDINGS), (self.PAGE, ""),
                               (self.PAGE, "- a\n"), (self.PAGE, "Second:\n"), (self.PAGE, self.BINDINGS + "      2 steps: cycles\n"),
                               (self.PAGE, self.BINDINGS + self.BINDINGS)):
            problem = "no sections Second|expected|stands twice"
            with self.subTest(bindings), self.assertRaisesRegex(AssertionError, problem):
                self.bound(page, bindings)

    def test_bindings_without_page_are_refused(self):
        with tempfile.TemporaryDirectory(prefix="figures-test-") as source:
            os.makedirs(os.path.join(source, "docs/figures"))
            with open(os.path.join(source, "docs/figures/a.yaml"), "w", encoding="utf-8") as file:
                file.write(self.BINDINGS)
            with self.assertRaisesRegex(AssertionError, "no page docs/a.md"):
                sections("a", source)


if __name__ == "__main__":
    unittest.main()
