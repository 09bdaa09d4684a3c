"""--theorems: steps, work and bits by formulas written here, flatness, lower bounds, and what the page says."""
import math
import os
import re

import jsonschema
from tensorloom.schemas import load_schema

from segmented_program import SOURCE, SegmentedTest, load_json
from testbench_summary import expect_closed_schema

SCHEMA = load_schema("segmented-theorems")
FLAT = 1.25
SERIES = [("4.1", "scan"), ("4.2", "scd"), ("4.2", "sscr"), ("4.3", "segscan"), ("lemma 4.4", "ewmul"),
          ("corollary 4.5", "ewmul"), ("corollary 4.5, one scan", "ewmul_seg"), ("4.6", "matprod"), ("4.7", "spmv"),
          ("4.7, algorithm 4", "spmv_scd")]
WORD = 64
NOT_CLAIMED = {("lemma 4.4", 4), ("lemma 4.4", 16), ("4.6", 16)}  # work: runs of s^ceil(log_s B), of s^ceil(log_s n)
PRODUCT_BITS = {"corollary 4.5": 16, "corollary 4.5, one scan": 16, "4.6": 16, "4.7": 4, "4.7, algorithm 4": 4}


def levels(n, s):
    """ceil(log_s n), by multiplying."""
    count, reached = 0, 1
    while reached < n:
        count, reached = count + 1, reached * s
    return count


def rows_of(nnz):
    """Rows of an attention matrix with blocks of one element and one random block: 2 n + 2 * 5 + (n - 4) * 6."""
    return (nnz + 14) // 8


def bounds(name, n, s):
    """(steps, work, bits) with all constants 1."""
    bits = n if name == "lemma 4.4" else PRODUCT_BITS.get(name)
    product = bits and bits * s + bits * WORD * (s + WORD)
    scan_bits = math.ceil(math.log2(7 * n + 1)) + 1
    sums = bits and 2 * bits + max(levels(bits, 2), levels(n, 2)) + 1
    nnz_product = n * (rows_of(n) + n) * WORD + n * product if bits else None
    return {
        "4.1": (levels(n, s), n * s + n * WORD, scan_bits),
        "4.2": (levels(n, s), n * s + n * n * WORD, scan_bits),
        "4.3": (levels(n, s), n * s + n * WORD * (s + WORD), scan_bits),
        "lemma 4.4": (levels(n, s), product, bits and 2 * bits + levels(bits, 2) + 1),
        "corollary 4.5": (bits and levels(bits, s), bits and n * product, bits and 2 * bits + levels(bits, 2) + 1),
        "corollary 4.5, one scan": (bits and levels(n * bits, s), bits and n * product, bits and 2 * bits + levels(bits, 2) + 1),
        "4.6": (bits and levels(n, s) + levels(bits, s), bits and n ** 3 * product, sums),
        "4.7": (bits and levels(n, s) + levels(bits, s), nnz_product, sums),
        "4.7, algorithm 4": (bits and levels(n, s) + levels(bits, s), nnz_product, sums),
    }[name]


def steps_of(name, algorithm, n, s):
    """Of the model, by the formulas of the specification."""
    more = max(levels(n, s) - 1, 0)
    scan = 4 * more + 1
    compress = scan + 3
    bits = PRODUCT_BITS.get(name, n)
    return {
        "scan": scan, "scd": scan + compress + 2, "sscr": 2 * scan + compress + 3, "segscan": 10 * more + 3,
        "ewmul": 2 * levels(bits, s) + 1, "ewmul_seg": 10 * max(levels(n * bits, s) - 1, 0) + 5,
        "matprod": 2 * (levels(bits, s) + levels(n, s)) + 4, "spmv": 2 * levels(bits, s) + 4 * more + 5,
        "spmv_scd": 2 * levels(bits, s) + 1 + 1 + 1 + scan + compress + 2,
    }[algorithm]


class Theorems(SegmentedTest):
    def test_every_theorem_holds(self):
        self.out = self.succeeds("--theorems --out files").out  # once for all: it takes seconds
        self.found = load_json(self.path("files/summary.json"))
        for part in (self.meets_the_schema, self.is_right, self.has_the_bounds_of_the_theorems, self.takes_the_steps_of_the_formulas,
                     self.is_flat_where_it_says_so, self.has_words_within_their_bits, self.keeps_the_lower_bound_of_the_vector_unit,
                     self.reverses_blocks, self.is_what_the_page_says, self.prints_every_theorem, self.writes_the_summary_alone):
            with self.subTest(part=part.__name__):
                part()

    def points(self):
        return [(t, p) for t in self.found["theorems"] for p in t["points"]]

    def meets_the_schema(self):
        expect_closed_schema(self, SCHEMA, ("/options", "/options_given"))
        jsonschema.Draft201909Validator(SCHEMA).validate(self.found)

    def is_right(self):
        self.assertEqual(self.found["check"], {"passed": True, "values_checked": True})
        for s in (4, 16):
            self.assertEqual([(t["theorem"], t["algorithm"]) for t in self.found["theorems"] if t["s"] == s], SERIES)
        for t, p in self.points():
            self.assertIs(p["right"], True)
            self.assertIs(p["as_closed_form"], True)
            self.assertEqual(p["steps"], p["mmu_steps"] + p["vcu_steps"] + p["scalar_steps"])

    def has_the_bounds_of_the_theorems(self):
        for t, p in self.points():
            where = t["theorem"], t["s"], p["size"]
            self.assertEqual((p["steps_bound"], p["work_bound"], p["bits_allowed"]), bounds(t["theorem"], p["size"], t["s"]), where)
            self.assertAlmostEqual(p["steps_ratio"], p["steps"] / p["steps_bound"], delta=1e-12)
            self.assertAlmostEqual(p["work_ratio"], (p["macs"] + p["gates"]) / p["work_bound"], delta=1e-12)

    def takes_the_steps_of_the_formulas(self):
        for t, p in self.points():
            self.assertEqual(p["steps"], steps_of(t["theorem"], t["algorithm"], p["size"], t["s"]), (t["theorem"], t["s"], p["size"]))

    def is_flat_where_it_says_so(self):
        for t in self.found["theorems"]:
            for what in ("steps", "work"):
                last = [p[f"{what}_ratio"] for p in t["points"]][-3:]
                self.assertAlmostEqual(t[f"{what}_spread"], max(last) / min(last), delta=1e-12)
                claimed = what == "steps" or (t["theorem"], t["s"]) not in NOT_CLAIMED
                self.assertEqual((t[f"{what}_spread_allowed"], t[f"{what}_flat"]), (FLAT, True) if claimed else (None, None), t["theorem"])
                self.assertEqual(max(last) / min(last) <= FLAT, claimed, (t["theorem"], t["s"], what))

    def has_words_within_their_bits(self):
        for t, p in self.points():
            self.assertLessEqual(p["bits"], p["bits_allowed"])
            if t["theorem"] in ("4.1", "4.2"):  # the sum of all values, 0 to 7, of which the mean is 3.5
                self.assertEqual(p["bits_allowed"] - p["bits"], 1, (t["algorithm"], p["size"]))
        short = next(t for t in self.found["theorems"] if (t["theorem"], t["s"]) == ("4.3", 16))
        self.assertLessEqual(short["points"][-1]["bits"], short["points"][-1]["bits_allowed"] / 2)

    def keeps_the_lower_bound_of_the_vector_unit(self):
        for t, p in self.points():
            n = PRODUCT_BITS[t["theorem"]] if t["theorem"].startswith("corollary") else p["size"]
            bound = math.log2(n) / math.log2(math.log2(n)) if n >= 4 else None
            self.assertEqual(bound is None, p["vector_steps_bound"] is None)
            if bound:
                self.assertAlmostEqual(p["vector_steps_bound"], bound, delta=1e-12 * bound)
                self.assertGreaterEqual(p["vector_steps"], bound)
            if t["algorithm"] == "scan":
                self.assertEqual((p["vector_variant"], p["vector_steps"]), ("scan_vcu", levels(p["size"], 2)))
            self.assertIn("_vcu", p["vector_variant"])  # without the matrix unit and, as MUL and GEMM_VCU, a multiplier
            self.assertNotEqual(p["vector_variant"], "gemm_vcu")
            self.assertEqual(p["over_vector"], p["steps"] / p["vector_steps"])

    def reverses_blocks(self):
        found = self.found["lemma_3_4"]
        self.assertEqual([(r["s"], r["blocks"]) for r in found], [(s, 2 ** k) for s in (4, 16) for k in range(1, 7)])
        for r in found:
            self.assertEqual((r["groups"], r["block"], r["right"], r["as_closed_form"]), (4, r["s"] // 2, True, True))
            n = r["groups"] * r["blocks"] * r["block"]
            self.assertEqual((r["vector_steps"], r["vector_gates"]), (1, n * WORD))
            self.assertEqual(r["matrix_calls"], 1 if r["blocks"] == 2 else r["blocks"] * 5 // 2)
            self.assertEqual(r["least_calls"], -(-(r["blocks"] - 1) * r["block"] // (r["s"] - 1)))

    def is_what_the_page_says(self):
        with open(os.path.join(SOURCE, "docs/segmented.md"), encoding="utf-8") as file:
            page = file.read().split("\n## Theorems\n")[1].split("\n## ")[0]
        rows = re.findall(r"^\| ([^|`]*): `(\w+)` \| (\d+) \| (.*) \|$", page, re.M)
        expected = []
        for t in self.found["theorems"]:
            p = t["points"][-1]
            expected.append((t["theorem"], t["algorithm"], str(t["s"]), " | ".join((
                f"{p['size']:,}", str(p["steps"]), f"{p['steps_ratio']:.4g}", f"{p['work_ratio']:.4g}",
                f"{p['bits']} of {p['bits_allowed']}", f"{p['vector_steps']} (`{p['vector_variant']}`)",
                f"{p['vector_steps_bound']:.4g}"))))
        self.assertEqual(rows, expected)
        reversals = re.findall(r"^\| (\d+) \| (\d+) \| ([\d,]+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.M)
        self.assertEqual(reversals, [(str(r["s"]), str(r["blocks"]), f"{4 * r['blocks'] * r['block']:,}", str(r["vector_steps"]),
                                      str(r["matrix_calls"]), str(r["least_calls"])) for r in self.found["lemma_3_4"]])
        sample = re.search(r"(?:^    .*\n)+", page.split("and at its end,")[1], re.M)[0]
        for line in sample.splitlines():
            if line.strip() != "..":
                self.assertIn(line[4:], [printed.replace(" ", "", 1) if printed.startswith(" ") else printed
                                         for printed in self.out.splitlines()])

    def prints_every_theorem(self):
        for t in self.found["theorems"]:
            title = t["theorem"] if t["theorem"][0] in "lc" else f"theorem {t['theorem']}"
            self.assertEqual(len(re.findall(rf"^  {re.escape(title)} \({t['algorithm']}\), ", self.out, re.M)), 2)
        self.assertNotRegex(self.out, "NOT FLAT|WRONG|DIFFER|BELOW|MORE BITS|FAILED")

    def writes_the_summary_alone(self):
        self.assertEqual(os.listdir(self.path("files")), ["summary.json"])


class Options(SegmentedTest):
    outputs = ("--out files",)  # of those of a single run, it has no other

    def test_values_are_not_checked_on_request(self):
        found = self.summary("--theorems --no-check --seed 7")
        self.assertEqual(found["check"], {"passed": True, "values_checked": False})
        self.assertEqual(found["configuration"]["seed"], 7)
        self.assertTrue(all(p["right"] is None for t in found["theorems"] for p in t["points"]))
        self.assertTrue(all(p["bits"] <= p["bits_allowed"] for t in found["theorems"] for p in t["points"]))

    def test_what_does_not_go_with_them(self):
        for option in ("--operation scan", "--variant scan", "--vector-only", "--compare", "--vary lanes=1", "--length 9",
                       "--columns 9", "--density 0.1", "--attention 1,1", "--fill random", "--bits 3", "--matrix a.mtx",
                       "--input x.npy", "--allow-nonfinite", "--flags f.npy", "--output z.npy", "--array 4", "--s 4",
                       "--format f64", "--blocks none", "--word-bits 8", "--in-words 1", "--out-words 1", "--vcd wave",
                       "--address-trace t.stl", "--watch 0,0"):
            name = "--array" if option == "--s 4" else option.split()[0]
            self.refuses(f"--theorems {option}", name, "--theorems", "single run")
