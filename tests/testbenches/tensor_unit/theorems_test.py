"""--theorems: every ratio of the golden file, flatness, limits, Theorem 12."""
import math
import os
import re

import jsonschema
from tensorloom.schemas import load_schema

from tensor_unit_program import SOURCE, TensorUnitTest, load_json
from testbench_summary import expect_closed_schema

SCHEMA = load_schema("tensor_unit-theorems")
GOLDEN = load_json(os.path.join(SOURCE, "tests/data/tcu_counts.json"))["ratios"]
THEOREM = {"Thm1(p0=7)": "1, p0=7", "Thm1(p0=8)": "1, p0=8", "Thm2": "2", "Cor1(r=16)": "corollary 1",
           "Thm3(w0=1.5,per round)": "3, per round", "Thm4": "4", "Thm5": "5", "Thm6(dense)": "6, products of theorem 2",
           "Thm7": "7", "Thm8": "8", "Thm9": "9", "Thm10(corrected)": "10, corrected",
           "Thm11": "11"}
FLAT = 1.25


class Theorems(TensorUnitTest):
    # Rows of the page's table of losses.
    ALGORITHM_OF = {"3, sparse product": "sparse", "5, transitive closure": "tclosure", "6, distances": "apsd",
                    "6, distances by Strassen": "apsd_strassen", "7, DFT": "dft", "8, stencil": "stencil",
                    "9, long product": "intmul"}

    def test_every_result_is_right_and_every_bound_holds(self):
        self.found = self.summary("--theorems")  # once for all: it takes seconds
        for part in (self.meets_the_schema, self.is_right, self.is_flat_at_q_4, self.has_no_verdict_at_q_16,
                     self.has_the_golden_ratios, self.has_limits,
                     self.says_where_the_processor_alone_is_faster, self.sweeps_the_stencil, self.has_lower_bounds,
                     self.has_largest_latencies,
                     self.is_what_the_page_says, self.shows_theorem_10_as_printed, self.keeps_theorem_12, self.writes_the_summary_alone):
            with self.subTest(part=part.__name__):
                part()

    def meets_the_schema(self):
        expect_closed_schema(self, SCHEMA, ("/options", "/options_given"))
        jsonschema.Draft201909Validator(SCHEMA).validate(self.found)

    def is_right(self):
        self.assertEqual(self.found["check"], {"passed": True, "values_checked": True})
        for theorem in self.found["theorems"]:
            for point in theorem["points"]:
                self.assertIs(point["right"], True)
                self.assertIsNot(point["as_closed_form"], False)
                self.assertEqual(point["ratio"], point["time"] / point["bound"])

    def is_flat_at_q_4(self):
        small = [t for t in self.found["theorems"] if t["q"] == 4]
        self.assertEqual(len(small), 18)
        self.assertEqual([t["theorem"] for t in small if t["flat"] is None], ["1, p0=23"])  # three sizes are too few
        for theorem in small:
            if theorem["flat"] is None:
                continue
            last = [p for p in theorem["points"] if p["sweeps"] == theorem["points"][-1]["sweeps"]][-3:]
            ratios = [p["ratio"] for p in last]
            self.assertAlmostEqual(theorem["spread"], max(ratios) / min(ratios), delta=1e-12)
            self.assertIs(theorem["flat"], True, theorem["theorem"])
            self.assertLessEqual(theorem["spread"], 1.3 if theorem["algorithm"] == "sparse" else FLAT)

    def has_no_verdict_at_q_16(self):
        for theorem in self.found["theorems"]:
            if theorem["q"] == 16:
                self.assertIsNone(theorem["flat"])

    def has_the_golden_ratios(self):
        compared = {}
        for theorem in self.found["theorems"]:
            for point in theorem["points"]:
                rows = self.golden_rows(theorem, point)
                if not rows:
                    continue
                self.assertIn(point["time"], [row["time"] for row in rows], (theorem["theorem"], theorem["q"], point))
                row = next(row for row in rows if row["time"] == point["time"])
                self.assertAlmostEqual(point["ratio"], row["ratio"], delta=1e-4 * row["ratio"], msg=row)
                key = theorem["theorem"], theorem["q"]
                compared[key] = compared.get(key, 0) + 1
        expected = {(THEOREM[row["theorem"]], row["q"]) for row in GOLDEN if row["theorem"] in THEOREM and row["l"] == 0}
        self.assertEqual(set(compared), expected)
        self.assertEqual({row["theorem"] for row in GOLDEN} - set(THEOREM), {"Thm10(printed)", "Thm12"})
        for (name, q), count in compared.items():
            self.assertGreaterEqual(count, 3 if q == 4 else 2, name)

    @staticmethod
    def golden_rows(theorem, point):
        """Of this theorem, array and size, without latency."""
        return [row for row in GOLDEN
                if (THEOREM.get(row["theorem"]), row["q"], row["l"]) == (theorem["theorem"], theorem["q"], 0)
                and (row.get("N") or row.get("n") or row.get("nl")) == point["size"]
                and point["sweeps"] == row.get("k", point["sweeps"])]

    def has_limits(self):
        limits = {(t["theorem"], t["q"]): t["limit"] for t in self.found["theorems"]}
        self.assertEqual([limits["corollary 1", q] for q in (4, 16)], [1.75, 1])
        for t in self.found["theorems"]:
            if t["theorem"] == "corollary 1":
                self.assertEqual([point["ratio"] for point in t["points"]], 4 * [t["limit"]])

    def says_where_the_processor_alone_is_faster(self):
        for theorem in self.found["theorems"]:
            loses = [point["time"] > point["baseline_ops"] for point in theorem["points"]]
            if (theorem["algorithm"], theorem["q"]) == ("dft", 4):
                self.assertEqual(loses, [point["size"] > 64 for point in theorem["points"]])
                self.assertIn((4096, 86016, "dft_radix2", 73728),
                              [tuple(p[key] for key in ("size", "time", "baseline", "baseline_ops")) for p in theorem["points"]])
            elif (theorem["algorithm"], theorem["q"]) == ("intmul", 4):
                self.assertEqual(loses, [point["size"] > 1024 for point in theorem["points"]])
            else:
                expected = theorem["algorithm"] in ("stencil", "sparse", "tclosure", "apsd", "apsd_strassen")
                self.assertEqual(loses, len(loses) * [expected], (theorem["theorem"], theorem["q"]))
        for name in ("sparse", "tclosure", "apsd"):
            theorem = next(t for t in self.found["theorems"] if t["algorithm"] == name and t["q"] == 4)
            for point in theorem["points"]:
                edges = "" if name == "sparse" else f"--edges {point['edges']}"
                line = f"--algorithm {point['baseline']} --size {point['size']} --m 16 {edges}"
                self.assertEqual(self.summary(line, "one")["model"]["cpu_ops"], point["baseline_ops"], line)

    def has_lower_bounds(self):
        for theorem in self.found["theorems"]:
            name, q = theorem["algorithm"], theorem["q"]
            m = q * q
            for point in theorem["points"]:
                bounds, n = point["lower_bounds"], point["size"]
                self.assertEqual(bounds["simulated_io"], m * point["calls"] + 2 * q * point["rows"] + 3 * point["cpu_ops"])
                self.assertLessEqual(bounds["simulated_io"], 3 * point["time"])
                inner = {"dense": n, "rect": point["inner"], "recursive8": n,
                         "apsd": 2 * max(1, math.ceil(math.log2(n))) * n}.get(name)
                self.assertEqual(bounds["no_semiring_products"] is None, inner is not None, name)
                if inner is None:
                    self.assertIsNone(bounds["semiring_products"])
                else:
                    self.assertAlmostEqual(bounds["semiring_products"], n * n * inner / q, delta=1e-6)
                    self.assertEqual(bounds["time_over_semiring_products"], point["time"] / bounds["semiring_products"])
                    self.assertGreaterEqual(point["time"], bounds["semiring_products"])
                least = 2 * n * n * inner / math.sqrt(3 * m) - 6 * m if inner and name != "apsd" else 0
                self.assertEqual(bounds["no_io_bound"] is None, least > 0, name)
                if least > 0:
                    self.assertAlmostEqual(bounds["io_bound"], least, delta=1e-9 * least)
                    self.assertGreaterEqual(bounds["io_over_bound"], 1)

    def has_largest_latencies(self):
        for theorem in self.found["theorems"]:
            for point in theorem["points"]:
                limit = (point["baseline_ops"] - 1 - point["time"]) // point["calls"] if point["time"] < point["baseline_ops"] else None
                if theorem["theorem"] == "1, p0=7, best leaf":  # a latency makes larger leaves the best ones
                    n, q = point["size"], theorem["q"]
                    limits = []
                    for divisions in range(int(math.log2(n // q)) + 1):
                        leaf = n >> divisions
                        calls = 7 ** divisions * (leaf // q) ** 2
                        time = calls * leaf * q + 7 ** divisions * (leaf // q - 1) * leaf ** 2 + sum(
                            18 * 7 ** j * (n >> j + 1) ** 2 for j in range(divisions))
                        limits.append((2 * n ** 3 - 1 - time) // calls)
                    limit = max(limits)
                self.assertEqual(point["latency_limit"], limit, (theorem["theorem"], theorem["q"], point["size"]))
        dense = next(t for t in self.found["theorems"] if t["algorithm"] == "dense" and t["q"] == 4)["points"][0]
        line = f"--size {dense['size']} --m 16 --no-check --latency"
        self.assertEqual(2 * dense["size"] ** 3, dense["baseline_ops"])
        self.assertLess(self.summary(f"{line} {dense['latency_limit']}", "one")["model"]["time"], dense["baseline_ops"])
        self.assertGreaterEqual(self.summary(f"{line} {dense['latency_limit'] + 1}", "one")["model"]["time"], dense["baseline_ops"])

    def sweeps_the_stencil(self):
        found = {(entry["q"], entry["point"]["sweeps"]): entry for entry in self.found["theorem_8_by_sweeps"]}
        self.assertEqual(set(found), {(q, k) for q in (4, 16) for k in (2, 4, 8, 16)})
        for (q, k), entry in found.items():
            point, n = entry["point"], entry["point"]["size"]
            self.assertIs(point["right"] and point["as_closed_form"], True)
            self.assertEqual([timed["latency"] for timed in entry["latencies"]], [0, 1000, 10 ** 6, 10 ** 9])
            for timed in entry["latencies"]:
                self.assertEqual(timed["time"], point["rows"] * q + point["calls"] * timed["latency"] + point["cpu_ops"])
                bound = n * n * max(1, math.log(k, q * q)) + timed["latency"] * math.log2(k)
                self.assertAlmostEqual(timed["bound"], bound, delta=1e-9 * bound)
                self.assertEqual(timed["ratio"], timed["time"] / timed["bound"])
        for k, ratio in ((4, 419.7), (8, 695.5), (16, 772.5)):  # no constant in k
            self.assertAlmostEqual(found[4, k]["latencies"][0]["ratio"], ratio, delta=0.05)

    def is_what_the_page_says(self):
        with open(os.path.join(SOURCE, "docs/tensor_unit.md"), encoding="utf-8") as file:
            page = file.read()
        rows = re.findall(r"^\| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", page, re.M)
        self.assertEqual([(int(q), int(k), *ratios) for q, k, *ratios in rows],
                         [(entry["q"], entry["point"]["sweeps"], *(f"{t['ratio']:.4g}" for t in entry["latencies"]))
                          for entry in self.found["theorem_8_by_sweeps"]])
        losing = page.split("\n## Where the tensor unit loses\n")[1].split("\n## ")[0]
        columns = re.search(r"^\| theorem \| q \| sizes \| `(.*?)` \| `(.*?)` \| `(.*?)` \|$", losing, re.M).groups()
        cells = {(self.ALGORITHM_OF[row[0]], int(row[1])): row[2:] for row in
                 re.findall(r"^\| (\d+, [^|]*) \| (\d+) \| [^|]* \| (.*) \| (.*) \| (.*) \|$", losing, re.M)}
        self.assertEqual(set(cells), {(name, q) for name in self.ALGORITHM_OF.values() for q in (4, 16)})
        for column, charges in enumerate(columns):
            found = self.found if charges == "v1" else self.summary(f"--theorems --no-check --charges {charges}", "charged")
            self.assertEqual(found["configuration"]["charges"], charges)
            points = {(t["algorithm"], t["q"]): t["points"] for t in found["theorems"]}
            points.update({("stencil", q): [entry["point"] for entry in found["theorem_8_by_sweeps"] if entry["q"] == q]
                           for q in (4, 16)})
            for (name, q), at_sizes in points.items():
                over = [p["time"] / p["baseline_ops"] for p in at_sizes]
                if (name, q) in cells:
                    self.assertEqual(cells[name, q][column], ", ".join(f"{ratio:.4g}" for ratio in over), (name, q, charges))
            for theorem in found["theorems"]:
                if theorem["algorithm"] in self.ALGORITHM_OF.values():
                    continue
                over = [p["time"] / p["baseline_ops"] for p in theorem["points"]]
                self.assertTrue(all(0.03 < ratio <= 1 for ratio in over), theorem["theorem"])
                self.assertTrue(all(ratio < 0.8 or p["size"] <= theorem["q"] for ratio, p in zip(over, theorem["points"])))

        bearing = page.split("\n## How much latency the tensor unit bears\n")[1].split("\n## ")[0]
        rows = re.findall(r"^\| ([^|]*): `(\w+)` \| (\d+) \| ([^|]*) \| ([^|]*) \|$", bearing, re.M)
        told = {(theorem, name, int(q)): (sizes, limits) for theorem, name, q, sizes, limits in rows}
        self.assertEqual(told, {(t["theorem"], t["algorithm"], t["q"]): tuple(", ".join(texts) for texts in zip(*(
            (f"{p['size']:,}", "-" if p["latency_limit"] is None else f"{p['latency_limit']:,}") for p in t["points"])))
            for t in self.found["theorems"]})

    def shows_theorem_10_as_printed(self):
        found = self.found["theorem_10_as_printed"]
        self.assertEqual([row["q"] for row in found], [2, 4, 8, 16, 32])
        for key, ratios in (("at_printed_cutoff", (18, 19, 39, 79, 159)), ("at_best_cutoff", (15.0, 19.0, 23.7, 30.1, 39.1))):
            for row, ratio in zip(found, ratios):
                self.assertAlmostEqual(row[key]["ratio"], ratio, delta=0.05)
                self.assertEqual(row[key]["ratio"], row[key]["tensor_time"] / row[key]["bound"])
        row = found[1]["at_printed_cutoff"]
        run = self.summary(f"--algorithm karatsuba --size {found[1]['size']} --cutoff {row['cutoff']} --m 16 --no-check",
                           "one")["model"]
        self.assertEqual(run["tensor_time"], row["tensor_time"])

    def keeps_theorem_12(self):
        golden = {(row["q"], row["N"]): row for row in GOLDEN if row["theorem"] == "Thm12" and row["l"] == 0}
        self.assertGreaterEqual(len(self.found["theorem_12"]), 6)
        for row in self.found["theorem_12"]:
            self.assertIs(row["holds"], True)
            self.assertAlmostEqual(row["io_bound"], 2 * row["size"] ** 3 / (3 * row["q"] ** 2) ** 0.5 - 6 * row["q"] ** 2,
                                   delta=1e-9 * row["io_bound"])
            expected = golden.get((row["q"], row["size"]))
            if expected:
                self.assertEqual((row["time"], row["simulated_io"]), (expected["weak_time"], expected["simulated_io"]))

    def writes_the_summary_alone(self):
        self.assertEqual(os.listdir(self.path("files")), ["summary.json"])

class Latency(TensorUnitTest):
    def test_enters_time_and_bound_and_the_table_tells_them(self):
        out = self.succeeds("--theorems --latency 1000 --no-check --out files").out
        found = load_json(self.path("files/summary.json"))
        self.assertEqual(len(re.findall(r"^  (?:theorem|corollary) ", out, re.M)), len(found["theorems"]) + 3)
        self.assertIn("values not checked", out)
        self.assertNotIn("theorem corollary", out)
        for options in ("inner 16)", "nonzeros 64)", "sweeps 4)", "cutoff 16)", "cutoff 256)", "points 64)"):
            self.assertIn(options, out)
        for theorem in found["theorems"]:
            self.assertIn(f"{theorem['points'][-1]['ratio']:.4g} ({theorem['points'][-1]['size']}", out)
        dense = next(t for t in found["theorems"] if t["algorithm"] == "dense" and t["q"] == 4)
        point = dense["points"][-1]
        self.assertEqual(point["time"], point["tensor_time"] + point["cpu_ops"])
        self.assertEqual(point["ratio"], point["time"] / point["bound"])
        self.assertEqual(point["tensor_time"], 4 * point["rows"] + 1000 * point["calls"])
        n = point["size"]
        self.assertAlmostEqual(point["bound"], n ** 3 / 4 + n * n / 16 * 1000, delta=1e-6)
