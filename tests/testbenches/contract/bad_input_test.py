"""What contract refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import os
import re

import numpy as np

from contract_program import SOURCE, ContractTest
from testbench_refusals import RefusedOptions


class BadOption(RefusedOptions, ContractTest):
    abbreviated = {"--eins 'i,i->'": "--einsum"}
    repeated = ("--layout ideal",)
    values = {
        "mapping layout reordering flatten psum store objective operand memory fidelity distributed memory-rows table-psum":
            (("nothing", "WS-V", ""),),
        "array": (("1", "3", "32"),), "bank-bytes": (("2048", "5000", "134217728"),),
        "accumulator-bytes": (("512", "3000"),), "buffer-cycles": (("-1", "17"),), "mac-latency": (("0", "65", "1.5"), ("1", "64")), "lanes": (("0", "65537"),), "outstanding": (("0", "65"),),
        "padding-share": (("-0.1", "1.1"),), "leakage": (("nan", "-1", "101"),), "clock": (("0", "1001"),),
        "burst": (("3", "131072"),), "engines": (("0", "3", "8", "32", "128", "x", "-4"), (), "", ("expected 4, 16 or 64",)),
    }

    def test_expressions(self):
        for expression, sizes in (("ij,jk", "i=4"), ("ij->ij", "i=4,j=4"), ("ii,ij->j", "i=4,j=4"), ("ij,jk->k", "i=2,j=2,k=2"),
                                  ("ij,jk->ikz", "i=2,j=2,k=2,z=2"), ("i1,1k->ik", "i=2,k=2"), ("ij,jk,kl->il", "i=2,j=2,k=2,l=2"),
                                  ("abcdefghi,a->bcdefghi", ",".join(f"{letter}=2" for letter in "abcdefghi")),
                                  ("ij,jk->ikk", "i=2,j=2,k=2"), ("i...,i->", "i=2")):
            with self.subTest(expression=expression):
                self.refuses(f"--einsum '{expression}' --sizes {sizes}", "--einsum", "expected")

    def test_sizes(self):
        for sizes in ("", "i=4", "i=4,j=4,k=0", "i=4,j=4,k=-1", "i=4,j=4,k=4,l=4", "i=4,j=4,k=4,i=4", "i=4,j=4,k", "i=4;j=4;k=4",
                      "i=4,j=4,k=x", "i=65536,j=65536,k=4", "i=4,j=4,k=99999999999999999999"):
            with self.subTest(sizes=sizes):
                self.refuses(f"--sizes '{sizes}'", "--sizes", "expected")

    def test_splits(self):
        self.refuses_values("split", ("", "16", "1,1,1,1", "2,2,2,4", "3,1,1,16", "16,1,1", "16,1,1,1,1", "a,b,c,d", "0,1,1,16"))
        self.refuses("--engines 4 --split 1,1,4,4", "--split", "expected")

    def test_what_does_not_go_together(self):
        self.save("a.npy", np.ones((2, 2)))
        self.save_text("p.asm", "halt\n")
        for line, words in (("--input a.npy,a.npy --sizes i=2,j=2,k=2", ("--sizes", "--input")),
                            ("--input a.npy,a.npy --seed 2", ("--seed", "--input")),
                            ("--operand f32 --psum bf16", ("psum", "bf16")),
                            ("--memory sram --dram lpddr4-3200", ("--dram", "--memory sram")),
                            ("--profile --quiet", ("--profile", "--quiet")),
                            ("--program p.asm --mapping ws-v", ("--mapping", "--program")),
                            ("--program p.asm --layout conflicted", ("--layout", "--program")),
                            ("--program p.asm --save-program q.bin", ("--save-program", "--program")),
                            ("--layout offchip --einsum 'ij,jk->ki' --save-program q.bin", ("--save-program", "expected one"))):
            with self.subTest(line=line):
                self.refuses(line, *words)

    def test_watching(self):
        self.fails_with(2, "--watch networks", "--watch", "--vcd")
        self.refuses("--watch networks", "--watch", "--fidelity fast")
        for what in ("engine", "engine=16", "engine=-1", "engine=x", "array", "3"):
            self.refuses(f"--fidelity detailed --watch {what}", "--watch", what, "expected")
        self.refuses("--fidelity detailed --watch pes", "--watch pes", "engine")

    def test_memory(self):
        self.refuses("--dram ddr9", "--dram", "ddr9")
        self.refuses("--sizes i=40000,j=4,k=40000", "memory", "found", "expected")

    def test_a_dram_without_room_for_data(self):
        with open(os.path.join(SOURCE, "models/costs/dram/memories/lpddr4-3200.yaml"), encoding="utf-8") as file:
            shipped = file.read()
        for rows in (64, 128):
            changed, count = re.subn(r"\brows: *\d+", f"rows: {rows}", shipped)
            self.assertEqual(count, 1)
            self.save_text("small.yaml", changed)
            self.refuses("--dram small.yaml", "--dram", "small.yaml", "bytes", "expected more than 16,777,216")

    def test_errors_name_their_option_once(self):
        for line, words in (("--einsum ij", "contract: --einsum: found"), ("--sizes i=1", "contract: --sizes: found"),
                            ("--split 1", "contract: --split: found")):
            self.assertTrue(self.fails_with(2, line).err.startswith(words), line)

    def test_programs_that_are_no_file_say_why(self):
        self.refuses("--layout offchip --einsum 'ij,jk->ki' --save-program q.bin", "--layout offchip", "another --layout")


class BadFile(ContractTest):
    def test_operands(self):
        self.save("a.npy", np.ones((2, 3)))
        self.save("b.npy", np.ones((3, 4)))
        self.save("c.npy", np.ones((2, 2)))
        self.save("none.npy", np.ones((3, 0)))
        self.save("complex.npy", np.ones((3, 4)) * 1j)
        self.save_bytes("short.npy", self.read_bytes("b.npy")[:-4])
        for line, words in (("absent.npy,b.npy", ("absent.npy", "no such file")), ("a.npy", ("two files",)),
                            ("a.npy,b.npy,b.npy", ("two files",)), ("a.npy,c.npy", ("--input", "expected")),
                            ("a.npy,none.npy", ("none.npy", "no elements")), ("a.npy,complex.npy", ("complex", "real")),
                            ("a.npy,short.npy", ("short.npy",))):
            with self.subTest(line=line):
                self.refuses(f"--input {line} --output r.npy", *words)
        self.refuses("--einsum 'ijk,k->ij' --input a.npy,b.npy --output r.npy", "--input", "expected")

    def test_elements_out_of_the_operands_range(self):
        self.save("ones.npy", np.ones((2, 2)))
        for value, operand in ((1e39, "f32"), (-1e300, "bf16"), (3.4e38, "bf16")):
            self.save("wide.npy", np.array([[1, 1], [value, np.inf]]))
            for files in ("wide.npy,ones.npy", "ones.npy,wide.npy"):
                self.refuses(f"--input {files} --operand {operand} --allow-nonfinite --output r.npy", "--input: wide.npy: element 2 in C order is",
                             f"range of {operand}")
        self.save("wide.npy", np.full((2, 2), 3.4e38))
        self.succeeds("--input wide.npy,ones.npy --operand f32 --quiet --no-check")

    def test_outputs(self):
        self.save("a.npy", np.ones((2, 2)))
        self.fails_with(2, "--input a.npy,a.npy --output a.npy", "--output", "a.npy", "another file")
        self.fails_with(2, "--output no/such/c.npy", "--output", "no/such")
        self.fails_with(2, "--out /proc/nothing", "/proc/nothing")
        self.fails_with(2, "--save-program no/such/p.bin", "--save-program", "no/such")

    def test_programs(self):
        self.save_bytes("empty.bin", b"")
        self.save_bytes("garbage.asm", b"\xff\x80\x1b[31m\xc3\xa9\n")
        for path, words in (("empty.bin", ("empty.bin: is empty",)), ("/dev/null", ("/dev/null: is a device",)),
                            ("absent.bin", ("absent.bin: no such file",)), (".", ("is a directory",)),
                            ("garbage.asm", ("'???[31m??'",))):
            with self.subTest(path=path):
                self.refuses(f"--program {path}", "--program: ", "expected", *words)

    def test_technologies(self):
        self.refuses("--technology none.yaml", "--technology: ", "none.yaml")
        self.save_text("t.yaml", "name: t\n")
        self.refuses("--technology t.yaml", "--technology: ", "t.yaml")
        with open(os.path.join(SOURCE, "models/costs/technologies/7nm.yaml"), encoding="utf-8") as file:
            shipped = file.read()
        self.save_text("t.yaml", re.sub(r"\n  accumulator: .*um\^2.*", "", shipped))
        self.refuses("--technology t.yaml", "--technology: ", "t.yaml", "area.accumulator")
        # Without an area of its own a network has that of its gates.
        self.save_text("t.yaml", shipped)
        self.assertIn("reduction_network 0.02779 (synthesized)", self.succeeds("--technology t.yaml --sizes i=4,j=4,k=4").out)
        self.save_text("t.yaml", f"{shipped}\nbase: fetta-7nm\n")
        self.assertIn("reduction_network 0.007756,", self.succeeds("--technology t.yaml --sizes i=4,j=4,k=4").out)

    def test_a_technology_whose_multiply_adds_are_free(self):
        with open(os.path.join(SOURCE, "models/costs/technologies/7nm.yaml"), encoding="utf-8") as file:
            shipped = file.read()
        changed, count = re.subn(r"(\n    mac:\n      bf16: \{value: )0\.227421875", r"\g<1>0", shipped)
        self.assertEqual(count, 1)
        self.save_text("free.yaml", changed)
        area = next(line for line in self.succeeds("--sizes i=4,j=4,k=4 --technology free.yaml").out.splitlines() if " area " in line)
        self.assertIn("0.355 mm2", area)
        self.succeeds("--sizes i=4,j=4,k=4 --technology free.yaml --operand f32")
