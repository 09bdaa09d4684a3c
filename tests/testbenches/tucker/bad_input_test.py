"""What tucker refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import os

import numpy as np

from testbench_refusals import RefusedOptions
from tucker_program import TuckerTest

PROBLEM = "--shape 4x5x6"
JOB = f"{PROBLEM} --ranks 2x2x2"


class BadOption(RefusedOptions, TuckerTest):
    job = JOB
    abbreviated = {"--meth hooi": "--method"}
    repeated = ("--seed 1",)
    values = {
        "ranks": (("0x2x2", "2x2", "2x2x2x2", "-1x2x2", "2,2,2", "axbxc", "2.5x2x2", "65536x2x2"),
                  ("1x1x1", "4x5x6", "4x2x2", "1x5x5"), PROBLEM),
        "tolerance": (("0", "-0", "1", "1.0", "-0.1", "1.5", "nan", "inf", "1e-400", "small"),
                      ("0.9999999", "0.5", "1e-6"), PROBLEM, ("above 0 and below 1",)),
        "method": (("HOSVD", "st_hosvd", "hoi", "als"), ("hosvd", "st-hosvd", "hooi"), JOB, ("hosvd, st-hosvd, hooi",)),
        "max-iterations": (("0", "-1", "1000001", "2.5", "many"), ("1", "1000000"), f"{JOB} --method hooi"),
        "fit-change": (("-1e-9", "1.1", "nan", "inf"), ("0", "1"), f"{JOB} --method hooi"),
        "order": (("12", "112", "1234", "012", "3,1,2", "abc"), ("123", "132", "213", "231", "312", "321"), JOB,
                  ("expected one of 123",)),
        "fill": (("noise", "Random", "known"), ("random", "ramp", "sparse")),
        "fill-ranks": (("5x5x6", "1x1x2", "0x1x1"), (), f"{JOB} --fill known-rank"),
        "noise": (("-0.1", "1001", "nan", "loud"), ("0", "1000"), f"{JOB} --fill known-rank --fill-ranks 2x2x2"),
        "format": (("bf16", "int8", "c128", "c64", "int32", "f16", "F64"), (), JOB, ("one of f64, f32",)),
        "mesh": (("0x2x2", "2x2", "1025x2x2", "axbxc"), ("1x1x1", "1024x1x1", "4x5x6", "64x64x64")),
        "sparsity": (("sparse", "ESOP"),), "zero-threshold": (("-1", "nan", "inf"),),
        "threads": (("0", "-1", "257", "all"),), "double-buffer": (("perhaps",),), "step-cycles": (("0", "1000001"),),
        "look-ahead": (("0", "1048577"),), "port-aligner": (("no",), ("on", "off")), "load-elements": (("0", "1048577"),), "dma-ports": (("0", "17"),), "burst": (("3", "131072"),),
    }

    def test_one_tensor(self):
        self.save("x.npy", np.ones((4, 5, 6)))
        self.refuses("--ranks 2x2x2", "--input", "--shape", "expected one")
        self.refuses(f"{JOB} --input x.npy", "--input", "--shape", "expected one")
        for option in ("--fill ramp", "--fill-ranks 2x2x2", "--noise 0.1"):
            self.refuses(f"--input x.npy --ranks 1x1x1 {option}", option.split()[0], "--input", "expected")

    def test_ranks_or_tolerance(self):
        self.refuses(PROBLEM, "--ranks", "--tolerance", "expected one")
        self.refuses(f"{JOB} --tolerance 0.1", "--ranks", "--tolerance", "expected one")

    def test_ranks_that_no_core_has(self):
        self.refuses(f"{JOB} --ranks 2x2x2", "--ranks", "twice")
        self.refuses_values("ranks", ("5x5x6", "4x6x6", "4x5x7", "65535x65535x65535"), ("size",), PROBLEM)
        self.refuses_values("ranks", ("1x1x2", "1x3x2", "4x2x1"), ("product of the other two",), PROBLEM)

    def test_the_end_of_hooi_without_hooi(self):
        for option in ("--max-iterations 5", "--fit-change 1e-3"):
            for method in ("hosvd", "st-hosvd"):
                self.refuses(f"{JOB} --method {method} {option}", option.split()[0], f"--method {method}",
                             "expected it with --method hooi")

    def test_known_rank(self):
        self.refuses(f"{JOB} --fill known-rank", "--fill-ranks", "expected both")
        for option in ("--fill-ranks 2x2x2", "--noise 0.1"):
            self.refuses(f"{JOB} {option}", option.split()[0], "expected it with --fill known-rank")

    def test_matrices_that_the_actuators_cannot_hold(self):
        self.refuses(f"{JOB} --matrix-elements 11", "--matrix-elements", "11", "expected at least 12", "mode 3", "6x2")
        self.succeeds(f"{JOB} --matrix-elements 12 --quiet")
        self.refuses(f"{PROBLEM} --tolerance 0.1 --matrix-elements 35", "--matrix-elements", "expected at least 36")
        self.succeeds(f"{PROBLEM} --tolerance 0.1 --matrix-elements 36 --quiet")

    def test_a_factor_found_by_tolerance_has_no_more_columns_than_the_unfolding(self):
        for shape, elements in (("30x2x3", 180), ("3x30x2", 180), ("2x3x30", 180), ("30x5x7", 900)):
            line = f"--shape {shape} --tolerance 0.1 --matrix-elements"
            self.refuses(f"{line} {elements - 1}", "--matrix-elements", f"expected at least {elements}",
                         f"30x{elements // 30}")
            self.succeeds(f"{line} {elements} --quiet")
        self.succeeds("--shape 1100x2x2 --tolerance 0.5 --quiet")

    def test_more_memory_than_there_is(self):
        self.refuses("--shape 65535x65535x65535 --ranks 1x1x1", "memory", "expected a smaller tensor")

    def test_values_of_a_file_are_named_with_its_line(self):
        for text in ("tolerance: 2", "tolerance: 0.5\nmethod: als", "ranks: 2x2x2\nthreads: 0", "ranks: 2x2\n"):
            self.save_text("job.yaml", f"shape: 4x5x6\n{text}\n")
            key, value = text.strip().split("\n")[-1].split(": ")
            self.refuses("--config job.yaml", f"job.yaml:{2 + text.strip().count(chr(10))}", key, value, "expected")
        self.save_text("job.yaml", "shape: 4x5x6\nrank: 2x2x2\n")
        self.refuses("--config job.yaml", "job.yaml:2", "rank")


class BadData(TuckerTest):
    def refuses_array(self, array, *words, options="--ranks 1x1x1"):
        self.refuses(f"--input {self.save('x.npy', array)} {options}", "expected", *words)

    def test_shapes(self):
        for shape in ((4,), (4, 5), (2, 3, 4, 5), ()):
            self.refuses_array(np.ones(shape), "--input", "x.npy", f"rank {len(shape)}")
        self.refuses_array(np.ones((3, 0, 4)), "--input", "x.npy", "mode 2", "empty")
        self.refuses_array(np.ones((3, 4, 5)), "ranks 4x4x4", options="--ranks 4x4x4")

    def test_complex(self):
        self.refuses_array(np.ones((3, 4, 5), complex), "x.npy", "complex", "real")

    def test_zero(self):
        self.refuses_array(np.zeros((3, 4, 5)), "--input: x.npy: ", "zero")
        self.refuses_array(-np.zeros((3, 4, 5)), "--input: x.npy: ", "zero")

    def test_not_finite(self):
        for bad in (np.nan, np.inf, -np.inf):
            x = np.ones((3, 4, 5))
            x[1, 2, 3] = bad
            self.refuses_array(x, "--input: x.npy: ", "(1,2,3)", "finite")

    def test_numbers_whose_squares_are_not_safe(self):
        for value in (1e-141, 5e-324, 1e141, np.finfo(float).max):
            self.refuses_array(np.full((3, 4, 5), value), "--input: x.npy: ", "1e-140 to 1e140")

    def test_norms_that_single_precision_cannot_hold(self):
        for value in (1e-35, 1e39):
            self.refuses_array(np.full((3, 4, 5), value), "--input: x.npy: ", "norm", "--format f32",
                               options="--ranks 1x1x1 --format f32")
            self.save("x.npy", np.full((3, 4, 5), value))
            self.succeeds("--input x.npy --ranks 1x1x1 --quiet")

    def test_files(self):
        self.refuses("--input none.npy --ranks 1x1x1", "none.npy", "expected")
        self.save_bytes("x.npy", b"\x93NUMPY\1\0")
        self.refuses("--input x.npy --ranks 1x1x1", "x.npy")


class BadOutput(TuckerTest):
    def test_places_that_cannot_be_written(self):
        os.mkdir(self.path("folder"))
        for option in ("--core", "--output", "--vcd"):
            for path in ("folder", "nowhere/file"):
                self.refuses(f"{JOB} {option} {path}", option, path, "expected")
        for paths, wrong in (("folder,b,c", "folder"), ("a,nowhere/b,c", "nowhere/b")):
            self.refuses(f"{JOB} --factors {paths}", "--factors", wrong, "expected")

    def test_three_factors(self):
        for paths in ("a", "a,b", "a,b,c,d"):
            self.refuses(f"{JOB} --factors {paths}", "--factors", paths, "expected three files")
        self.refuses(f"{JOB} --factors a,,c", "--factors", "expected")

    def test_one_file_twice(self):
        self.save("x.npy", np.ones((4, 5, 6)))
        for option in ("--core", "--output", "--vcd"):
            self.refuses(f"--input x.npy --ranks 1x1x1 {option} x.npy", option, "--input", "expected another")
        self.refuses(f"{JOB} --factors a,b,./a", "--factors (mode 3)", "--factors (mode 1)", "expected another")
        self.refuses(f"{JOB} --core a --output a", "--core", "--output", "expected another")
        os.mkdir(self.path("folder"))
        self.refuses(f"{JOB} --core folder/summary.json --out folder", "--core", "--out", "expected another")
