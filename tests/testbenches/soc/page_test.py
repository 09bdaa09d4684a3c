"""docs/soc.md says what the program says and does."""
import os
import re

from tensorloom.schemas import load_schema

from soc_program import SHAPES, SOURCE, SocTest
from testbench_page import TestbenchPage


class Page(TestbenchPage, SocTest):
    small_job = SHAPES
    ranged = ("large-runs", "small-runs", "zeros", "memory-ports", "sram-banks", "outstanding", "link", "clock", "burst",
              "seed")
    differing = "error|simulation"  # the last digits, and the computer
    usage_lines = 4

    def test_every_field_of_the_summary_is_there(self):
        schema = load_schema("soc-summary")
        named = set(re.findall(r"`([a-z_A-Z0-9.]+)`", self.section("Files").split("### summary.json")[1]))

        def check(name, node):
            last = name.split(".")[-1]
            self.assertTrue({name, "." + last, last} & named or any(word.startswith(name + ".") for word in named),
                            name)
            if last not in ("options", "events", "energy_pJ", "sram", "dram") and name != "cycles_by_cause":
                for part, inner in node.get("oneOf", [node])[0].get("properties", {}).items():
                    own = part in ("large", "small") or name.endswith((".initiators", ".targets", ".shares", ".priorities",
                                                                       ".share_percent"))
                    check(name if own else f"{name}.{part}", inner)

        for name, node in schema["properties"].items():
            check(name, node)

    def test_example_of_shares_is_right(self):
        for quantum, expected in (("0", "3,026 to 11,251"), ("1ms", "1,027 to 27,470")):
            found = self.summary(f"--quantum {quantum} --no-check")
            runs = found["devices"]["small"]["run_cycles"]
            self.assertEqual(f"{min(runs):,} to {max(runs):,}", expected)
            self.assertIn(expected, self.page)

    def test_example_of_a_share_is_what_the_program_prints(self):
        command, lines = (block for block in self.code_blocks("Priorities and shares"))
        printed = self.succeeds(command.replace("\\\n", " ").strip().removeprefix("soc ")).out.split("\n")
        shown = lines.strip("\n").split("\n")
        self.assertEqual([line for line in printed if re.match(r" +(slowdown|share|from) ", line)], shown)

    def test_slowdowns_of_arbitrations_are_those_of_runs(self):
        section = self.section("Priorities and shares")
        heads = re.search(r"^\| `--arbitration` \|(.*)\|$", section, re.M)[1].replace("`", "").split("|")
        rows = re.findall(r"^\| `([^`]+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", section, re.M)
        self.assertEqual((len(heads), len(rows)), (3, 6))
        of_large = []
        for policy, *expected in rows:
            found = [self.summary(f"--no-check --quantum 0 --arbitration {policy} {head}")["devices"] for head in heads]
            self.assertEqual([f"{devices['small']['slowdown']:.4g}" for devices in found], expected, policy)
            of_large += [devices["large"]["slowdown"] for devices in found]
        self.assertIn(f"slowed down by at most {max(of_large):.4g}:", " ".join(section.split()))

    def test_memory_map(self):
        self.summary("--large 2x2x2 --small 2x2x2 --memory split")
        seen = {}  # of each host its first access to registers
        for row in self.rows("files/transactions.csv"):
            if row["recorder"].endswith("_host") and int(row["address"], 16) < 1 << 31:
                seen.setdefault(row["recorder"].removeprefix("platform."), int(row["address"], 16))
        for device in ("large", "small"):
            base = re.search(rf"{device}\.regs +0x([0-9a-f']+)", self.page)[1].replace("'", "")
            self.assertEqual(seen[f"from_{device}_host"], int(base, 16))

    def test_line_of_the_page_of_runs_runs(self):
        with open(os.path.join(SOURCE, "docs", "runs.md"), encoding="utf-8") as file:
            lines = re.findall(r"^    build/release/bin/soc (.*)$", file.read(), re.M)
        self.assertEqual(len(lines), 1)
        self.succeeds(lines[0])
