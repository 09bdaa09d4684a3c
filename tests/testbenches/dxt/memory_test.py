"""What a run says that it needs is what it takes."""
import os
import re
import resource
import subprocess

from dxt_program import BAD_INPUT, PROGRAM, DxtTest

MIB = 1 << 20


class Memory(DxtTest):
    def setUp(self):
        super().setUp()
        with open(PROGRAM, "rb") as program:
            if b"__asan_init" in program.read():
                self.skipTest("a sanitizer needs more address space than there is")

    def needed_mib(self, line, limit):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        done = self.run_program(line + " --quiet", preexec_fn=little_memory)
        self.assertEqual(done.status, BAD_INPUT, done.err)
        return 1024 * float(re.search(r"needs about (\S+) GiB of memory", done.err).group(1))

    def taken_mib(self, line):
        child = subprocess.Popen([PROGRAM, *line.split(), "--quiet"], cwd=self.path("."))
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return used.ru_maxrss / 1024

    def test_need_is_what_a_run_takes(self):
        for line in ("--shape 200x200x200 --no-check",
                     "--shape 128x128x128 --batch 4 --no-check",
                     "--shape 160x160x160 --sparsity dense --no-check",
                     "--shape 110x110x110 --format c128 --no-check",
                     "--shape 40x40x40 --out-shape 120x120x120 --format bf16",
                     "--shape 120x120x120 --format int8 --transform identity",
                     "--shape 16x16x16 --mesh 1x1x1 --no-check --out files"):
            with self.subTest(line=line):
                taken = self.taken_mib(line)
                needed = self.needed_mib(line, 100 * MIB)
                self.assertGreaterEqual(needed, taken)
                self.assertLessEqual(needed, 1.25 * taken + 12)  # what the process itself takes is rounded up

    def test_rows_of_the_log_count(self):
        line = "--shape 48x48x48 --mesh 1x1x1 --no-check"
        steps_and_loads = 2 * 3 * 48**4
        self.assertGreater(self.needed_mib(line + " --out files", 2048 * MIB), 400 * steps_and_loads / MIB)
        self.assertEqual(self.snapshot(), {})
