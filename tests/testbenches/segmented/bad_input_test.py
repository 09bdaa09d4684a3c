"""What segmented refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import os
import re

import numpy as np

from segmented_program import BAD_INPUT, SOURCE, VARIANTS, WRONG, SegmentedTest
from testbench_refusals import RefusedOptions

HEAD = "%%MatrixMarket matrix coordinate integer general\n"
GOOD = HEAD + "3 3 2\n1 1 5\n3 2 -7\n"
BAD_MATRICES = {
    "empty": "",
    "no banner": "3 3 1\n1 1 5\n",
    "not a matrix": "%%MatrixMarket vector coordinate integer general\n3 3 1\n1 1 5\n",
    "complex": "%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 1 5 0\n",
    "hermitian": "%%MatrixMarket matrix coordinate complex hermitian\n3 3 1\n1 1 5 0\n",
    "no sizes": HEAD,
    "sizes in words": HEAD + "3 three 1\n1 1 5\n",
    "too few elements": HEAD + "3 3 2\n1 1 5\n",
    "too many elements": HEAD + "3 3 1\n1 1 5\n2 2 6\n",
    "row outside": HEAD + "3 3 1\n4 1 5\n",
    "column 0": HEAD + "3 3 1\n1 0 5\n",
    "no number": HEAD + "3 3 1\n1 1 five\n",
    "not whole": HEAD + "3 3 1\n1 1 0.5\n",
    "twice": HEAD + "3 3 2\n1 1 5\n1 1 6\n",
    "above the diagonal": "%%MatrixMarket matrix coordinate integer symmetric\n3 3 1\n1 2 5\n",
    "missing value": HEAD + "3 3 1\n1 1\n",
}


class BadOption(RefusedOptions, SegmentedTest):
    abbreviated = {"--oper scan": "--operation", "--vector": "--vector-only", "--len 4": "--length"}
    repeated = ("--length 4",)
    values = {
        "operation": (("sum", "Scan", "segmented", ""),), "variant": (("scans", "SCAN", "nothing"),),
        "fill": (("zeros", "golden"), (), "--length 4"), "format": (("f8", "c128", "int16"), (), "--length 4"),
        "fidelity": (("slow",),), "blocks": (("revspec,revspec", "none,revspec", "adder", "revspec,"), (), "--length 4"),
        "length": (("0", "-1", "16777217", "many", "1.5"),), "array": (("1", "1025", "x"),), "lanes": (("0", "65537"),),
        "banks": (("0", "3", "8192"),), "scratchpad": (("0", "1600", "4294967296"),), "in-words out-words": (("0", "17"),),
        "pipeline-depth": (("0", "65"),), "call-latency": (("-1", "1048577"),), "word-bits": (("0", "129"),), "scalar-ops": (("0", "1025"),),
        "clock": (("0", "1001"),), "bits": (("0", "63"), (), "--operation product"),
        "density": (("-0.1", "1.1"), (), "--operation compress"), "columns": (("0", "1048577"), (), "--operation spmv"),
        "tile": (("0", "16777217", "x"), ("1", "4096"), ""), "pairs": (("0", "65", "two", "1.5"), ("1", "64"), "--length 4"),
    }

    def test_lengths_of_an_operation(self):
        self.refuses_values("length", ("1025",), job="--operation matrix-product")
        self.refuses_values("length", ("1048577",), job="--operation spmv")

    def test_varied_sizes(self):
        for line, *words in (
                ("--length 8 --vary array=4", "--vary", "without --compare"),
                *((f"--compare --length 8 --vary {text}", "--vary", text, "expected", "lanes") for text in (
                    "array", "array=", "array=1", "array=4,", "array=1025", "side=4", "banks=3", "lanes=0", "lanes=x")),
                ("--compare --length 8 --vary array=4 --vary array=8", "--vary", "array=8", "each name once"),
                ("--compare --length 8 --vary array=2,3,4,5,6,7,8,9,10 --vary lanes=1,2,3,4,5,6,7,8", "--vary", "64 devices"),
                ("--compare --length 8 --in-words 16 --vary array=8", "--vary", "s = 8", "0 to 8"),
                ("--compare --length 8 --scratchpad 1024 --vary banks=4096", "--vary", "4096 banks", "at most the 128 words")):
            with self.subTest(line=line):
                self.fails_with(BAD_INPUT, f"{line} --out files", *words)

    def test_several_pairs_run_one_algorithm(self):
        for other in ("--compare", "--theorems"):
            self.fails_with(BAD_INPUT, f"--pairs 2 {other} --out files", "--pairs", other, "single run")

    def test_a_dram_without_room_for_their_programs(self):
        with open(os.path.join(SOURCE, "models/costs/dram/memories/lpddr4-3200.yaml"), encoding="utf-8") as file:
            self.save_text("small.yaml", re.sub(r"rows: \d+", "rows: 2048", file.read()))
        self.succeeds("--length 9 --dram small.yaml --quiet")
        self.refuses("--length 9 --dram small.yaml --pairs 64", "--dram: small.yaml", "bytes", "each of 64 pairs")

    def test_what_does_not_go_together(self):
        self.save("x.npy", np.arange(5))
        for line, words in (
                ("--operation scan --variant scd", ("--variant", "scd", "scan_tile")),
                ("--operation scan --bits 4", ("--bits", "scan", "product")),
                ("--variant mul --bits 4", ("--bits", "mul")),
                ("--variant gemm_tiled --bits 4", ("--bits", "gemm_tiled")),
                ("--operation scan --density 0.5", ("--density", "scan")),
                ("--operation compress --density 0.5 --fill formula", ("--density", "--fill formula")),
                ("--operation copy --density 0.5", ("--density", "copy", "compress")),
                ("--operation segmented-sum --tile 8", ("--tile", "found segmented-sum", "expected scan")),
                ("--operation spmv --tile 8", ("--tile", "found spmv")),
                ("--pairs 2 --tile 8", ("--pairs", "--tile", "all data at once")),
                ("--variant segscan_hybrid --format f16 --tile 8", ("--tile", "found segscan_hybrid in f16", "words")),
                ("--operation copy --flags x.npy", ("--flags", "copy", "compress")),
                ("--operation copy --bits 4", ("--bits", "copy", "product")),
                ("--operation copy --variant scan", ("--variant", "scan", "expected copy")),
                ("--operation scan --columns 5", ("--columns", "scan", "spmv")),
                ("--operation scan --flags x.npy", ("--flags", "scan", "compress")),
                ("--operation scan --matrix x.mtx", ("--matrix", "scan", "spmv")),
                ("--input x.npy --length 5", ("--length", "file")),
                ("--vector-only --variant segscan", ("--vector-only", "segscan", "segscan_vcu")),
                ("--compare --variant scan", ("--variant", "--compare")),
                ("--variant matprod --format f64", ("matprod", "f64", "expected")),
                ("--variant mul --blocks revspec", ("mul", "multiplier")),
                ("--variant scan --format int8", ("scan", "int8", "expected")),
                ("--variant segscan_loop --format int8", ("segscan_loop", "int8", "f64, f32, int32 or int64")),
                ("--variant segscan --format bf16", ("segscan", "bf16", "f64, f32, int32 or int64")),
                ("--operation difference --format f16", ("diff_mmu", "f16", "--variant diff_vcu can run")),
                ("--variant ewmul --bits 40 --format int32", ("ewmul", "40", "31")),
                ("--operation product --format f64", ("ewmul", "an integer format", "--variant mul can run")),
                ("--operation scan --format int8", ("int8", "--variant scan_vcu or scan_tree_vcu or scan_hybrid can run")),
                ("--operation product --format f64 --bits 4", ("ewmul", "expected an integer format"))):
            with self.subTest(line=line):
                self.refuses(line, *words)

    def test_options_that_would_change_nothing(self):
        self.save("x.npy", np.arange(5))
        self.save("f.npy", np.ones(5))
        self.save_text("a.mtx", GOOD)
        for line, words in (
                ("--input x.npy --seed 2", ("--seed", "files")), ("--input x.npy --fill random", ("--fill", "files")),
                ("--operation compress --input x.npy --flags f.npy --seed 2", ("--seed", "files")),
                ("--operation compress --flags f.npy --density 0.5", ("--density", "--flags")),
                ("--operation product --input x.npy,x.npy --fill formula", ("--fill", "files")),
                ("--operation spmv --matrix a.mtx --density 0.5", ("--density", "--matrix")),
                ("--operation spmv --fill formula --columns 40", ("--columns", "--fill formula")),
                ("--length 5 --fill formula --seed 2", ("--seed", "--fill formula"))):
            with self.subTest(line=line):
                self.refuses(line, *words)
        self.save("x3.npy", np.arange(3))
        self.refuses("--operation spmv --matrix a.mtx --input x3.npy --seed 3", "--seed", "files")
        for line in ("--operation compress --flags f.npy --seed 2", "--operation compress --input x.npy --density 0.5",
                     "--operation spmv --matrix a.mtx --seed 3", "--operation spmv --input x.npy --density 0.5 --length 5"):
            self.succeeds(line)

    def test_bits_whose_sums_cannot_fit(self):
        for line, largest in (("--operation product", 31), ("--operation product --format int32", 15),
                              ("--variant matprod --length 16", 29), ("--variant matprod --length 9", 29),
                              ("--variant matprod_vcu --length 8 --format int8", 14),
                              ("--operation spmv --length 100 --density 0.01", 28)):
            self.refuses(f"{line} --bits {largest + 1}", f"--bits is {largest + 1}", f"expected --bits {largest} at most")
            self.succeeds(f"{line} --bits {largest}")

    def test_a_wider_format_is_advised_where_there_is_one(self):
        self.save("x.npy", np.full(4, 2 ** 62))
        self.assertNotIn("wider", self.fails_with(WRONG, "--input x.npy", "expected smaller numbers").err)
        self.save("x.npy", np.full(4, 2 ** 30))
        self.fails_with(WRONG, "--input x.npy --format int32", "or a wider --format")

    def test_a_comparison_is_no_single_run(self):
        for option in ("--output z.npy", "--vcd wave"):
            self.fails_with(2, f"--compare --length 8 {option}", option.split()[0], "--compare", "single run")

    def test_a_comparison_needs_a_variant_that_can_run(self):
        self.fails_with(2, "--operation product --compare --format f64 --blocks none", "--compare", "product", "expected")

    def test_scratchpad_that_is_too_small(self):
        self.refuses("--length 1000 --scratchpad 1024", "scratchpad", "1024", "expected at least")


class BadFile(SegmentedTest):
    def test_operands(self):
        self.save("long.npy", np.arange(6))
        self.save("x.npy", np.arange(5))
        self.save("square.npy", np.ones((3, 3)))
        self.save("wide.npy", np.ones((4, 2)))
        self.save("none.npy", np.ones(0))
        self.save("complex.npy", np.ones(3) * 1j)
        self.save("half.npy", np.array([1, 0.5]))
        self.save("nan.npy", np.array([1, np.nan]))
        self.save("big.npy", np.array([1, 2 ** 31]))
        self.save("huge.npy", np.array([2 ** 63], dtype=np.uint64))
        self.save("minus.npy", np.array([3, -1]))
        self.save("flags.npy", np.array([1, np.nan]))
        for line, words in (
                ("--input absent.npy", ("absent.npy", "no such file")), ("--input square.npy", ("rank 2", "expected 1")),
                ("--input none.npy", ("none.npy", "no elements")), ("--input complex.npy", ("complex", "real")),
                ("--input x.npy,long.npy", ("--input", "one file")), ("--operation product --input x.npy", ("two files",)),
                ("--operation product --input x.npy,long.npy", ("long.npy", "6", "5")),
                ("--operation matrix-product --input x.npy,x.npy", ("rank 1", "expected 2")),
                ("--operation matrix-product --input square.npy,wide.npy", ("4 rows", "expected 3")),
                ("--operation compress --input x.npy --flags long.npy", ("--flags", "6", "5")),
                ("--operation spmv --length 4 --input x.npy --columns 4", ("--columns",)),
                ("--input half.npy --format int64", ("half.npy", "0.5", "whole")), ("--input nan.npy", ("nan.npy: element 1 is nan", "--allow-nonfinite")),
                ("--input big.npy --format int32", ("big.npy", "2147483648", "2147483647")),
                ("--input huge.npy", ("huge.npy", "9223372036854775807")),
                ("--operation compress --flags flags.npy", ("--flags", "flags.npy", "element 1 is nan", "finite numbers")),
                ("--operation product --input minus.npy,minus.npy", ("-1", "0 to 255", "ewmul", "--variant mul takes")),
                ("--operation product --bits 2 --input minus.npy,minus.npy", ("-1", "0 to 3", "2 bits"))):
            with self.subTest(line=line):
                self.refuses(line, *words)
        self.fails_with(2, "--operation product --compare --input minus.npy,minus.npy", "-1", "--variant mul takes")

    def test_matrices(self):
        self.save_text("good.mtx", GOOD)
        self.succeeds("--operation spmv --matrix good.mtx")
        for name, text in BAD_MATRICES.items():
            with self.subTest(name=name):
                self.save_text("bad.mtx", text)
                self.refuses("--operation spmv --matrix bad.mtx --format int64", "--matrix", "bad.mtx", "expected")

    def test_a_matrix_and_its_vector(self):
        self.save_text("good.mtx", GOOD)
        self.save("x.npy", np.arange(4))
        self.refuses("--operation spmv --matrix good.mtx --input x.npy", "x.npy", "4", "expected 3")
        self.refuses("--operation spmv --matrix good.mtx --bits 3", "good.mtx", "-7", "0 to 7")
        for option in ("--length 3", "--columns 3"):
            self.refuses(f"--operation spmv --matrix good.mtx {option}", option.split()[0])

    def test_whole_numbers_that_f64_does_not_have(self):
        beyond = 2 ** 53 + 1
        self.save("x.npy", np.array([1, beyond]))
        self.refuses("--input x.npy --format f64", "--input", "x.npy", "element 1", str(beyond), "f64")
        self.save("x.npy", np.array([0, 2 ** 62]))
        self.succeeds("--input x.npy --format f64 --output z.npy --quiet")
        self.assert_equal(self.load("z.npy"), [0, 2.0 ** 62])
        head = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 "
        self.save_text("a.mtx", f"{head}{beyond}\n")
        self.refuses("--operation spmv --matrix a.mtx --format f64", "a.mtx", str(beyond), "f64")
        self.save_text("a.mtx", f"{head}{2 ** 62}\n")
        self.succeeds("--operation spmv --matrix a.mtx --format f64")

    def test_numbers_that_a_narrow_format_does_not_hold(self):
        self.save("x.npy", np.array([1, 2 ** 24 + 1]))
        self.refuses("--input x.npy --format f32", "--input", "x.npy", "element 1", "16777217", "f32")
        self.save("x.npy", np.array([1, 257]))
        self.refuses("--variant scan_vcu --input x.npy --format bf16", "element 1", "257", "bf16 holds exactly")
        self.save("x.npy", np.array([0.5, 7e4]))
        self.refuses("--variant scan_vcu --input x.npy --format f16", "element 1", "7e+04", "f16 holds")
        self.succeeds("--variant scan_vcu --input x.npy --format bf16")

    def test_a_technology_that_misses_energies(self):
        with open(os.path.join(SOURCE, "models/costs/technologies/45nm.yaml"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("revspec", text)
        self.save_text("t.yaml", text.replace("revspec", "other"))
        for line in ("--length 4", "--compare --length 4"):
            self.fails_with(2, f"{line} --technology t.yaml", "revspec")

    def test_outputs(self):
        self.save("x.npy", np.arange(4))
        self.fails_with(2, "--input x.npy --output x.npy", "--output", "x.npy", "another file")
        self.fails_with(2, "--output no/such/z.npy", "--output", "no/such")
        self.fails_with(2, "--out /proc/nothing", "/proc/nothing")


class FailedCheck(SegmentedTest):
    def test_is_told_without_the_table(self):
        self.save("x.npy", np.full(20, 1e308))
        for line, word in (("", "check failed: scan, first wrong at"), ("--compare", "check failed: scan of 4 with s = ")):
            run = self.run_program(f"--input x.npy --format f64 --quiet {line}")
            self.assertEqual((run.status, run.out, run.err.count("\n")), (WRONG, "", 1))
            self.assertIn(word, run.err)


class Overflow(SegmentedTest):
    def test_is_a_wrong_result(self):
        self.save("x.npy", np.full(10, 2 ** 30))
        self.fails_with(WRONG, "--input x.npy --format int32 --output z.npy --out files", "exceeds the range", "wider --format")
        self.succeeds("--input x.npy --format int64")

    def test_of_the_vector_unit(self):
        self.save("x.npy", np.full(10, 2 ** 30))
        self.fails_with(WRONG, "--variant scan_vcu --input x.npy --format int32", "add", "exceeds the range")


class EveryVariant(SegmentedTest):
    def test_belongs_to_its_operation(self):
        for operation, names in VARIANTS.items():
            for name in names:
                with self.subTest(variant=name):
                    full = " --density 1" if name == "spmv_scd" else ""
                    found = self.summary(f"--variant {name} --length 6 --s 4{full}")
                    self.assertEqual((found["configuration"]["operation"], found["check"]["passed"]), (operation, True))
