"""docs/segmented.md says what the program says and does."""
import os
import re

from segmented_program import METRICS, SOURCE, VARIANTS, SegmentedTest, load_json
from testbench_page import TestbenchPage


class Page(TestbenchPage, SegmentedTest):
    page_name = "segmented.md"
    small_job = "--operation spmv --length 9"

    def test_options_and_defaults_are_those_of_the_help(self):
        self.options_are_those_of_the_help()

    def test_defaults_are_those_of_a_run(self):
        self.defaults_are_those_of_a_run()

    def test_ranges_are_those_of_the_program(self):
        self.ranges_are_those_of_the_program("density", "columns", "bits", "s", "lanes", "banks", "scratchpad", "call-latency",
                                             "word-bits", "scalar-ops", "clock", "seed")

    def test_every_variant_is_there(self):
        rows = re.findall(r"^\| `([a-z-]+)` \| `(\w+)` \| (yes|-) \|", self.section("What it computes"), re.M)
        self.assertEqual([(operation, name) for operation, name, _ in rows],
                         [(operation, name) for operation, names in VARIANTS.items() for name in names])
        for operation, names in VARIANTS.items():
            self.assertIn(", ".join(names), self.refuses(f"--operation {operation} --variant nothing").err)

    def test_every_field_of_the_summaries_is_there(self):
        table = self.section("Files").split("### summary.json")[1]
        named = set(re.findall(r"`([a-z_A-Z0-9.]+)`", table))
        for schema in ("summary", "comparison"):
            for name, field in load_json(os.path.join(SOURCE, f"docs/segmented-{schema}.schema.json"))["properties"].items():
                owner = field.get("oneOf", [field])[0]
                inner = owner.get("items", owner).get("properties", {})
                self.assertTrue(name in named or any(word.startswith(name + ".") for word in named), name)
                for part in {} if name == "events" else inner:
                    self.assertTrue({f"{name}.{part}", "." + part, part} & named, f"{name}.{part}")

    def test_sample_is_what_the_program_prints(self):
        self.sample_is_what_the_program_prints("simulation")

    def test_usage_lines_run(self):
        self.usage_lines_run(4)

    def test_links_lead_somewhere(self):
        self.links_lead_somewhere()

    def test_what_comparing_shows_is_what_it_shows(self):
        rows = re.findall(r"^\| `([a-z-]+)` \| `(\w+)` \| `(\w+)` \| (.*) \| (.*) \| (.*) \|$",
                          self.section("What comparing shows"), re.M)
        self.assertGreater(len(rows), 8)
        found = {operation: self.summary(f"--operation {operation} --compare") for operation in {row[0] for row in rows}}
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
