#!/usr/bin/env python3
"""Studies that run: one row per run whatever came of it, nothing lost or run again after a kill. Without snakemake it says
what it skips, but where CI is true it fails: scripts/setup --studies installs it."""
import csv
import fcntl
import importlib.util
import os
import random
import socket
import subprocess
import time
import unittest

from study_folder import NO_SNAKEMAKE, SECONDS, STUDY, StudyTest, has_snakemake

KILLS = 2


@unittest.skipUnless(has_snakemake(), NO_SNAKEMAKE)
class StudyRunTest(StudyTest):
    def test_failed_runs_have_their_row_and_stop_no_other(self):
        self.write_study("testbench: stand_in\noptions: {on: true, tags: [p, q]}\n"
                         "grid: {x: [2, 13, 14, 15, 16, 4], mode: [a, b]}\nmeasures: {asked: configuration.x}\n"
                         "objectives: {latency: min, area: min, asked: max}\n")
        out = self.done(status=1)
        rows = {(row["x"], row["mode"]): row for row in self.rows()}
        self.assertEqual(len(rows), 12)
        for mode in "ab":
            self.assertEqual([rows[x, mode]["status"] for x in ("2", "13", "14", "15", "16", "4")],
                             ["done", "failed", "wrong", "failed", "failed", "done"])
            self.assertEqual(rows["13", mode]["message"], "stand_in: --x is '13', expected something else")
            self.assertIn("SIGSEGV", rows["15", mode]["message"])
            self.assertIn("no summary", rows["16", mode]["message"])
        first = rows["4", "a"]
        self.assertEqual([first[name] for name in ("on", "tags", "time_ns", "energy_pJ", "area_um2", "max_rel_error",
                                                   "asked", "version", "commit", "host", "exit_status", "on_front")],
                         ["true", "p q", "250", "4", "100", "0.5", "4", "9.8.7", "abc1234", socket.gethostname(), "0", "true"])
        self.assertEqual([row["on_front"] for row in self.rows()].count("true"), 1)
        self.assertIn("12 points, 12 runs: 4 done, 8 failed or wrong", out)
        self.assertIn("mode=a: stand_in: --x is '13', expected something else", out)
        self.assertIn("  point 11: x=4 mode=a: latency 250 ns, area 1.000e-04 mm², asked 4\n", out)
        self.assertIn(f"program: {self.path('bin/stand_in')}\n", out)

        began = self.said("began")
        self.done(status=1)
        self.assertEqual(self.said("began"), began)  # failed runs are finished too
        self.done("--again", "failed", status=1)
        again = self.said("began") - began
        self.assertEqual({name.split()[0]: count for name, count in again.items()}, {"--x=14": 1, "--x=15": 1, "--x=16": 1})

    def test_constraints_decide_what_is_an_answer(self):
        study = ("testbench: stand_in\ngrid: {x: [1, 2, 4], mode: [a, b]}\nrepeats: 2\nmeasures: {load: cycles_by_cause.load}\n"
                 "objectives: {latency: min}\nconstraints: [%s]\n")
        self.write_study(study % "area <= 150, latency_us >= 0.4")
        out = self.done()
        self.assertIn("2 points meet area <= 150 and latency_us >= 0.4\nPareto front, 1 points (min latency):\n  point 3: x=2 mode=a: latency 500 ns\n", out)
        with open(self.path("found/points.csv"), encoding="utf-8", newline="") as file:
            points = list(csv.DictReader(file))
        self.assertEqual({row["overclocked"] for row in points}, {"false"})
        self.assertEqual([(row["runs"], row["meets"], row["on_front"]) for row in points],
                         [("2", *flags) for flags in (("true", "false"), ("false", "false"), ("true", "true"), *3 * [("false", "false")])])
        self.assertEqual((points[2]["time_ns"], points[2]["time_ns_deviation"], "seed" in points[2]), ("500", "0", False))
        self.assertEqual({row["on_front"] for row in self.rows() if row["x"] == "2" and row["mode"] == "a"}, {"true"})

        began = self.said("began")
        self.write_study(study % "area <= 90, latency <= 300")
        self.assertEqual(self.done(status=2), "tensorloom-study: study.yaml: no point meets area <= 90 and latency <= 300; the nearest "
                                              "is point 5, x=4 mode=a: area 100, latency 250\n")
        self.assertEqual(self.said("began"), began)  # another budget needs no other run
        self.assertNotIn("true", {row["on_front"] for row in self.rows()})

    def test_designs_of_a_model_may_be_refused(self):
        self.write_study("layers: [{name: one, ranks: 1}]\n", "model.yaml")
        study = ("testbench: stand_in\ntemplate: {model: model.yaml}\nrepeats: 2\ngrid:\n  x: [%s]\n  model.layers.one.ranks: [2, 3]\n"
                 "objectives: {latency: min}\n")
        self.write_study(study % "2, 13, 2000, 3000")  # 13 is refused when it runs
        out = self.done()
        self.assertIn("8 points, 16 runs: 4 done; 8 of them in this start\n6 points are designs that stand_in refuses:\n"
                      "  point 3 and 1 more: stand_in: --x is '13', expected something else\n"
                      "  point 5 and 1 more: stand_in: --x is '2000', expected something else\n"
                      "  point 7 and 1 more: stand_in: --x is '3000', expected something else\n", out)
        self.assertEqual([(row["x"], row["model.layers.one.ranks"], row["status"]) for row in self.rows()[::2]],
                         [(x, rank, "done" if x == "2" else "refused") for x in ("2", "13", "2000", "3000") for rank in "23"])
        self.assertEqual({row["message"] for row in self.rows() if row["x"] == "2000"}, {"stand_in: --x is '2000', expected something else"})
        self.assertIn("  point 1: one.ranks=2 x=2: latency 500 ns\n", out)
        began = self.said("began")
        self.done()
        self.assertEqual(self.said("began"), began)
        self.write_study(study % "13")
        self.assertIn("2 points, 4 runs: 0 done", self.done("--again", "failed", status=1))  # no design is left
        self.write_study(study % "2000")
        refused = subprocess.run([STUDY, "study.yaml", "--out", "other"], cwd=self.folder, env=self.environment, capture_output=True,
                                 encoding="utf-8", check=False)
        self.assertEqual((refused.returncode, refused.stdout, refused.stderr),
                         (2, "", "tensorloom-study: point 1: stand_in: --x is '2000', expected something else\n"))
        self.assertFalse(os.path.exists(self.path("other")))

    def test_folders_may_have_any_name(self):
        self.write_study("testbench: stand_in\ngrid: {x: [1, 2]}\n")
        for name in ("found {1}", "{", "}}", "it's \"so\" %s"):
            with self.subTest(name=name):
                done = subprocess.run([STUDY, "study.yaml", "--out", name, "--jobs", "2"], cwd=self.folder, env=self.environment,
                                      capture_output=True, encoding="utf-8", timeout=SECONDS, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("2 points, 2 runs: 2 done", done.stdout)

    def test_after_a_kill_what_is_published_is_not_run_again_and_what_was_under_way_is(self):
        self.write_study("testbench: stand_in\ngrid: {x: [1, 2, 3, 4, 5, 6, 7, 8], y: [1, 2, 3]}\nbatch: 4\nrepeats: 2\n")
        generator = random.Random(os.urandom(8))
        for kill in range(KILLS):
            finished = generator.randint(8 * kill + 1, 8 * kill + 8)
            process = self.started(seconds=0.08)
            self.wait_until(lambda: sum(self.said("ended").values()) >= finished, process)
            time.sleep(generator.uniform(0, 0.08))
            self.kill(process)
            whole, began = self.published(), self.said("began")
            time.sleep(0.2)
            self.assertEqual(self.said("began"), began)  # nothing goes on
            with self.subTest(finished=finished):
                self.assertLess(len(whole), 48)
        self.done(seconds=0.01)
        again = self.said("began") - began
        self.assertEqual(again.keys() & whole, set())
        self.assertEqual(sum(again.values()), 48 - len(whole))
        self.assertEqual(set(again.values()), {1})
        self.assertLessEqual(set(began) - whole, set(again))
        rows = self.rows()
        self.assertEqual([(row["status"], row["seed"]) for row in rows], [("done", "1"), ("done", "2")] * 24)
        self.assertEqual(len({row["id"] for row in rows}), 48)
        self.assertEqual([name for name in os.listdir(self.path("found/runs")) if name.startswith(".")], [])

        began = self.said("began")
        self.write_study("testbench: stand_in\ngrid: {x: [1, 9], y: [1, 2]}\nrepeats: 2\nkeep: all\n")  # another question
        self.done()
        self.assertEqual({name.split()[0] for name in self.said("began") - began}, {"--x=9"})
        self.assertEqual(len(self.rows()), 8)
        new = next(row["id"] for row in self.rows() if row["x"] == "9")
        self.assertIn("latency.csv", os.listdir(self.path(f"found/runs/{new}")))

    def test_an_interrupted_study_stops_what_it_has_started_and_goes_on_when_started_again(self):
        self.write_study("testbench: stand_in\ngrid: {x: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], y: [1, 2]}\n")
        process = self.started(seconds=0.1)
        self.wait_until(lambda: len(self.published()) >= 3, process)
        process.terminate()  # this one process, not those that it has started
        self.assertEqual(process.wait(SECONDS), 130)
        self.assertIn("start it again to continue", process.stderr.read())
        began, states = self.said("began"), [row["status"] for row in self.rows()]
        self.assertTrue(3 <= states.count("done") < 24)
        self.assertEqual(states.count("done") + states.count("missing"), 24)
        time.sleep(0.3)
        self.assertEqual(self.said("began"), began)
        self.done()
        self.assertEqual([row["status"] for row in self.rows()], ["done"] * 24)

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "no pyarrow: tables in Parquet are not tested")
    def test_parquet_has_what_the_table_has(self):
        from pyarrow import parquet
        self.write_study("testbench: stand_in\ngrid: {x: [3, 13]}\n")
        self.done(status=1)
        table = parquet.read_table(self.path("found/results.parquet"))
        self.assertEqual(table.column_names, list(self.rows()[0]))
        self.assertEqual((table["time_ns"].to_pylist(), table["x"].to_pylist(), table["on_front"].to_pylist()),
                         ([1000 / 3, None], ["3", "13"], [True, False]))

    def test_another_build_or_a_second_start_is_refused(self):
        self.write_study("testbench: stand_in\ngrid: {x: [1, 2]}\n")
        self.done()
        with open(self.path("found/.lock"), encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("in use by another tensorloom-study", self.done(status=2))
        with open(self.path("bin/stand_in"), "a", encoding="utf-8") as program:
            program.write("# newer\n")
        self.assertIn("has runs of another build of stand_in", self.done(status=2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
