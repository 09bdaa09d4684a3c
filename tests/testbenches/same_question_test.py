"""The same question in the same words, asked of every testbench: options in common are the same options, and a platform
that is described in the same words is the same platform, down to the price of what the memory does."""
import collections
import hashlib
import itertools
import json
import os

import numpy as np

from testbench_manifests import QUICK_JOBS, TEST_JOBS, WITH_TOTALS
from testbench_program import SOURCE, TestbenchTest, load_json

IN_ALL = ["technology", "leakage", "fidelity", "clock", "allow-overclock", "voltage", "memory", "dram", "memory-bandwidth", "memory-latency",
          "memory-ports", "dma-width", "burst", "outstanding", "overlap-runs", "config", "seed", "out", "vcd", "address-trace",
          "address-trace-format", "address-trace-burst", "no-check", "dry-run", "quiet", "help", "help-json", "version"]
# What an option is, and so what its value means. Of choices a device may have fewer.
ESSENCE = ("type", "unit", "default", "repeatable")
DEFAULTS = {"fidelity": "fast", "technology": "7nm", "leakage": 1, "voltage_V": None, "clock_period_ps": 1000, "memory": "lpddr4-3200",
            "memory_bandwidth_GB_per_s": 25.6, "memory_latency_cycles": None, "memory_ports": None, "dma_width_bits": 512, "burst_bytes": 4096,
            "outstanding": 8, "overlap_runs": "on", "seed": 1}
SOC_HAS_AN_SRAM_TOO = {"memory_latency_cycles": 2, "memory_ports": 1}


class SameQuestionTest(TestbenchTest):
    program = "testbenches"

    def listing(self, program):
        """Its options by name."""
        return {option["name"]: option
                for option in json.loads(self.succeeds("--help-json", program=program).out)["options"]}

    def asked(self, words):
        """The summary of every testbench whose platform the user describes."""
        jobs = {program: job for program, job in QUICK_JOBS.items() if not TEST_JOBS[program].get("own_platform")}
        for program, job in jobs.items():
            self.succeeds(f"{job} {words} --quiet --out {program}", program=program)
        return {program: load_json(self.path(f"{program}/summary.json")) for program in jobs}

    def platform(self, program, summary):
        configuration = summary["configuration"]
        told = configuration["device"] if program == "contraction_search" else configuration
        return {name: told[name] for name in DEFAULTS}

    def counts(self, program, summary):
        """What the DRAM did, and how long."""
        counts = collections.Counter(summary.get("dram") or {})
        for row in self.rows(f"{program}/latency.csv") if not counts else ():
            for name, value in row.items():
                if ".memory." in name:
                    counts[name.rpartition(".")[2]] += int(value or 0)
        counts["cycle"] = summary["cycles"]
        return counts


class Options(SameQuestionTest):
    def test_of_all_testbenches_are_the_same(self):
        listings = {program: self.listing(program) for program in QUICK_JOBS}
        for name in IN_ALL:
            for program in QUICK_JOBS:
                with self.subTest(option=name, program=program):
                    found, usual = listings[program][name], dict(listings["dxt"][name])
                    if name == "memory" and program == "soc":
                        usual.update(form="sram|dram|split", choices=["sram", "dram", "split"],
                                     help="Memory that holds the data; split: the large job's in DRAM, the small one's in SRAM.")
                    self.assertEqual(found, usual)

    def test_of_the_platform_have_these_defaults(self):
        defaults = {name: option["default"] for name, option in self.listing("dxt").items() if name in IN_ALL}
        self.assertEqual(defaults, {
            **dict.fromkeys(IN_ALL), "technology": "7nm", "leakage": "1", "fidelity": "fast",
            "memory": "dram", "dram": "lpddr4-3200", "memory-latency": "2", "memory-ports": "1", "dma-width": "512",
            "burst": "4096", "outstanding": "8", "overlap-runs": "on", "seed": "1"})

    def test_of_one_name_are_the_same_or_their_help_says_what_is_not(self):
        named = collections.defaultdict(list)
        for program in QUICK_JOBS:
            for name, option in self.listing(program).items():
                named[name].append((program, option))
        self.assertGreater(sum(len(options) > 1 for options in named.values()), 60)
        for name, options in named.items():
            for (one, a), (other, b) in itertools.combinations(options, 2):
                if a["help"] != b["help"]:
                    continue
                for field in ESSENCE if a["choices"] else ESSENCE + ("form",):
                    self.assertEqual(a[field], b[field], f"--{name} of {one} and {other}")
                fewer, more = sorted((a["choices"] or [], b["choices"] or []), key=len)
                self.assertLessEqual(set(fewer), set(more), f"--{name} of {one} and {other}")


class Platform(SameQuestionTest):
    def test_that_nobody_describes(self):
        for program, summary in self.asked("").items():
            with self.subTest(program=program):
                expected = dict(DEFAULTS)
                if program == "soc":
                    expected.update(SOC_HAS_AN_SRAM_TOO)
                self.assertEqual(self.platform(program, summary), expected)

    def test_with_a_dram(self):
        with open(os.path.join(SOURCE, "models/costs/dram/memories/lpddr4-3200.yaml"), encoding="utf-8") as file:
            self.save_text("dram.yaml", file.read())
        summaries = self.asked("--memory dram --dram dram.yaml --memory-bandwidth 51.2 --technology 7nm --leakage 0.5 --voltage 0.65 --clock 0.8 --allow-overclock "
                               "--dma-width 128 --burst 256 --outstanding 4 --overlap-runs off --seed 7")
        expected = {"fidelity": "fast", "technology": "7nm", "leakage": 0.5, "voltage_V": 0.65, "clock_period_ps": 1250,
                    "memory": "dram.yaml", "memory_bandwidth_GB_per_s": 51.2, "memory_latency_cycles": None, "memory_ports": None, "dma_width_bits": 128, "burst_bytes": 256,
                    "outstanding": 4, "overlap_runs": "off", "seed": 7}
        hashes = set()
        for program, summary in summaries.items():
            with self.subTest(program=program):
                self.assertEqual(self.platform(program, summary),
                                 {**expected, **(SOC_HAS_AN_SRAM_TOO if program == "soc" else {})})
                inputs = {entry["option"]: entry["sha256"] for entry in summary["configuration"]["inputs"]}
                self.assertEqual(inputs["--dram"], hashlib.sha256(self.read_bytes("dram.yaml")).hexdigest())
                hashes.add(inputs["--technology"])
                if program in WITH_TOTALS:
                    self.assertEqual(summary["bound_by"]["peak_bus_bytes_per_cycle"], 16 * self.ports(program))
                    self.assertEqual(summary["simulated_time_ns"], summary["cycles"] * 1.25)
        self.assertEqual(len(hashes), 1)
        simulated = {program: summary for program, summary in summaries.items() if program in WITH_TOTALS}
        self.same_prices(simulated, "dram", ("activate", "read_burst", "write_burst", "refresh"))
        self.same_prices(simulated, "dram_background", ("cycle", "active_cycle"))

    @staticmethod
    def ports(program):
        return 2 if program == "soc" else 1  # a device has one

    def same_prices(self, summaries, component, events):
        """One price for each of the events accounts for the energy of every testbench."""
        counts = [self.counts(program, summary) for program, summary in summaries.items()]
        matrix = np.array([[c[event] for event in events] for c in counts], float)
        pj = np.array([summary["energy_pJ"][component] for summary in summaries.values()])
        self.assertTrue((pj > 0).all(), component)
        prices = np.linalg.lstsq(matrix / pj[:, None], np.ones(len(pj)), rcond=None)[0]  # relative errors
        for program, found in zip(summaries, matrix @ prices / pj):
            self.assertAlmostEqual(found, 1, 9, f"{component} of {program}: {dict(zip(events, prices))}")

    def test_with_an_sram(self):
        summaries = self.asked("--memory sram --memory-latency 5 --memory-ports 2 --technology 45nm --leakage 2 "
                               "--clock 2 --allow-overclock --dma-width 64 --burst 64 --outstanding 2 --fidelity detailed --seed 9")
        for program, summary in summaries.items():
            with self.subTest(program=program):
                self.assertEqual(self.platform(program, summary), {
                    "fidelity": "detailed", "technology": "45nm", "leakage": 2, "voltage_V": None, "clock_period_ps": 500,
                    "memory": "sram", "memory_bandwidth_GB_per_s": 25.6 if program == "soc" else None,
                    "memory_latency_cycles": 5, "memory_ports": 2, "dma_width_bits": 64, "burst_bytes": 64,
                    "outstanding": 2, "overlap_runs": "on", "seed": 9})
                if program in WITH_TOTALS:
                    self.assertEqual(summary["bound_by"]["peak_bus_bytes_per_cycle"], 8 * self.ports(program))
