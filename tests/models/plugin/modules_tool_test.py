#!/usr/bin/env python3
"""tensorloom-modules: kinds, fields, property files; what docs/configuration.md shows of it.

Usage: modules_tool_test.py TOOL ROOT [unittest arguments]
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

TOOL, ROOT = sys.argv[1:3]
KINDS = ["triada", "mmv", "fetta", "torus", "sram", "dram", "router"]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


PAGE = read("docs/configuration.md")


def block(language, mark=""):
    found, = (text for text in re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S) if mark in text)
    return found


def rows(kind):
    """The cells of the page's table of this kind, by name."""
    table = PAGE.split(f"<!-- generated: fields of {kind} -->")[1].split("<!-- end")[0]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    return {cells[1].strip(" `"): [cell.strip() for cell in cells[2:-1]]
            for cells in (re.split(r"(?<!\\)\|", line) for line in lines)}


def struct_members(header, name):
    """The names that the struct declares, without those of its bases."""
    found = re.search(rf"^struct {name}\b[^;{{]*\{{\n(.*?)^\}};", header, re.M | re.S)
    return set(re.findall(r"\b(\w+)(?=\s*(?:=[^;]*|\{[^;]*\})?;|, \w+ = )", re.sub(r"//.*", "", found[1])))


class ModulesTool(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def run_it(self, *arguments):
        return subprocess.run([TOOL, *arguments], capture_output=True, encoding="utf-8", cwd=self.folder, check=False)

    def succeeds(self, *arguments):
        done = self.run_it(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refuses(self, expected, *arguments):
        done = self.run_it(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(done.stderr, f"tensorloom-modules: {expected}\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_lists_every_kind(self):
        self.assertEqual([line.split()[0] for line in self.succeeds("--list").splitlines()], KINDS)

    def test_page_is_up_to_date(self):
        self.assertEqual(self.succeeds("--markdown", os.path.join(ROOT, "docs/configuration.md")), PAGE)
        self.assertEqual(re.findall(r"<!-- generated: fields of (\w+) -->", PAGE), KINDS)

    def test_example_of_the_page(self):
        self.write("board.yaml", block("yaml"))
        line = re.search(r"`tensorloom-modules (--check [^`]*)`", PAGE)[1]
        self.assertEqual(self.succeeds(*line.split()), block("text"))

    def test_fields_are_those_of_the_page(self):
        for kind in KINDS:
            listed = re.findall(r"^([a-z][a-z0-9-]*)  ", self.succeeds("--fields", kind), re.M)
            self.assertEqual(listed, list(rows(kind)), kind)
            self.assertGreater(len(listed), 8, kind)

    def test_name_is_that_of_the_member_which_exists(self):
        tolerance = struct_members(read("tlm/tolerance.h"), "target_tolerance")
        dma = struct_members(read("tlm/dma_config.h"), "dma_options")
        port = struct_members(read("tlm/at_target.h"), "at_target_config")
        shell = struct_members(read("models/shell/device_config.h"), "device_config")
        places = {
            "triada": {"": struct_members(read("models/triada/config.h"), "config") | shell},
            "mmv": {"": struct_members(read("models/mmv/config.h"), "config") | shell},
            "fetta": {"": struct_members(read("models/fetta/config.h"), "config") | shell,
                      "limits": struct_members(read("models/fetta/isa/device_limits.h"), "device_limits")},
            "torus": {"": struct_members(read("models/torus/config.h"), "config") | shell},
            "sram": {"": struct_members(read("models/memory/sram.h"), "sram_config") | port |
                     struct_members(read("models/memory/sram_timing.h"), "sram_geometry")},
            "dram": {"": struct_members(read("models/memory/dram.h"), "dram_settings") | port,
                     "dram.controller": struct_members(read("models/costs/dram/dram_config.h"), "dram_controller_config")},
            "router": {"": struct_members(read("tlm/router.h"), "router_config"),
                       "ranks": struct_members(read("tlm/arbitration.h"), "initiator_ranks")},
        }
        for kind in KINDS:
            for name, (member, *_) in rows(kind).items():
                if name == "bus-width":
                    continue
                owner, _, leaf = member.strip("`").rpartition(".")
                self.assertEqual(leaf, name.replace("-", "_"), kind)
                known = {"dma": dma, "tolerance": tolerance, **places[kind]}
                self.assertIn(leaf, known[owner], f"{kind}: {member}")

    def test_value_outside_of_the_stated_values_is_refused_and_the_default_is_not(self):
        for kind in KINDS:
            self.write("p.yaml", "".join(f"m.{name}: '{cells[3].strip('`')}'\n" for name, cells in rows(kind).items()))
            self.assertEqual(self.succeeds("--check", "p.yaml", f"m={kind}"), "", kind)
            for name, (_, _, values, _, _) in rows(kind).items():
                whole = re.match(r"an integer from (\d+) to (\d+)", values)
                for wrong in [str(int(whole[2]) + 1)] + ([str(int(whole[1]) - 1)] if int(whole[1]) > 1 else []) if whole else ["?"]:
                    self.write("p.yaml", f"m.{name}: '{wrong}'\n")
                    done = self.run_it("--check", "p.yaml", f"m={kind}")
                    self.assertEqual(done.returncode, 2, f"{kind} {name}={wrong}")
                    self.assertIn(f"p.yaml:1: m: {name} is '{wrong}', expected ", done.stderr)

    def test_booleans_are_on_or_off_and_may_be_true_or_false(self):
        for value, shown in (("on", ""), ("true", ""), ("off", "m.overlap: off\n"), ("false", "m.overlap: off\n")):
            self.write("p.yaml", f"m.overlap: {value}\n")
            self.assertEqual(self.succeeds("--check", "p.yaml", "m=fetta"), shown)

    def test_mistakes_are_one_line(self):
        self.write("board.yaml", "board.transform.mesh: 0x4x4\n")
        self.refuses("board.yaml:1: board.transform: mesh is '0x4x4', expected three sizes from 1 to 1024, like 4x5x6",
                     "--check", "board.yaml", "board.transform=triada")
        self.write("board.yaml", "board.training: {operand: f32,\n  psum: bf16}\n")
        done = self.run_it("--check", "board.yaml", "board.training=fetta")
        self.assertEqual(done.returncode, 2)
        self.write("board.yaml", "\n\nbord.bus.latency: 3\n")
        self.refuses("board.yaml:3: found 'bord.bus.latency', expected a property of one of board.bus",
                     "--check", "board.yaml", "board.bus=router")
        self.refuses("kind: found 'gpu', expected one of " + ", ".join(KINDS), "--check", "board.yaml", "a=gpu")
        self.refuses("kind: found 'gpu', expected one of " + ", ".join(KINDS), "--fields", "gpu")
        self.refuses("instance: found 'a' again, expected each instance once", "--check", "board.yaml", "a=mmv", "a=mmv")
        self.refuses("argument: found 'mmv', expected INSTANCE=KIND", "--check", "board.yaml", "mmv")
        self.refuses("--check needs FILE INSTANCE=KIND ... (see --help)", "--check", "board.yaml")
        self.refuses("--fields needs one KIND (see --help)", "--fields")
        self.refuses("found '--fast', expected one of --list, --fields, --check, --markdown, --help", "--fast")
        self.refuses("found no command, expected one of --list, --fields, --check, --markdown, --help")
        self.write("page.md", "<!-- generated: fields of gpu -->\n<!-- end of generated -->\n")
        done = self.run_it("--markdown", "page.md")
        self.assertEqual(done.returncode, 2)
        self.assertIn("page.md", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
