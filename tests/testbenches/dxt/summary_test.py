"""summary.json: its schema, and that it tells what happened."""
import json
import os
import re

import jsonschema
import numpy as np
import yaml

import transform_oracle as oracle
from dxt_program import PROGRAM, SOURCE, WRONG, DxtTest, load_json
from testbench_summary import DeviceSummarySchema


class Schema(DeviceSummarySchema, DxtTest):
    small_job = "--shape 2x3x4"
    spoils = (lambda s: s["stages"].pop(), lambda s: s["stages"][0].pop("macs"), lambda s: s["events"].pop("mac"))

    def every_kind(self):
        self.save("c.npy", np.eye(4))
        self.save("y0.npy", np.zeros((2, 3, 4)))
        return ("--shape 1x1x1", "--shape 2x3x4 --sparsity dense",
                     "--shape 2x3x4 --fidelity detailed --mesh 3x4x5", "--shape 2x3x4 --transform dft",
                     "--shape 2x3x4 --format f32 --inverse --norm backward",
                     "--shape 2x3x4 --format c64 --technology 7nm", "--shape 2x3x4 --keep 0.5",
                     "--shape 2x3x4 --batch 3 --tags random", "--shape 2x3x4 --zeros 1",
                     "--shape 2x3x4 --transform dct,dct,file:c.npy",
                     "--shape 2x3x4 --initial y0.npy --order 123",
                     "--shape 2x3x4 --chain --threshold 0.1", "--shape 2x3x4 --chain --batch 2 --double-buffer --format bf16",
                     "--shape 2x3x4 --clock 0.7 --allow-overclock --step-cycles 7 --burst 4 --load-elements 1",
                     "--shape 2x3x4 --out-shape 3x2x5 --format bf16", "--shape 5x6x7 --mesh 2x3x4 --double-buffer",
                     "--shape 2x4x8 --format int8 --transform dwht --norm backward --shift 1,2,3",
                     "--shape 2x3x4 --seed 18446744073709551615 --vertical-mode 0 --strobe-energy",
                     "--shape 2x3x4 --zero-threshold 1.7976931348623157e308",
                     "--shape 2x3x4 --vcd wave --watch 0,0,0 --watch 1,1,1 --line-extent active")



class Bounds(DxtTest):
    """What results may be off, and what they are."""

    def test_of_random_numbers_are_near_the_error(self):
        for options, of_bound, of_worst_case in (("--format f32", 30, 2000), ("--format f32 --fill ramp", 30, 2000), ("--format f64", 30, 2000),
                                                 ("--format c64 --transform dft", 75, 5000)):
            check = self.summary(f"--shape 64x64x64 {options}")["check"]
            self.assertEqual((check["passed"], check["systematic"]), (True, 0), options)
            self.assertLess(check["max_abs_error"], check["bound"])
            self.assertLess(check["bound"], check["worst_case_bound"])
            self.assertLess(check["worst_case_bound"], of_worst_case * check["max_abs_error"], options)
            self.assertLess(check["bound"], of_bound * check["max_abs_error"], options)
            self.assertLess(check["max_abs_error"] / check["bound"] / 2, check["worst_of_bound"])
            self.assertLess(check["worst_of_bound"], 1)

    def test_that_equal_numbers_exceed_are_those_of_the_format(self):
        self.save("x.npy", np.full((2, 2, 4096), 0.1, np.float32))  # all sums round alike
        line = "--input x.npy --format f32 --transform dwht --norm backward --matrix-elements 16777216"
        check = self.summary(line)["check"]
        self.assertEqual((check["passed"], check["systematic"]), (True, 1))
        self.assertLess(check["bound"], check["max_abs_error"])
        self.assertLess(check["max_abs_error"], check["worst_case_bound"])
        out = self.succeeds(line).out
        self.assertIn("\n  regular data          1 element off by more than random rounding errors, as the same sums", out)
        self.assertNotIn("regular data", self.succeeds("--shape 8x8x8 --format f32").out)

    def test_are_one_where_only_one_is_known(self):
        for options in ("--format bf16", "--format int8 --transform dwht --norm backward --shift 2,2,2",
                        "--format f32 --zero-threshold 0.01"):
            check = self.summary(f"--shape 4x4x4 {options}")["check"]
            self.assertEqual(check["bound"], check["worst_case_bound"])
            self.assertEqual(check["systematic"], 0)
            self.assertNotIn("for any roundings", self.succeeds(f"--shape 4x4x4 {options}").out)

    def test_of_denormal_numbers_call_no_rounding_a_large_error(self):
        for dtype in (np.float32, np.float64):
            self.save("x.npy", (np.arange(60).reshape(3, 4, 5) * np.finfo(dtype).smallest_subnormal).astype(dtype))
            for options in ("", "--sparsity dense"):
                check = self.summary(f"--input x.npy {options}")["check"]
                self.assertIs(check["passed"], True)
                self.assertLess(check["max_rel_error"], 1e-6 if dtype is np.float32 else 1e-14)


class NotFinite(DxtTest):
    SPARSITIES = ("", "--sparsity dense", "--fidelity detailed", "--mesh 2x3x2")

    def checked(self, line):
        done = self.succeeds(f"{line} --out files")
        found = load_json(self.path("files/summary.json"))
        jsonschema.Draft201909Validator(Schema.schema()).validate(found)
        return done.out, found["check"]

    def test_tensor(self):
        for kind, dtype in (("f64", float), ("f32", np.float32), ("bf16", np.float32), ("c128", complex)):
            for bad, word in ((np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")):
                x = np.arange(60).reshape(3, 4, 5).astype(dtype)
                x[1, 2, 3] = complex(0, bad) if kind == "c128" else bad
                self.save("x.npy", x)
                line = f"--input x.npy --format {kind} --transform dht"  # which has no zeros
                for where in ("--input x.npy", "--shape 3x4x5 --initial x.npy"):
                    if kind != "bf16" or "--input" in where:
                        self.refuses(f"{where} --format {kind}", f"x.npy: element (1,2,3) is {word}", "expected finite numbers",
                                     "--allow-nonfinite")
                for options in self.SPARSITIES:
                    with self.subTest(kind=kind, bad=bad, options=options):
                        out, check = self.checked(f"{line} --allow-nonfinite {options}")
                        self.assertEqual((check["passed"], check["finite"], check["not_finite"]), (True, False, 60))
                        self.assertIn("non-finite data       60 elements NaN or infinite in the reference", out)

    def test_matrix(self):
        for bad, word in ((np.nan, "nan"), (np.inf, "inf")):
            matrix = np.eye(3)
            matrix[0, 1] = bad
            self.save("c.npy", matrix)
            line = "--shape 3x3x3 --transform dct,file:c.npy,dct"
            self.refuses(line, f"--transform: c.npy: element (0,1) is {word}", "expected finite numbers")
            for options in self.SPARSITIES:
                with self.subTest(bad=bad, options=options):
                    out, check = self.checked(f"{line} --allow-nonfinite {options}")
                    self.assertEqual((check["passed"], check["finite"], check["not_finite"]), (True, False, 9))

    def test_numbers_beyond_the_format_count(self):
        self.save("x.npy", np.full((2, 2, 2), 1e300))
        self.refuses("--input x.npy --format f32", "x.npy: element (0,0,0) is inf")

    def test_overflow_of_finite_data_fails_with_and_without_the_option(self):
        self.save("x.npy", np.full((3, 4, 5), np.finfo(float).max))
        for options in ("", "--allow-nonfinite"):
            done = self.run_program(f"--input x.npy {options}")
            self.assertEqual((done.status, done.err), (WRONG, ""))

    def test_finite_data_is_not_called_so(self):
        done = self.succeeds("--shape 3x4x5 --out files")
        self.assertNotIn("non-finite", done.out)
        self.assertIs(load_json(self.path("files/summary.json"))["check"]["finite"], True)


class Content(DxtTest):
    def test_configuration_is_that_of_the_run(self):
        found = self.summary("--shape 2x4x3 --transform dct,dwht,dst --inverse --norm backward --order 231 "
                             "--format f32 --sparsity esop --batch 2 --mesh 5x6x7 --fidelity detailed "
                             "--technology 7nm --clock 0.5 --allow-overclock --step-cycles 4 --load-elements 16 --line-extent active "
                             "--look-ahead 3 --port-aligner off --vertical-mode 1 --burst 64 "
                             "--memory sram --memory-latency 3 --memory-ports 2 --dma-width 64 --outstanding 5 --overlap-runs off --seed 77 --zero-threshold 0.25 --double-buffer --threads 2 "
                             "--matrix-elements 99 --out-shape 3x4x2")["configuration"]
        options = found.pop("options")
        self.assertEqual(found.pop("options_given")["seed"], "77")
        self.assertIn("--technology", [entry["option"] for entry in found.pop("inputs")])
        memory = found.pop("memory_bytes")
        self.assertEqual(found, {
            "shape": [2, 4, 3], "out_shape": [3, 4, 2], "transform": "dct,dwht,dst", "chain": None,
            "matrix_zeros": [0, 0, 0], "mm_per_cycle": None, "inverse": True, "norm": "backward", "order": [2, 3, 1],
            "format": "f32", "shifts": [0, 0, 0], "result_format": "f32",
            "sparsity": "esop", "zero_threshold": 0.25, "batch": 2, "mesh": [5, 6, 7], "double_buffer": True,
            "tensor_layout": "rows", "partials": 1, "matrix_elements": 99, "threads": 2, "fidelity": "detailed",
            "technology": "7nm", "leakage": 1,
            "voltage_V": None, "clock_period_ps": 2000, "mac_latency": 1, "step_cycles": 4, "look_ahead_rows": 3, "port_aligner": "off", "cell_registers": 2, "load_elements_per_cycle": 16, "dma_ports": 1, "line_extent": "active",
            "vertical_mode": 1, "memory": "sram", "memory_bandwidth_GB_per_s": None, "memory_latency_cycles": 3, "memory_ports": 2, "dma_width_bits": 64, "outstanding": 5, "overlap_runs": "off",
            "burst_bytes": 64,
            "seed": 77})
        self.assertGreater(memory, 4 * 2 * 2 * 24)
        self.assertEqual(options["shape"], "2x4x3")
        self.assertEqual(options["inverse"], "true")
        self.assertEqual(options["fill"], "random")

    def test_strobe_is_charged_on_request(self):
        for line in ("--shape 4x5x6 --zeros 0.5", "--shape 9x8x7 --mesh 4x4x4 --double-buffer"):
            plain, found = self.summary(line), self.summary(f"{line} --strobe-energy")
            self.assertNotIn("strobe", plain["energy_pJ"])
            self.assertNotIn("strobe_energy", plain["configuration"])
            self.assertIs(found["configuration"]["strobe_energy"], True)
            steps = {row["phase"] for row in self.rows("files/energy.csv") if float(row["strobe_pJ"]) > 0}
            self.assertEqual(steps, {"stage_1", "stage_2", "stage_3"})
            strobe = found["energy_pJ"].pop("strobe")
            self.assertGreater(strobe, 0)
            self.assertAlmostEqual(found["energy_pJ"].pop("total"), plain["energy_pJ"].pop("total") + strobe, delta=1e-9 * strobe + 1e-3)
            self.assertEqual(found["energy_pJ"], plain["energy_pJ"])
            self.assertEqual((found["cycles"], found["events"]), (plain["cycles"], plain["events"]))

    def test_time_is_cycles_times_a_whole_number_of_picoseconds(self):
        for clock, period in (("0.7", 1429), ("3", 333), ("1", 1000), ("1.7", 588), ("0.3", 3333), ("1000", 1),
                              ("0.001", 1000000), ("0.9999", 1000)):
            found = self.summary(f"--shape 2x3x4 --clock {clock} --allow-overclock")
            self.assertEqual(found["configuration"]["clock_period_ps"], period)
            self.assertEqual(found["simulated_time_ns"], found["cycles"] * period / 1000)

    def test_cycles_do_not_depend_on_the_clock(self):
        cycles = {json.dumps([self.summary(f"--shape 3x4x5 --memory sram --clock {clock} --allow-overclock")[key]
                              for key in ("cycles", "cycles_by_cause")]) for clock in (0.001, 0.7, 1, 3)}
        self.assertEqual(len(cycles), 1)

    def test_dense_steps_and_multiply_adds(self):
        for order in ("312", "123", "231"):
            found = self.summary(f"--shape 3x4x5 --sparsity dense --fill sparse --order {order} --mesh 4x4x8")
            self.assertEqual((found["steps"], found["steps_skipped"]), (12, 0))
            self.assertEqual((found["macs"], found["macs_skipped"]), (60 * 12, 0))
            self.assertEqual(found["active_utilisation"], 1)
            self.assertEqual(found["mesh_utilisation"], 60 / 128)
            self.assertEqual([stage["mode"] for stage in found["stages"]], [int(digit) for digit in order])

    def test_operations(self):
        real, complex_one = (self.summary(f"--shape 8x4x2 --sparsity dense --batch 3 {options}")
                             for options in ("", "--format c64"))
        # N = 64: 5/2 N log2 N of real data; 14 MACs per element of two operations
        self.assertEqual(real["operations"], {"device": 3 * 2 * 64 * 14, "fft": 3 * 2.5 * 64 * 6})
        self.assertEqual(complex_one["operations"], {"device": 3 * 8 * 64 * 14, "fft": 3 * 5 * 64 * 6})
        larger = self.summary("--shape 8x4x2 --out-shape 4x4x8")["operations"]
        self.assertEqual(larger["fft"], 2.5 * 256 * 8)

    def test_compute_is_step_cycles_times_steps(self):
        for step_cycles in (1, 3, 7):
            found = self.summary(f"--shape 3x4x5 --step-cycles {step_cycles} --batch 2")
            self.assertEqual(found["steps"], 24)
            self.assertEqual(found["cycles_by_cause"]["compute"], step_cycles * 24)

    def test_a_path_too_long_for_its_cycles_is_named_with_its_gates(self):
        with open(f"{SOURCE}/models/rtl/gates.yaml", encoding="utf-8") as file:
            blocks = yaml.safe_load(file)["blocks"]
        for name in ("int8", "bf16", "f32", "f64"):
            line = f"--shape 2x2x2 --transform identity --format {name} --technology 45nm"
            cell, mac = (blocks[block][name]["levels"] for block in ("mesh_cell", "mac"))
            for options, gates, cycles in (("--step-cycles 1", cell, 1), ("--mac-latency 3 --step-cycles 3", cell, 3),
                                           ("", mac, 1), ("--mac-latency 2", mac, 2), ("--step-cycles 9", mac, 3)):
                warnings = " ".join(self.summary(f"{line} {options}")["warnings"])
                path = f"a path of {gates} gates takes {gates * 20 / 1000:g} ns" + (f" in {cycles} cycles" * (cycles > 1))
                self.assertEqual(path in warnings, gates * 20 > 1000 * cycles, (name, options))
        self.assertIn("a path of 216 gates takes 4.32 ns, more than the clock period of 1 ns", self.run_program("--shape 2x2x2 --format c64 --technology 45nm").out)

    def test_a_clock_is_refused_above_the_fastest_and_marked_without_being_asked_for(self):
        line = "--shape 2x2x2 --transform identity --memory sram --technology 45nm"
        found = self.summary(line)
        fastest = found["fastest_clock_GHz"]
        self.assertAlmostEqual(fastest, 1 / (126 * 0.020), 9)
        self.assertTrue(found["overclocked"])
        table = self.run_program(line).out
        for name in ("time", "energy", "power"):
            self.assertRegex(table, fr"(?m)^ +{name} .*overclocked")
        self.refuses(f"{line} --clock {fastest * 1.01}", "--clock", "expected at most 0.3968", "126 gates takes 2.52 ns",
                     "--allow-overclock")
        slow = self.summary(f"{line} --clock {fastest * 0.999}")
        self.assertFalse(slow["overclocked"])
        self.assertNotIn("overclocked", self.run_program(f"{line} --clock {fastest * 0.999}").out)
        self.assertTrue(self.summary(f"{line} --clock 0.5 --allow-overclock")["overclocked"])
        # 0.8 V: 0.867 of the speed, (8/9)^2 of the energies, 8/9 of the leakage power
        slow, low = (self.summary(f"{line} --clock {fastest * 0.8} {more}") for more in ("", "--voltage 0.8"))
        self.assertAlmostEqual(low["fastest_clock_GHz"], 0.867 * fastest, 9)
        self.assertAlmostEqual(low["energy_pJ"]["registers"], found["energy_pJ"]["registers"] * (8 / 9) ** 2, 6)
        self.assertAlmostEqual(low["energy_pJ"]["leakage"], slow["energy_pJ"]["leakage"] * 8 / 9, 4)
        self.refuses(f"{line} --voltage 1.2", "--voltage", "1.2 V", "expected 0.6 to 1.1 V", "45nm")

    def test_the_memory_port_without_an_aligner_takes_a_row(self):
        line = "--shape 12x12x2 --memory dram --transform identity --load-elements 16"
        self.assertIn("memory port           16 elements per cycle, the DMA brings", self.succeeds(line).out)
        self.assertIn("memory port           2 elements per cycle, the DMA brings", self.succeeds(f"{line} --port-aligner off").out)

    def test_ranges_are_the_sums_of_those_of_the_parts(self):
        found = self.summary("--shape 3x4x5")
        for total, estimated, synthesized, span in (
                ("energy_pJ", found["energy_estimated"], (), "energy_range_pJ"),
                ("area_um2", found["area_estimated"], found["area_synthesized"], "area_range_um2")):
            parts = [(value, 2 if name in estimated else 1.3 if name in synthesized else 1.1)
                     for name, value in found[total].items() if name != "total"]
            least, most = sum(value / factor for value, factor in parts), sum(value * factor for value, factor in parts)
            self.assertAlmostEqual(found[span][0] / least, 1, 9, total)
            self.assertAlmostEqual(found[span][1] / most, 1, 9, total)

    def test_estimates_are_marked(self):
        found = self.summary("--shape 3x4x5")
        self.assertLessEqual(set(found["energy_estimated"]), set(found["energy_pJ"]))
        self.assertIn("total", found["energy_estimated"])
        out = self.succeeds("--shape 3x4x5").out
        for component in found["energy_estimated"]:
            self.assertRegex(out, rf"\n +{'energy' if component == 'total' else component} +[^\n]*\(estimate\)(, within .*)?\n")

    def test_energy_follows_the_technology_file(self):
        with open(os.path.join(SOURCE, "models/costs/technologies/45nm.yaml"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("f64: {value: 20.0, unit: pJ,", text)
        self.save_text("tech.yaml", text.replace("f64: {value: 20.0, unit: pJ,", "f64: {value: 0.5, unit: pJ,"))
        shipped, own = (self.summary(f"--shape 3x4x5 --technology {name}") for name in ("45nm", "tech.yaml"))
        self.assertEqual(shipped["energy_pJ"]["mac"], 20 * shipped["macs"])
        self.assertEqual(own["energy_pJ"]["mac"], own["macs"] / 2)
        self.assertEqual({k: v for k, v in own["energy_pJ"].items() if k not in ("mac", "total")},
                         {k: v for k, v in shipped["energy_pJ"].items() if k not in ("mac", "total")})

    def test_second_source_is_in_the_table_where_it_differs_by_more_than_twice(self):
        line = "--shape 3x4x5 --technology "
        at_45, at_40, at_7 = (self.summary(line + name) for name in ("45nm", "40nm", "7nm"))
        self.assertIsNone(at_7["energy_by_second_source_pJ"])
        by_40 = at_45["energy_by_second_source_pJ"]
        self.assertAlmostEqual(by_40["mac"], (113.763 + 43.754) * at_45["macs"], 6)
        self.assertEqual(set(by_40), {"total", "mac", "registers", "leakage"})
        for name, pj in by_40.items():
            self.assertAlmostEqual(pj, at_40["energy_pJ"][name], delta=1e-9 * pj, msg=name)
        for name, pj in at_40["energy_by_second_source_pJ"].items():
            self.assertAlmostEqual(pj, at_45["energy_pJ"][name], delta=1e-9 * pj, msg=name)
        ratios = {name: pj / at_45["energy_pJ"][name] for name, pj in by_40.items()}
        printed = re.search(r"\n +by 40nm +\S+ \S+, (\S+) times the total above; ([^\n]*)\n",
                            self.succeeds(line + "45nm").out)
        self.assertAlmostEqual(float(printed[1]), ratios.pop("total"), 3)
        self.assertEqual({part.split()[0] for part in printed[2].split("; ")},
                         {name for name, ratio in ratios.items() if not 0.5 <= ratio <= 2})
        self.assertIsNone(re.search(r"\n +by \d+nm ", self.succeeds(line + "7nm").out))

    def test_load_is_limited_by_the_port(self):
        causes = self.summary("--shape 8x8x8 --load-elements 1")["cycles_by_cause"]
        self.assertEqual((causes["load"], causes["unload"]), (512, 512))

    def test_line_extent_changes_hops_alone(self):
        wide, cut = (self.summary(f"--shape 3x4x5 --mesh 9x8x7 --line-extent {extent}")["events"]
                     for extent in ("mesh", "active"))
        for name, count in wide.items():
            mode = next((m for m, word in enumerate(("lateral", "frontal", "horizontal")) if name.startswith(word)),
                        None)
            if mode is None:
                self.assertEqual(cut[name], count, name)
            else:
                self.assertEqual(cut[name] * (9, 8, 7)[mode], count * (3, 4, 5)[mode], name)

    def test_simulation_cost_is_that_of_this_run(self):
        found = self.summary("--shape 64x64x64")["simulation"]
        self.assertGreater(found["wall_s"], 0)
        self.assertGreater(found["cpu_s"], 0)
        self.assertGreater(found["peak_rss_bytes"], 64**3 * 8)
        self.assertTrue(os.path.exists(PROGRAM))


class SparseCounts(DxtTest):
    """Integer data with zeros everywhere: counts by the closed forms, results exactly."""

    SHAPE = OUT_SHAPE = (6, 5, 7)

    def check_orders(self, options, esop):
        matrices = [oracle.sparse_integer_matrix(mode + 1, n, k)
                    for mode, (n, k) in enumerate(zip(self.SHAPE, self.OUT_SHAPE))]
        for mode, matrix in enumerate(matrices):
            self.save(f"c{mode + 1}.npy", matrix)
        for order in ("312", "321", "123", "132", "213", "231"):
            y, stages = oracle.stage_counts(oracle.sparse(self.SHAPE), matrices, order, esop)
            with self.subTest(order=order):
                found = self.summary(f"--shape 6x5x7 --fill sparse --transform file:c1.npy,file:c2.npy,file:c3.npy "
                                     f"--out-shape {'x'.join(map(str, self.OUT_SHAPE))} --order {order} "
                                     f"--output y.npy {options}")
                self.assertEqual(found["stages"], stages)
                box = np.prod(np.maximum(self.SHAPE, self.OUT_SHAPE))
                self.assertEqual(found["active_utilisation"], found["macs"] / (found["steps"] * box))
                self.assert_equal(self.load("y.npy"), y)

    def test_counts(self):
        for options in ("--sparsity esop", "--sparsity esop --fidelity detailed --mesh 8x8x9", "--format c128",
                        "--tags random --seed 4"):
            self.check_orders(options, True)
        self.check_orders("--sparsity dense", False)


class CompressedCounts(SparseCounts):
    """The same where the result is smaller in one mode and larger in another."""

    OUT_SHAPE = (4, 8, 7)
