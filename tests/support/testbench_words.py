"""Common options of all testbenches, and their exit when standard output is closed."""
import os

from testbench_program import BAD_INPUT, RIGHT, SOURCE


class TestbenchWords:
    """Beside a TestbenchTest. `job`: options of a quick run; `long_job`: of one that would show its progress;
    `helped`: some of the options that the help must show; `nonsense`: words that --help ignores."""

    job = ""
    long_job = ""
    helped = ()
    nonsense = ""

    def test_help(self):
        for line in ("--help", f"--help {self.nonsense}", "--quiet --help"):
            out = self.succeeds(line).out
            self.assertTrue(out.startswith(f"Usage: {self.program} "), line)
            for option in (*self.helped, "--technology", "--version"):
                self.assertIn(f"\n  {option}", out)

    def test_version(self):
        with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as file:
            version = file.read().split("project(TensorLoom VERSION ")[1].split()[0]
        self.assertEqual(self.succeeds("--version").out, f"{self.program} {version}\n")
        self.assertEqual(self.summary(self.job)["version"], version)

    def test_help_and_version_do_nothing_else(self):
        for word in ("--help", "--version"):
            self.succeeds(f"{self.job} {' '.join(self.outputs)} {word}")
            self.assertEqual(self.snapshot(), {})

    def test_nothing_is_written_unasked(self):
        self.succeeds(self.job)
        self.assertEqual(self.snapshot(), {})

    def test_quiet(self):
        for outputs in ("", " ".join(self.outputs)):
            self.assertEqual(self.succeeds(f"{self.job} --quiet {outputs}").out, "")

    def test_no_banner_and_no_progress_in_a_pipe(self):
        out = self.succeeds(self.long_job).out
        self.assertNotIn("SystemC", out)
        self.assertNotIn("\r", out)

    def test_standard_output_that_is_full(self):
        for line in (self.job, "--help", "--version"):
            with open("/dev/full", "wb") as full:
                done = self.run_program(line, stdout=full)
            self.assertEqual(done.status, BAD_INPUT)
            self.assertRegex(done.err, rf"\A{self.program}: [^\n]*standard output[^\n]*\n\Z")

    def test_quiet_does_not_need_standard_output(self):
        with open("/dev/full", "wb") as full:
            self.assertEqual(self.run_program(f"{self.job} --quiet", stdout=full).status, RIGHT)
