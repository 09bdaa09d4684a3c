"""Outputs that cannot be written or would overwrite what is read: refused before the run, nothing written."""
import os
import resource
import socket

import numpy as np

from dxt_program import BAD_INPUT, DxtTest

PROBLEM = "--shape 2x3x4"


FILES = ("summary.json", "latency.csv", "energy.csv", "trace.json", "events.csv")


class BadOutput(DxtTest):
    def pipe(self, name, read):
        os.mkfifo(self.path(name))
        if read:  # by somebody, so that opening it would not wait
            self.addCleanup(os.close, os.open(self.path(name), os.O_RDWR))

    def test_place_of_a_file(self):
        self.save_text("plain", "text")
        os.mkdir(self.path("folder"))
        os.symlink("nowhere/file", self.path("link"))
        self.pipe("pipe", read=False)
        self.pipe("read_pipe", read=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path("socket"))
            for option in ("--output", "--vcd"):
                for place, word in (("nowhere/file", ""), ("plain/file", ""), ("folder", "directory"), ("new/", ""),
                                    ("pipe", ""), ("read_pipe", ""), ("socket", ""), ("link", ""), ("n" * 300, "")):
                    with self.subTest(option=option, place=place):
                        self.refuses(f"{PROBLEM} {option} {place}", option, place, "expected", word)

    def test_place_of_the_out_directory(self):
        self.save_text("plain", "text")
        for place in ("plain", "plain/below"):
            self.refuses(f"{PROBLEM} --out {place}", "--out", place, "expected", "directory")

    def test_what_is_no_file_in_the_out_directory(self):
        for kind, make in (("directory", os.mkdir), ("pipe", os.mkfifo),
                           ("read_pipe", lambda path: self.pipe(path, read=True))):
            for name in FILES:
                folder = f"{kind}-{name}"
                os.mkdir(self.path(folder))
                make(self.path(f"{folder}/{name}"))
                with self.subTest(kind=kind, name=name):
                    self.refuses(f"{PROBLEM} --out {folder}", "--out", f"{folder}/{name}", "expected")


class OutputIsInput(DxtTest):
    def setUp(self):
        super().setUp()
        self.save("x.npy", np.zeros((3, 3, 3)))
        self.save("c.npy", np.eye(3))
        self.save_text("job.yaml", "seed: 1\n")
        with open(self.path("tech.yaml"), "wb") as file, open(os.path.join(
                os.environ["TENSORLOOM_SOURCE"], "models/costs/technologies/45nm.yaml"), "rb") as shipped:
            file.write(shipped.read())

    READERS = (("--input x.npy", "--input", "x.npy"), ("--shape 3x3x3 --initial x.npy", "--initial", "x.npy"),
               ("--shape 3x3x3 --transform dct,file:c.npy,dct", "--transform", "c.npy"),
               ("--shape 3x3x3 --config job.yaml", "--config", "job.yaml"),
               ("--shape 3x3x3 --technology tech.yaml", "--technology", "tech.yaml"))

    def test_by_the_same_name(self):
        for problem, reader, name in self.READERS:
            for option in ("--output", "--vcd"):
                with self.subTest(reader=reader, option=option):
                    self.refuses(f"{problem} {option} {name}", option, name, reader, "expected")

    def test_by_another_name(self):
        os.mkdir(self.path("folder"))
        os.symlink("x.npy", self.path("symbolic.npy"))
        os.link(self.path("x.npy"), self.path("hard.npy"))
        for name in ("./x.npy", "folder/../x.npy", "symbolic.npy", "hard.npy", self.path("x.npy")):
            for option in ("--output", "--vcd"):
                with self.subTest(name=name, option=option):
                    self.refuses(f"--input x.npy {option} {name}", option, name, "--input", "expected")

    def test_a_file_of_the_out_directory(self):
        os.mkdir(self.path("folder"))
        for name in FILES:
            self.save(f"folder/{name}", np.zeros((3, 3, 3)))
            self.refuses(f"--input folder/{name} --out folder", "--out", f"folder/{name}", "--input", "expected")

    def test_two_outputs_in_one_file(self):
        self.refuses(f"{PROBLEM} --output both --vcd both", "--output", "--vcd", "both", "expected")
        self.refuses(f"{PROBLEM} --output both --vcd ./both", "--output", "--vcd", "both", "expected")

    def test_an_output_in_a_file_of_the_out_directory(self):
        os.mkdir(self.path("folder"))
        for option in ("--output", "--vcd"):
            for name in FILES:
                self.refuses(f"{PROBLEM} {option} folder/{name} --out folder", option, f"folder/{name}", "--out",
                             "expected")


class OutputOfAFailingRun(DxtTest):
    def no_room(self):
        """Files can grow to 2 kB, as after `ulimit -f 2`: the kernel answers more with SIGXFSZ."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    def test_nothing_new_stays_and_what_was_there_does(self):
        for options, name in (("--output y.npy", "y.npy"), ("--vcd wave --watch 0,0,0", "wave")):
            for older in ({}, {name: b"older"}):
                with self.subTest(name=name, older=older):
                    for path, content in older.items():
                        self.save_bytes(path, content)
                    done = self.run_program(f"--shape 8x8x8 --quiet {options}", preexec_fn=self.no_room)
                    self.assertEqual(done.status, BAD_INPUT)
                    self.assertRegex(done.err, rf"\Adxt: [^\n]*{name}[^\n]*\n\Z")
                    self.assertEqual(self.snapshot(), older)
                    for path in older:
                        os.remove(self.path(path))

    def test_no_table_is_cut(self):
        done = self.run_program("--shape 8x8x8 --quiet --out files", preexec_fn=self.no_room)
        self.assertEqual(done.status, BAD_INPUT)
        self.assertRegex(done.err, r"\Adxt: [^\n]*files/[^\n]*\n\Z")
        self.assertEqual(self.snapshot(), {})

    def test_all_files_of_a_run_or_none(self):
        """The array and energy.csv fit; latency.csv, which is written after the array, does not."""
        done = self.run_program("--shape 4x4x4 --quiet --output y.npy --out files", preexec_fn=self.no_room)
        self.assertEqual(done.status, BAD_INPUT)
        self.assertRegex(done.err, r"\Adxt: files/[^\n]*\n\Z")
        self.assertEqual(self.snapshot(), {})
        self.assertFalse(os.path.exists(self.path("files")))
