#!/usr/bin/env python3
"""docs/virtual_platform.md, and the cross build of docs/firmware.md: the example platform runs its firmware, and prints
what the page shows.

Usage: virtual_platform_test.py PROGRAM, or --missing PACKAGES where it is not built: then this says what it skips, but
where CI is true it fails."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JOBS = ("TriADA", "orbital torus", "MMU/VCU pair", "FETTA")


def run(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, timeout=200, check=False)


def blocks(page, language):
    with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.M | re.S)


def verdicts(console):
    return re.findall(r"(right|WRONG)$", console, re.M)


class VirtualPlatform(unittest.TestCase):
    def test_prints_what_the_page_shows(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, blocks("virtual_platform.md", "text")[0], ""))

    def test_cross_build_of_the_firmware_page_runs(self):
        [lines] = [block for block in blocks("firmware.md", "sh") if "--firmware" in block]
        with tempfile.TemporaryDirectory() as directory:
            path = os.pathsep.join([os.path.dirname(os.path.abspath(sys.argv[1])), os.environ["PATH"]])
            done = subprocess.run(["sh", "-ec", lines], cwd=ROOT, env={**os.environ, "PATH": path, "TMPDIR": directory},
                                  capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, blocks("virtual_platform.md", "text")[0], ""))

    def test_linker_script_stands_on_the_firmware_page(self):
        with open(os.path.join(ROOT, "docs/examples/virtual_platform/firmware/platform.ld"), encoding="utf-8") as file:
            self.assertIn(file.read(), blocks("firmware.md", "text"))

    def test_results_do_not_depend_on_quantum_and_burst(self):
        for arguments in (("--quantum", "0"), ("--quantum", "100"), ("--quantum=1000000",), ("--burst", "4")):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual(verdicts(done.stdout), 6 * ["right"], done.stdout)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_without_devices_every_job_ends_with_a_bus_error(self):
        done = run("--without-devices")
        self.assertEqual(verdicts(done.stdout), 2 * ["right"] + 4 * ["WRONG"])
        for job in JOBS:
            self.assertRegex(done.stdout, rf"(?m)^{job}.* a transfer on the bus failed +WRONG$")
        self.assertIn("2 of 6: FAIL\n", done.stdout)
        self.assertEqual((done.returncode, done.stderr), (1, ""))

    def test_speed_has_a_row_for_each_system(self):
        done = run("--speed", "--rounds", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = dict(re.findall(r"^(\w.*?)  +[\d.]+ +([\d.]+)$", done.stdout, re.M))
        self.assertEqual(rows["no device"], "1.000")
        self.assertEqual(len(rows), 11, done.stdout)
        # One run on a loaded machine: wide bounds. docs/virtual_platform.md has medians.
        self.assertGreater(float(rows["four idle devices"]), 0.7)
        self.assertGreater(float(rows["one busy, bursts of 4 KiB"]), 2 * float(rows["one busy, bursts of 4 B"]))

    def test_wrong_use_is_one_line(self):
        for arguments, words in ((("--burst", "3"), "expected a power of two"), (("--quantum", "x"), "--quantum"),
                                 (("--firmware", "/nowhere"), "expected a file"), (("--firmware", os.devnull), "0 bytes"),
                                 (("--speed", "--rounds", "0"), "expected at least 1"), (("--spee",), "--spee"),
                                 (("more",), "too many positional")):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
                self.assertIn(words, done.stderr)


class OtherFirmware(unittest.TestCase):
    """Machine code of a few instructions."""

    def setUp(self):
        self.file = tempfile.NamedTemporaryFile(suffix=".bin")
        self.addCleanup(self.file.close)

    def run_code(self, *words):
        self.file.seek(0)
        self.file.write(b"".join(word.to_bytes(4, "little") for word in words))
        self.file.flush()
        return run("--firmware", self.file.name)

    def test_status_is_that_of_the_exit_register(self):
        lui_exit, addi_5, store = 0x100032b7, 0x00500313, 0x0062a023  # t0 = exit_at; t1 = 5; *t0 = t1
        wait, again = 0x10500073, 0xffdff06f
        self.assertEqual(self.run_code(lui_exit, addi_5, store, wait, again).returncode, 1)

    def test_firmware_that_sleeps_for_ever_is_a_failure(self):
        done = self.run_code(0x10500073, 0xffdff06f)  # 1: wfi; j 1b
        self.assertEqual(done.returncode, 3)
        self.assertIn("the firmware has not ended", done.stderr)

    def test_unexpected_exception_is_a_failure_that_names_its_address(self):
        done = self.run_code(0x00000013, 0x00000073)  # nop; ecall
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"^virtual_platform: .*: exception 8 at or before 0x8000000[48]\n$")

    def test_fault_without_a_handler_is_a_failure(self):
        for code in (0x00002083, 0x00002023, 0x00000067):  # lw x1, 0(x0); sw x0, 0(x0); jalr x0, 0(x0)
            with self.subTest(hex(code)):
                done = self.run_code(code)
                self.assertEqual(done.returncode, 3)
                self.assertRegex(done.stderr, "Invalid memory fetch .* 0x00000000\n$")


if __name__ == "__main__":
    if sys.argv[1] == "--missing":
        if os.environ.get("CI") == "true":
            sys.exit(f"{sys.argv[2]} missing: scripts/setup --platform installs it")
        print(f"no {sys.argv[2]} (scripts/setup --platform): the virtual platform is not tested")
    else:
        unittest.main(argv=sys.argv[:1])
