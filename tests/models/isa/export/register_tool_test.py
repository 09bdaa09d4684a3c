#!/usr/bin/env python3
"""tensorloom-registers and scripts/generate: SVD against a table of its own, options, files that are out of date.

Usage: register_tool_test.py TOOL ROOT [unittest arguments]
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

TOOL, ROOT = sys.argv[1:3]

DEVICE = None  # the value is the device's
RO, RW, W1C, W1S = "read-only", "read-write", "oneToClear", "write-only"
WORD = 0xffffffff
# name: offset, value after reset, fields {name: (lowest bit, bits, access)}
REGISTERS = {
    "ID": (0x000, 0x41495254, {"NAME": (0, 32, RO)}),
    "VERSION": (0x004, 0x00010005, {"MINOR": (0, 16, RO), "MAJOR": (16, 16, RO)}),
    "CAPS": (0x008, DEVICE, {"FORMAT": (0, 8, RO), "COUNTERS": (8, 8, RO)}),
    "CAPS_SIZE_0": (0x010, DEVICE, {"SIZE": (0, 32, RO)}),
    "CAPS_SIZE_1": (0x014, DEVICE, {"SIZE": (0, 32, RO)}),
    "CAPS_SIZE_2": (0x018, DEVICE, {"SIZE": (0, 32, RO)}),
    "CTRL": (0x020, 0, {"START": (0, 1, W1S), "ABORT": (1, 1, W1S), "RESET": (2, 1, W1S)}),
    "STATUS": (0x024, 0, {"BUSY": (0, 1, RO), "DONE": (1, 1, RO), "ERROR": (2, 1, RO), "ABORTED": (3, 1, RO)}),
    "IRQ_STATUS": (0x028, 0, {"DONE": (0, 1, W1C), "ERROR": (1, 1, W1C), "COMMAND": (2, 1, W1C)}),
    "IRQ_ENABLE": (0x02c, 0, {"DONE": (0, 1, RW), "ERROR": (1, 1, RW), "COMMAND": (2, 1, RW)}),
    "PROGRAM_ADDR_LO": (0x030, 0, {"ADDRESS": (0, 32, RW)}),
    "PROGRAM_ADDR_HI": (0x034, 0, {"ADDRESS": (0, 32, RW)}),
    "ERROR_CODE": (0x040, 0, {"CODE": (0, 32, RO)}),
    "ERROR_COMMAND": (0x044, 0, {"INDEX": (0, 32, RO)}),
    "ERROR_ADDR_LO": (0x048, 0, {"ADDRESS": (0, 32, RO)}),
    "ERROR_ADDR_HI": (0x04c, 0, {"ADDRESS": (0, 32, RO)}),
    "CYCLES_LO": (0x050, 0, {"COUNT": (0, 32, RO)}),
    "CYCLES_HI": (0x054, 0, {"COUNT": (0, 32, RO)}),
    "COMMANDS_DONE": (0x058, 0, {"COUNT": (0, 32, RO)}),
    "TOKEN": (0x05c, 0, {"TOKEN": (0, 32, RO)}),
    "COUNTER_INDEX": (0x060, 0, {"INDEX": (0, 8, RW)}),
    "COUNTER_VALUE_LO": (0x068, 0, {"COUNT": (0, 32, RO)}),
    "COUNTER_VALUE_HI": (0x06c, 0, {"COUNT": (0, 32, RO)}),
    "ERROR_RESPONSE": (0x070, 0, {"RESPONSE": (0, 32, RO)}),
}
VALUES = {
    ("CAPS", "FORMAT"): {"f64": 1, "f32": 2, "c128": 3, "c64": 4, "bf16": 5, "int8": 6, "int32": 7, "int64": 8, "f16": 9},
    ("ERROR_RESPONSE", "RESPONSE"): {"none": 0, "address_error": 1, "command_error": 2, "burst_error": 3,
                                     "byte_enable_error": 4, "generic_error": 5, "incomplete": 6,
                                     "timed_out": 7},
}
# The order of elements in the CMSIS-SVD schema, as far as we use them.
ORDER = {
    "device": ["name", "version", "description", "addressUnitBits", "width", "size", "resetValue", "resetMask",
               "peripherals"],
    "peripheral": ["name", "description", "baseAddress", "addressBlock", "registers"],
    "addressBlock": ["offset", "size", "usage"],
    "register": ["name", "description", "addressOffset", "resetValue", "resetMask", "fields"],
    "field": ["name", "description", "bitOffset", "bitWidth", "access", "modifiedWriteValues", "readAction",
              "enumeratedValues"],
    "enumeratedValue": ["name", "description", "value"],
}


def run(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True)


DEVICES = re.search(r"this device \(([a-z0-9_, ]+)\)", run("--help").stdout)[1].split(", ")


def number(element, name):
    return int(element.findtext(name), 0)


def svd(*arguments):
    done = run("--svd", *arguments)
    assert done.returncode == 0, done.stderr
    return ElementTree.fromstring(done.stdout)


class SvdTest(unittest.TestCase):
    def setUp(self):
        self.registers = {r.findtext("name"): r for r in svd("--device", "triada").iter("register")}

    def test_registers_have_their_offsets_and_reset_values(self):
        self.assertEqual(list(self.registers), list(REGISTERS))
        for name, (offset, reset, _) in REGISTERS.items():
            with self.subTest(register=name):
                self.assertEqual(number(self.registers[name], "addressOffset"), offset)
                self.assertEqual(number(self.registers[name], "resetMask"), 0 if reset is DEVICE else WORD)
                self.assertEqual(number(self.registers[name], "resetValue"), reset or 0)

    def test_fields_have_their_bits_and_access(self):
        for name, (_, _, fields) in REGISTERS.items():
            found = {f.findtext("name"): (number(f, "bitOffset"), number(f, "bitWidth"),
                                          f.findtext("modifiedWriteValues") or f.findtext("access"))
                     for f in self.registers[name].iter("field")}
            self.assertEqual(found, fields, name)

    def test_fields_have_their_named_values(self):
        for (register, field), values in VALUES.items():
            element = next(f for f in self.registers[register].iter("field") if f.findtext("name") == field)
            self.assertEqual({v.findtext("name"): number(v, "value") for v in element.iter("enumeratedValue")}, values)

    def test_registers_that_latch_are_not_read_unasked(self):
        marked = [name for name, r in self.registers.items() if r.find("fields/field/readAction") is not None]
        self.assertEqual(marked, ["CYCLES_LO", "COUNTER_VALUE_LO"])

    def test_elements_are_in_the_order_of_the_schema(self):
        for element in svd().iter():
            if element.tag in ORDER:
                order = [ORDER[element.tag].index(child.tag) for child in element]
                self.assertEqual(order, sorted(order), element.tag)

    def test_peripheral_has_its_base_and_size(self):
        peripheral = svd("--base", "0x123450000").find("peripherals/peripheral")
        self.assertEqual(peripheral.findtext("name"), "TRIADA")
        self.assertEqual(number(peripheral, "baseAddress"), 0x123450000)
        self.assertEqual(number(peripheral.find("addressBlock"), "size"), 0x1000)


class ToolTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_help(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--markdown", "--c-header", "--svd", "--device", "--base", "--output"):
            self.assertIn(option, done.stdout)

    def test_standard_output_that_cannot_be_written(self):
        for arguments in (["--help"], ["--svd"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([TOOL, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"^tensorloom-registers: standard output could not be written[^\n]*\n$")

    def test_bad_use_is_one_line_and_status_2(self):
        page = self.path("page.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write("<!-- generated: nothing -->\n<!-- end of generated -->\n")
        os.mkfifo(self.path("pipe"))
        bad = [[], ["--xml"], ["--x\nml"], ["--markdown", self.path("pipe")],
               ["svd"], ["--svd", "--c-header"], ["--svd", "--device"], ["--svd", "--device", "gpu"],
               ["--svd", "--base", "0x40000001"], ["--c-header", "--output", ""], ["--svd", "--base", "here"], ["--svd", "--base", "-1"], ["--svd", "--base", "0x10000000000000000"],
               ["--c-header", "--base", "0"], ["--markdown"], ["--markdown", self.path("missing.md")],
               ["--markdown", self.folder], ["--markdown", page], ["--markdown", page, "--device", "triada"],
               ["--svd", "--output", self.path("no/such/folder.svd")]]
        for arguments in bad:
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"^tensorloom-registers: [^\n]+\n$")

    def test_section_without_an_end_is_refused_also_before_another(self):
        with open(self.path("page.md"), "w", encoding="utf-8") as page:
            page.write("<!-- generated: opcodes -->\nold\nprose\n"
                       "<!-- generated: program_header -->\n<!-- end of generated -->\n")
        done = run("--markdown", self.path("page.md"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("'opcodes' has no end", done.stderr)

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


class GenerateTest(unittest.TestCase):
    FILES = (*sorted(f"docs/{name}.md" for name in (*DEVICES, "registers")), "models/isa/firmware/tensorloom_registers.h")
    # Of the tables of testbenches, which scripts/generate writes too; tests/repository tests these.
    TABLES = ("README.md", "docs/index.md", "docs/python.md", "docs/runs.md", "scripts/documentation/testbench_tables.py")

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
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
            for generated, other in (("0x024", "0x025"), ("| 48 |", "| 49 |"), ("| 592 | 112 |", "| 593 | 112 |")):
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
