"""latency.csv and energy.csv: their rows sum to summary.json; trace.json shows the same."""
import itertools
import math
import os

import numpy as np

from dxt_program import DxtTest
from testbench_summary import ChecksOfEachRun

RUNS = ("--shape 3x4x5", "--shape 3x4x5 --batch 3 --tags reverse --mesh 4x8x6",
        "--shape 4x4x4 --transform identity --zeros 0.5",
        "--shape 3x4x5 --transform dft --format c64 --sparsity dense --technology 7nm --clock 0.7 --allow-overclock",
        "--shape 5x3x4 --fidelity detailed --order 123",
        "--shape 24x20x28 --zeros 0.3 --line-extent active --vertical-mode 0 --clock 3 --allow-overclock",
        "--shape 4x4x4 --transform file:zero.npy")


class Tables(ChecksOfEachRun, DxtTest):
    runs = RUNS

    def setUp(self):
        super().setUp()
        self.save("zero.npy", np.zeros((4, 4)))

    def check_cycles_sum(self, found):
        rows = self.rows("files/latency.csv")
        self.assertEqual(sum(int(row["cycles"]) for row in rows), found["cycles"])
        self.assertEqual(sum(found["cycles_by_cause"].values()), found["cycles"])
        for cause, cycles in found["cycles_by_cause"].items():
            self.assertEqual(sum(int(row["cycles"]) for row in rows if row["cause"] == cause), cycles)

    def check_rows_follow_each_other_without_a_gap(self, _found):
        now = 0
        for row in self.rows("files/latency.csv"):
            self.assertEqual(int(row["start_cycle"]), now)
            now += int(row["cycles"])

    def check_counts_sum(self, found):
        rows = self.rows("files/latency.csv")
        for event, count in found["events"].items():
            self.assertEqual(sum(int(row[event]) for row in rows), count, event)

    def check_stages_sum(self, found):
        rows = self.rows("files/latency.csv")
        for number, stage in enumerate(found["stages"], 1):
            own = [row for row in rows if row["phase"] == f"stage_{number}"]
            for field, event in (("steps", "step"), ("steps_skipped", "step_skipped"),
                                 ("coefficient_sends", "coefficient_send"),
                                 ("operand_sends", "operand_send"), ("macs", "mac"),
                                 ("macs_skipped", "mac_skipped")):
                self.assertEqual(sum(int(row[event]) for row in own), stage[field])
        for field in ("steps", "steps_skipped", "macs", "macs_skipped"):
            self.assertEqual(sum(stage[field] for stage in found["stages"]), found[field])
        self.assertEqual(found["events"]["mac"], found["macs"])

    def check_energies_sum(self, found):
        rows = self.rows("files/energy.csv")
        total = found["energy_pJ"]["total"]
        for component, energy in found["energy_pJ"].items():
            summed = math.fsum(float(row[component + "_pJ"]) for row in rows)
            self.assertLessEqual(abs(summed - energy), 1e-12 * energy, component)
        self.assertLessEqual(abs(math.fsum(v for k, v in found["energy_pJ"].items() if k != "total") - total),
                             1e-12 * total)
        for row in rows:
            parts = math.fsum(float(v) for k, v in row.items() if k.endswith("_pJ") and k != "total_pJ")
            self.assertLessEqual(abs(parts - float(row["total_pJ"])), 1e-12 * parts)

    def check_both_tables_have_the_same_rows(self, _found):
        key = ("command", "cause", "phase", "id", "start_cycle", "cycles")
        self.assertEqual([[row[k] for k in key] for row in self.rows("files/latency.csv")],
                         [[row[k] for k in key] for row in self.rows("files/energy.csv")])

    def check_steps_take_step_cycles_and_skipped_rows_none(self, found):
        for row in self.rows("files/latency.csv"):
            if row["cause"] == "compute":
                self.assertEqual(int(row["step"]) + int(row["step_skipped"]), 1)
                self.assertEqual(int(row["cycles"]), found["configuration"]["step_cycles"] * int(row["step"]))

    def check_one_row_per_row_of_the_matrices(self, found):
        shape, order = found["configuration"]["shape"], found["configuration"]["order"]
        rows = iter(row for row in self.rows("files/latency.csv") if row["cause"] == "compute")
        for command, (number, mode) in itertools.product(range(found["configuration"]["batch"]),
                                                         enumerate(order, 1)):
            own = [next(rows) for _ in range(shape[mode - 1])]
            self.assertEqual({(row["command"], row["phase"]) for row in own}, {(str(command), f"stage_{number}")})
            self.assertEqual([int(row["id"]) for row in own], list(range(shape[mode - 1])))
            tags = list(range(shape[mode - 1]))
            if found["configuration"]["options"]["tags"] == "reverse":
                tags.reverse()
            self.assertEqual([int(row["detail"]) for row in own], tags)

    def test_matrices_are_loaded_once_in_a_batch(self):
        self.summary("--shape 3x4x5 --batch 3")
        phases = [(row["command"], row["phase"]) for row in self.rows("files/latency.csv") if row["cause"] != "compute"]
        self.assertEqual(phases, [("0", "fetch"), ("0", "matrices"), ("0", "load"), ("0", "unload"), ("1", "load"),
                                  ("1", "unload"),
                                  ("2", "load"), ("2", "unload")])

    def test_random_tags_are_a_permutation_that_the_seed_decides(self):
        def tags(seed):
            self.summary(f"--shape 12x12x12 --tags random --seed {seed}")
            return [int(row["detail"]) for row in self.rows("files/latency.csv") if row["phase"] == "stage_1"]

        first = tags(1)
        self.assertEqual(sorted(first), list(range(12)))
        self.assertEqual(tags(1), first)
        self.assertNotEqual(tags(2), first)

    def test_five_files_and_nothing_else(self):
        self.summary("--shape 3x4x5")
        self.assertEqual(sorted(os.listdir(self.path("files"))),
                         ["energy.csv", "events.csv", "latency.csv", "summary.json", "trace.json"])


class Trace(ChecksOfEachRun, DxtTest):
    runs = RUNS[:-1]

    @staticmethod
    def slices(events):
        """(track, depth, name, begin, end, args) of every slice; each begin has its end."""
        found, stacks = [], {}
        for event in events:
            stack = stacks.setdefault(event.get("tid"), [])
            if event["ph"] == "B":
                stack.append(event)
            elif event["ph"] == "E":
                begun = stack.pop()
                found.append((event["tid"], len(stack), begun["name"], begun["ts"], event["ts"], begun["args"]))
        assert not any(stacks.values()), "a slice does not end"
        return found

    def check_only_known_kinds_of_events(self, _found):
        events = self.trace_events()
        for event in events:
            self.assertIn(event["ph"], "MBEC")
            if event["ph"] != "M":
                self.assertIsInstance(event["ts"], (int, float))
                self.assertGreaterEqual(event["ts"], 0)

    def check_slices_nest_and_time_goes_on(self, _found):
        events = self.trace_events()
        last = {}
        for event in events:
            if event["ph"] in "BE":
                self.assertGreaterEqual(event["ts"], last.get(event["tid"], 0))
                last[event["tid"]] = event["ts"]
        for _, _, name, begin, end, args in self.slices(events):
            self.assertLessEqual(begin, end, name)
            self.assertGreaterEqual(args["cycles"], 0)

    def check_every_track_has_a_name(self, _found):
        events = self.trace_events()
        named = {event["tid"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
        self.assertEqual({event["tid"] for event in events if event["ph"] in "BE"}, named)

    def check_one_slice_per_step_at_its_time(self, found):
        events = self.trace_events()
        period_us = found["configuration"]["clock_period_ps"] / 1e6
        steps = [s for s in self.slices(events) if s[2].startswith("step ")]
        self.assertEqual(len(steps), found["steps"] + found["steps_skipped"])
        for _, _, _, begin, end, args in steps:
            self.assertAlmostEqual(begin, args["start_cycle"] * period_us, delta=1e-9)
            self.assertAlmostEqual(end - begin, args["cycles"] * period_us, delta=1e-9)

    def check_the_job_is_the_whole_run(self, found):
        events = self.trace_events()
        job = next(s for s in self.slices(events) if s[2] == "job")
        self.assertEqual(job[3], 0)
        self.assertAlmostEqual(job[4], found["simulated_time_ns"] / 1000, delta=1e-9)
        self.assertAlmostEqual(job[5]["pJ"], found["energy_pJ"]["total"], delta=1e-12 * found["energy_pJ"]["total"])
        commands = [s for s in self.slices(events) if s[2].startswith("command ")]
        self.assertEqual(len(commands), found["configuration"]["batch"])

    def check_counters(self, found):
        events = self.trace_events()
        end = found["simulated_time_ns"] / 1000
        for name, key in (("power", "mW"), ("utilisation", "of active cells")):
            counters = [event for event in events if event["ph"] == "C" and event["name"] == name]
            times = [event["ts"] for event in counters]
            self.assertEqual(times, sorted(set(times)))
            self.assertEqual(counters[-1]["args"][key], 0)
            self.assertAlmostEqual(times[-1], end, delta=1e-9)
            total = math.fsum(event["args"][key] * (after - event["ts"]) for event,
                              after in zip(counters, times[1:]))
            if name == "power":  # mW x us = nJ
                self.assertAlmostEqual(total * 1000, found["energy_pJ"]["total"],
                                       delta=1e-9 * found["energy_pJ"]["total"])
            else:
                self.assertTrue(all(0 <= event["args"][key] <= 1 for event in counters))
