"""docs/dxt.md says what the program says and does."""
import os
import re

from dxt_program import SOURCE, DxtTest, load_json
from testbench_page import TestbenchPage


class Page(TestbenchPage, DxtTest):
    page_name = "dxt.md"
    small_job = "--shape 2x2x2"

    def test_options_and_defaults_are_those_of_the_help(self):
        self.options_are_those_of_the_help()

    def test_defaults_are_those_of_a_run(self):
        self.defaults_are_those_of_a_run()

    def test_ranges_are_those_of_the_program(self):
        self.ranges_are_those_of_the_program("zeros", "batch", "keep", "zero-threshold", "matrix-elements", "step-cycles",
                                             "load-elements", "vertical-mode", "threads", "clock", "seed")

    def test_every_field_of_the_summary_is_there(self):
        schema = load_json(os.path.join(SOURCE, "docs/dxt-summary.schema.json"))
        table = self.section("Files").split("### summary.json")[1]
        named = set(re.findall(r"`([a-z_A-Z0-9.]+)`", table))
        for name, field in schema["properties"].items():
            owner = field.get("oneOf", [field])[0]
            inner = owner.get("items", owner).get("properties", {})
            if name == "events":
                self.assertIn(name, named)
                continue
            self.assertTrue(name in named or any(word.startswith(name + ".") for word in named), name)
            for part in inner:
                self.assertTrue({f"{name}.{part}", "." + part, part} & named, f"{name}.{part}")

    def test_sample_is_what_the_program_prints(self):
        self.sample_is_what_the_program_prints("error|simulation")  # the last digits, and the computer

    def test_usage_lines_run(self):
        self.usage_lines_run(6)

    def test_links_lead_somewhere(self):
        self.links_lead_somewhere()
