#!/usr/bin/env python3
"""Recordings of commands: what a comparison finds and what it leaves out, what a recording keeps, and what the table of
commands has."""
import contextlib
import io
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import recorded_runs  # noqa: E402
from recorded_runs import BAD_INPUT, COMMANDS, Command, WrongUse, Written  # noqa: E402

TESTBENCHES = ("dxt", "orbital", "tucker", "segmented", "tensor_unit", "contract", "soc")

TABLE = """dxt: dct,dct,dct, 4 x 4 x 4, f64, ESOP, fast
  time-steps            12 (0 rows skipped)
  check                 passed
  simulation            0.1238 s wall, 0.03149 s CPU, 1424 million MACs per CPU second, 25.13 MiB
"""
SUMMARY = """{
    "schema": "tensorloom-dxt-summary-2",
    "version": "0.1.0",
    "configuration": {
        "version": "of the configuration",
        "options": {
            "shape": "4x4x4",
            "out": "run"
        }
    },
    "cycles": 81,
    "simulation": {
        "wall_s": 0.1238,
        "peak_rss_bytes": 123
    }
}
"""
WAVEFORM = """$date
     Nov 22, 2024       15:03:18
$end

$version
 SystemC 2.3.4
$end
$scope module device $end
$enddefinitions  $end
#0
1a
"""
RECORDING = {
    "command": "dxt --shape 4x4x4 --out run\n", "status": "0\n", "stdout": TABLE, "stderr": "",
    "files/run/summary.json": SUMMARY, "files/wave.vcd": WAVEFORM, "files/y.npy": b"\x93NUMPY\0\0\1\2\3",
}


def write_tree(root, files):
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class InScratchDirectory(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name

    def path(self, name):
        return os.path.join(self.root, name)


class CompareTest(InScratchDirectory):
    def found(self, changed, removed=()):
        """Differences of a recording and the same with other files."""
        with tempfile.TemporaryDirectory() as root:
            a, b = os.path.join(root, "a"), os.path.join(root, "b")
            write_tree(os.path.join(a, "dxt-run"), RECORDING)
            files = {path: text for path, text in {**RECORDING, **changed}.items() if path not in removed}
            write_tree(os.path.join(b, "dxt-run"), files)
            return list(recorded_runs.differences(a, b))

    def changed(self, path, old, new):
        text = RECORDING[path]
        self.assertEqual(text.count(old), 1, old)
        return self.found({path: text.replace(old, new)})

    def test_equal(self):
        self.assertEqual(self.found({}), [])

    def test_a_changed_byte(self):
        self.assertEqual(self.found({"files/y.npy": b"\x93NUMPY\0\0\1\7\3"}),
                         ["dxt-run: files/y.npy: byte 9: 0x02 became 0x07"])
        self.assertEqual(self.found({"files/y.npy": b"\x93NUMPY\0\0\1\2"}),
                         ["dxt-run: files/y.npy: 11 bytes became 10"])
        self.assertEqual(self.found({"files/y.npy": b"\x93NUMPY\0\0\1\7"}),
                         ["dxt-run: files/y.npy: byte 9: 0x02 became 0x07, 11 bytes became 10"])

    def test_a_changed_line(self):
        self.assertEqual(self.changed("stdout", "12 (0 rows", "13 (0 rows"), [
            "dxt-run: stdout: line 2: '  time-steps            12 (0 rows skipped)' became "
            "'  time-steps            13 (0 rows skipped)'"])

    def test_lines_that_come_or_go(self):
        self.assertEqual(self.changed("stdout", "  check                 passed\n", ""), [
            "dxt-run: stdout: line 3: '  check                 passed' became '  simulation            of the host'"])
        self.assertEqual(self.changed("files/wave.vcd", "1a\n", ""),
                         ["dxt-run: files/wave.vcd: line 11: '1a' is missing"])
        self.assertEqual(self.changed("files/wave.vcd", "1a\n", "1a\n0a\n"),
                         ["dxt-run: files/wave.vcd: line 12: '0a' is new"])

    def test_the_end_of_the_last_line(self):
        self.assertEqual(len(self.changed("files/wave.vcd", "1a\n", "1a")), 1)
        self.assertEqual(len(self.changed("files/wave.vcd", "1a\n", "1a \n")), 1)

    def test_a_line_on_stderr(self):
        self.assertEqual(self.found({"stderr": "dxt: warning\n"}), ["dxt-run: stderr: line 1: 'dxt: warning' is new"])

    def test_a_missing_and_a_new_file(self):
        self.assertEqual(self.found({}, removed=("files/y.npy",)), ["dxt-run: files/y.npy: is missing"])
        self.assertEqual(self.found({"files/.tensorloom-x7": ""}), ["dxt-run: files/.tensorloom-x7: is new"])

    def test_a_changed_exit_status(self):
        self.assertEqual(self.found({"status": "3\n"}), ["dxt-run: status: line 1: '0' became '3'"])

    def test_another_command_line(self):
        self.assertEqual(len(self.found({"command": "dxt --shape 4x4x5 --out run\n"})), 1)

    def test_a_missing_and_a_new_command(self):
        write_tree(self.root, {"a/x/status": "0\n", "a/z/status": "0\n", "b/y/status": "0\n", "b/z/status": "0\n"})
        self.assertEqual(list(recorded_runs.differences(self.path("a"), self.path("b"))),
                         ["x: the command is missing", "y: the command is new"])

    def test_every_difference_has_a_line(self):
        self.assertEqual(len(self.found({"status": "1\n", "stderr": "dxt: no\n"}, removed=("files/y.npy",))), 3)

    def test_time_and_memory_of_the_host_are_left_out(self):
        for text in ("2e-05 s wall, 0 s CPU, inf million MACs per CPU second, 1.5e+03 MiB",
                     "1 s wall, 1 s CPU, nan million MACs per CPU second, 9 MiB"):
            line = "0.1238 s wall, 0.03149 s CPU, 1424 million MACs per CPU second, 25.13 MiB"
            self.assertEqual(self.changed("stdout", line, text), [])

    def test_no_more_of_that_line_is_left_out(self):
        for old, new in (("s wall", "s of wall"), (" million", " thousand"), ("25.13 MiB", "25.13 GiB"),
                         ("0.1238", "fast"), ("  simulation", " simulation"), ("25.13 MiB", "25.13 MiB, 2 threads")):
            self.assertEqual(len(self.changed("stdout", old, new)), 1, new)

    def test_the_date_of_a_waveform_is_left_out(self):
        self.assertEqual(self.changed("files/wave.vcd", "Nov 22, 2024       15:03:18", "Dec 1, 2025        1:03"), [])
        for old, new in (("2.3.4", "2.3.5"), ("module device", "module platform"), ("#0", "#1"), ("1a", "0a"),
                         ("$date\n", "")):
            self.assertEqual(len(self.changed("files/wave.vcd", old, new)), 1, new)

    def test_volatile_keys_are_left_out(self):
        for old, new in (('"version": "0.1.0"', '"version": "0.2.0"'), ('0.1238', '7'),
                         ('"out": "run"', '"out": "other"'),
                         ('"peak_rss_bytes": 123\n', '"peak_rss_bytes": 123,\n        "threads": [1, {"n": 2}]\n')):
            self.assertEqual(self.changed("files/run/summary.json", old, new), [], new)

    def test_volatile_keys_may_come_and_go(self):
        for old, new in (('    "version": "0.1.0",\n', ''), (',\n            "out": "run"', ''),
                         ('    "cycles": 81,\n', '    "cycles": 81,\n    "commit": "abc",\n'),
                         ('"peak_rss_bytes": 123\n    }', '"peak_rss_bytes": 123\n    },\n    "commit": "x, }"'),
                         ('{\n    "schema"', '{\n    "commit": "abc",\n    "schema"')):
            self.assertEqual(self.changed("files/run/summary.json", old, new), [], new)

    def test_every_other_key_counts(self):
        for old, new in (('"cycles": 81', '"cycles": 82'), ("of the configuration", "of another"), ("4x4x4", "4x4x5"),
                         ('"cycles": 81,', '"cycles": 81,\n    "commits": 2,'), ('"cycles": 81', '"cycles": 81.0'),
                         ('"cycles": 81', '"cycles":  81'), ('"schema"', '"simulations"')):
            self.assertEqual(len(self.changed("files/run/summary.json", old, new)), 1, new)

    def test_keys_of_a_summary_count_in_other_files(self):
        found = recorded_runs.first_difference("files/run/trace.json", b'{"version": 1}\n', b'{"version": 2}\n')
        self.assertEqual(found, "line 1: '{\"version\": 1}' became '{\"version\": 2}'")

    def test_a_broken_summary_is_compared_as_it_is(self):
        self.assertEqual(len(self.changed("files/run/summary.json", '"cycles": 81,', '"cycles": 81')), 1)

    def test_lines_of_a_summary_keep_their_numbers(self):
        found = self.changed("files/run/summary.json", '"shape": "4x4x4"', '"shape": "4x4x5"')
        self.assertIn("dxt-run: files/run/summary.json: line 7: ", found[0])
        found = self.changed("files/run/summary.json", '"cycles": 81', '"cycles": 82')
        self.assertIn("dxt-run: files/run/summary.json: line 11: ", found[0])

    def test_long_lines_are_shown_around_what_differs(self):
        long = "x" * 500
        a, b = (f"{long},{digit},{long}\n".encode() for digit in (1, 2))
        found = recorded_runs.first_difference("files/a.csv", a, b)
        self.assertIn("xxx,1,xxx", found)
        self.assertIn("xxx,2,xxx", found)
        self.assertLess(len(found), 300)


class RecordTest(InScratchDirectory):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))

    def make_program(self, name, text):
        write_tree(self.root, {f"bin/{name}": f"#!/bin/sh\n{text}\n"})
        os.chmod(self.path(f"bin/{name}"), stat.S_IRWXU)

    def record(self, *commands):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = recorded_runs.record(self.path("bin"), self.path("out"), commands)
        return status, said.getvalue()

    def test_keeps_status_output_and_files(self):
        self.make_program("tool", 'cat a.txt; echo "$@" >&2; mkdir -p run none; echo 5 >run/s.json; exit 2')
        status, said = self.record(Command("one", "tool --size 'a b'", BAD_INPUT, {"a.txt": b"input\n"}))
        self.assertEqual((status, said), (0, "1 commands recorded, 0 with another status than expected\n"))
        self.assertEqual(recorded_runs.files_below(self.path("out")),
                         ["one/command", "one/files/run/s.json", "one/status", "one/stderr", "one/stdout"])
        self.assertEqual([read(self.path("out"), "one", name) for name in ("command", "status", "stderr", "stdout")],
                         ["tool --size 'a b'\n", "2\n", "--size a b\n", "input\n"])
        self.assertEqual(os.listdir(self.path("out/one/files")), ["run"])

    def test_inputs_that_a_command_changes_are_kept(self):
        self.make_program("tool", "echo more >>a.txt")
        self.record(Command("one", "tool", inputs={"a.txt": b"input\n"}))
        self.assertEqual(read(self.path("out"), "one/files/a.txt"), "input\nmore\n")

    def test_what_one_command_wrote_is_there_for_another(self):
        self.make_program("tool", "echo made >made; cat taken || true")
        self.record(Command("one", "tool"), Command("two", "tool", inputs={"taken": Written("one", "made")}))
        self.assertEqual(read(self.path("out"), "two/stdout"), "made\n")

    def test_an_unexpected_status_is_told(self):
        self.make_program("tool", "kill -9 $$")
        self.assertEqual(self.record(Command("one", "tool")), (
            1, "one: status -9, expected 0\n1 commands recorded, 1 with another status than expected\n"))

    def test_a_missing_program(self):
        self.make_program("tool", "echo done")
        with self.assertRaisesRegex(WrongUse, "absent is no program"):
            self.record(Command("one", "tool"), Command("two", "absent"))
        self.assertFalse(os.path.exists(self.path("out")))

    def test_an_older_recording_is_not_written_over(self):
        self.make_program("tool", "echo done")
        self.record(Command("one", "tool"))
        with self.assertRaisesRegex(WrongUse, "expected a new or an empty directory"):
            self.record(Command("two", "tool"))
        self.assertEqual(os.listdir(self.path("out")), ["one"])


class CommandLineTest(InScratchDirectory):
    def run_script(self, *arguments):
        run = subprocess.run([sys.executable, os.path.join(HERE, "recorded_runs.py"), *arguments], cwd=self.root,
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout, run.stderr

    def test_compare(self):
        write_tree(self.root, {"a/x/status": "0\n", "b/x/status": "0\n", "c/x/status": "1\n"})
        self.assertEqual(self.run_script("compare", "a", "b"), (0, "1 commands compared, 0 differences\n", ""))
        self.assertEqual(self.run_script("compare", "a", "c"), (
            1, "x: status: line 1: '0' became '1'\n1 commands compared, 1 differences\n", ""))

    def test_wrong_use(self):
        os.mkdir(self.path("empty"))
        write_tree(self.root, {"a/x/status": "0\n"})
        for arguments in ((), ("compare",), ("compare", "a"), ("compare", "a", "empty"), ("compare", "absent", "a"),
                          ("record", "empty"), ("record", "empty", "out"), ("record", "absent", "out"), ("erase", "a")):
            with self.subTest(arguments=arguments):
                status, printed, complained = self.run_script(*arguments)
                self.assertEqual((status, printed), (2, ""))
                self.assertIn("recorded_runs", complained)
                self.assertNotIn("Traceback", complained)
        self.assertEqual(sorted(os.listdir(self.root)), ["a", "empty"])


class TableTest(unittest.TestCase):
    def of(self, program):
        return [command for command in COMMANDS if command.program == program]

    def test_every_testbench_in_both_fidelities(self):
        for program in TESTBENCHES:
            commands = [c for c in self.of(program) if c.status == 0 and "--help" not in c.options]
            self.assertGreaterEqual(len(commands), 5, program)
            detailed = sum("detailed" in c.options for c in commands)
            self.assertTrue(0 < detailed < len(commands), program)

    def test_every_testbench_refuses_and_writes_files_and_waveforms(self):
        for program in TESTBENCHES:
            commands = self.of(program)
            self.assertTrue(any(c.status == BAD_INPUT for c in commands), program)
            for option in ("--out", "--vcd"):
                self.assertTrue(any(c.status == 0 and option in c.options for c in commands), (program, option))

    def test_names_are_unique_and_inputs_are_written_before(self):
        names = [command.name for command in COMMANDS]
        self.assertEqual(len(set(names)), len(names))
        for i, command in enumerate(COMMANDS):
            for value in command.inputs.values():
                if isinstance(value, Written):
                    self.assertIn(value.command, names[:i])

    def test_files_that_ship_are_there(self):
        for command in COMMANDS:
            for value in command.inputs.values():
                self.assertTrue(isinstance(value, Written) or recorded_runs.content(value, ""), command.name)

    def test_no_path_leaves_the_command_s_folder(self):
        for command in COMMANDS:
            self.assertIsNone(re.search(r"(^|[ =,:])/|\.\.", command.line), command.line)


if __name__ == "__main__":
    unittest.main()
