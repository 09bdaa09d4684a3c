"""summary.json: its schema, and that it tells what happened."""
import json
import math
import re

from soc_program import DEVICES, JOBS, SHAPES, SocTest
from testbench_summary import ChecksOfEachRun, DeviceSummarySchema

# Of every kind.
RUNS = (JOBS, f"{SHAPES} --small-runs 0", f"{SHAPES} --large-runs 0", f"{SHAPES} --large-runs 0 --small-runs 0",
        "--large 1x1x1 --small 1x1x1 --large-runs 3 --quantum 0 --arbitration first-come",
        f"{JOBS} --memory sram --transport at --sram-banks 1 --memory-ports 1 --technology 7nm --clock 0.7 --allow-overclock",
        f"{JOBS} --memory split --fidelity detailed --checkers --format c64 --large-transform dft --link 0",
        f"{JOBS} --zeros 0.7 --quantum 1ms --arbitration fixed-priority --burst 4 --outstanding 64 --no-check",
        "--large 13x7x11 --small 4x2x8 --small-transform dwht,dct,dwht-sequency --seed 18446744073709551615",
        f"{JOBS} --transport at --arbitration priority --priority small.dma=15,large_host=0",
        f"{JOBS} --quantum 0 --arbitration weighted --share large.dma=60", f"{JOBS} --arbitration weighted",
        f"{JOBS} --power-gating", f"{SHAPES} --large-runs 0 --power-gating --quantum 0")


class Schema(DeviceSummarySchema, SocTest):
    small_job = JOBS
    open_objects = ("/options", "/area_um2", "/area_by_pitch_um2")
    spoils = (lambda s: s["check"].update(passed=None), lambda s: s["devices"].pop("small"),
              lambda s: s["devices"]["large"].pop("macs"), lambda s: s["devices"]["large"].update(extra=1),
              lambda s: s["devices"]["large"]["events"].pop("mac"), lambda s: s["cycles_by_cause"].pop("idle"),
              lambda s: s["router"]["targets"].pop("dram"), lambda s: s["router"]["initiators"].update(third=1),
              lambda s: s["router"]["targets"]["sram"].pop("contended"), lambda s: s["dram"].pop("refresh"),
              lambda s: s["energy_pJ"].update(extra=1), lambda s: s["configuration"].update(memory=""),
              lambda s: s["configuration"].update(priorities={"large.dma": 1}), lambda s: s["router"].pop("shares"),
              lambda s: s["router"].update(shares={"large.dma": None}))

    def every_kind(self):
        return RUNS


class Sums(ChecksOfEachRun, SocTest):
    runs = RUNS

    def check_cycles_by_cause_sum_to_cycles(self, found):
        self.assertEqual(sum(found["cycles_by_cause"].values()), found["cycles"])
        for device in found["devices"].values():
            self.assertEqual(sum(device["cycles_by_cause"].values()), device["cycles"])
            self.assertEqual(sum(device["run_cycles"]), device["cycles"])
            self.assertEqual(len(device["run_cycles"]), device["runs"])

    def check_causes_are_which_devices_were_busy(self, found):
        causes = found["cycles_by_cause"]
        for device, runs in ((name, found["devices"][name]) for name in DEVICES):
            # A run begins and ends within a cycle of those of the clock.
            self.assertAlmostEqual(causes["both"] + causes[f"{device} alone"], runs["cycles"],
                                   delta=2 * runs["runs"])
            if runs["runs"] == 0:
                self.assertEqual(causes["both"] + causes[f"{device} alone"], 0)

    def check_time_is_cycles_times_the_period(self, found):
        self.assertAlmostEqual(found["simulated_time_ns"],
                               found["cycles"] * found["configuration"]["clock_period_ps"] / 1000, delta=1e-9)

    def check_multiply_adds(self, found):
        self.assertEqual(sum(device["macs"] for device in found["devices"].values()), found["macs"])
        cells = 0
        for device in found["devices"].values():
            n1, n2, n3 = device["shape"]
            cells += n1 * n2 * n3
            self.assertEqual(device["macs"] + device["macs_skipped"],
                             device["runs"] * n1 * n2 * n3 * (n1 + n2 + n3))
            self.assertEqual((device["events"]["mac"], device["events"]["mac_skipped"]),
                             (device["macs"], device["macs_skipped"]))
        self.assertAlmostEqual(found["utilisation"] * cells * found["cycles"], found["macs"], delta=1e-6)

    def check_energies_sum_and_each_part_is_there_once(self, found):
        parts = {name: pj for name, pj in found["energy_pJ"].items() if name != "total"}
        self.assertAlmostEqual(math.fsum(parts.values()), found["energy_pJ"]["total"],
                               delta=1e-12 * found["energy_pJ"]["total"])
        self.assertEqual(list(parts), [f"{device}.{part}" for device in DEVICES for part in
                                       ("actuators", "lines", "registers", "mac", "leakage")] +
                         ["sram.memory", "sram.leakage", "dram", "dram_background"])
        self.assertLessEqual(set(found["energy_estimated"]), set(found["energy_pJ"]))
        self.assertEqual(len(found["energy_estimated"]), len(set(found["energy_estimated"])))

    def test_energy_of_what_is_not_used(self):
        for memory, unused in (("dram", "sram.memory"), ("sram", "dram")):
            found = self.summary(f"{JOBS} --memory {memory}")["energy_pJ"]
            self.assertEqual(found[unused], 0)
            self.assertGreater(found["dram_background"], 0)
            self.assertGreater(found["sram.leakage"], 0)
        idle = self.summary(f"{SHAPES} --small-runs 0")["energy_pJ"]
        self.assertEqual({name for name, pj in idle.items() if name.startswith("small.") and pj > 0}, {"small.leakage"})

    def test_power_gated_device_leaks_while_it_has_supply_and_runs_as_before(self):
        line = "--large 12x12x12 --small 4x4x4 --small-runs 3 --quantum 0"
        always, gated = self.summary(line), self.summary(f"{line} --power-gating")
        for device in DEVICES:
            before, after = always["devices"][device], gated["devices"][device]
            self.assertEqual(after["run_cycles"], before["run_cycles"])
            self.assertIsNone(before["leaking_ns"])
            self.assertGreaterEqual(after["leaking_ns"], after["cycles"])  # of 1 ns
            self.assertLessEqual(after["leaking_ns"], after["end_cycles"])
            leakage = f"{device}.leakage"
            self.assertAlmostEqual(gated["energy_pJ"][leakage] / after["leaking_ns"],
                                   always["energy_pJ"][leakage] / always["simulated_time_ns"],
                                   delta=1e-9 * always["energy_pJ"][leakage])
        self.assertLess(gated["devices"]["large"]["leaking_ns"], 0.95 * gated["simulated_time_ns"])  # it ends early
        idle = self.summary(f"{SHAPES} --large-runs 0 --power-gating")
        self.assertEqual((idle["devices"]["large"]["leaking_ns"], idle["energy_pJ"]["large.leakage"]), (0, 0))

    def test_energy_of_the_devices_follows_from_their_counts(self):
        for found in (self.summary(f"{JOBS} --technology 45nm"),
                      self.summary(f"{SHAPES} --memory split --small-runs 5 --technology 45nm")):
            for device in DEVICES:
                counts = found["devices"][device]
                self.assertEqual(found["energy_pJ"][f"{device}.mac"], 20 * counts["macs"])  # 45nm, f64: 20 pJ
                leakage = found["energy_pJ"][f"{device}.leakage"] / found["simulated_time_ns"]
                expected = sum(um2 * (38.9e-6 if name == f"{device}.actuators" else 14.9e-6)  # mW per um2
                               for name, um2 in found["area_um2"].items() if name.startswith(f"{device}."))
                self.assertAlmostEqual(leakage, expected, delta=1e-9 * leakage)

    def test_dram_counts_the_bursts_of_what_was_moved(self):
        """64 bytes of a channel's burst are the least that is moved."""
        for burst in (64, 4096):
            found = self.summary(f"--large 16x16x16 --small 8x8x8 --burst {burst}")
            bursts = found["dram"]["read_burst"] + found["dram"]["write_burst"]
            self.assertGreaterEqual(bursts * 32, found["router"]["targets"]["dram"]["bytes"])
            self.assertEqual(found["dram"]["data_cycle"], 8 * bursts)  # 16 transfers, two in a clock period


class Content(SocTest):
    def test_configuration_is_that_of_the_run(self):
        found = self.summary("--large 4x2x8 --small 2x3x2 --memory split --memory-bandwidth 12.8 --memory-ports 3 --sram-banks 8 --quantum 1.5us "
                             "--transport at --outstanding 5 --overlap-runs off --arbitration first-come --link 16 --checkers "
                             "--format c64 --fidelity detailed --technology 7nm --clock 0.5 --allow-overclock --burst 64 "
                             "--seed 77 --memory-latency 7 --dma-width 128")["configuration"]
        options = found.pop("options")
        self.assertEqual(found.pop("options_given")["seed"], "77")
        self.assertIn("--technology", [entry["option"] for entry in found.pop("inputs")])
        self.assertGreaterEqual(found.pop("sram_bytes"), 6 * 4096)
        self.assertEqual(found, {
            "memory": "split", "dram": "lpddr4-3200", "memory_bandwidth_GB_per_s": 12.8, "memory_ports": 3, "sram_banks": 8, "quantum_ps": 1500000,
            "transport": "at", "outstanding": 5, "overlap_runs": "off", "arbitration": "first-come",
            "arbitration_has_effect": True, "priorities": None, "share_percent": None, "link_bytes_per_cycle": 16,
            "power_gating": False, "checkers": True, "format": "c64", "fidelity": "detailed", "technology": "7nm", "leakage": 1, "voltage_V": None, "clock_period_ps": 2000,
            "memory_latency_cycles": 7, "dma_width_bits": 128, "burst_bytes": 64, "seed": 77})
        self.assertEqual((options["quantum"], options["large"], options["checkers"]), ("1.5us", "4x2x8", "true"))

    def test_priorities_and_shares_are_those_of_every_initiator(self):
        names = ("large_host", "small_host", "large.dma", "small.dma")
        for line, priorities, shares in (
                ("--arbitration round-robin", None, None),
                ("--arbitration priority --priority large.dma=3,small_host=15", (0, 15, 3, 0), None),
                ("--arbitration weighted", None, (25, 25, 25, 25)),
                ("--arbitration weighted --share small.dma=40", None, (20, 20, 20, 40)),
                ("--arbitration weighted --share small.dma=90,large.dma=7", None, (1.5, 1.5, 7, 90)),
                ("--arbitration weighted --share small.dma=1,large.dma=2,large_host=3,small_host=94", None,
                 (3, 94, 2, 1))):
            found = self.summary(f"{JOBS} {line}")["configuration"]
            self.assertEqual(found["priorities"], priorities and dict(zip(names, priorities)))
            self.assertEqual(found["share_percent"], shares and dict(zip(names, shares)))

    def test_shares_are_null_where_calls_are_served_as_they_come(self):
        for line, arbitrated in (("", False), ("--quantum 1ns", False), ("--quantum 0", True),
                                 ("--transport at", True)):
            found = self.summary(f"{JOBS} --arbitration weighted {line}")
            self.assertEqual(found["router"]["shares"] is not None, arbitrated)

    def test_it_can_be_repeated(self):
        for line in ("--arbitration priority --priority small_host=4,small.dma=9 --transport at",
                     "--arbitration weighted --share small.dma=33,large_host=1 --quantum 0"):
            first = self.summary(f"{JOBS} --memory sram {line}", folder="first")
            again = self.summary("--config first/summary.json")
            for summary in (first, again):
                del summary["simulation"]
                for options in ("options", "options_given"):
                    summary["configuration"][options].pop("config", None)
                    del summary["configuration"][options]["out"]
            self.assertEqual(again, first)

    def test_format_follows_from_the_transforms(self):
        for options, expected in (("", "f64"), ("--small-transform dft", "c128"),
                                  ("--large-transform dct,dft,dct", "c128"),
                                  ("--format f32", "f32"), ("--small-transform dft --format c64", "c64")):
            self.assertEqual(self.summary(f"{JOBS} {options}")["configuration"]["format"], expected)

    def test_check(self):
        found = self.summary(JOBS)
        self.assertIs(found["check"]["passed"], True)
        for field in ("max_abs_error", "max_rel_error"):
            self.assertEqual(found["check"][field], max(found["devices"][device]["check"][field] for device in DEVICES))
        for device in DEVICES:
            check = found["devices"][device]["check"]
            self.assertTrue(check["passed"] and 0 < check["max_abs_error"] < check["bound"])
        self.assertIsNone(self.summary(f"{SHAPES} --small-runs 0")["devices"]["small"]["check"])
        unchecked = self.summary(f"{JOBS} --no-check")
        self.assertEqual(set(unchecked["check"].values()), {None})
        self.assertEqual({unchecked["devices"][device]["check"] for device in DEVICES}, {None})

    def test_two_runs_give_the_same(self):
        for line in (JOBS, f"{JOBS} --quantum 0 --transport at --memory split"):
            found = []
            for _ in range(2):
                summary = self.summary(line)
                del summary["simulation"]
                found.append([summary, *(self.read_bytes("files/" + name) for name in
                                         ("latency.csv", "energy.csv", "events.csv", "trace.json", "transactions.csv",
                                          "transactions.txlog", "traffic.csv"))])
            self.assertEqual(*found)

    def test_recorders_and_checkers_change_nothing(self):
        """But for the time that it takes on the computer."""
        for transport in ("lt", "at"):
            line = f"{JOBS} --transport {transport}"
            plain, checked = self.summary(line), self.summary(f"{line} --checkers")
            for summary in (plain, checked):
                del summary["simulation"], summary["configuration"]
            self.assertEqual(plain, checked)
            cycles = re.search(r"^  cycles +([\d,]+) ", self.succeeds(line).out, re.M)[1]
            self.assertEqual(int(cycles.replace(",", "")), plain["cycles"])

    def test_fidelities_are_the_same(self):
        found = []
        for fidelity in ("fast", "detailed"):
            summary = self.summary(f"{JOBS} --zeros 0.3 --fidelity {fidelity}")
            del summary["simulation"], summary["configuration"]
            found.append([summary, self.read_bytes("files/latency.csv"), self.read_bytes("files/energy.csv"),
                          self.read_bytes("files/transactions.csv")])
        self.assertEqual(*found)

    def test_cycles_do_not_depend_on_the_clock_without_dram(self):
        found = {json.dumps([self.summary(f"{JOBS} --memory sram --quantum 0 --clock {clock} --allow-overclock")[key]
                             for key in ("cycles", "cycles_by_cause", "devices", "router")])
                 for clock in (0.1, 0.7, 1, 3)}
        self.assertEqual(len(found), 1)
