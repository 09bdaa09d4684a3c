"""docs/contract.md says what the program says and does."""
import os
import re

from contract_program import MAPPINGS, SOURCE, ContractTest, load_json
from testbench_page import TestbenchPage


def table_after(page, words):
    """Rows of the first table behind these words, each a list of cells."""
    rows = []
    for line in page.split(words, 1)[1].splitlines():
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


class Page(TestbenchPage, ContractTest):
    page_name = "contract.md"
    small_job = "--sizes i=6,j=9,k=5"

    def test_options_and_defaults_are_those_of_the_help(self):
        self.options_are_those_of_the_help()

    def test_defaults_are_those_of_a_run(self):
        self.defaults_are_those_of_a_run()

    def test_ranges_are_those_of_the_program(self):
        self.ranges_are_those_of_the_program("bank-bytes", "accumulator-bytes", "lanes", "outstanding", "padding-share", "idle-share",
                                             "clock", "burst", "seed")

    def test_every_mapping_is_there(self):
        rows = [row[0].strip("`") for row in table_after(self.page, "of a chain over i < 4 of a b, k")]
        self.assertEqual(tuple(rows), MAPPINGS)

    def test_every_field_of_the_summary_is_there(self):
        table = self.section("Files").split("### summary.json")[1]
        named = set(re.findall(r"`([a-z_A-Z0-9.]+)`", table))
        for name, field in load_json(os.path.join(SOURCE, "docs/contract-summary.schema.json"))["properties"].items():
            owner = field.get("oneOf", [field])[0]
            self.assertTrue(name in named or any(word.startswith(name + ".") for word in named), name)
            for part in {} if name == "events" else owner.get("properties", {}):
                self.assertTrue({f"{name}.{part}", "." + part, part} & named, f"{name}.{part}")

    def test_sample_is_what_the_program_prints(self):
        self.sample_is_what_the_program_prints("simulation")

    def test_usage_lines_run(self):
        self.usage_lines_run(4)

    def test_links_lead_somewhere(self):
        self.links_lead_somewhere()
