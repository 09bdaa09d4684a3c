"""Memcheck (valgrind) finds no use of uninitialised or released memory in a quick job of every testbench."""
import os
import shlex
import subprocess

from testbench_manifests import QUICK_JOBS
from testbench_program import TestbenchTest, program_path

# Frames of SystemC's stacks are far apart; an error gives a status that no program has.
MEMCHECK = (os.environ["TENSORLOOM_VALGRIND"], "--quiet", "--error-exitcode=99", "--max-stackframe=100000000000")


class MemcheckTest(TestbenchTest):
    program = "memcheck"

    def checked(self, *command):
        return subprocess.run([*MEMCHECK, *command], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False,
                              env={**os.environ, "LD_PRELOAD": os.environ["MEMCHECK_COROUTINES"]})

    def test_an_uninitialised_read_is_found(self):
        done = self.checked(os.environ["UNINITIALISED_READ"])
        self.assertEqual(done.returncode, 99, done.stdout)
        self.assertIn("uninitialised", done.stdout)

    def test_no_testbench_has_one(self):
        for name, job in QUICK_JOBS.items():
            with self.subTest(testbench=name):
                done = self.checked(program_path(name), *shlex.split(job), "--quiet", "--out", name)
                self.assertEqual((done.returncode, done.stdout), (0, ""))
