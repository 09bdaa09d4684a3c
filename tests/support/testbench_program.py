"""Runs a testbench through its command line, in a separate directory for each test."""
import csv
import dataclasses
import json
import os
import shlex
import subprocess
import tempfile
import unittest

import numpy as np

SOURCE = os.environ["TENSORLOOM_SOURCE"]

RIGHT, WRONG, BAD_INPUT, INTERNAL = 0, 1, 2, 3


@dataclasses.dataclass
class Finished:
    status: int
    out: str
    err: str


def program_path(name):
    """Path of a testbench, from the environment that CMake sets."""
    return os.environ[name.upper()]


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def load_json(path):
    """Strict JSON: no NaN, no Infinity."""
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=refuse_constant)


class TestbenchTest(unittest.TestCase):
    """Command lines are written as in a shell; paths are relative to self.directory, where the program runs."""

    maxDiff = None
    program = None  # its name
    outputs = ()    # options for all output files

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix=f"{self.program}-test-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    # ---- files

    def path(self, name):
        return os.path.join(self.directory, name)

    def save(self, name, array):
        with open(self.path(name), "wb") as file:
            np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=True)
        return name

    def save_bytes(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def save_text(self, name, text):
        return self.save_bytes(name, text.encode())

    def read_bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def load(self, name):
        return np.load(self.path(name))

    def rows(self, name):
        """Rows of a CSV file as dictionaries."""
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def snapshot(self):
        """Every path below the directory, with the content of regular files."""
        found = {}
        for folder, folders, files in os.walk(self.directory):
            for name in folders + files:
                path = os.path.join(folder, name)
                regular = os.path.isfile(path) and not os.path.islink(path)
                found[os.path.relpath(path,
                                      self.directory)] = self.read_bytes(path) if regular else os.lstat(path).st_mode
        return found

    # ---- runs

    def run_program(self, line, program=None, **keywords):
        """`program`: default is the testbench under test."""
        keywords.setdefault("cwd", self.directory)
        keywords.setdefault("stdin", subprocess.DEVNULL)
        keywords.setdefault("stdout", subprocess.PIPE)
        keywords.setdefault("stderr", subprocess.PIPE)
        path = program_path(program or self.program)
        done = subprocess.run([path, *shlex.split(line)], timeout=100, check=False, **keywords)
        return Finished(done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode())

    def succeeds(self, line, **keywords):
        done = self.run_program(line, **keywords)
        self.assertEqual((done.status, done.err), (RIGHT, ""), line)
        return done

    def fails_with(self, status, line, *words, **keywords):
        """One line on stderr with all these words, nothing on stdout, and no file that was not there before."""
        before = self.snapshot()
        done = self.run_program(line, **keywords)
        self.assertEqual(done.status, status, f"{line}\n{done.err}")
        self.assertEqual(done.out, "", line)
        self.assertRegex(done.err, rf"\A{self.program}: [^\n]+\n\Z", line)
        for word in words:
            self.assertIn(word, done.err, line)
        self.assertEqual(self.snapshot(), before, line)
        return done

    def refuses(self, line, *words, **keywords):
        """Refuses bad input, with all outputs requested."""
        for option in self.outputs:
            if option.split()[0] not in shlex.split(line):
                line += " " + option
        return self.fails_with(BAD_INPUT, line, *words, **keywords)

    def summary(self, line, folder="files"):
        self.succeeds(f"{line} --quiet --out {folder}")
        return load_json(os.path.join(self.path(folder), "summary.json"))

    # ---- comparisons

    def assert_near(self, found, expected, tolerance, message=""):
        """The norm of the difference is within the tolerance of the norm."""
        self.assertEqual(found.shape, expected.shape, message)
        wide = np.clongdouble if np.iscomplexobj(expected) or np.iscomplexobj(found) else np.longdouble
        difference = np.linalg.norm((found.astype(wide) - expected.astype(wide)).ravel())
        self.assertLessEqual(difference, tolerance * np.linalg.norm(expected.astype(wide).ravel()), message)

    def assert_equal(self, found, expected, message=""):
        """Every element, exactly; -0 equals 0."""
        np.testing.assert_array_equal(found, expected, message)
