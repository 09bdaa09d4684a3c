"""A folder with a study and the stand-in testbench, for tests of tensorloom-study."""
import contextlib
import csv
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from collections import Counter

import package_path

HERE = os.path.dirname(os.path.abspath(__file__))
STUDY = os.path.join(package_path.PYTHON, "tensorloom-study")
SECONDS = 100  # that a study of these tests may take
NO_SNAKEMAKE = "no snakemake (scripts/setup --studies): that studies run, and go on after a kill, is not tested"


def in_ci():
    return os.environ.get("CI") == "true"


def has_snakemake():
    return in_ci() or shutil.which("snakemake") is not None


class StudyTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tensorloom-study-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.mkdir(self.path("bin"))
        shutil.copy(os.path.join(HERE, "stand_in_testbench.py"), self.path("bin/stand_in"))
        self.log = self.path("log")
        self.environment = {**os.environ, "TENSORLOOM_BIN": self.path("bin"), "STAND_IN_LOG": self.log}

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_study(self, text, name="study.yaml"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def started(self, *arguments, seconds=0.0):
        """tensorloom-study, in a process group of its own."""
        process = subprocess.Popen([STUDY, "study.yaml", "--out", "found", "--jobs", "2", *arguments], cwd=self.folder,
                                   env={**self.environment, "STAND_IN_SECONDS": str(seconds)}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True)
        self.addCleanup(self.kill, process)
        return process

    def done(self, *arguments, status=0, seconds=0.0):
        """What it printed."""
        process = self.started(*arguments, seconds=seconds)
        out, complaints = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, complaints if status != 2 else ""), (status, ""), out + complaints)
        return out if status != 2 else complaints

    def rows(self):
        with open(self.path("found/results.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def said(self, what):
        """How often a run began or ended, by its options."""
        if not os.path.exists(self.log):
            return Counter()
        with open(self.log, encoding="utf-8") as file:
            return Counter(line.strip().partition(" ")[2] for line in file if line.startswith(what + " "))

    def published(self):
        """The options of runs that are whole, as the log names them."""
        runs, found = self.path("found/runs"), set()
        for name in os.listdir(runs) if os.path.isdir(runs) else []:
            if not name.startswith("."):
                with open(os.path.join(runs, name, "record.json"), encoding="utf-8") as file:
                    record = json.load(file)
                found.add(" ".join(record["arguments"]))
                self.assertEqual(os.path.isfile(os.path.join(runs, name, "summary.json")), record["status"] == "done", name)
        return found

    def wait_until(self, reached, process):
        """Polls; fails when the study ends before."""
        deadline = time.monotonic() + SECONDS
        while not reached():
            self.assertIsNone(process.poll(), "the study ended too early")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def kill(self, process):
        """The whole group, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdout, process.stderr):
            stream.close()
