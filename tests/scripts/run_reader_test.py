#!/usr/bin/env python3
"""The reader of what testbenches write with --out: numbers are those of the files, and what is wrong with them is said
in one line."""
import json
import os
import unittest
from unittest import mock

import package_path  # noqa: F401
from hand_made_runs import RunsTest, summary, write_csv, write_json, write_run
from tensorloom import cases
from tensorloom.cases import READERS, WORKLOADS
from tensorloom.comparison import compare_runs, format_table, table_of
from tensorloom.manifests import manifests
from tensorloom.quantities import number_text, scale_for
from tensorloom.run import read_runs
from tensorloom.run_directory import InputProblem, numbers_or_texts, read_table


class RunReaderTest(RunsTest):
    def read(self, *arguments):
        return read_runs(arguments)

    def assert_refused(self, argument, *texts):
        with self.assertRaises(InputProblem) as caught:
            read_runs([argument])
        self.assertNotIn("\n", str(caught.exception))
        for text in texts:
            self.assertIn(text, str(caught.exception))

    def change(self, path, **fields):
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        content.update(fields)
        write_json(path, content)

    def test_a_run_has_the_numbers_of_its_files(self):
        write_run("run")
        run, = self.read("run")
        self.assertEqual((run.label, run.device, run.workload),
                         ("run", "TriADA, mesh 2 x 3 x 4", "3D dct of 2 x 3 x 4, dense, f64"))
        self.assertEqual((run.time_ns, run.cycles, run.macs, run.total_pj()), (40, 20, 200, 2440))
        self.assertEqual(list(run.records.start_ns), [0, 20, 24, 28, 8])
        self.assertEqual(list(run.records.duration_ns), [20, 4, 4, 12, 0])
        case, = run.cases
        self.assertEqual((case.peak_macs, case.of_peak()), (12, 200 / (12 * 20)))
        self.assertEqual(case.utilisation(), 200 / (24 * 20))  # of the cells, as dxt has it
        self.assertEqual((case.ports["bus"].amount, case.ports["bus"].peak, case.intensity("bus")), (160, 64, 200 / 160))

    def test_power_of_what_runs_beside_others_is_spent_then(self):
        write_run("run")
        records = self.read("run")[0].records
        self.assertEqual(list(records.power_mw()), [(1030 + 50) / 20, 400 / 4, 400 / 4, 560 / 12, 0])
        self.assertAlmostEqual(float((records.power_mw() * records.duration_ns).sum()), 2440)

    def test_files_that_are_none_or_too_deep_are_refused(self):
        write_run("run")
        for deep in (200_000 * "[" + 200_000 * "]", 200_000 * '{"a":' + "1" + 200_000 * "}"):
            with open("run/summary.json", "w", encoding="utf-8") as file:
                file.write(deep)
            self.assert_refused("run", "run/summary.json cannot be read as JSON: values are nested too deeply")
        for name in ("summary.json", "latency.csv"):
            write_run(name[:3])
            os.remove(f"{name[:3]}/{name}")
            os.mkfifo(f"{name[:3]}/{name}")  # a reader would wait for a writer
            self.assert_refused(name[:3], f"{name[:3]}/{name} is not a regular file")

    def test_joined_runs_follow_each_other(self):
        write_run("first", 200)
        write_run("second", 100)
        run, = self.read("both=first,second")
        self.assertEqual((run.label, run.time_ns, run.cycles, run.macs, run.total_pj()), ("both", 80, 40, 300, 2440 + 2240))
        self.assertEqual(run.causes, {"load": 20, "compute": 8, "unload": 12, "matrices": 0})
        self.assertEqual(list(run.records.start_ns), [0, 20, 24, 28, 8, 40, 60, 64, 68, 48])
        row = next(row for row in compare_runs([run]).rows if row.name.startswith("utilisation"))
        self.assertAlmostEqual(row.values[0], 100 * 300 / (40 * 24))

    def test_programs_begin_when_the_trace_says(self):
        write_run("run")
        columns = ("device", "run", "command", "cause", "phase", "start_cycle", "cycles", "mac")
        write_csv("run/latency.csv", columns, [("large", run, 0, "load", "load", 0, 5, 0) for run in (0, 1)])
        os.remove("run/energy.csv")
        self.assertEqual(list(self.read("run")[0].records.start_ns), [0, 10])  # without a trace one behind the other
        events = [{"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "platform.large"}},
                  {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "device"}}]
        for start in (1.0, 1.5):
            events += [{"name": "job", "ph": "B", "pid": 1, "tid": 1, "ts": start},
                       {"name": "load", "ph": "B", "pid": 1, "tid": 1, "ts": start},
                       {"ph": "E", "pid": 1, "tid": 1, "ts": start + 0.01}, {"ph": "E", "pid": 1, "tid": 1, "ts": start + 0.01}]
        write_json("run/trace.json", {"traceEvents": events})
        self.assertEqual(list(self.read("run")[0].records.start_ns), [0, 500])

    def test_a_run_without_rows_over_time_has_those_of_its_trace(self):
        write_run("run")
        os.remove("run/energy.csv")
        write_csv("run/latency.csv", ("epoch", "phase", "cycles"), [(1, "fp", 20)])
        events = [{"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "platform.device"}}]
        events += [{"name": "thread_name", "ph": "M", "pid": 1, "tid": track, "args": {"name": name}}
                   for track, name in ((1, "device"), (2, "device, overlapped 1"), (3, "load: gather"))]
        for name, track, start in (("job", 1, 5), ("command 1", 1, 5), ("load", 1, 5)):
            events.append({"name": name, "ph": "B", "pid": 1, "tid": track, "ts": start, "args": {"pJ": 30}})
        events += [{"ph": "E", "pid": 1, "tid": 1, "ts": end} for end in (5.01, 5.02, 5.02)]
        for name, track in (("fill", 2), ("gather", 3)):
            events += [{"name": name, "ph": "B", "pid": 1, "tid": track, "ts": 5.005, "args": {"pJ": 4}},
                       {"ph": "E", "pid": 1, "tid": track, "ts": 5.005}]
        write_json("run/trace.json", {"traceEvents": events})
        run, = self.read("run")
        self.assertEqual((run.records.source, run.records.cause), ("trace.json", ["load", "fill"]))
        self.assertAlmostEqual(run.records.end_ns(), 10)
        self.assertAlmostEqual(float((run.records.power_mw() * run.records.duration_ns).sum()), 34)
        self.assertEqual(run.total_pj(), 2440)  # of the summary

    def test_directories_of_one_name_are_told_apart(self):
        write_run("a/run")
        write_run("b/run")
        self.assertEqual([run.label for run in self.read("a/run", "b/run")], ["a/run", "b/run"])
        self.assertEqual([run.label for run in self.read("one=a/run", "b/run")], ["one", "run"])

    def test_a_testbench_that_is_not_known_is_read(self):
        write_run("run", testbench="another", configuration={"options_given": {"size": "3", "out": "run"}})
        run, = self.read("run")
        self.assertEqual(run.title(), "another: size 3")
        self.assertEqual(len(run.records), 5)

    def test_what_manifests_name_is_there(self):
        for name, manifest in manifests().items():
            described = manifest["summary"]
            self.assertTrue("{" in described["workload"] or described["workload"] in WORKLOADS, name)
            self.assertIn(described.get("cases", "device_runs"), {*READERS, "device_runs"}, name)

    def test_workloads_are_texts_with_settings(self):
        with mock.patch.object(cases, "summary_of", lambda testbench: {"workload": "{kind} of {shape}, {sizes}, {format}"}):
            found = summary(1)
            found["configuration"] = {"kind": "sum", "shape": [2, 3], "sizes": {"i": 4, "j": 5}, "format": "f32"}
            self.assertEqual(cases.workload_text(found), "sum of 2 x 3, i = 4, j = 5, f32")
            found["configuration"] = {"kind": "sum", "options_given": {"shape": "2x3", "out": "run"}}
            self.assertEqual(cases.workload_text(found), "shape 2x3")

    def test_the_workload_of_a_chain_names_its_steps(self):
        found = summary(1)
        found["configuration"].update(chain=["transform dct,dct,dct", "conjugate transpose of step 1"], inverse=True)
        self.assertEqual(cases.workload_text(found), "chain (transform dct,dct,dct; conjugate transpose of step 1) of 2 x 3 x 4, "
                                                     "dense, f64")

    def test_what_is_wrong_is_one_line(self):
        self.assert_refused("nowhere", "nowhere is not a directory")
        write_run("run")
        self.assert_refused("=run", "LABEL=DIR")
        self.assert_refused("a=run,", "LABEL=DIR")
        for name, content, text in (("summary.json", "{", "cannot be read as JSON"), ("summary.json", "[]", "no field 'schema'"),
                                    ("summary.json", '{"schema": "x"}', "no field 'testbench'"),
                                    ("trace.json", '{"traceEvents": [{}]}', "not understood"),
                                    ("trace.json", '{}', "traceEvents"),
                                    ("energy.csv", "a,b\n1\n", "line 2: 1 fields, expected 2"), ("energy.csv", "", "is empty"),
                                    ("latency.csv", "start_cycle,cycles\n1,2\n", "no column 'cause'"),
                                    ("latency.csv", "start_cycle,cycles,cause,phase\nx,2,a,b\n",
                                     "texts in column 'start_cycle'")):
            with self.subTest(content):
                write_json(f"other/{name}" if os.path.isdir("other") else os.path.join(write_run("other"), name), content)
                self.assert_refused("other", os.path.join("other", name), text)
                os.system("rm -r other")
        os.remove("run/summary.json")
        self.assert_refused("run", "summary.json is missing")

    def test_tables_of_other_runs_are_refused(self):
        write_run("run")
        with open("run/energy.csv", encoding="utf-8") as file:
            lines = file.readlines()
        with open("run/energy.csv", "w", encoding="utf-8") as file:
            file.writelines(lines[:-1])
        self.assert_refused("run", "do not have the same rows")

    def test_large_tables_keep_their_columns(self):
        rows = 25_001  # more than are turned into numbers at a time
        write_csv("t.csv", ("number", "text", "gap"),
                  [(row, "x" if row % 7 else "3", "" if row % 2 else row) for row in range(rows)])
        table = read_table("t.csv")
        self.assertEqual((table.rows, table.numbers("number").sum()), (rows, sum(range(rows))))
        self.assertEqual(table.texts("text")[:2] + table.texts("text")[-1:], ["3", "x", "x"])
        self.assertNotEqual(table.numbers("gap")[1], table.numbers("gap")[1])
        self.assertEqual(numbers_or_texts(["1", "a"]), ["1", "a"])


class TableTest(RunsTest):
    def test_table_has_one_unit_a_line_and_the_ratio(self):
        write_run("a", 1000)
        write_run("b", 500)
        lines = format_table(table_of(read_runs(["a", "b"]))).splitlines()
        found = {line.split("  ")[0] if not line.startswith(" ") else line.strip().split("  ")[0]: line.split() for line in lines}
        self.assertEqual(found["time [ns]"][-3:], ["40", "40", "1.000"])
        self.assertEqual(found["energy [nJ]"][-3:], ["4.04*", "3.04*", "0.752"])
        self.assertEqual(found["macs skipped"][-2:], ["0", "500"])
        self.assertEqual(found["leakage [nJ]"][-3:], ["2*", "2*", "1.000"])
        self.assertEqual(found["load"][-3:], ["10", "10", "1.000"])
        self.assertIn("estimate", lines[-1])

    def test_table_has_the_technologies_if_they_differ(self):
        write_run("a", 1000)
        write_run("b", 1000, configuration={**summary(1)["configuration"], "technology": "files/own.yaml"})
        lines = format_table(table_of(read_runs(["a", "b"]))).splitlines()
        self.assertEqual(lines[1].split(), ["technology", "45nm", "own.yaml"])
        self.assertEqual(lines[1].index("45nm") + len("45nm"), lines[0].index("a") + 1)
        self.assertNotIn("technology", format_table(table_of(read_runs(["a", "again=a"]))).splitlines()[1])

    def test_one_unit_for_the_largest(self):
        scale = scale_for([3, 2_000_000, None], "pJ")
        self.assertEqual((scale.unit, scale(3)), ("\N{MICRO SIGN}J", 3e-6))
        self.assertEqual([number_text(value) for value in (0, 12, 1234567.0, 0.012345, 1.5e-9, 0.1)],
                         ["0", "12", "1,234,567", "0.01235", "1.500e-09", "0.1"])


if __name__ == "__main__":
    unittest.main()
