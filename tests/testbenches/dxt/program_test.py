"""dxt as a program: what it prints, where it writes, how it ends."""
import os
import pty
import re
import resource
import shlex
import subprocess

import numpy as np

import transform_oracle as oracle
from dxt_program import BAD_INPUT, INTERNAL, PROGRAM, RIGHT, DxtTest, load_json
from testbench_words import TestbenchWords


class Words(TestbenchWords, DxtTest):
    job = "--shape 3x4x5"
    long_job = "--shape 40x40x40"
    helped = ("--input", "--transform", "--watch")
    nonsense = "--shape nonsense"

    def test_table(self):
        out = self.succeeds("--shape 3x4x5 --transform dct,dst,dht --inverse --batch 2 --keep 0.5").out
        for text in ("inverse dct,dst,dht", "3 x 4 x 5", "batch of 2", "f64", "ESOP", "fast", "24 (0 rows skipped)",
                     "fetch", "compute 72", "1 GHz",
                     "utilisation", "stage 1, mode 3", "stage 3, mode 2", "energy", "leakage", "kept", "60 elements",
                     "passed", "million MACs per CPU second"):
            self.assertIn(text, out)

    def test_table_shows_the_numbers_of_the_summary(self):
        self.succeeds("--shape 20x20x20 --out files")
        found = load_json(self.path("files/summary.json"))
        out = self.succeeds("--shape 20x20x20").out
        for number in (found["cycles"], found["macs"], found["macs_skipped"], *found["cycles_by_cause"].values()):
            self.assertRegex(out, rf"\b{number:,}\b")



class Progress(DxtTest):
    def shown(self, line):
        """The percentages and the words that a terminal on stderr gets to see."""
        reader, writer = pty.openpty()
        with subprocess.Popen([PROGRAM, *shlex.split(line)], cwd=self.directory, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=writer) as run:
            os.close(writer)
            text = b""
            while True:
                try:
                    piece = os.read(reader, 4096)
                except OSError:  # nobody writes any more
                    break
                if not piece:
                    break
                text += piece
            os.close(reader)
        self.assertEqual(run.returncode, RIGHT)
        lines = text.decode().split("\r\x1b[K")
        self.assertEqual((lines[0], lines[-1]), ("", ""))  # erased at the end
        return [re.fullmatch(r" *(\d+) %  (.*)", shown).groups() for shown in lines[1:-1] if shown]

    def test_reference_moves_on(self):
        shown = [int(percent) for percent, what in self.shown("--shape 128x128x128") if what.startswith("reference")]
        self.assertGreaterEqual(len(set(shown)), 3)
        self.assertEqual(shown, sorted(shown))
        self.assertLessEqual(shown[-1], 100)

    def test_every_part_of_a_run_is_named(self):
        words = " ".join(what for _, what in self.shown("--shape 72x72x72 --batch 3 --mesh 8x8x8"))
        for part in ("generating tensors and matrices", "preloading the memory", r"tensor [123], (load|unload|stage_[123])\b",
                     "reference of tensor [123]"):
            self.assertRegex(words, part)

    def test_watching_changes_nothing(self):
        line = "--shape 90x80x70 --zeros 0.3 --no-check"
        self.succeeds(f"{line} --quiet --out pipe --output pipe.npy")
        self.shown(f"{line} --out terminal --output terminal.npy")
        self.assertEqual(self.read_bytes("pipe.npy"), self.read_bytes("terminal.npy"))
        for name in ("latency.csv", "energy.csv", "trace.json"):
            self.assertEqual(self.read_bytes(f"pipe/{name}"), self.read_bytes(f"terminal/{name}"), name)


class Ending(DxtTest):
    def test_files_are_whole_although_standard_output_is_full(self):
        with open("/dev/full", "wb") as full:
            self.run_program("--shape 2x2x2 --out files --output y.npy --vcd wave", stdout=full)
        self.assertEqual(load_json(self.path("files/summary.json"))["cycles_by_cause"]["compute"], 18)
        self.assertEqual(self.load("y.npy").shape, (2, 2, 2))

    def test_too_little_memory(self):
        with open(PROGRAM, "rb") as program:
            sanitized = b"__asan_init" in program.read()
        if sanitized:
            self.skipTest("a sanitizer needs more address space than there is")

        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        done = self.run_program("--shape 512x512x512 --output y.npy --vcd wave --quiet", preexec_fn=little_memory)
        self.assertIn(done.status, (BAD_INPUT, INTERNAL))  # foreseen, or found out on the way
        self.assertRegex(done.err, r"\Adxt: [^\n]*memory[^\n]*\n\Z")
        self.assertEqual((done.out, self.snapshot()), ("", {}))


class ConfigurationFile(DxtTest):
    def test_every_kind_of_option(self):
        self.save_text("job.yaml", "shape: 4x2x8\nfill: ramp\ntransform: dwht\nnorm: backward\norder: 213\n"
                                   "quiet: true\nno-check: false\ninverse: false\nstep-cycles: 5\nclock: 0.3\n"
                                   "vcd: wave\nwatch: ['0,0,0', '1,1,1']\noutput: y.npy\nout: files\n")
        done = self.succeeds("--config job.yaml")
        self.assertEqual(done.out, "")
        found = load_json(self.path("files/summary.json"))
        self.assertEqual(found["configuration"]["order"], [2, 1, 3])
        self.assertEqual(found["configuration"]["clock_period_ps"], 3333)
        self.assertEqual(found["cycles_by_cause"]["compute"], 5 * 14)
        self.assertEqual(found["configuration"]["options"]["watch"], "0,0,0 1,1,1")
        self.assert_equal(self.load("y.npy"), oracle.transform(oracle.ramp((4, 2, 8)), "dwht",
                                                               "backward").astype(float))

    def test_the_command_line_wins(self):
        self.save_text("job.yaml", "shape: 4x4x4\nseed: 5\nsparsity: dense\ninverse: true\n")
        found = self.summary("--config job.yaml --seed 6 --sparsity=esop --inverse=false")["configuration"]
        self.assertEqual((found["shape"], found["seed"], found["sparsity"], found["inverse"]),
                         ([4, 4, 4], 6, "esop", False))
        self.assertEqual(self.summary("--seed 6 --config job.yaml --shape 2x3x4")["configuration"]["shape"], [2, 3, 4])

    def test_an_empty_file_is_no_options(self):
        self.save_text("job.yaml", "# nothing\n")
        self.assertEqual(self.summary("--config job.yaml --shape 2x3x4")["configuration"]["shape"], [2, 3, 4])

    def test_equals_the_command_line(self):
        self.save_text("job.yaml", "shape: 3x4x5\nzeros: 0.25\ntags: random\nseed: 3\n")
        self.succeeds("--config job.yaml --quiet --out file")
        self.succeeds("--shape 3x4x5 --zeros 0.25 --tags random --seed 3 --quiet --out line")
        self.assertEqual(self.read_bytes("file/latency.csv"), self.read_bytes("line/latency.csv"))


class Places(DxtTest):
    def test_works_from_another_directory(self):
        os.makedirs(self.path("here/below"))
        self.save("here/x.npy", np.ones((2, 3, 4)))
        self.succeeds("--input ../x.npy --output y.npy --out files --vcd wave", cwd=self.path("here/below"))
        self.assertEqual(sorted(os.listdir(self.path("here/below"))), ["files", "wave", "y.npy"])

    def test_absolute_paths(self):
        x = self.save("x.npy", np.ones((2, 3, 4)))
        self.succeeds(f"--input {self.path(x)} --output {self.path('y.npy')} --out {self.path('a/b')} "
                      f"--vcd {self.path('wave')}", cwd="/")
        self.assertEqual(set(self.snapshot()), {"x.npy", "y.npy", "wave", "a", "a/b",
                                                *("a/b/" + f for f in ("summary.json", "latency.csv", "energy.csv",
                                                                       "events.csv", "trace.json"))})

    def test_out_directory_is_made_with_its_parents_and_keeps_what_it_holds(self):
        os.makedirs(self.path("a/b"))
        self.save_text("a/b/notes", "mine")
        self.save_text("a/b/summary.json", "older")
        self.succeeds("--shape 2x2x2 --out a/b")
        self.succeeds("--shape 2x2x2 --out a/b/c/d/")
        self.assertEqual(self.read_bytes("a/b/notes"), b"mine")
        self.assertEqual(load_json(self.path("a/b/summary.json"))["testbench"], "dxt")
        self.assertEqual(load_json(self.path("a/b/c/d/summary.json"))["testbench"], "dxt")

    def test_an_older_result_is_replaced(self):
        self.save("y.npy", np.zeros((9, 9, 9, 9)))
        self.assertEqual(self.output("--shape 2x3x4").shape, (2, 3, 4))

    def test_two_runs_at_once(self):
        lines = [f"--shape 24x24x24 --seed {seed} --quiet --out out{seed} --output y{seed}.npy --vcd wave{seed} "
                 "--fidelity detailed" for seed in (1, 2)]
        runs = [subprocess.Popen([PROGRAM, *shlex.split(line)], cwd=self.directory) for line in lines]
        self.assertEqual([run.wait(timeout=100) for run in runs], [RIGHT, RIGHT])
        for seed in (1, 2):
            self.succeeds(f"--shape 24x24x24 --seed {seed} --quiet --out alone --output alone.npy")
            self.assertEqual(self.read_bytes("alone.npy"), self.read_bytes(f"y{seed}.npy"))
            for name in ("latency.csv", "energy.csv", "trace.json"):
                self.assertEqual(self.read_bytes(f"alone/{name}"), self.read_bytes(f"out{seed}/{name}"))

    def test_name_with_blanks_and_signs(self):
        os.mkdir(self.path("my files"))
        self.save("my files/x=1 (ä).npy", np.ones((2, 3, 4)))
        self.succeeds("--input 'my files/x=1 (ä).npy' --output='my files/y=2.npy' "
                      "--out 'my files/a b' --vcd 'my files/w w'")
        self.assertEqual(self.load("my files/y=2.npy").shape, (2, 3, 4))
