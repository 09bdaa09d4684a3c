"""orbital as a program: what it prints, and how it ends."""
import resource

from orbital_program import OrbitalTest
from testbench_program import program_path
from testbench_words import TestbenchWords


class Words(TestbenchWords, OrbitalTest):
    job = "--shape 3x4x5"
    long_job = "--shape 40x40x40"
    helped = ("--array", "--block", "--schedule", "--compare", "--sweep")
    nonsense = "--shape nonsense"


class Memory(OrbitalTest):
    def test_too_little_is_told_before_it_is_taken(self):
        with open(program_path("orbital"), "rb") as program:
            if b"__asan_init" in program.read():
                self.skipTest("a sanitizer needs more address space than there is")

        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        done = self.run_program("--shape 512x512x512 --quiet", preexec_fn=little_memory)
        self.assertEqual(done.status, 2)
        self.assertRegex(done.err, r"\Aorbital: [^\n]*memory[^\n]*\n\Z")
