"""--compare: every variant at every length, crossovers, sensitivity."""
import re

import jsonschema
import numpy as np
from tensorloom.schemas import load_schema

from segmented_program import METRICS, VARIANTS, SegmentedTest, crossover_text
from testbench_summary import expect_closed_schema

SCHEMA = load_schema("segmented-comparison")
OPEN = ("/energy_pJ", "/options", "/instructions")


class Comparison(SegmentedTest):
    def compared(self, line):
        found = self.summary(f"--compare {line}")
        jsonschema.Draft201909Validator(SCHEMA).validate(found)
        self.assertIs(found["check"]["passed"], True)
        return found

    @staticmethod
    def costs(found, factor=1):
        """(variant, length) -> {metric: cost}"""
        points = next(entry["points"] for entry in found["sensitivity"] if entry["factor"] == factor)
        return {(p["variant"], p["length"]): {"steps": p["steps"], "cycles": p["cycles"], "energy": p["energy_pJ"]}
                for p in points}

    def test_is_a_schema_that_leaves_no_object_open(self):
        expect_closed_schema(self, SCHEMA, (*OPEN, "/options_given"))

    def test_every_operation(self):
        for operation, names in VARIANTS.items():
            with self.subTest(operation=operation):
                found = self.compared(f"--operation {operation} --length 12 --s 4")
                self.assertEqual(found["lengths"], [4, 8, 12])
                out = {entry["variant"]: entry["reason"] for entry in found["left_out"]}
                ran = [run["variant"] for run in found["runs"]]
                self.assertEqual(ran, [name for name in names if name not in out for _ in found["lengths"]])
                self.assertLessEqual(set(out), {"spmv_scd"})

    def test_the_printed_spmv_is_left_out_where_rows_are_empty(self):
        found = self.compared("--operation spmv --length 20 --density 0.01")
        self.assertEqual([entry["variant"] for entry in found["left_out"]], ["spmv_scd"])
        self.assertIn("empty rows", found["left_out"][0]["reason"])
        self.assertEqual(self.compared("--operation spmv --length 8 --density 1")["left_out"], [])

    def test_a_run_of_it_is_the_same_as_a_run_alone(self):
        problem = "--s 4 --fill formula --memory sram"  # a DRAM's rows and refresh go on from run to run
        found = self.compared(f"--operation segmented-scan --length 40 {problem}")
        for run in found["runs"]:
            alone = self.summary(f"--variant {run['variant']} --length {run['length']} {problem}")
            for key in ("model", "cycles", "cycles_by_cause", "events", "instructions", "programs"):
                self.assertEqual(run[key], alone[key], (run["variant"], run["length"], key))
            self.assertEqual(sum(run["cycles_by_cause"].values()), run["cycles"])
        points = self.costs(found)
        for run in found["runs"]:
            self.assertEqual(points[run["variant"], run["length"]],
                             {"steps": run["model"]["steps"], "cycles": run["cycles"], "energy": run["energy_pJ"]["total"]})

    def test_crossovers_are_where_the_last_stretch_of_wins_begins(self):
        found = self.compared("--operation segmented-scan --length 300 --s 4")
        costs, some = self.costs(found), 0
        names = VARIANTS["segmented-scan"]
        self.assertEqual([(c["first"], c["second"]) for c in found["crossovers"]],
                         [(a, b) for a in names for b in names if a != b])
        for entry in found["crossovers"]:
            for metric in METRICS:
                wins = [costs[entry["first"], n][metric] < costs[entry["second"], n][metric] for n in found["lengths"]]
                since = [n for i, n in enumerate(found["lengths"]) if all(wins[i:])]
                self.assertEqual(entry[metric], since[0] if since else None, (entry, metric))
                some += bool(since) and not all(wins)
        self.assertGreater(some, 0)

    def test_sensitivity(self):
        found = self.compared("--operation segmented-scan --length 300 --s 4 --lanes 8 --memory sram")
        factors = [entry["factor"] for entry in found["sensitivity"]]
        self.assertEqual(factors, [0.5, 1, 2])
        half, one, two = (self.costs(found, factor) for factor in factors)
        for key, cost in one.items():
            self.assertEqual((half[key]["steps"], two[key]["steps"]), (cost["steps"], cost["steps"]))
            self.assertLess(half[key]["cycles"], cost["cycles"])
            self.assertLess(cost["cycles"], two[key]["cycles"])
            self.assertLess(half[key]["energy"], cost["energy"])
            self.assertLess(cost["energy"], two[key]["energy"])
        vector = [[point["vector_unit_pJ"] for point in entry["points"]] for entry in found["sensitivity"]]
        for once, less, more in zip(vector[1], vector[0], vector[2]):
            self.assertAlmostEqual(less, once / 2, delta=1e-9 * once)
            self.assertAlmostEqual(more, once * 2, delta=1e-9 * once)
        plain = {r["length"]: r for r in found["sensitivity"][1]["rankings"]}
        for entry, costs in zip(found["sensitivity"], (half, one, two)):
            for metric in METRICS:
                for ranked in entry["rankings"]:
                    in_order = [costs[name, ranked["length"]][metric] for name in ranked[metric]]
                    self.assertEqual(in_order, sorted(in_order))
                self.assertEqual(entry["ranking_changed_at"][metric],
                                 [r["length"] for r in entry["rankings"] if r[metric] != plain[r["length"]][metric]])
        self.assertEqual(found["sensitivity"][1]["ranking_changed_at"], {metric: [] for metric in METRICS})

    def test_vector_only(self):
        found = self.compared("--operation product --length 8 --vector-only")
        self.assertEqual({run["variant"] for run in found["runs"]}, {"ewmul_vcu", "mul"})
        self.assertEqual({run["model"]["mmu_steps"] for run in found["runs"]}, {0})

    def test_what_cannot_run_is_left_out_with_its_reason(self):
        found = self.compared("--operation matrix-product --length 8 --format f64 --s 4")
        self.assertEqual({run["variant"] for run in found["runs"]}, {"gemm_tiled", "gemm_vcu"})
        for entry in found["left_out"]:
            self.assertIn("f64 found, expected", entry["reason"])

    def test_real_operands_need_no_bits(self):
        self.save("x.npy", np.array([-0.5, 2, 1e6]))
        found = self.compared("--operation product --input x.npy,x.npy")
        self.assertEqual(({run["variant"] for run in found["runs"]}, found["configuration"]["bits"]), ({"mul"}, None))

    def test_operands_of_int8_fit(self):
        found = self.compared("--operation matrix-product --length 20 --format int8")
        self.assertEqual({run["variant"] for run in found["runs"]}, {"matprod_vcu", "gemm_tiled", "gemm_vcu"})
        self.assertEqual(found["configuration"]["bits"], 7)
        found = self.compared("--operation matrix-product --length 8 --format int8 --bits 8")
        self.assertEqual({run["variant"] for run in found["runs"]}, {"matprod_vcu", "gemm_vcu"})
        self.assertIn("--bits", {e["variant"]: e["reason"] for e in found["left_out"]}["gemm_tiled"])

    def test_flags_that_a_variant_makes_have_room_in_memory(self):
        found = self.compared("--operation product --length 262145")
        self.assertIn("ewmul_seg", {run["variant"] for run in found["runs"]})

    def test_files(self):
        x = np.arange(100) % 7
        self.save("x.npy", x)
        self.assertEqual(self.compared("--operation scan --input x.npy")["lengths"], [4, 8, 16, 32, 64, 100])
        self.save_text("a.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 4\n1 1 5\n2 1 1\n2 2 1\n3 2 -7\n")
        found = self.compared("--operation spmv --matrix a.mtx")
        self.assertEqual((found["lengths"], {run["elements"] for run in found["runs"]}), ([3], {4}))

    def test_rows_are_those_of_the_runs(self):
        found = self.compared("--operation segmented-sum --length 40 --s 4")
        rows = self.rows("files/latency.csv")
        for run in found["runs"]:
            own = [row for row in rows if run["first_run"] <= int(row["run"]) < run["first_run"] + run["programs"]]
            self.assertEqual(sum(int(row["cycles"]) for row in own), run["cycles"])
            self.assertEqual({row["job"] for row in own}, {f"{run['variant']} of {run['length']}"})
        self.assertEqual(sum(int(row["cycles"]) for row in rows), sum(run["cycles"] for run in found["runs"]))

    def test_devices_of_other_sizes_are_as_alone(self):
        line = "--operation segmented-scan --length 50 --fill formula --memory sram"
        found = self.compared(f"{line} --vary banks=32,128 --vary array=2,8 --vary lanes=16")
        sizes = [(array, 16, banks) for banks in (32, 128) for array in (2, 8)]
        self.assertEqual([(device["array"], device["lanes"], device["banks"]) for device in found["varied"]], sizes)
        for device, (array, lanes, banks) in zip(found["varied"], sizes):
            alone = self.compared(f"{line} --array {array} --lanes {lanes} --banks {banks}")
            self.assertEqual(device["points"], alone["sensitivity"][1]["points"])
            self.assertEqual(device["crossovers"], alone["crossovers"])
        self.assertEqual(self.compared(line)["varied"], [])

    def test_no_check(self):
        found = self.summary("--compare --length 8 --no-check")
        jsonschema.Draft201909Validator(SCHEMA).validate(found)
        self.assertIsNone(found["check"]["passed"])


class Printed(SegmentedTest):
    def test_tables_crossovers_and_sensitivity(self):
        line = "--operation segmented-scan --length 64 --s 4"
        found = self.summary(f"--compare {line}")
        out = self.succeeds(f"--compare {line}").out
        steps = out.split("  steps of the model\n")[1].split("  cycles\n")[0].splitlines()
        self.assertEqual(steps[0].split(), ["length", *VARIANTS["segmented-scan"]])
        for text in steps[1:]:
            length, *numbers = text.split()
            ran = [run["model"]["steps"] for run in found["runs"] if run["length"] == int(length)]
            self.assertEqual([int(number) for number in numbers], ran)
        for title, field in (("Gelem/s", "Gelem_per_s"), ("GB/s of operands and result", "GB_per_s")):
            rows = out.split(f"  {title}\n")[1].splitlines()[:1 + len(found["lengths"])]
            self.assertEqual(rows[0].split(), ["length", *VARIANTS["segmented-scan"]])
            for text in rows[1:]:
                length, *numbers = text.split()
                self.assertEqual(numbers, [f"{run['throughput'][field]:.4g}" for run in found["runs"] if run["length"] == int(length)])
        for entry in found["crossovers"]:
            text = re.search(rf"^ +{entry['first']} before {entry['second']}: (.*)$", out, re.M)
            self.assertEqual(text is not None, any(entry[metric] for metric in METRICS), entry)
            for metric in METRICS if text else ():
                self.assertIn(f"{metric} {crossover_text(entry[metric], found['lengths'])}", text[1])
        self.assertEqual(len(re.findall(r"^    x (?:0\.5|2), (?:cycles|energy): (?:the same|at length)", out, re.M)), 4)
