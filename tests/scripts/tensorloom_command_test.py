#!/usr/bin/env python3
"""The command tensorloom: its demo, the commands and programs that it starts, and what it refuses."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = sys.argv.pop(1)
DEVICES = ("TriADA", "orbital torus", "MMU/VCU pair", "FETTA")
VARIABLES = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "scripts/python"), "TENSORLOOM_BIN": BIN}


class TensorloomCommand(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def run_it(self, *arguments):
        return subprocess.run(["/usr/bin/python3", "-m", "tensorloom", *arguments], cwd=self.folder, env=VARIABLES,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)

    def test_demo_runs_every_device_and_writes_a_page(self):
        for out, arguments in (("tensorloom-demo", ()), ("here/there", ("--out", "here/there"))):
            done = self.run_it("demo", *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            lines = done.stdout.splitlines()
            self.assertEqual([line[:len(name)] for line, name in zip(lines, DEVICES)], list(DEVICES))
            self.assertIn(f"{out}/report.html has the pictures", lines[-1])
            self.assertEqual(len(lines), len(DEVICES) + 1)
            with open(os.path.join(self.folder, out, "report.html"), encoding="utf-8") as file:
                page = file.read()
            self.assertIn("<svg", page)
            for name in DEVICES:
                self.assertIn(name, page)
                self.assertTrue(os.path.isfile(os.path.join(self.folder, out, name.replace(" ", "_").replace("/", "_"), "summary.json")))

    def test_demo_prints_the_lines_of_its_page(self):
        with open(os.path.join(ROOT, "docs/packages.md"), encoding="utf-8") as file:
            page = file.read().splitlines()
        for line in self.run_it("demo").stdout.splitlines()[:-1]:  # the last one has the time of the computer
            self.assertIn(f"    {line}", page)

    def test_programs_and_commands_get_their_arguments(self):
        done = self.run_it("dxt", "--shape", "2x2x2", "--out", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 x 2 x 2 cells", done.stdout)
        self.assertIn("multiply-adds", self.run_it("plot", "table", "run").stdout)
        self.assertEqual(self.run_it("report", "run").returncode, 0)
        self.assertIn("tensorloom-asm", self.run_it("asm", "--help").stdout)
        self.assertIn("Usage: tensorloom-study", self.run_it("study", "--help").stdout)
        failed = self.run_it("dxt", "--shape", "0x2x2")
        self.assertEqual((failed.returncode, failed.stdout), (2, ""))
        self.assertTrue(failed.stderr.startswith("dxt: --shape"))

    def test_version_is_that_of_the_programs(self):
        told = subprocess.run([os.path.join(BIN, "dxt"), "--version"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
        self.assertEqual(self.run_it("--version").stdout.split(), ["tensorloom", told.split()[-1]])

    def test_what_it_refuses(self):
        with open(os.path.join(self.folder, "file"), "w", encoding="utf-8"):
            pass
        for arguments, words in (((), "no command"), (("nothing",), "unknown command 'nothing'"), (("sh", "-c", "true"), "'sh'"),
                                 (("demo", "x"), "unexpected argument 'x'"), (("demo", "--out"), "--out needs a value"),
                                 (("demo", "--what"), "unknown option '--what'"), (("demo", "--out="), "--out is ''"),
                                 (("demo", "--out", "file"), "--out is 'file', expected a directory")):
            done = self.run_it(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertRegex(done.stderr, r"\Atensorloom: [^\n]*\n\Z")
            self.assertIn(words, done.stderr)
        self.assertEqual(os.listdir(self.folder), ["file"])


unittest.main()
