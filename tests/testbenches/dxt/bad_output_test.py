"""Outputs that cannot be written or would overwrite what is read: refused before the run, nothing written."""
import os
import resource
import socket

import numpy as np

from dxt_program import BAD_INPUT, INTERNAL, DxtTest

PROBLEM = "--shape 2x3x4"


class BadOutput(DxtTest):
    def refuses_path(self, option, path, *words, problem=PROBLEM):
        self.refuses(f"{problem} {option} {path}", option, path, *words)

    def test_file_in_a_missing_directory(self):
        for option in ("--output", "--vcd"):
            self.refuses_path(option, "nowhere/file", "expected")

    def test_file_below_a_file(self):
        self.save_text("plain", "text")
        for option in ("--output", "--vcd"):
            self.refuses_path(option, "plain/file", "expected")

    def test_directory_as_file(self):
        os.mkdir(self.path("folder"))
        for option in ("--output", "--vcd"):
            self.refuses_path(option, "folder", "directory", "expected")
            self.refuses_path(option, "new/", "expected")

    def test_pipe(self):
        os.mkfifo(self.path("pipe"))
        for option in ("--output", "--vcd"):
            self.refuses_path(option, "pipe", "expected")

    def test_pipe_that_somebody_reads(self):
        os.mkfifo(self.path("pipe"))
        reader = os.open(self.path("pipe"), os.O_RDWR)
        self.addCleanup(os.close, reader)
        for option in ("--output", "--vcd"):
            self.refuses_path(option, "pipe", "expected")

    def test_socket(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path("socket"))
            for option in ("--output", "--vcd"):
                self.refuses_path(option, "socket", "expected")

    def test_link_that_leads_nowhere(self):
        os.symlink("nowhere/file", self.path("link"))
        for option in ("--output", "--vcd"):
            self.refuses_path(option, "link", "expected")

    def test_name_that_is_too_long(self):
        for option in ("--output", "--vcd"):
            self.refuses_path(option, "n" * 300, "expected")

    def test_file_instead_of_out_directory(self):
        self.save_text("plain", "text")
        self.refuses_path("--out", "plain", "expected", "directory")
        self.refuses_path("--out", "plain/below", "expected", "directory")

    def test_out_directory_where_a_file_is_a_directory(self):
        for name in ("summary.json", "latency.csv", "energy.csv", "trace.json"):
            os.makedirs(self.path(f"{name}-case/{name}"))
            self.refuses(f"{PROBLEM} --out {name}-case", "--out", f"{name}-case/{name}", "expected")

    def test_out_directory_where_a_file_is_a_pipe(self):
        for name in ("summary.json", "latency.csv", "energy.csv", "trace.json"):
            os.mkdir(self.path(f"{name}-case"))
            os.mkfifo(self.path(f"{name}-case/{name}"))
            self.refuses(f"{PROBLEM} --out {name}-case", "--out", f"{name}-case/{name}", "expected")

    def test_out_directory_where_a_file_is_a_pipe_that_somebody_reads(self):
        for name in ("summary.json", "latency.csv", "energy.csv", "trace.json"):
            os.mkdir(self.path(f"{name}-case"))
            os.mkfifo(self.path(f"{name}-case/{name}"))
            reader = os.open(self.path(f"{name}-case/{name}"), os.O_RDWR)
            self.addCleanup(os.close, reader)
            self.refuses(f"{PROBLEM} --out {name}-case", "--out", f"{name}-case/{name}", "expected")


class OutputIsInput(DxtTest):
    def setUp(self):
        super().setUp()
        self.save("x.npy", np.zeros((3, 3, 3)))
        self.save("c.npy", np.eye(3))
        self.save_text("job.yaml", "seed: 1\n")
        with open(self.path("tech.yaml"), "wb") as file, open(os.path.join(
                os.environ["TENSORLOOM_SOURCE"], "models/arch/costs/technologies/45nm.yaml"), "rb") as shipped:
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
        for name in ("summary.json", "latency.csv", "energy.csv", "trace.json"):
            self.save(f"folder/{name}", np.zeros((3, 3, 3)))
            self.refuses(f"--input folder/{name} --out folder", "--out", f"folder/{name}", "--input", "expected")

    def test_two_outputs_in_one_file(self):
        self.refuses(f"{PROBLEM} --output both --vcd both", "--output", "--vcd", "both", "expected")
        self.refuses(f"{PROBLEM} --output both --vcd ./both", "--output", "--vcd", "both", "expected")

    def test_an_output_in_a_file_of_the_out_directory(self):
        os.mkdir(self.path("folder"))
        for option in ("--output", "--vcd"):
            for name in ("summary.json", "latency.csv", "energy.csv", "trace.json"):
                self.refuses(f"{PROBLEM} {option} folder/{name} --out folder", option, f"folder/{name}", "--out",
                             "expected")


class OutputOfAFailingRun(DxtTest):
    def no_room(self):
        """Files can grow to 2 kB, as after `ulimit -f 2`: the kernel answers more with SIGXFSZ."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    def test_nothing_of_a_result_stays(self):
        done = self.run_program("--shape 8x8x8 --quiet --output y.npy", preexec_fn=self.no_room)
        self.assertIn(done.status, (BAD_INPUT, INTERNAL))
        self.assertRegex(done.err, r"\Adxt: [^\n]*y\.npy[^\n]*\n\Z")
        self.assertEqual(self.snapshot(), {})

    def test_an_older_result_stays(self):
        self.save_text("y.npy", "older")
        done = self.run_program("--shape 8x8x8 --quiet --output y.npy", preexec_fn=self.no_room)
        self.assertIn(done.status, (BAD_INPUT, INTERNAL))
        self.assertEqual(self.snapshot(), {"y.npy": b"older"})

    def test_nothing_of_a_waveform_stays(self):
        done = self.run_program("--shape 8x8x8 --quiet --vcd wave --watch 0,0,0", preexec_fn=self.no_room)
        self.assertIn(done.status, (BAD_INPUT, INTERNAL))
        self.assertRegex(done.err, r"\Adxt: [^\n]*wave[^\n]*\n\Z")
        self.assertEqual(self.snapshot(), {})

    def test_an_older_waveform_stays(self):
        self.save_text("wave", "older")
        done = self.run_program("--shape 8x8x8 --quiet --vcd wave --watch 0,0,0", preexec_fn=self.no_room)
        self.assertIn(done.status, (BAD_INPUT, INTERNAL))
        self.assertEqual(self.snapshot(), {"wave": b"older"})

    def test_no_table_is_cut(self):
        done = self.run_program("--shape 8x8x8 --quiet --out files", preexec_fn=self.no_room)
        self.assertIn(done.status, (BAD_INPUT, INTERNAL))
        self.assertRegex(done.err, r"\Adxt: [^\n]*files/[^\n]*\n\Z")
        self.assertEqual(self.snapshot(), {})
