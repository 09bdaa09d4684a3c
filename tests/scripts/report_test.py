#!/usr/bin/env python3
"""tensorloom-report: a page has the numbers of its runs, a mark per row of every table, and nothing from elsewhere; the
command refuses in one line. Looked at as text: what a browser makes of it is report_browser_test.py."""
import contextlib
import io
import json
import os
import resource
import subprocess
import unittest
from unittest import mock

import package_path
from hand_made_runs import RunsTest, records, summary, write_csv, write_json, write_run
from page_figures import Page
from tensorloom import report_command
from tensorloom.quantities import scale_for
from tensorloom.report import page, time_charts
from tensorloom.report.markup import value_text
from tensorloom.run import Records, read_runs


class ReportTest(RunsTest):
    def page(self, *arguments):
        text = page.page_of(read_runs(arguments))
        return Page(text), text

    def test_every_row_is_a_mark(self):
        write_run("run")
        shown, _ = self.page("run")
        lanes, = shown.of("lanes")
        power, = shown.of("power")
        for figure, source in ((lanes, "latency.csv"), (power, "energy.csv")):
            self.assertEqual((figure["data-csv"], figure["data-rows"], figure["data-per-mark"]), (source, "5", "1"))
            self.assertEqual(sorted(int(mark["data-r"]) for _, mark in figure["marks"]), [0, 1, 2, 3, 4])
        spans = {int(mark["data-r"]): (float(mark["x"]), float(mark.get("data-w", mark["width"]))) for _, mark in lanes["marks"]}
        self.assertEqual(spans, {place: (2 * start, 2 * cycles) for place, (start, cycles, *_) in enumerate(records(200))})

    def test_numbers_are_those_of_the_files(self):
        write_run("run")
        shown, _ = self.page("run")
        causes, = shown.of("causes")
        self.assertIn("10 \N{MIDDLE DOT} 50 %", causes["text"])
        component, phase = shown.of("energy")
        for text in ("leakage*", "2 nJ \N{MIDDLE DOT} 82 %", "mac", "2.44 nJ in all"):
            self.assertIn(text, component["text"])
        self.assertIn("stage 1", phase["text"])
        self.assertNotIn("leakage*", phase["text"])
        waits, = shown.of("waits")
        self.assertIn("3 cycles", waits["text"])
        roof, = shown.of("roofline")
        self.assertIn("At most 12 multiply-adds and 64 bytes per cycle", roof["text"])
        text = "".join(shown.texts)
        for part in ("TriADA, mesh 2 x 3 x 4: 3D dct of 2 x 3 x 4, dense, f64", "What does this transform cost", "41.67 %",
                     "passed, relative error 1.00e-12"):
            self.assertIn(part, text)

    def test_the_answer_is_before_every_figure(self):
        write_run("run", bound_by={"resource": "port", "savings": {"port": 0.5}, "utilisation_ceiling": 0.5, "bus_bytes_per_cycle": 1.0,
                                   "peak_bus_bytes_per_cycle": 8.0, "bus": {"busy": 0.125, "waiting": 0.5, "idle": 0.375}}, area_um2={"total": 2_500_000.0})
        write_run("other", 100)
        for arguments, answers in ((("run",), ["40 ns and 2.44 nJ on 2.5 mm\N{SUPERSCRIPT TWO}; bound by port.",
                                               "Zeros: 800 multiply-adds and 0 time-steps are skipped; 200 and 2 are done."]),
                                   (("run", "other"), ["Energy: other needs least, 2.24 nJ; run 1.09 times.", "Time: other needs least"])):
            head = self.page(*arguments)[1].partition("<body>")[2].partition("<main>")[0]
            before = "".join(Page(head).texts)
            for text in ("What does this transform cost on a mesh, and what do zeros save?", *answers):
                self.assertIn(text, before)

    def test_commands_can_be_pasted(self):
        given = {"shape": "2x3x4", "watch": ["0,0", "1,1"], "schedule": "---", "quiet": "true", "title": "a b"}
        write_run("run", configuration={**summary(1)["configuration"], "options_given": given})
        self.assertIn("dxt --shape 2x3x4 --watch 0,0 --watch 1,1 --schedule=--- --quiet --title 'a b'", self.page("run")[0].texts)

    def test_verdicts_of_the_summary_are_told(self):
        write_run("run", utilisation_working=0.5, warnings=["590 W of leakage"], area_um2={"total": 2_500_000.0},
                  bound_by={"resource": "port", "savings": {"compute": 0.125, "port": 0.5, "bus": 0.0},
                            "bus_bytes_per_cycle": 62.0, "peak_bus_bytes_per_cycle": 64.0},
                  power_mW={"average": 1500.0, "leakage": 500.0}, power_density_W_per_mm2=0.6)
        text = "|".join(self.page("run")[0].texts)
        for part in ("utilisation while working|50 %", 
                     "bound by|port; less time without port 50 %, compute 12.5 % (bus 62 of 64 B per cycle)",
                     "area|2.5 mm\N{SUPERSCRIPT TWO}", "power, on average|1.5 W", "of it leakage|0.5 W", "warning|590 W of leakage"):
            self.assertIn(part, text)

    def test_data_of_the_view_are_the_rows(self):
        write_run("run")
        _, text = self.page("run")
        data = json.loads(text.split('<script type="application/json">')[1].split("</script>")[0])
        self.assertEqual(data["array"], {"kind": "mesh", "size": [2, 3, 4], "groups": 1, "cubes": [2, 3, 4]})
        self.assertEqual([data["causes"][place] for place in data["cause"]], [cause for _, _, cause, *_ in records(200)])
        self.assertEqual(data["macs"], [0, 100, 100, 0, 0])
        self.assertEqual(data["share"], [0, 1, 1, 0, 0])  # of 12 per cycle, more than there can be
        self.assertEqual(data["energy"]["leakage"], [1000, 200, 200, 550, 50])
        self.assertEqual((data["jobs"], data["job"]), ([], []))  # one, whose name is the run's

    def test_rows_say_their_job_where_there_are_several(self):
        write_run("run")
        os.remove("run/energy.csv")
        columns = ("device", "run", "job", "command", "cause", "phase", "start_cycle", "cycles", "mac")
        write_csv("run/latency.csv", columns, [("device", run, job, 0, "load", "load", 0, 5, 0)
                                               for run, job in enumerate(("compress, modes 1", "expand", "compress, modes 1"))])
        _, text = self.page("run")
        data = json.loads(text.split('<script type="application/json">')[1].split("</script>")[0])
        self.assertEqual([data["jobs"][place] for place in data["job"]], ["compress, modes 1", "expand", "compress, modes 1"])

    def test_runs_stand_side_by_side(self):
        write_run("first", 200)
        write_run("second", 100)
        shown, _ = self.page("first", "second")
        compared = {figure["text"].split("first")[0]: figure for figure in shown.of("compared")}
        self.assertEqual([len(figure["marks"]) for figure in compared.values()], [2] * len(compared))
        self.assertIn("(0.5 x)", compared["multiply-adds"]["text"])
        self.assertEqual(len(shown.of("lanes")), 2)

    def test_other_tables_are_charts_too(self):
        write_run("run")
        write_csv("run/own.csv", ("name", "cycles", "share"), [("a", 4, ""), ("b", 2, 0.5)])
        write_json("run/summary.json", summary(200, stages=[{"mode": mode, "steps": 1, "macs": mode} for mode in (1, 2, 3)]))
        charts = {figure["data-csv"]: figure for figure in self.page("run")[0].of("table")}
        self.assertEqual(set(charts), {"own.csv", "summary.json"})
        self.assertEqual([len(charts[name]["marks"]) for name in ("own.csv", "summary.json")], [2, 3])
        self.assertIn("b", charts["own.csv"]["text"])

    def test_rows_are_summed_by_phase_first(self):
        write_run("run")
        write_csv("run/own.csv", ("epoch", "phase", "cycles"), [(epoch, phase, cycles) for epoch in (1, 2, 3)
                                                                for phase, cycles in (("fp", 4), ("bp", 10))])
        summed, rows = self.page("run")[0].of("table")
        self.assertIn("own by phase", summed["text"])
        self.assertEqual(("data-csv" in summed, len(summed["marks"])), (False, 2))
        self.assertIn("fp12bp30", summed["text"].replace("column cycles", ""))
        self.assertEqual((rows["data-csv"], len(rows["marks"])), ("own.csv", 6))

    def test_columns_that_do_not_vary_are_the_last(self):
        write_run("run")
        write_csv("run/own.csv", ("name", "number", "cycles", "loss"), [("a", 1, 45, 0.5), ("a", 2, 45, 0.25)])
        chart, = self.page("run")[0].of("table")
        self.assertIn("column losscycles", chart["text"])  # and a number names its row

    def test_a_chart_has_one_unit(self):
        self.assertEqual([value_text(value, scale_for([5e6], "pJ")) for value in (5e6, 2e4, 300.0, 0.0)],
                         ["5 \N{MICRO SIGN}J", "0.02 \N{MICRO SIGN}J", "< 0.001 \N{MICRO SIGN}J", "0 \N{MICRO SIGN}J"])

    def test_lists_under_one_name_are_charts_each(self):
        """As the traffic of soc's router, by initiator and by target; what is null has none."""
        write_run("run")
        ports = {name: {"bytes": count} for name, count in (("host", 3), ("dma", 5), ("sram", 8))}
        write_json("run/summary.json", summary(200, router={
            "initiators": {name: ports[name] for name in ("host", "dma")}, "targets": ports, "shares": None}))
        charts = self.page("run")[0].of("table")
        self.assertEqual([len(figure["marks"]) for figure in charts], [2, 3])

    def test_every_bank_is_a_mark(self):
        write_run("run")
        write_csv("run/banks.csv", ("memory", "bank", "accesses", "conflict_cycles"),
                  [("scratchpad", 0, 7, 0), ("scratchpad", 1, 9, 2), ("scratchpad", 2, 8, 8), ("words", 0, 5, 0), ("words", 1, 5, 0)])
        shown, text = self.page("run")
        chart, = shown.of("banks")
        self.assertEqual((chart["data-csv"], chart["data-rows"], chart["data-per-mark"]), ("banks.csv", "5", "1"))
        heights = [float(mark["height"]) for _, mark in chart["marks"]]
        self.assertEqual(heights, [4, 25, 100, 4, 4])  # of 100; no stalls: a line
        self.assertIn("10 stall cycles, most at bank 2: 8", chart["text"])
        self.assertIn("no stalls", chart["text"])
        self.assertIn("<title>bank 2: 8 accesses, 8 stall cycles</title>", text)
        self.assertNotIn("banks.csv", [figure["data-csv"] for figure in shown.of("table")])

    def test_nothing_comes_from_elsewhere(self):
        write_run("run")
        shown, text = self.page("run")
        self.assertEqual([address for address in shown.addresses if not address.startswith(("#", "data:"))], [])
        self.assertIn("default-src 'none'", text)
        self.assertLess(len(text.encode()), 5_000_000)

    def test_texts_of_files_are_no_markup(self):
        write_run("run", configuration={**summary(1)["configuration"], "format": "<b>\"f64\"</script>"})
        write_csv("run/own.csv", ("name", "cycles", "<!--<script>"), [("</script><i>", 4, 3), ("b", 2, 1)])
        _, text = self.page("a<b>=run")
        data = text.split('<script type="application/json">')[1:]
        self.assertTrue(data)
        for script in data:  # "<!--<script>" would make the parser look for two ends
            self.assertNotIn("<", script.split("</script>")[0])
        self.assertTrue(any("<!--<script>" in str(json.loads(script.split("</script>")[0])) for script in data))
        self.assertNotIn("<b>\"f64", text)
        self.assertNotIn("<i>", text.split("</style>")[1].replace("<i class", ""))
        self.assertIn("a&lt;b&gt;", text)

    def test_half_a_surrogate_pair_is_a_question_mark(self):
        write_run("run", configuration={**summary(1)["configuration"], "format": "f\ud800"})
        done = self.reported("run", "--title", "t\udcff")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open("report.html", encoding="utf-8") as file:
            self.assertIn("f?", file.read())

    def test_too_little_memory_is_told_in_a_line(self):
        for command, kib, statuses in (("report", 40_000, (3,)), ("plot", 40_000, (3,)), ("study", 40_000, (3,)),
                                       ("report", 120_000, (2, 3)), ("study", 120_000, (2, 3))):
            with self.subTest(command=command, kib=kib):
                done = self.reported("none", command=command, kib=kib)
                self.assertIn(done.returncode, statuses)
                self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1), done.stderr)

    def reported(self, *arguments, command="report", kib=None):
        """A command as a process, in an address space of this size."""
        def limit():
            if kib:
                resource.setrlimit(resource.RLIMIT_AS, (kib * 1024, kib * 1024))
        path = os.path.join(package_path.PYTHON, f"tensorloom-{command}")
        environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
        return subprocess.run([path, *arguments], preexec_fn=limit, capture_output=True, timeout=60, env=environment, check=False)

    def test_three_js_is_there_for_a_mesh_alone(self):
        write_run("mesh")
        configuration = {name: value for name, value in summary(1)["configuration"].items() if name != "mesh"}
        write_run("engines", configuration={**configuration, "engines": 4, "side": 2})
        with open("three.js", "w", encoding="utf-8") as file:
            file.write("const three = '</script>';")
        with mock.patch.object(page, "THREE", (self.path("three.js"),)):
            self.assertIn("<script>const three = '<\\/script>';</script>", self.page("mesh")[1])
            self.assertNotIn("const three", self.page("engines")[1])
        with mock.patch.object(page, "THREE", (self.path("nowhere.js"),)):
            self.assertNotIn("class SpaceScene", self.page("mesh")[1])

    def test_many_runs_share_the_room_of_a_page(self):
        runs = [mock.Mock(records=range(count)) for count in (5000, 20_000, 0, 3000)]
        self.assertEqual(page.most_marks(runs[:2]), 6000)  # 5,000 and 6,000
        self.assertEqual(page.most_marks(runs), 4000)

    def test_many_rows_become_few_marks_that_keep_their_sums(self):
        count, most = 1001, 100
        rows = Records(["a"] * 700 + ["b"] * 301, ["j"] * count, ["load", "compute"] * 500 + ["load"], ["p"] * count,
                       time_charts.np.arange(count) * 2.0, time_charts.np.full(count, 2.0), time_charts.np.ones(count),
                       {"mac": time_charts.np.arange(count) * 1.0})
        shown = time_charts.thinned(rows, most)
        self.assertEqual(shown.per_mark, 11)
        self.assertEqual(len(shown.records), 64 + 28)  # ceil(700 / 11) + ceil(301 / 11): a mark is of one device
        self.assertEqual((shown.records.macs.sum(), shown.records.energy_pj["mac"].sum()), (count, count * (count - 1) / 2))
        self.assertEqual((shown.records.start_ns[64], shown.records.duration_ns[63]), (1400, 7 * 2))
        self.assertIn("11 consecutive rows share one mark", time_charts.rule_text("latency.csv", count, 11))


class ReportCommandTest(RunsTest):
    def report(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()) as complaints, \
                mock.patch("sys.argv", ["tensorloom-report", *arguments]):
            status = report_command.main()
        return status, printed.getvalue(), complaints.getvalue()

    def test_a_page_is_written(self):
        write_run("run")
        status, printed, _ = self.report("run")
        self.assertEqual(status, 0)
        self.assertRegex(printed, r"\Atensorloom-report: report\.html, 0\.\d\d MB\n\Z")
        self.assertEqual(self.report("--output", "a.html", "--title=Two of them", "run", "other=run")[0], 0)
        with open("a.html", encoding="utf-8") as file:
            self.assertIn("<h1>Two of them</h1>", file.read())

    def test_help_is_that_of_the_page(self):
        status, printed, _ = self.report("--help")
        self.assertEqual((status, printed), (0, report_command.USAGE + "\n"))
        with open(os.path.join(package_path.ROOT, "docs", "report.md"), encoding="utf-8") as file:
            self.assertIn("".join(f"    {line}".rstrip() + "\n" for line in report_command.USAGE.splitlines()), file.read())

    def test_output_that_nobody_takes_is_no_traceback(self):
        command = os.path.join(package_path.PYTHON, "tensorloom-report")
        reading, writing = os.pipe()
        os.close(reading)
        for unbuffered in ("", "1"):
            environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
            done = subprocess.run([command, "--help"], stdout=writing, stderr=subprocess.PIPE, env=environment, check=False)
            self.assertEqual((done.returncode, done.stderr), (141, b""))
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([command, "--help"], stdout=full, stderr=subprocess.PIPE, env=environment, check=False)
            self.assertEqual((done.returncode, done.stderr.decode()),
                             (2, "tensorloom-report: standard output could not be written: No space left on device\n"))
        os.close(writing)

    def test_wrong_use_is_one_line(self):
        write_run("run")
        for arguments, text in (((), "no directory"), (("nowhere",), "nowhere is not a directory"), (("--out", "x", "run"), "'--out'"),
                                (("run", "--output"), "needs a value"), (("--title=a", "--title=b", "run"), "given twice"),
                                (("--output", "nowhere/x.html", "run"), "nowhere/x.html cannot be written")):
            with self.subTest(arguments):
                status, printed, complaint = self.report(*arguments)
                self.assertEqual((status, printed), (2, ""))
                self.assertRegex(complaint, r"\Atensorloom-report: [^\n]+\n\Z")
                self.assertIn(text, complaint)


if __name__ == "__main__":
    unittest.main()
