"""What compare_devices finds: results beside numpy's, counts beside closed forms, parts that sum to totals."""
import json
import math
import os

import jsonschema
import numpy as np

from compare_devices_program import DEVICES, CompareDevicesTest
from testbench_summary import SummarySchema

SMALL = "--shape 6x5x7 --out-shape 4x8x3"
N, K = (6, 5, 7), (4, 8, 3)


def bfloat16(values):
    """Rounded to nearest, ties to even."""
    bits = np.asarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).astype(np.uint32).view(np.float32).astype(np.float64)


def products_macs(n, k):
    """Of the sums over c, then b, then a."""
    return n[0] * n[1] * n[2] * k[2] + n[0] * n[1] * k[2] * k[1] + n[0] * k[2] * k[1] * k[0]


def tiles(size, part):
    return -(-size // part)


class Summary(SummarySchema, CompareDevicesTest):
    small_job = SMALL
    open_objects = (*SummarySchema.open_objects, "/settings")

    def every_kind(self):
        return (SMALL, f"{SMALL} --no-check", f"{SMALL} --memory sram --technology 7nm", f"{SMALL} --devices fetta,mmv",
                f"{SMALL} --mesh 2x3x2 --grid 2 --block 2 --s 4 --engines 4 --fidelity detailed")

    def test_an_unknown_missing_or_wrong_field_does_not_meet_it(self):
        good, schema = self.meets(SMALL), self.schema()
        for index, spoil in enumerate((
                lambda s: s.update(extra=1), lambda s: s.pop("runs"), lambda s: s["check"].update(extra=1),
                lambda s: s["check"].pop("passed"), lambda s: s["configuration"].update(extra=1),
                lambda s: s["runs"][0].update(cycles=-1), lambda s: s["runs"][0].update(device="tpu"),
                lambda s: s["runs"][1].update(utilisation=1.5), lambda s: s["runs"][1]["cycles_by_cause"].update(luck=1),
                lambda s: s["runs"][2]["energy_pJ"].pop("total"), lambda s: s["runs"][2]["by_mac_unit"].pop("pJ_per_mac"),
                lambda s: s["runs"][3]["check"].pop("bound"), lambda s: s["simulation"].update(wall_s=None))):
            bad = json.loads(json.dumps(good))
            spoil(bad)
            self.assertFalse(jsonschema.Draft201909Validator(schema).is_valid(bad), index)


class Result(CompareDevicesTest):
    def operands(self, n=N, k=K, seed=7):
        """Saved: x.npy, a.npy, b.npy, c.npy."""
        rng = np.random.default_rng(seed)
        arrays = [rng.uniform(-1, 1, shape) for shape in (n, *zip(n, k))]
        for name, array in zip("xabc", arrays):
            self.save(f"{name}.npy", array)
        return [bfloat16(array) for array in arrays]

    def assert_is_sums(self, found, operands):
        """With what rounding to bfloat16 after each of three products allows."""
        exact = np.einsum("abc,ai,bj,ck->ijk", *operands, optimize=True)
        moduli = np.einsum("abc,ai,bj,ck->ijk", *map(np.abs, operands), optimize=True)
        for device, y in zip(DEVICES, found):
            self.assertLessEqual(float((np.abs(y - exact) / moduli).max()), 3 * 2.0**-8, device)
            self.assertTrue(np.array_equal(y, bfloat16(y)), device)
            self.assertGreater(float(np.abs(y).max()), 0)

    def test_results_are_those_of_numpy(self):
        for n, k, more in ((N, K, ""), ((8, 8, 8), (8, 8, 8), ""), (N, K, "--mesh 2x3x2 --grid 2 --block 2 --s 4"),
                           ((1, 9, 2), (3, 1, 5), "--s 3 --engines 4 --side 2"), ((17, 4, 5), (2, 20, 3), "--fidelity detailed")):
            operands = self.operands(n, k)
            self.succeeds(f"--input x.npy,a.npy,b.npy,c.npy --output y.npy --quiet {more}")
            found = self.load("y.npy")
            self.assertEqual(found.shape, (len(DEVICES), *k))
            self.assert_is_sums(found, operands)

    def test_bounds_are_those_of_every_rounding_at_its_worst(self):
        x, *matrices = self.operands()
        self.succeeds("--input x.npy,a.npy,b.npy,c.npy --output y.npy --quiet --out files")
        found = self.load("y.npy")
        with open(self.path("files/summary.json"), encoding="utf-8") as file:
            runs = json.load(file)["runs"]
        for run, y in zip(runs, found):
            self.assertEqual((run["operands"], run["sums"]), ("bf16", "f32"))
            of_sum, of_result = 2.0**-24, 2.0**-8
            exact, off = x, np.zeros(N)
            for mode in (2, 1, 0):
                matrix, terms = matrices[mode], N[mode]
                bound = (off + ((terms + 32) * of_sum + terms * 2.0**-53) * (np.abs(exact) + off))
                exact, off = (np.moveaxis(np.tensordot(values, m, (mode, 0)), -1, mode)
                              for values, m in ((exact, matrix), (bound, np.abs(matrix))))
                off = off + of_result * (np.abs(exact) + off)
            share = np.abs(y - exact) / off
            check = run["check"]
            self.assertAlmostEqual(check["worst_of_bound"], float(share.max()), delta=1e-9)
            self.assertAlmostEqual(check["max_abs_error"], float(np.abs(y - exact).max()), delta=1e-14)
            self.assertAlmostEqual(check["bound"] / off.flat[int(share.argmax())], 1, delta=1e-9)
            self.assertLess(check["bound"], 0.1 * float(np.abs(exact).max()))

    def test_random_operands_follow_the_seed_and_results_the_devices(self):
        lines = (SMALL, f"{SMALL} --seed 1", f"{SMALL} --seed 2", f"{SMALL} --devices fetta,triada")
        one, same, other, two = ((self.succeeds(f"{line} --quiet --output y.npy"), self.load("y.npy"))[1] for line in lines)
        self.assert_equal(one, same)
        self.assertFalse(np.array_equal(one, other))
        self.assert_equal(two, one[[3, 0]])

    def test_operands_that_are_not_finite_are_refused_unless_allowed(self):
        self.operands()
        x = np.zeros(N)
        x[1, 2, 3] = np.inf
        self.save("x.npy", x)
        self.refuses("--input x.npy,a.npy,b.npy,c.npy", "--input: x.npy: element (1,2,3) is inf", "--allow-nonfinite")
        self.succeeds("--input x.npy,a.npy,b.npy,c.npy --allow-nonfinite --quiet --output y.npy")
        self.assertTrue(np.all(np.isinf(self.load("y.npy"))))

    def test_counts_are_those_of_closed_forms(self):
        for n, k, s in ((N, K, 4), ((8, 8, 8), (8, 8, 8), 4), ((9, 3, 6), (5, 7, 2), 3)):
            summary, runs = self.found(f"--shape {n[0]}x{n[1]}x{n[2]} --out-shape {k[0]}x{k[1]}x{k[2]} --s {s} --grid 3 "
                                       f"--step-cycles 5 --engines 4")
            macs = products_macs(n, k)
            self.assertEqual(summary["macs"], macs)
            self.assertEqual([run["macs"] for run in summary["runs"]], [macs] * 4)
            self.assertEqual([run["programs"] for run in summary["runs"]], [1] * 4)
            self.assertEqual({name: run["mac_units"] for name, run in runs.items()},
                             {"triada": math.prod(map(max, n, k)), "torus": 27, "mmv": s * s, "fetta": 4 * 4 * 4})
            # A time-step for every row of every matrix.
            self.assertEqual((runs["triada"]["working_cycles"], runs["triada"]["macs_done"]), (5 * sum(n), macs))
            rows = [n[0] * n[1], n[0] * k[2], k[1] * k[2]]
            calls = [tiles(n[m], s) * tiles(k[m], s) for m in (2, 1, 0)]
            self.assertEqual(runs["mmv"]["macs_done"], sum(map(math.prod, zip(rows, calls))) * s * s)
            self.assertEqual(runs["mmv"]["cycles_by_cause"]["weights"], sum(calls) * s)
            for name, run in runs.items():
                element = 2
                given = element * (math.prod(n) + sum(map(math.prod, zip(n, k))))
                self.assertEqual(run["memory"]["written_bytes"], element * math.prod(k), name)
                self.assertGreater(run["memory"]["read_bytes"], given, name)  # and the program
                self.assertLess(run["memory"]["read_bytes"], given + 16384, name)
                self.assertGreaterEqual(run["macs_done"], macs, name)
                self.assertLessEqual(macs, run["mac_units"] * run["working_cycles"], name)

    def test_a_device_is_what_its_own_testbench_runs(self):
        _, runs = self.found("--shape 6x5x7 --mesh 4x5x4 --sparsity dense --grid 2 --macs-per-cycle 3 --load-elements 4 "
                             "--mac-latency 2")
        job = ("--shape 6x5x7 --format bf16 --result-format element --order 321 --memory dram --load-elements 4 --mac-latency 2 "
               "--quiet --out own")
        tiles_beside_work = "--double-buffer --tensor-layout converted"
        for device, program, more in (("triada", "dxt", f"--mesh 4x5x4 --sparsity dense {tiles_beside_work}"),
                                      ("torus", "orbital", "--grid 2 --macs-per-cycle 3")):
            self.run_program(f"{job} {more}", program=program)
            with open(self.path("own/summary.json"), encoding="utf-8") as file:
                own = json.load(file)
            for run in (runs[device], own):
                del run["bound_by"]["utilisation_ceiling"]  # of other multiply-adds: dxt also counts those by zeros
            for name in ("cycles", "cycles_by_cause", "energy_pJ", "area_um2", "bound_by"):
                self.assertEqual(runs[device][name], own[name], f"{device} {name}")

    def test_sizes_that_do_not_allow_the_clock_are_left_out(self):
        line = "--equal area --budget 100 --devices fetta"
        free, asked = (self.summary(f"{line} {more}")["runs"][0] for more in ("", "--clock 1"))
        self.assertEqual((free["cycles"], free["overclocked"]), (asked["cycles"], False))
        any_clock = self.summary(f"{line} --allow-overclock")["runs"][0]
        self.assertLess(any_clock["cycles"], free["cycles"])
        self.assertTrue(any_clock["overclocked"])
        self.refuses("--equal area --budget 100 --devices fetta --mac-latency 64 --clock 500", "--budget", "no size allows --clock 500 GHz")
        self.refuses("--equal onchip --budget 0.5", "--budget", "0.5", "an integer from 1")

    def test_a_multiply_add_takes_the_same_cycles_in_all(self):
        # 105 gates of 20 ps at 45 nm, of 8 ps at 7 nm
        for options, cycles in (("--technology 45nm", 3), ("--technology 45nm --clock 0.4", 1), ("", 1), ("--clock 2 --allow-overclock", 2),
                                ("--mac-latency 4", 4)):
            summary, runs = self.found(f"{SMALL} {options}")
            self.assertEqual(summary["configuration"]["mac_latency"], cycles)
            settings = {name: run["settings"] for name, run in runs.items()}
            self.assertEqual((settings["triada"]["step_cycles"], settings["torus"]["mac_latency"],
                              settings["mmv"]["pipeline_depth"], settings["fetta"]["mac_latency"]), (2 + cycles, *[cycles] * 3))
            self.assertFalse([warning for run in summary["runs"] for warning in run["warnings"] if "a path of" in warning])
        summary, runs = self.found(f"{SMALL} --technology 45nm --mac-latency 1")
        for run in summary["runs"]:
            self.assertIn("overclocked: a path of 105 gates takes 2.1 ns, more than the clock period of 1 ns",
                          run["warnings"], run["device"])
        self.assertEqual(self.found(f"{SMALL} --step-cycles 3")[1]["triada"]["settings"]["step_cycles"], 3)

    def test_parts_sum_to_totals(self):
        for line in (SMALL, f"{SMALL} --memory sram", "--shape 20x20x20 --clock 0.5 --allow-overclock --technology 7nm"):
            summary, runs = self.found(line)
            latency, energy = self.rows("files/latency.csv"), self.rows("files/energy.csv")
            period_ns = summary["configuration"]["clock_period_ps"] / 1000
            for device, run in runs.items():
                with self.subTest(line=line, device=device):
                    cycles, units, macs = run["cycles"], run["mac_units"], run["macs"]
                    self.assertEqual(sum(run["cycles_by_cause"].values()), cycles)
                    self.assertEqual(run["simulated_time_ns"], cycles * period_ns)
                    own = [row for row in latency if row["device"] == device]
                    self.assertEqual(sum(int(row["cycles"]) for row in own), cycles)
                    self.assertEqual(sum(int(row["dma_engine.read_byte"]) for row in own), run["memory"]["read_bytes"])
                    self.assertEqual(sum(int(row["mac"]) + int(row.get("padding_mac", 0)) for row in own), run["macs_done"])
                    parts = dict(run["energy_pJ"])
                    total = parts.pop("total")
                    self.assertAlmostEqual(math.fsum(parts.values()) / total, 1, delta=1e-12)
                    self.assertAlmostEqual((run["dynamic_pJ"] + run["leakage_pJ"] + run["dram_pJ"]) / total, 1, delta=1e-12)
                    self.assertEqual(run["dram_pJ"], parts.get("dram", 0) + parts.get("dram_background", 0))
                    self.assertAlmostEqual(run["leakage_sensitivity_pJ"]["none"], total - run["leakage_pJ"], delta=1e-9 * total)
                    spent = math.fsum(float(row["total_pJ"]) for row in energy if row["device"] == device)
                    self.assertAlmostEqual(spent / total, 1, delta=1e-11)
                    area = dict(run["area_um2"])
                    self.assertAlmostEqual(area.pop("total"), math.fsum(area.values()), delta=1e-6)
                    by_unit = run["by_mac_unit"]
                    for found, expected in ((run["utilisation"], macs / (units * cycles)),
                                            (run["utilisation_working"], macs / (units * run["working_cycles"])),
                                            (run["macs_per_cycle"], macs / cycles),
                                            (by_unit["cycle_units_per_mac"], cycles * units / macs),
                                            (by_unit["macs_per_s"], macs / (units * run["simulated_time_ns"] * 1e-9)),
                                            (by_unit["pJ_per_mac"], total / macs),
                                            (by_unit["area_um2"], run["area_um2"]["total"] / units)):
                        self.assertAlmostEqual(found / expected, 1, delta=1e-12)
                    single = dict(run["bound_by"]["savings"])
                    transfers = single.pop("transfers")
                    much_more = transfers > 2 * max(single.values())
                    self.assertEqual(run["bound_by"]["resource"], "transfers" if much_more else max(single, key=single.get))

    def test_comparison_csv_is_the_summary(self):
        summary, _ = self.found(SMALL)
        self.assertEqual(sorted(os.listdir(self.path("files"))),
                         ["comparison.csv", "energy.csv", "events.csv", "latency.csv", "summary.json", "trace.json"])
        rows = self.rows("files/comparison.csv")
        self.assertEqual([row["device"] for row in rows], list(DEVICES))
        for row, run in zip(rows, summary["runs"]):
            for name in ("mac_units", "cycles", "macs", "macs_done", "utilisation", "dynamic_pJ", "leakage_pJ", "dram_pJ"):
                self.assertEqual(float(row[name]), run[name], name)
            for name, value in run["by_mac_unit"].items():
                self.assertEqual(float(row["unit_" + name]), value, name)
            self.assertEqual((row["bound_by"], row["operands"]), (run["bound_by"]["resource"], run["operands"]))
            self.assertEqual(float(row["total_pJ"]), run["energy_pJ"]["total"])
            self.assertEqual(float(row["area_um2"]), run["area_um2"]["total"])

    def test_every_device_has_the_same_format(self):
        out = self.succeeds(SMALL).out
        self.assertRegex(out, r"operands( +bf16, sums f32){4}\n")

    def test_equal_budgets_give_each_device_the_fastest_size_within_them(self):
        for resource, budget in (("area", 20), ("power", 0.5), ("onchip", 100000)):
            summary, runs = self.found(f"{SMALL} --equal {resource} --budget {budget}")
            self.assertEqual((summary["configuration"]["equal"], summary["configuration"]["budget"]), (resource, budget))
            self.assertGreater(len(runs), 2)
            for name, run in runs.items():
                used = {"area": run["area_um2"]["total"] / 1e6, "onchip": run["on_chip_bytes"],
                        "power": (run["power_mW"]["average"] - run["power_mW"]["dram"]) / 1e3}[resource]
                self.assertLessEqual(used, budget, (resource, name))
        # FETTA's sizes by hand: none within the budget is faster.
        own = self.found(f"{SMALL} --equal area --budget 20 --devices fetta")[1]["fetta"]
        for engines in (4, 16):
            for side in (2, 4, 8):
                other = self.found(f"{SMALL} --devices fetta --engines {engines} --fetta-array {side}")[1]["fetta"]
                self.assertTrue(other["area_um2"]["total"] > 20e6 or other["cycles"] >= own["cycles"], (engines, side))

    def test_least_is_named_with_all_whose_ranges_overlap(self):
        summary, runs = self.found(SMALL)
        for name, total, span in (("energy", lambda run: run["energy_pJ"]["total"], "energy_range_pJ"),
                                  ("area", lambda run: run["area_um2"]["total"], "area_range_um2")):
            best = min(runs.values(), key=total)
            for run in runs.values():
                low, high = run[span]
                self.assertLess(low, total(run))
                self.assertLess(total(run), high)
                overlaps = low <= best[span][1]
                self.assertEqual(run["device"] in summary["least"][name], overlaps, (name, run["device"]))
            self.assertEqual(summary["least"][name][0], best["device"])

    def test_equal_multipliers(self):
        summary, runs = self.found("--shape 32x32x32 --equal multipliers")
        self.assertEqual(summary["configuration"]["equal"], "multipliers")
        self.assertEqual({name: run["mac_units"] for name, run in runs.items()}, dict.fromkeys(DEVICES, 256))
        most = 655360
        self.assertEqual({name for name, run in runs.items() if run["on_chip_bytes"] == most}, {"mmv", "fetta"})
        self.assertTrue(all(run["on_chip_bytes"] <= most for run in runs.values()))
        # 256 cells of 4 sums, and a bank of an actuator for each mode; nodes of blocks of 8 x 8 x 4.
        self.assertEqual(runs["triada"]["on_chip_bytes"], 256 * 4 * 4 + 3 * 8192)
        self.assertEqual(runs["torus"]["settings"]["block"], [8, 8, 4])
        self.assertEqual(runs["torus"]["settings"]["macs_per_cycle"], 4)
        self.assertIn("256 multipliers and at most 655,360 on-chip bytes", self.succeeds(f"{SMALL} --equal multipliers").out)

    def test_a_device_that_does_not_hold_the_work_is_left_out(self):
        line = "--shape 70x70x70 --out-shape 2x2x2 --devices fetta,torus"
        summary, runs = self.found(line)
        self.assertEqual(list(runs), ["torus"])
        self.assertEqual([entry["device"] for entry in summary["left_out"]], ["fetta"])
        self.assertEqual(summary["configuration"]["devices"], ["fetta", "torus"])
        self.assertIn(summary["left_out"][0]["reason"], self.succeeds(f"{line} --output y.npy").out)
        self.assertEqual(self.load("y.npy").shape, (1, 2, 2, 2))
        _, runs = self.found("--shape 60x60x60 --out-shape 60x2x60 --devices mmv,triada --mesh 8x8x8 --no-check")
        self.assertEqual(list(runs), ["mmv", "triada"])
        summary, runs = self.found("--shape 60x60x60 --out-shape 60x2x60 --devices mmv,triada --equal multipliers --no-check")
        self.assertEqual(list(runs), ["triada"])
        self.assertRegex(summary["left_out"][0]["reason"], r"scratchpad of \d+ bytes, found 655360")

    def test_every_device_has_the_same_surroundings(self):
        line = "--clock 2 --allow-overclock --technology 7nm --memory sram --memory-latency 9 --dma-width 128 --burst 64 --outstanding 3"
        summary, runs = self.found(f"{SMALL} {line}")
        same = ("fidelity", "technology", "leakage", "clock_period_ps", "memory", "memory_latency_cycles", "memory_ports",
                "dma_width_bits", "burst_bytes", "outstanding", "overlap_runs", "seed")
        for device, run in runs.items():
            self.assertEqual([run["settings"][name] for name in same], [summary["configuration"][name] for name in same], device)

    def test_alone_is_as_beside_others(self):
        _, together = self.found(SMALL)
        for device in DEVICES:
            _, alone = self.found(f"{SMALL} --devices {device}")
            self.assertEqual(alone[device], together[device])

    def test_fidelities_agree(self):
        fast, detailed = (self.found(f"{SMALL} --grid 2 --s 4 --engines 4 --fidelity {name}")[1] for name in ("fast", "detailed"))
        for runs in (fast, detailed):
            for run in runs.values():
                run["settings"].pop("fidelity")
        self.assertEqual(fast, detailed)

    def test_a_run_is_repeated_from_its_summary(self):
        self.operands()
        for line in ("--input x.npy,a.npy,b.npy,c.npy --technology 7nm", f"{SMALL} --seed 5 --devices mmv,fetta --s 8 --mesh 3x3x3"):
            first, again = self.summary(line), self.summary("--config files/summary.json", "again")
            for name in ("macs", "check", "runs"):
                self.assertEqual(again[name], first[name], name)
            self.assertEqual(again["configuration"]["inputs"], first["configuration"]["inputs"])

    def test_products_that_underflow_are_right(self):
        self.save("x.npy", np.full((4, 4, 4), 1e-25))
        self.save("small.npy", np.full((4, 4), 1e-22))
        self.save("one.npy", np.eye(4))
        for run in self.found("--input x.npy,small.npy,one.npy,one.npy")[1].values():
            self.assertLessEqual(run["check"]["max_rel_error"], 1e-6)

    def test_waveform_is_of_the_first_device(self):
        self.succeeds(f"{SMALL} --devices mmv,triada --vcd wave --quiet")
        text = self.read_bytes("wave").decode()
        self.assertIn("mmv", text)
        self.assertNotIn("triada", text)
