#!/usr/bin/env python3
"""scripts/compare_waveforms: the first difference of two VCD files, and files that it refuses."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts", "compare_waveforms")

HEADER = """$date today $end
$timescale 1 ps $end
$scope module device $end
$var wire 1 a busy $end
$scope module core $end
$var wire 4 b step [3:0] $end
$var real 64 c sum $end
$upscope $end
$upscope $end
$enddefinitions $end
"""
CHANGES = """$comment values before the first time $end
$dumpvars
0a
b0 b
r0.5 c
$end
#1000
1a
b0011 b
#2500
r-1.25 c
b100 b
"""


class Waveforms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def compare(self, one, other):
        names = []
        for name, text in (("one.vcd", one), ("other.vcd", other)):
            names.append(name)
            if text is not None:
                with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
                    file.write(text)
        done = subprocess.run([sys.executable, SCRIPT, *names], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout, done.stderr

    def test_equal(self):
        self.assertEqual(self.compare(HEADER + CHANGES, HEADER + CHANGES), (0, "equal: 3 signals\n", ""))

    def test_equal_whatever_the_unit_the_identifiers_and_the_form_of_a_number(self):
        other = HEADER.replace("1 ps", "100 fs").replace(" 4 b ", " 4 ! ") + (
            "#0\n0a b0000 ! r5e-1 c\n#10000 1a b0011 ! #20000 1a #25000 b0100 ! r-1.250 c #90000\n")
        self.assertEqual(self.compare(HEADER + CHANGES, other)[:2], (0, "equal: 3 signals\n"))

    def test_first_difference(self):
        for old, new, found in (
                ("b0011", "b0010", "at 1 ns: device.core.step is 11 in one.vcd, 10 in other.vcd\n"),
                ("r-1.25", "r-1.5", "at 2500 ps: device.core.sum is -1.25 in one.vcd, -1.5 in other.vcd\n"),
                ("0a", "xa", "at 0 ns: device.busy is 0 in one.vcd, x in other.vcd\n"),
                ("#1000", "#999", "at 999 ps: device.busy is 0 in one.vcd, 1 in other.vcd\n"),
                ("b100 b\n", "", "at 2500 ps: device.core.step is 100 in one.vcd, 11 in other.vcd\n"),
                ("b100 b\n", "b100 b\n#2600\n0a\n", "at 2600 ps: device.busy is 1 in one.vcd, 0 in other.vcd\n")):
            self.assertEqual(self.compare(HEADER + CHANGES, HEADER + CHANGES.replace(old, new)), (1, found, ""))

    def test_signals_of_one_file_are_listed_and_not_compared(self):
        other = HEADER.replace("core", "kernel") + CHANGES.replace("r0.5", "r7")
        self.assertEqual(self.compare(HEADER + CHANGES, other)[:2],
                         (0, "only in one.vcd: 2 signals, of them device.core.step\n"
                             "only in other.vcd: 2 signals, of them device.kernel.step\nequal: 1 signals\n"))

    def test_bad_input(self):
        for other, words in (
                (None, "other.vcd: No such file"), ("once upon a time", "'once' found, expected a VCD file"),
                (HEADER.replace("$enddefinitions $end", ""), "no $enddefinitions found"),
                (HEADER.replace("1 ps", "3 ps"), "time scale '3 ps' found, expected 1, 10 or 100"),
                (HEADER.replace("$timescale 1 ps $end", ""), "no $timescale found"),
                (HEADER + CHANGES + "#5000 0q", "unknown signal 'q'"),
                (HEADER + CHANGES + "#5000 #4999", "#4999 after a later one"),
                (HEADER + CHANGES + "#5000 b12 b", "value 'b12' found, expected bits"),
                (HEADER + CHANGES + "#5000 rz c", "value 'rz' found, expected a number"),
                (HEADER + CHANGES + "?", "'?' found, expected a change"),
                (HEADER.replace("device", "gadget") + CHANGES, "no signal has the same name")):
            status, out, error = self.compare(HEADER + CHANGES, other)
            self.assertEqual((status, out, error.count("\n")), (2, "", 1), words)
            self.assertIn(words, error)


if __name__ == "__main__":
    unittest.main()
