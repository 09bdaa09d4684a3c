"""What tests of runs from Python share: programs of the build, and temporary files in a folder that must be empty at the end."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import numpy as np

from package_path import PYTHON
import tensorloom as tl

PROGRAMS = os.path.abspath(sys.argv.pop(1))


class RunsFromPython(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch, self.waiting = scratch.name, os.path.join(scratch.name, "temporary")
        os.mkdir(self.waiting)
        for change in (mock.patch.dict(os.environ, {"TENSORLOOM_BIN": PROGRAMS, "TMPDIR": self.waiting}),
                       mock.patch.object(tempfile, "tempdir", None)):
            change.start()
            self.addCleanup(change.stop)
        self.random = np.random.default_rng(1)

    def tearDown(self):
        self.assertEqual(os.listdir(self.waiting), [])

    def place(self, name):
        return os.path.join(self.scratch, name)

    def refusal(self, call, *arguments, **options):
        with self.assertRaises(tl.TensorLoomError) as caught:
            call(*arguments, **options)
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception

    def run_program(self, name, *arguments, cwd):
        subprocess.run([os.path.join(PROGRAMS, name), *arguments, "--quiet"], cwd=cwd, check=True)

    def program_in(self, folder, text):
        """A script in the place of dxt; the folder."""
        folder = self.place(folder)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "dxt"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(os.path.join(folder, "dxt"), 0o755)
        return folder

    def assert_a_signal_leaves_nothing(self, call, number, begun=1):
        """Of long work that is told to end when so many runs have begun: neither files nor programs. The signal goes to Python
        alone, as from a notebook's button or a batch system."""
        code = f"import sys; sys.path.insert(0, {PYTHON!r}); import tensorloom as tl; {call}"
        process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL, start_new_session=True,
                                   env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        deadline = time.monotonic() + 60
        while len(os.listdir(self.waiting)) < begun and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(number)
        self.assertEqual(process.wait(60), -number)
        self.assertEqual(os.listdir(self.waiting), [])
        with self.assertRaises(ProcessLookupError):  # its programs are gone, too
            os.killpg(process.pid, 0)


INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)
