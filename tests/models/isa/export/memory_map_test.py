#!/usr/bin/env python3
"""tensorloom-registers --map: one file of addresses, and what every format makes of it; files that are refused.

Usage: memory_map_test.py TOOL C_COMPILER ROOT [unittest arguments]
"""
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

import register_readers as readers
from tool_folder import TOOL, ToolFolder, run

COMPILER, ROOT = sys.argv[2:4]
BOARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "board.yaml")
FORMATS = ("--svd", "--systemrdl", "--ipxact", "--map-header", "--device-tree")
DEVICES = {"transform": (0x40000000, 1, "triada", b"TRIA"), "training": (0x40001000, 2, "fetta", b"FETA")}
MEMORIES = {"sram": (0x80000000, 0x100000), "dram": (0x1000000000, 0x40000000)}

# A board around the generated nodes: an interrupt controller whose specifiers have this many cells.
TREE = """/dts-v1/;
/include/ "board.dtsi"
/ {
    model = "board";
    compatible = "tensorloom,board";
    plic: interrupt-controller@c000000 {
        compatible = "tensorloom,interrupts";
        reg = <0x0 0xc000000 0x0 0x1000>;
        interrupt-controller;
        #interrupt-cells = <CELLS>;
        #address-cells = <0>;
    };
};
"""


class MapFolder(ToolFolder):
    def exported(self, option, file=BOARD):
        done = run(option, "--map", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


class FormatsTest(MapFolder):
    def test_registers_are_at_the_bases_of_the_file(self):
        for option, read in (("--svd", readers.read_svd), ("--ipxact", readers.read_ipxact),
                             ("--systemrdl", readers.read_systemrdl)):
            found = read(self.exported(option))
            self.assertEqual({name: device.base for name, device in found.items()},
                             {name.upper(): base for name, (base, *_) in DEVICES.items()}, option)
            for name, (_, _, _, identification) in DEVICES.items():
                registers = found[name.upper()].registers
                self.assertEqual(list(registers), list(readers.REGISTERS), option)
                self.assertEqual(registers["ID"].reset.to_bytes(4, "little"), identification, option)

    def test_memories_are_in_every_format(self):
        expected = {name.upper(): place for name, place in MEMORIES.items()}
        svd = ElementTree.fromstring(self.exported("--svd")).iter("peripheral")
        self.assertEqual({p.findtext("name"): (int(p.findtext("baseAddress"), 0), int(p.findtext("addressBlock/size"), 0))
                          for p in svd if p.findtext("addressBlock/usage") == "buffer"}, expected)
        blocks = readers.ipxact_tree(self.exported("--ipxact")).iter("addressBlock")
        self.assertEqual({b.findtext("name"): (readers.number(b.findtext("baseAddress")),
                                               readers.number(b.findtext("range")))
                          for b in blocks if b.findtext("usage") == "memory"}, expected)
        rdl = readers.RdlReader(self.exported("--systemrdl")).root().children
        self.assertEqual({m.name: (m.address, readers.number(m.component.properties["mementries"]) * 4)
                          for m in rdl if m.component.kind == "mem"}, expected)

    def test_svd_has_the_platform_and_its_interrupts(self):
        svd = ElementTree.fromstring(self.exported("--svd"))
        self.assertEqual(svd.findtext("name"), "board")
        self.assertEqual({i.findtext("name"): int(i.findtext("value")) for i in svd.iter("interrupt")},
                         {name.upper(): interrupt for name, (_, interrupt, *_) in DEVICES.items()})

    def test_header_compiles_and_has_these_values(self):
        self.write("board.h", self.exported("--map-header"))
        expected = [f"BOARD_{name.upper()}_{what} == {value}"
                    for name, (base, interrupt, _, identification) in DEVICES.items()
                    for what, value in (("BASE", base), ("BYTES", 4096), ("INTERRUPT", interrupt),
                                        ("ID", int.from_bytes(identification, "little")))]
        expected += [f"BOARD_{name.upper()}_{what} == {value}" for name, place in MEMORIES.items()
                     for what, value in zip(("BASE", "BYTES"), place)]
        tests = "".join(f"#if !({e})\n#error {e}\n#endif\n" for e in expected)
        source = self.write("check.c", '#include "board.h"\n#include "board.h"\n' + tests + "int values = 1;\n")
        done = subprocess.run([COMPILER, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", source],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("board.h"), encoding="utf-8") as header:
            self.assertEqual(header.read().count("#define"), len(expected) + 1)  # and the guard

    def test_device_tree_has_these_nodes(self):
        text = self.exported("--device-tree")
        nodes = {}
        for label, kind, unit, body in re.findall(r"(\w+): (\w+)@([0-9a-f]+) \{([^}]*)\};", text):
            reg = [int(cell, 0) for cell in re.search(r"reg = <([^>]*)>;", body)[1].split()]
            self.assertEqual(int(unit, 16), reg[0] << 32 | reg[1])
            nodes[label] = (kind, reg[0] << 32 | reg[1], reg[2] << 32 | reg[3], body)
        self.assertEqual({label: node[:3] for label, node in nodes.items()},
                         {**{name: ("accelerator", base, 4096) for name, (base, *_) in DEVICES.items()},
                          **{name: ("memory", *place) for name, place in MEMORIES.items()}})
        for name, (_, interrupt, kind, _) in DEVICES.items():
            self.assertIn(f'compatible = "tensorloom,{kind}", "tensorloom,accelerator";', nodes[name][3])
            self.assertIn(f"interrupts = <{interrupt}>;", nodes[name][3])
        self.assertIn("interrupt-parent = <&plic>;", text)

    @unittest.skipUnless(shutil.which("dtc"), "needs the device tree compiler")
    def test_device_tree_compiles_without_a_warning_for_every_number_of_cells(self):
        with open(BOARD, encoding="utf-8") as file:
            board = file.read()
        for cells, specifier in ((1, "1"), (2, "1 4"), (3, "0 1 4")):
            with self.subTest(cells=cells):
                file = self.write("board.yaml", board.replace("cells: 1", f"cells: {cells}"))
                tree = self.exported("--device-tree", file)
                self.assertIn(f"interrupts = <{specifier}>;", tree)
                self.write("board.dtsi", tree)
                done = subprocess.run(["dtc", "-I", "dts", "-O", "dtb", "-o", self.path("board.dtb"),
                                       self.write("board.dts", TREE.replace("CELLS", str(cells)))],
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_order_of_keys_comments_and_decimal_numbers_do_not_matter(self):
        file = self.write("other.yaml", "devices: # one\n- base: 1073741824\n  interrupt: 7\n  name: a\n  kind: mmv\n"
                                        "platform: p\n")
        self.assertIn("#define P_A_BASE 0x40000000ull\n", self.exported("--map-header", file))
        self.assertNotIn("interrupt-parent", self.exported("--device-tree", file))

    def test_devices_of_one_kind_have_one_type_in_systemrdl(self):
        file = self.write("two.yaml", "platform: p\ndevices:\n"
                                      "- {name: a, kind: mmv, base: 0x0, interrupt: 0}\n"
                                      "- {name: b, kind: mmv, base: 0x1000, interrupt: 0}\n")
        text = self.exported("--systemrdl", file)
        self.assertEqual(text.count("addrmap mmv_registers"), 1)
        self.assertEqual({name: device.base for name, device in readers.read_systemrdl(text).items()},
                         {"A": 0, "B": 0x1000})


class PageTest(MapFolder):
    def setUp(self):
        super().setUp()
        with open(os.path.join(ROOT, "docs/memory-map.md"), encoding="utf-8") as page:
            self.blocks = dict(re.findall(r"```(\w+)\n(.*?)```", page.read(), re.S))

    def test_shows_what_the_tool_writes(self):
        file = self.write("board.yaml", self.blocks["yaml"])
        self.assertEqual(self.blocks["c"], self.exported("--map-header", file))
        self.assertEqual(self.blocks["dts"], self.exported("--device-tree", file))

    def test_shows_messages_of_the_tool(self):
        board = self.blocks["yaml"]
        for (changed, to), message in zip((("kind: triada", "kind: gpu"), ("base: 0x40000000", "base: 0x40000004"),
                                           (", interrupt: 2", ""), ("base: 0x80000000", "base: 0x40000000")),
                                          self.blocks["text"].splitlines(), strict=True):
            self.write("board.yaml", board.replace(changed, to))
            done = subprocess.run([TOOL, "--svd", "--map", "board.yaml"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.stderr, message + "\n")


class RefusedTest(MapFolder):
    DEVICE = "{name: a, kind: mmv, base: 0x1000, interrupt: 3}"

    def message(self, text):
        """The message about a file, without its name; it must not write anything."""
        file = self.write("map.yaml", text)
        for option in FORMATS:
            said = self.refusal("tensorloom-registers", option, "--map", file, "--output", self.path("out"))
            self.assertFalse(os.path.exists(self.path("out")))
        before = f"tensorloom-registers: {file}:"
        self.assertTrue(said.startswith(before), said)
        return said[len(before):-1]

    def board(self, device=DEVICE, rest=""):
        return f"platform: p\ndevices:\n  - {device}\n{rest}"

    def test_entry_by_entry(self):
        name = "expected a name of at most 40 lower-case letters, digits and _, the first a letter"
        multiple = "expected a multiple of 4096 from 0 on, decimal or with 0x"
        for changed, to, message in (
                ("kind: mmv", "kind: gpu", "found 'gpu', expected one of triada, mmv, fetta, torus"),
                ("name: a", "name: A", "found 'A', " + name),
                ("name: a", "name: 1a", "found '1a', " + name),
                ("name: a", "name: a-b", "found 'a-b', " + name),
                ("name: a", "name: " + "a" * 41, f"found '{'a' * 41}', " + name),
                ("base: 0x1000", "base: 0x1004", "found '0x1004', " + multiple),
                ("base: 0x1000", "base: here", "found 'here', " + multiple),
                ("base: 0x1000", "base: -4096", "found '-4096', " + multiple),
                ("base: 0x1000", "base: 0x10000000000000000", "found '0x10000000000000000', " + multiple),
                ("base: 0x1000", "base: ", "found nothing, expected a single value"),
                ("base: 0x1000", "base: [1]", "found a list, expected a single value"),
                ("interrupt: 3", "interrupt: 1024", "found '1024', expected a number from 0 to 1023"),
                ("interrupt: 3", "interrupt: 0x3", "found '0x3', expected a whole number"),
                (", interrupt: 3", "", "found no key interrupt, expected a value for it"),
                ("name: a, ", "", "found no key name, expected a value for it"),
                ("interrupt: 3", "interrupt: 3, colour: red", "found 'colour', expected one of base, interrupt, kind, name"),
                ("interrupt: 3", "interrupt: 3, name: b", "found 'name', expected each key once")):
            with self.subTest(to=to):
                self.assertEqual(self.message(self.board(self.DEVICE.replace(changed, to))), "3: " + message)

    def test_files_as_a_whole(self):
        memory = "memories:\n  - {name: m, base: %s, size: %s}\n"
        size = "expected a multiple of 4096 from 4096 on, decimal or with 0x"
        for text, message in (
                ("", "0: found nothing, expected a map with some of devices, interrupts, memories, platform"),
                ("- a\n", "1: found a list, expected a map with some of devices, interrupts, memories, platform"),
                ("platform: p\n", "1: found no key devices, expected a value for it"),
                ("platform: p\ndevices: []\n", "2: found an empty list, expected at least one entry"),
                ("platform: p\ndevices: 3\n", "2: found '3', expected a list"),
                ("platform: p\ndevices: [a]\n", "2: found 'a', expected a map with some of base, interrupt, kind, name"),
                ("platform: P\n", "1: found 'P', expected a name of at most 40 lower-case letters, digits and _, the first a letter"),
                ("platform: [p\n", "2: not valid YAML: end of sequence flow not found"),
                (self.board(rest="size: 3\n"), "4: found 'size', expected one of devices, interrupts, memories, platform"),
                (self.board(rest=memory % ("0x2000", "0")), "5: found '0', " + size),
                (self.board(rest=memory % ("0x2000", "100")), "5: found '100', " + size),
                (self.board(rest=memory % ("0x0", "0x2000")),
                 "3: found a from 0x1000 on, expected a range that does not overlap m from 0x0 to 0x1fff"),
                (self.board(rest=memory % ("0x1000", "0x1000")),
                 "5: found m from 0x1000 on, expected a range that does not overlap a from 0x1000 to 0x1fff"),
                (self.board(rest=memory % ("0xfffffffffffff000", "0x2000")),
                 "5: found m at 0xfffffffffffff000 with 0x2000 bytes, expected a range that ends below 2^64"),
                (self.board(rest=memory.replace("name: m", "name: a") % ("0x2000", "0x1000")),
                 "5: found 'a', expected a name that no other entry has"),
                (self.board(rest="interrupts: {controller: plic, cells: 4}\n"), "4: found '4', expected 1, 2 or 3"),
                (self.board(rest="interrupts: {cells: 1}\n"), "4: found no key controller, expected a value for it")):
            with self.subTest(text=text):
                self.assertEqual(self.message(text), message)

    def test_last_page_of_the_address_space_is_allowed(self):
        file = self.write("last.yaml", self.board(self.DEVICE.replace("0x1000", "0xfffffffffffff000")))
        self.assertIn("#define P_A_BASE 0xfffffffffffff000ull\n", self.exported("--map-header", file))

    def test_use_that_is_refused(self):
        for arguments in (["--map-header"], ["--device-tree"], ["--c-header", "--map", BOARD], ["--svd", "--map", ""],
                          ["--svd", "--map", BOARD, "--base", "0"], ["--svd", "--map", BOARD, "--irq", "1"],
                          ["--svd", "--map", BOARD, "--device", "mmv"], ["--device-tree", "--map", BOARD, "--base", "0"],
                          ["--svd", "--map", self.path("missing.yaml")], ["--svd", "--map", self.folder]):
            with self.subTest(arguments=arguments):
                self.refusal("tensorloom-registers", *arguments)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
