"""What tucker refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import os

import numpy as np

from tucker_program import TuckerTest

PROBLEM = "--shape 4x5x6"
JOB = f"{PROBLEM} --ranks 2x2x2"


class BadOption(TuckerTest):
    def refuses_values(self, option, values, *words, job=JOB):
        for value in values:
            with self.subTest(option=option, value=value):
                self.refuses(f"{job} --{option}='{value}'", f"--{option}", value[:70], "expected", *words)

    def accepts(self, option, values, job=JOB):
        for value in values:
            with self.subTest(option=option, value=value):
                self.succeeds(f"{job} --{option} {value} --quiet")

    def test_unknown_abbreviated_or_repeated(self):
        self.refuses(f"{JOB} --frobnicate 3", "unknown option", "--frobnicate")
        self.refuses(f"{JOB} --meth hooi", "unknown option", "--method")
        self.refuses(f"{JOB} --ranks 2x2x2", "--ranks", "twice")
        self.refuses(f"{JOB} 2x2x2", "2x2x2", "expected")

    def test_one_tensor(self):
        self.save("x.npy", np.ones((4, 5, 6)))
        self.refuses("--ranks 2x2x2", "--input", "--shape", "expected one")
        self.refuses(f"{JOB} --input x.npy", "--input", "--shape", "expected one")
        for option in ("--fill ramp", "--fill-ranks 2x2x2", "--noise 0.1"):
            self.refuses(f"--input x.npy --ranks 1x1x1 {option}", option.split()[0], "--input", "expected")

    def test_ranks_or_tolerance(self):
        self.refuses(PROBLEM, "--ranks", "--tolerance", "expected one")
        self.refuses(f"{JOB} --tolerance 0.1", "--ranks", "--tolerance", "expected one")

    def test_ranks(self):
        self.refuses_values("ranks", ("5x5x6", "4x6x6", "4x5x7", "65535x65535x65535"), "size", job=PROBLEM)
        self.refuses_values("ranks", ("1x1x2", "1x3x2", "4x2x1"), "product of the other two", job=PROBLEM)
        self.refuses_values("ranks", ("0x2x2", "2x2", "2x2x2x2", "-1x2x2", "2,2,2", "axbxc", "2.5x2x2", "65536x2x2"),
                            job=PROBLEM)
        self.accepts("ranks", ("1x1x1", "4x5x6", "4x2x2", "1x5x5"), job=PROBLEM)

    def test_tolerance(self):
        self.refuses_values("tolerance", ("0", "-0", "1", "1.0", "-0.1", "1.5", "nan", "inf", "1e-400", "small"),
                            "above 0 and below 1", job=PROBLEM)
        self.accepts("tolerance", ("0.9999999", "0.5", "1e-6"), job=PROBLEM)

    def test_method_and_its_end(self):
        self.refuses_values("method", ("HOSVD", "st_hosvd", "hoi", "als"), "hosvd, st-hosvd, hooi")
        hooi = f"{JOB} --method hooi"
        self.refuses_values("max-iterations", ("0", "-1", "1000001", "2.5", "many"), job=hooi)
        self.refuses_values("fit-change", ("-1e-9", "1.1", "nan", "inf"), job=hooi)
        self.accepts("method", ("hosvd", "st-hosvd", "hooi"))
        self.accepts("max-iterations", ("1", "1000000"), job=hooi)
        self.accepts("fit-change", ("0", "1"), job=hooi)

    def test_the_end_of_hooi_without_hooi(self):
        for option in ("--max-iterations 5", "--fit-change 1e-3"):
            for method in ("hosvd", "st-hosvd"):
                self.refuses(f"{JOB} --method {method} {option}", option.split()[0], f"--method {method}",
                             "expected it with --method hooi")

    def test_order(self):
        for value in ("12", "112", "1234", "012", "3,1,2", "abc"):
            self.refuses(f"{JOB} --order {value}", f"--order is '{value}'", "expected one of 123")
        self.accepts("order", ("123", "132", "213", "231", "312", "321"))

    def test_fill(self):
        self.refuses_values("fill", ("noise", "Random", "known"))
        self.accepts("fill", ("random", "ramp", "sparse"))
        self.refuses(f"{JOB} --fill known-rank", "--fill-ranks", "expected both")
        for option in ("--fill-ranks 2x2x2", "--noise 0.1"):
            self.refuses(f"{JOB} {option}", option.split()[0], "expected it with --fill known-rank")
        known = f"{JOB} --fill known-rank"
        self.refuses_values("fill-ranks", ("5x5x6", "1x1x2", "0x1x1"), job=known)
        self.refuses_values("noise", ("-0.1", "1001", "nan", "loud"), job=f"{known} --fill-ranks 2x2x2")
        self.accepts("noise", ("0", "1000"), job=f"{known} --fill-ranks 2x2x2")

    def test_formats_of_the_device(self):
        self.refuses_values("format", ("bf16", "int8", "c128", "c64", "int32", "f16", "F64"), "one of f64, f32")

    def test_device(self):
        self.refuses_values("mesh", ("0x2x2", "2x2", "1025x2x2", "axbxc"))
        self.refuses_values("sparsity", ("sparse", "ESOP"))
        self.refuses_values("zero-threshold", ("-1", "nan", "inf"))
        self.refuses_values("threads", ("0", "-1", "257", "all"))
        self.refuses_values("double-buffer", ("perhaps",))
        self.refuses_values("step-cycles", ("0", "1000001"))
        self.refuses_values("load-elements", ("0", "1048577"))
        self.refuses_values("burst", ("3", "131072"))
        self.accepts("mesh", ("1x1x1", "1024x1x1", "4x5x6", "64x64x64"))

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
