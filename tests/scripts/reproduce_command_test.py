#!/usr/bin/env python3
"""scripts/reproduce as a command: its studies and verdicts, going on, wrong use. Usage: reproduce_command_test.py DIRECTORY [all]
with all testbenches; with `all` every study runs, and docs/reproduce.md has their verdicts. Without snakemake it says what it
skips."""
import os
import re
import subprocess
import sys
import tempfile
import shutil
import unittest

import package_path
from study_folder import NO_SNAKEMAKE, has_snakemake

EVERY = sys.argv.pop() == "all" if len(sys.argv) > 2 else False
PROGRAMS = sys.argv.pop(1)
ROOT = package_path.ROOT
STUDIES = "workloads/studies"


def page():
    with open(os.path.join(ROOT, "docs/reproduce.md"), encoding="utf-8") as file:
        return file.read()


class ReproduceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tensorloom-reproduce-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_it(self, *arguments, programs=PROGRAMS):
        return subprocess.run([os.path.join(ROOT, "scripts/reproduce"), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", env={**os.environ, "TENSORLOOM_BIN": programs}, check=False)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def test_wrong_use_is_refused_in_one_line(self):
        for arguments, words in ((("--fast",), "unknown option '--fast'"), (("fetta", "tpu"), "no paper 'tpu', expected one of fetta, mmv-ram, "),
                                 (("fetta/none",), "no study 'fetta/none'"), (("../triada",), "no paper '../triada'"), (("--out",), "--out needs a value"),
                                 (("--out", "/proc/1"), "--out is '/proc/1', expected a directory"), (("--jobs", "0"), "--jobs is '0', expected 1 to 9999"),
                                 (("--jobs=x",), "--jobs is 'x'"), (("--out=",), "--out needs a value")):
            done = self.run_it(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(words, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_list_has_every_study_and_its_claim(self):
        listed = self.run_it("--list").stdout.splitlines()
        there = sorted(os.path.join(folder, name)[len(os.path.join(ROOT, STUDIES)) + 1:-len(".yaml")]
                       for folder, _, names in os.walk(os.path.join(ROOT, STUDIES)) for name in names)
        self.assertEqual([line.split()[0] for line in listed], there)
        text = " ".join(page().split())
        for line in listed:
            name, claim = line.split(maxsplit=1)
            self.assertIn(f"| {name} | {claim} |", text)
        self.assertEqual(len(self.run_it("--list", "tcu/dense", "tcu", "tcu/dense").stdout.splitlines()),
                         sum(line.startswith("tcu/") for line in listed))

    def times_of_runs(self, name):
        with os.scandir(os.path.join(self.folder, f"found/{name}/runs")) as runs:
            return sorted(run.stat().st_mtime_ns for run in runs)

    @unittest.skipUnless(has_snakemake(), NO_SNAKEMAKE)
    def test_studies_run_once_and_end_in_verdicts_and_pictures(self):
        chosen = ("triada/matrix_densities", "mmv-ram/scan_work")
        for start in (1, 2):
            done = self.run_it("--out", "found", *chosen)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            told = re.findall(r"reproduce: (\d) of 2, (\S+): .*\n  (.*) \(\d+ s\)\n", done.stdout)
            self.assertEqual([(int(place), name) for place, name, _ in told], list(enumerate(chosen, 1)))
            self.assertIn("reproduce: 2 of 2 reproduced\n", done.stdout)
            verdicts = self.read("found/verdicts.md")
            for _, name, verdict in told:
                self.assertTrue(os.path.getsize(os.path.join(self.folder, f"found/{name}.png")) > 10_000)
                self.assertIn(f"| [{name}]({name}.png) | ", verdicts)
                self.assertIn(f" | {verdict} |\n", verdicts)
                if not EVERY:
                    self.assertIn(f" | {verdict} |\n", page())
            runs = {name: self.times_of_runs(name) for name in chosen}
            if start == 2:
                self.assertEqual(runs, before)
            before = runs
        os.remove(os.path.join(self.folder, "found/verdicts.md"))
        again = self.run_it("--out", "found", "--again", chosen[0])
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertTrue(set(self.times_of_runs(chosen[0])).isdisjoint(runs[chosen[0]]))

    @unittest.skipUnless(has_snakemake(), NO_SNAKEMAKE)
    def test_a_failed_run_ends_it_without_verdicts(self):
        os.mkdir(os.path.join(self.folder, "bin"))
        with open(os.path.join(self.folder, "bin/dxt"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/bash\ncase " $* " in *" --out "*) echo "dxt: broken" >&2; exit 3 ;; esac\nexec "{PROGRAMS}/dxt" "$@"\n')
        os.chmod(os.path.join(self.folder, "bin/dxt"), 0o755)
        done = self.run_it("--out", "found", "triada/time_steps", programs=os.path.join(self.folder, "bin"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("dxt: broken", done.stderr)
        self.assertIn("reproduce: triada/time_steps failed: tensorloom-study ended with status 1", done.stderr)
        self.assertEqual(os.listdir(os.path.join(self.folder, "found")), ["triada"])

    @unittest.skipUnless(has_snakemake(), NO_SNAKEMAKE)
    def test_the_table_has_all_studies_of_the_directory_whatever_their_words(self):
        study = ("testbench: dxt\noptions: {shape: 2x2x2, no-check: true}\ngrid: {seed: [1]}\nclaim: 'a | b'\n"
                 "values: {v: CYCLES}\nverdict: [{is: reproduced, because: '{v}'}]\n")
        for name, value in (("one", "most(cycles)"), ("two", "1 / 0")):
            with open(os.path.join(self.folder, f"{name}.yaml"), "w", encoding="utf-8") as file:
                file.write(study.replace("CYCLES", value))
            done = subprocess.run([os.path.join(ROOT, "scripts/python/tensorloom-study"), f"{name}.yaml", "--out", f"all/{name}"], cwd=self.folder,
                                  env={**os.environ, "TENSORLOOM_BIN": PROGRAMS}, capture_output=True, encoding="utf-8", check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        done = subprocess.run([os.path.join(ROOT, "scripts/python/tensorloom-study"), "--verdicts", "all"], cwd=self.folder, capture_output=True,
                              encoding="utf-8", check=True)
        self.assertEqual(done.stdout, "1 of 2 reproduced\n0 of 2 reproduced under a condition\n0 of 2 not reproduced\n1 of 2 undecided\n")
        rows = self.read("all/verdicts.md").splitlines()[4:]
        self.assertRegex(rows[0], r"^\| one \| a \\\| b \| reproduced: \d+ \|$")
        self.assertIn("| two | a \\| b | undecided: '1 / 0' has no value: ", rows[1])

    @unittest.skipUnless(EVERY, "only with `all`")
    def test_the_page_has_the_verdicts_of_all_studies(self):
        done = self.run_it("--out", "found")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        text = page()
        for line in self.read("found/verdicts.md").splitlines()[4:]:
            self.assertIn(re.sub(r"\[(\S+)\]\(\S+\)", r"\1", line), text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
