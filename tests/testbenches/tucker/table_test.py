"""latency.csv, energy.csv and trace.json: rows of every chain, which sum to the summary; the table for people."""
import math
import os
import re

from testbench_summary import ChecksOfEachRun
from tucker_program import TuckerTest

RUNS = ("--shape 9x8x7 --ranks 3x4x2 --method hooi --max-iterations 2 --fit-change 0",
        "--shape 9x8x7 --ranks 3x4x2 --mesh 4x4x4 --double-buffer", "--shape 5x4x6 --tolerance 0.5 --fidelity detailed")


class Tables(ChecksOfEachRun, TuckerTest):
    runs = RUNS

    def check_rows_of_a_chain_sum_to_its_entry(self, found):
        latency, energy = self.rows("files/latency.csv"), self.rows("files/energy.csv")
        for chain in found["chains"]:
            rows = [row for row in latency if row["run"] == str(chain["run"])]
            self.assertEqual({row["device"] for row in rows}, {"device"})
            job, = {row["job"] for row in rows}
            self.assertTrue(job.startswith(chain["purpose"]), job)
            self.assertIn(f"job {chain['run']}: {job}", [event.get("name") for event in self.trace_events()])
            for key, column in (("cycles", "cycles"), ("steps", "step"), ("steps_skipped", "step_skipped"),
                                ("macs", "mac")):
                self.assertEqual(sum(int(row[column]) for row in rows), chain[key], key)
            total = math.fsum(float(row["total_pJ"]) for row in energy if row["run"] == str(chain["run"]))
            self.assertAlmostEqual(total, chain["energy_pJ"], delta=1e-11 * total)
        for event, count in found["events"].items():
            self.assertEqual(sum(int(row[event]) for row in latency), count, event)
        for component, pj in found["energy_pJ"].items():
            total = math.fsum(float(row[component + "_pJ"]) for row in energy)
            self.assertAlmostEqual(total, pj, delta=1e-11 * found["energy_pJ"]["total"])

    def test_six_files_and_nothing_else(self):
        self.summary(RUNS[0])
        self.assertEqual(sorted(os.listdir(self.path("files"))),
                         ["energy.csv", "events.csv", "latency.csv", "singular_values.csv", "summary.json", "trace.json"])

    def check_singular_values(self, found):
        rows = self.rows("files/singular_values.csv")
        for mode, values in enumerate(found["decomposition"]["singular_values"]):
            own = [row for row in rows if row["mode"] == str(mode + 1)]
            self.assertEqual([int(row["number"]) for row in own], list(range(1, len(values) + 1)))
            self.assertEqual([float(row["singular_value"]) for row in own], values)
            self.assertEqual(sum(int(row["kept"]) for row in own), found["decomposition"]["ranks"][mode])
            self.assertEqual([row["kept"] for row in own], sorted((row["kept"] for row in own), reverse=True))
        self.assertEqual(len(rows), sum(map(len, found["decomposition"]["singular_values"])))

    def check_a_job_per_chain_in_the_trace(self, found):
        jobs = [event for event in self.trace_events() if event["ph"] == "B" and event["name"].startswith("job")]
        self.assertEqual(len(jobs), len(found["chains"]))
        starts = [event["ts"] for event in jobs]
        self.assertEqual(starts, sorted(starts))
        for job, chain in zip(jobs, found["chains"]):
            iteration = "" if chain["iteration"] is None else f", iteration {chain['iteration']}"
            modes, (start, end) = ",".join(map(str, chain["modes"])), (
                " x ".join(map(str, chain[key])) for key in ("from", "to"))
            self.assertEqual(job["name"],
                             f"job {chain['run']}: {chain['purpose']}{iteration}, modes {modes}, {start} to {end}")
            self.assertAlmostEqual(job["args"]["pJ"], chain["energy_pJ"], delta=1e-11 * chain["energy_pJ"])


class Printed(TuckerTest):
    def test_an_iteration_has_its_figures(self):
        found = self.summary(RUNS[0])
        out = self.succeeds(RUNS[0]).out
        for entry in found["iterations"]:
            line = re.search(rf"^  iteration {entry['iteration']} +(.*)$", out, re.M)[1]
            fit, chains, steps, time, unit = re.match(
                r"fit (\S+), (\d+) chains?, (\d+) steps, (\S+) ([nu])s, \S+ .J$", line).groups()
            self.assertAlmostEqual(float(fit), entry["fit"], delta=1e-7)
            self.assertEqual((int(chains), int(steps)), (entry["chains"], entry["steps"]))
            ns = float(time) * {"n": 1, "u": 1000}[unit]
            self.assertAlmostEqual(ns, entry["time_ns"], delta=1e-3 * entry["time_ns"])

    def test_ratios_at_the_end(self):
        found = self.summary(RUNS[0])["ratios"]
        out = self.succeeds(RUNS[0]).out
        for name in ("time", "energy"):
            decompose, one, expand = re.search(rf"^  device {name} +(\S+) : (\S+) : (\S+) \(", out, re.M).groups()
            self.assertEqual(one, "1")
            self.assertAlmostEqual(float(decompose), found[name]["decompose_to_compress"], delta=0.01)
            self.assertAlmostEqual(float(expand), found[name]["expand_to_compress"], delta=0.001)

    def test_quiet_is_quiet(self):
        self.assertEqual(self.succeeds(RUNS[0] + " --quiet").out, "")
