"""What compare_measured finds: cycles beside closed forms and bounds, errors beside those of numpy, and a summary that
meets its schema."""
import csv
import json
import math

import jsonschema
import numpy as np

from compare_measured_program import ROW, CompareMeasuredTest
from testbench_summary import SummarySchema

SMALL = "--only 16x256x256"


class Summary(SummarySchema, CompareMeasuredTest):
    small_job = SMALL
    open_objects = ("/options",)

    def every_kind(self):
        self.cases(ROW)
        return (SMALL, f"{SMALL} --no-check", "--cases cases.csv --technology 45nm", "--cases cases.csv --fidelity detailed",
                "--machine systolic-rtl", "--machine ascend-910b --only compress_share")

    def test_an_unknown_missing_or_wrong_field_does_not_meet_it(self):
        good, schema = self.meets(SMALL), self.schema()
        for index, spoil in enumerate((
                lambda s: s.update(extra=1), lambda s: s.pop("cases"), lambda s: s["check"].update(extra=1),
                lambda s: s["check"].pop("passed"), lambda s: s["configuration"].update(extra=1),
                lambda s: s["configuration"].update(machine="tpu"), lambda s: s["cases"][0].update(cycles=-1),
                lambda s: s["cases"][0].pop("measured_cycles"), lambda s: s["cases"][0]["cycles_by_cause"].update(luck=1),
                lambda s: s["errors"]["all"].pop("mean_abs"), lambda s: s["errors"]["all"].update(rank_correlation=2),
                lambda s: s["fitted"][0].update(value=-1), lambda s: s["simulation"].update(wall_s=None))):
            bad = json.loads(json.dumps(good))
            spoil(bad)
            self.assertFalse(jsonschema.Draft201909Validator(schema).is_valid(bad), index)


class Result(CompareMeasuredTest):
    def ranks(self, values):
        """Equal ones share the mean of their places."""
        values = np.asarray(values)
        return np.array([np.mean(np.flatnonzero(np.sort(values) == value)) for value in values])

    def test_the_goals_of_the_shipped_measurements(self):
        found = self.passes("")
        self.assertEqual(len(found["cases"]), 33)
        errors = found["errors"]
        self.assertLessEqual(errors["other"]["mean_abs"], 0.15)
        self.assertLessEqual(errors["all"]["largest_abs"], 0.4)
        self.assertGreaterEqual(errors["all"]["rank_correlation"], 0.95)
        self.assertEqual(len({case["name"] for case in found["cases"] if case["fitted"]}), 3)
        for fitted, name in ((True, "fitted"), (False, "other"), (None, "all")):
            chosen = [case for case in found["cases"] if fitted in (None, case["fitted"])]
            model, measured = ([case[field] for case in chosen] for field in ("cycles", "measured_cycles"))
            off = np.abs(np.array(model) / measured - 1)
            self.assertEqual(errors[name]["cases"], len(chosen))
            self.assertAlmostEqual(errors[name]["mean_abs"], off.mean(), places=12)
            self.assertAlmostEqual(errors[name]["largest_abs"], off.max(), places=12)
            self.assertAlmostEqual(errors[name]["rank_correlation"],
                                   np.corrcoef(self.ranks(model), self.ranks(measured))[0, 1], places=12)
        with open(self.path("files/cases.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["name"], int(row["cycles"]), int(row["measured_cycles"])) for row in rows],
                         [(case["name"], case["cycles"], case["measured_cycles"]) for case in found["cases"]])

    def test_an_array_with_registers_in_every_element_is_that_of_the_rtl(self):
        for case in self.passes("--machine systolic-rtl")["cases"]:
            rows = int(case["name"].split("x")[0])
            self.assertEqual((case["cycles"], case["measured_cycles"]), (4 + rows + 10, 4 + rows + 10))

    def test_weights_of_a_tpu_take_the_bandwidth_of_the_memory(self):
        columns, bytes_per_cycle = "name,M,K,N,TOPS", 48
        self.cases("few,8,4096,1024,10", "many,200,4096,1024,20", columns=columns)
        few, many = self.passes("--machine tpu-v1 --cases cases.csv")["cases"]
        for case, rows, tera in ((few, 8, 10), (many, 200, 20)):
            self.assertEqual(case["measured_cycles"], round(2 * rows * 4096 * 1024 / (tera * 1000) * 0.7))
            least = (4096 * 1024 + rows * 4096) / bytes_per_cycle
            self.assertGreater(case["cycles"], least)
            self.assertLess(case["cycles"], 1.25 * least)

    def test_a_multiprocessor_does_512_multiply_adds_per_cycle(self):
        self.cases("a,2048,1.38,90", columns="name,N,GHz,TFLOPS")
        case, = self.passes("--machine volta --cases cases.csv")["cases"]
        self.assertEqual(case["macs"], 128 * 128 * 2048)
        self.assertEqual(case["measured_cycles"], round(2 * 2048**3 / 90e3 * 1.38 / math.ceil(16 * 16 / 80)))
        self.assertGreater(case["cycles"], case["macs"] / 512)
        self.assertLess(case["cycles"], 1.3 * case["macs"] / 512)

    def test_ratios_are_those_of_runs_of_segmented(self):
        columns = "name,of,over,quantity,format,length,density,ratio"
        self.cases("a,copy,diff_vcu,cycles,int32,4096,0,1", "b,copy+diff_vcu,diff_vcu,cycles,int32,4096,0,1",
                   "c,copy,diff_vcu,bytes_per_cycle,int32,4096,0,1", "d,scan_hybrid,copy,bytes_per_cycle,int8,4096,0,1",
                   "e,scan_hybrid,copy,cycles,int8,4096,0,1", columns=columns)
        copy, both, rate, wide, narrow = (case["model"] for case in self.passes("--machine ascend-910b --cases cases.csv")["cases"])
        self.assertAlmostEqual(both, copy + 1, places=12)
        self.assertAlmostEqual(rate, 1 / copy, places=12)  # as many bytes in both
        self.assertAlmostEqual(wide, (1 + 4) / (1 + 1) / narrow, places=12)  # bytes of int8, sums of int32

    def test_what_memory_decides_is_near_what_was_measured_and_the_rest_is_not(self):
        cases = {case["name"]: case for case in self.passes("--machine ascend-910b")["cases"]}
        for name in ("scan_bandwidth", "difference_bandwidth", "compress_share"):
            self.assertLess(abs(cases[name]["error"]), 0.1, name)
        self.assertLess(cases["scan_tile_speedup"]["model"], 1)
        self.assertTrue(all(case["measured_cycles"] is None for case in cases.values()))

    def test_cycles_are_at_least_those_of_rows_and_of_bytes(self):
        for case in self.summary("")["cases"]:
            m, k, n = map(int, case["name"].split("x"))
            self.assertEqual(case["macs"], m * k * n)
            self.assertEqual(sum(case["cycles_by_cause"].values()), case["cycles"] + case["cycles_by_cause"]["fetch"])
            self.assertGreater(case["cycles"], m * math.ceil(k / 16) * math.ceil(n / 16))
            self.assertGreater(case["cycles"], (m * k + k * n + m * n) / 12)

    def test_fidelities_seeds_and_files_give_the_same_cycles(self):
        self.cases(ROW, ROW.replace("Q2", "Q1").replace("L3[WIO] N1", "L3[WIO] Q2"))
        fast, detailed, seeded = (self.passes(f"--cases cases.csv {more}") for more in ("", "--fidelity detailed", "--seed 9"))
        for other in (detailed, seeded):
            for one, same in zip(fast["cases"], other["cases"]):
                self.assertEqual((one["cycles"], one["cycles_by_cause"]), (same["cycles"], same["cycles_by_cause"]))
        self.assertEqual([case["line"] for case in fast["cases"]], [3, 4])
        self.assertEqual(fast["errors"]["fitted"], None)

    def test_more_calls_and_more_loads_take_longer(self):
        def cycles(*mappings):
            self.cases(*(f"49,256,256,4096,131072,1,0,{mapping}" for mapping in mappings))
            return [case["cycles"] for case in self.summary("--cases cases.csv")["cases"]]
        whole, rows, tiles = cycles("L3[WIO] N1 - L2[WI] K16X - L1[O] K16 C16 C16X - L0[W] P49",
                                    "L3[WIO] N1 - L2[WI] K16X - L1[O] K16 C16 C16X - L0[W] Q49",
                                    "L3[WIO] K16 - L2[WI] K16X - L1[O] C16 C16X - L0[W] P49")
        self.assertGreater(rows, 49 * 8 * 256)  # a call of a row each 8 cycles
        self.assertLess(whole, rows / 4)
        self.assertGreater(tiles, whole)  # the inputs are loaded 16 times
