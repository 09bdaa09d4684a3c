"""docs/tensor_unit.md says what the program says and does."""
import os
import re

from tensor_unit_program import ALGORITHMS, SOURCE, TensorUnitTest, load_json
from testbench_page import TestbenchPage


class Page(TestbenchPage, TensorUnitTest):
    page_name = "tensor_unit.md"
    small_job = "--size 5"

    def test_options_and_defaults_are_those_of_the_help(self):
        self.options_are_those_of_the_help()

    def test_defaults_are_those_of_a_run(self):
        self.defaults_are_those_of_a_run()

    def test_ranges_are_those_of_the_program(self):
        self.ranges_are_those_of_the_program("m", "latency", "lanes", "banks", "scratchpad", "call-latency", "word-bits",
                                             "scalar-ops", "clock", "seed")
        for algorithm, line in ALGORITHMS.items():
            for option in re.findall(r"--(\w+)", line):
                error = self.refuses(f"--algorithm {algorithm} --{option} nonsense").err
                low, high = re.search(r"from (\S+) to (\S+)\n", error).groups()
                self.assertIn(f"{low} to {high}", self.options_of_page()["--" + option][2], option)

    def test_every_algorithm_is_there(self):
        rows = re.findall(r"^\| `(\w+)` \| \w+ \d+ \| (.*) \| `(\w+)` \|$", self.section("What it computes"), re.M)
        self.assertEqual([name for name, _, _ in rows], list(ALGORITHMS))
        listed = re.search(r"expected one of (.*)\n", self.refuses("--algorithm nothing").err)[1].split(", ")
        self.assertEqual(set(listed), set(ALGORITHMS) | {baseline for _, _, baseline in rows})
        for name, cells, baseline in rows:
            options, formats = cells.split(" | ")[-2:]
            used = set(re.findall(r"--(\w+)", ALGORITHMS[name])) - {"size"}
            self.assertEqual(set(re.findall(r"`--(\w+)`", options)), used, name)
            found = self.summary(f"--algorithm {name} {ALGORITHMS[name]} --m 16 --scalar")["configuration"]
            self.assertEqual(found["algorithm"], baseline)
            error = self.refuses(f"--algorithm {name} --format int16").err
            expected = re.search(r"expected (?:one of )?(.*)\n", error)[1]
            self.assertEqual(formats, expected, name)

    def test_every_field_of_the_summaries_is_there(self):
        table = self.section("Files").split("### summary.json")[1]
        named = set(re.findall(r"`([a-z_A-Z0-9.]+)`", table))
        for schema in ("summary", "theorems"):
            for name, field in load_json(os.path.join(SOURCE, f"docs/tensor_unit-{schema}.schema.json"))["properties"].items():
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
