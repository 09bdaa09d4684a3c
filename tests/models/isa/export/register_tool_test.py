#!/usr/bin/env python3
"""tensorloom-registers and scripts/generate: registers in every format, options, files that are out of date.

Usage: register_tool_test.py TOOL ROOT [unittest arguments]
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

import register_readers as readers
from tool_folder import TOOL, ToolFolder, run

ROOT = sys.argv[2]

# The order of elements in the schemas, as far as we use them.
SVD_ORDER = {
    "device": ["name", "version", "description", "addressUnitBits", "width", "size", "resetValue", "resetMask",
               "peripherals"],
    "peripheral": ["name", "description", "baseAddress", "addressBlock", "interrupt", "registers"],
    "addressBlock": ["offset", "size", "usage"],
    "interrupt": ["name", "description", "value"],
    "register": ["name", "description", "addressOffset", "resetValue", "resetMask", "fields"],
    "field": ["name", "description", "bitOffset", "bitWidth", "access", "modifiedWriteValues", "readAction",
              "enumeratedValues"],
    "enumeratedValue": ["name", "description", "value"],
}
IPXACT_ORDER = {
    "component": ["vendor", "library", "name", "version", "memoryMaps", "description"],
    "memoryMap": ["name", "addressBlock", "addressUnitBits"],
    "addressBlock": ["name", "description", "baseAddress", "range", "width", "usage", "register"],
    "register": ["name", "description", "addressOffset", "size", "field"],
    "field": ["name", "description", "bitOffset", "resets", "bitWidth", "volatile", "access", "enumeratedValues",
              "modifiedWriteValue", "readAction"],
    "enumeratedValue": ["name", "description", "value"],
}


DEVICES = re.search(r"this device \(([a-z0-9_, ]+)\)", run("--help").stdout)[1].split(", ")


def exported(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


FORMATS = {"--svd": readers.read_svd, "--ipxact": readers.read_ipxact, "--systemrdl": readers.read_systemrdl}


def page_meanings():
    """{register: meaning} of the page's table of registers."""
    with open(os.path.join(ROOT, "docs/registers.md"), encoding="utf-8") as page:
        section = page.read().split("<!-- generated: registers -->")[1].split("<!-- end")[0]
    rows = [[cell.strip() for cell in line.split(" | ")] for line in section.splitlines() if line.startswith("| 0x")]
    return {row[1]: row[4].rstrip(" |") for row in rows}


class FormatsTest(unittest.TestCase):
    """SVD, IP-XACT and SystemRDL, each against the table of register_readers."""

    def each(self):
        for option, read in FORMATS.items():
            yield option, read(exported(option, "--device", "triada"))["TRIADA"].registers

    def test_registers_have_their_offsets_and_reset_values(self):
        for option, registers in self.each():
            self.assertEqual({name: (r.offset, r.reset) for name, r in registers.items()},
                             {name: (offset, reset) for name, (offset, reset, _) in readers.REGISTERS.items()}, option)
            self.assertEqual(list(registers), list(readers.REGISTERS), option)

    def test_fields_have_their_bits_and_access(self):
        for option, registers in self.each():
            self.assertEqual({name: {f: (field.lsb, field.bits, field.access) for f, field in r.fields.items()}
                              for name, r in registers.items()},
                             {name: fields for name, (_, _, fields) in readers.REGISTERS.items()}, option)

    def test_fields_have_their_named_values(self):
        for option, registers in self.each():
            with_values = {(name, f) for name, r in registers.items() for f, field in r.fields.items() if field.values}
            self.assertEqual(with_values, {*readers.VALUES, ("ERROR_CODE", "CODE")}, option)
            for (name, field), values in readers.VALUES.items():
                self.assertEqual(registers[name].fields[field].values, values, option)
            self.assertEqual(registers["ERROR_CODE"].fields["CODE"].values["never_signalled"], 16, option)

    def test_registers_that_latch_are_marked(self):
        for option, registers in self.each():
            self.assertEqual([name for name, r in registers.items() if any(f.latches for f in r.fields.values())],
                             readers.LATCHING, option)

    def test_meanings_are_those_of_the_page_and_the_same_in_every_format(self):
        fields = []
        for option, registers in self.each():
            self.assertEqual({name: r.meaning for name, r in registers.items()}, page_meanings(), option)
            fields.append({name: [f.meaning for f in r.fields.values()] for name, r in registers.items()})
        self.assertEqual(fields, [fields[0]] * len(FORMATS))
        self.assertEqual(fields[0]["IRQ_STATUS"][2], "An IRQ command was executed")

    def test_devices_follow_each_other_with_their_identifications(self):
        for option, read in FORMATS.items():
            found = read(exported(option, "--base", "0x123450000"))
            self.assertEqual({name: device.base for name, device in found.items()},
                             {name.upper(): 0x123450000 + 0x1000 * i for i, name in enumerate(DEVICES)}, option)
            for device in found.values():
                self.assertEqual(list(device.registers), list(readers.REGISTERS))
            self.assertEqual(len({device.registers["ID"].reset for device in found.values()}), len(DEVICES))

    def test_elements_are_in_the_order_of_the_schemas(self):
        for tree, orders in ((ElementTree.fromstring(exported("--svd")), SVD_ORDER),
                             (readers.ipxact_tree(exported("--ipxact")), IPXACT_ORDER)):
            for element in tree.iter():
                if element.tag in orders:
                    order = [orders[element.tag].index(child.tag) for child in element]
                    self.assertEqual(order, sorted(order), element.tag)

    def test_svd_has_an_interrupt_and_a_size_for_every_device(self):
        peripherals = list(ElementTree.fromstring(exported("--svd", "--irq", "40")).iter("peripheral"))
        self.assertEqual([(p.findtext("interrupt/name"), p.findtext("interrupt/value")) for p in peripherals],
                         [(name.upper(), str(40 + i)) for i, name in enumerate(DEVICES)])
        self.assertEqual({p.findtext("addressBlock/size") for p in peripherals}, {"0x00001000"})


class ToolTest(ToolFolder):
    def test_help(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--markdown", "--c-header", "--svd", "--systemrdl", "--ipxact", "--map-header", "--device-tree",
                       "--map", "--device", "--base", "--irq", "--output"):
            self.assertIn(option, done.stdout)

    def test_standard_output_that_cannot_be_written(self):
        for arguments in (["--help"], ["--svd"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([TOOL, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"^tensorloom-registers: standard output could not be written[^\n]*\n$")

    def test_bad_use_is_one_line_and_status_2(self):
        page = self.write("page.md", "<!-- generated: nothing -->\n<!-- end of generated -->\n")
        os.mkfifo(self.path("pipe"))
        bad = [[], ["--xml"], ["--x\nml"], ["--markdown", self.path("pipe")],
               ["svd"], ["--svd", "--c-header"], ["--svd", "--device"], ["--svd", "--device", "gpu"],
               ["--svd", "--base", "0x40000001"], ["--c-header", "--output", ""], ["--svd", "--base", "here"],
               ["--svd", "--base", "-1"], ["--svd", "--base", "0x10000000000000000"],
               ["--c-header", "--base", "0"], ["--markdown"], ["--markdown", self.path("missing.md")],
               ["--markdown", self.folder], ["--markdown", page], ["--markdown", page, "--device", "triada"],
               ["--svd", "--output", self.path("no/such/folder.svd")], ["--markdown", ""],
               ["--svd", "--device", "mmv", "--device", "mmv"], ["--svd", "--base", "0xfffffffffffff000"],
               ["--svd", "--irq", "-1"], ["--svd", "--irq", "1021"], ["--svd", "--irq", "1024", "--device", "mmv"],
               ["--ipxact", "--irq", "0"], ["--systemrdl", "--irq", "0"], ["--c-header", "--irq", "0"]]
        for arguments in bad:
            with self.subTest(arguments=arguments):
                self.refusal("tensorloom-registers", *arguments)

    def test_section_without_an_end_is_refused_also_before_another(self):
        page = self.write("page.md", "<!-- generated: opcodes -->\nold\nprose\n"
                                     "<!-- generated: program_header -->\n<!-- end of generated -->\n")
        self.assertIn("'opcodes' has no end", self.refusal("tensorloom-registers", "--markdown", page))

    def test_output_goes_to_the_file(self):
        done = run("--c-header", "--output", self.path("registers.h"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(self.path("registers.h"), encoding="utf-8") as file:
            self.assertEqual(file.read(), run("--c-header").stdout)

    def test_device_may_be_chosen(self):
        self.assertIn("triada", DEVICES)
        every = [option for name in DEVICES for option in ("--device", name)]
        self.assertEqual(run("--c-header", *every).stdout, run("--c-header").stdout)
        self.assertNotIn("MMV", run("--c-header", "--device", "triada").stdout)


class GenerateTest(ToolFolder):
    FILES = (*sorted(f"docs/{name}.md" for name in (*DEVICES, "registers")), "models/isa/firmware/tensorloom_registers.h",
             "docs/configuration.md")
    # Of the tables of testbenches, which scripts/generate writes too; tests/repository tests these.
    TABLES = ("README.md", "docs/index.md", "docs/python.md", "docs/runs.md", "scripts/documentation/testbench_tables.py")

    def setUp(self):
        super().setUp()
        self.root = self.folder
        manifests = glob.glob("testbenches/*/testbench.json", root_dir=ROOT)
        self.assertGreater(len(manifests), 0)
        for path in (*self.FILES, *self.TABLES, *manifests, "scripts/generate"):
            os.makedirs(os.path.dirname(os.path.join(self.root, path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(self.root, path))

    def generate(self, *arguments):
        return subprocess.run([os.path.join(self.root, "scripts/generate"), *arguments], capture_output=True, text=True)

    def text(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def spoil(self, path):
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            text = self.original[path]
            for generated, other in (("0x024", "0x025"), ("| 48 |", "| 49 |"), ("| 592 | 112 |", "| 593 | 112 |"),
                                     ("| `step-cycles` | `step_cycles` |", "| `steps` | `steps` |")):
                text = text.replace(generated, other)
            file.write(text)

    def test_tree_is_up_to_date(self):
        done = self.generate("--check", "--tool", TOOL)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_files_out_of_date_are_named_and_kept_by_check_and_written_otherwise(self):
        self.original = {path: self.text(path) for path in self.FILES}
        for path in self.FILES:
            with self.subTest(path=path):
                self.spoil(path)
                spoilt = self.text(path)
                self.assertNotEqual(spoilt, self.original[path])
                check = self.generate("--check", "--tool", TOOL)
                self.assertEqual(check.returncode, 1)
                self.assertIn(path, check.stderr)
                self.assertEqual(self.text(path), spoilt)
                self.assertEqual(self.generate("--tool", TOOL).stdout, path + "\n")
                self.assertEqual(self.text(path), self.original[path])

    def test_tables_of_testbenches_are_brought_up_to_date_too(self):
        page = os.path.join(self.root, "docs/index.md")
        kept = self.text(page)
        with open(page, "w", encoding="utf-8") as file:
            file.write(kept.replace("| [dxt](dxt.md) |", "| [old](dxt.md) |"))
        check = self.generate("--check", "--tool", TOOL)
        self.assertEqual(check.returncode, 1)
        self.assertIn("docs/index.md", check.stderr)
        self.assertEqual(self.generate("--tool", TOOL).stdout, "docs/index.md\n")
        self.assertEqual(self.text(page), kept)

    def test_help_and_bad_use(self):
        self.assertEqual(self.generate("--help").returncode, 0)
        for arguments in (["--all"], ["--tool"], ["--tool", "/no/such/tool"]):
            done = self.generate(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertRegex(done.stderr, r"^generate: [^\n]+\n$")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
