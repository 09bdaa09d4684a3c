"""What tensor_unit refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import re

import numpy as np

from tensor_unit_program import ALGORITHMS, WRONG, TensorUnitTest
from testbench_refusals import RefusedOptions

OPTIONS = {"inner": ("rect",), "sweeps": ("stencil",), "nonzeros": ("sparse",), "points": ("polyeval", "polynomial"),
           "cutoff": ("strassen", "recursive8", "laderman", "apsd_strassen", "karatsuba"), "kappa": ("intmul", "karatsuba"),
           "edges": ("tclosure", "apsd", "apsd_strassen")}


class BadOption(RefusedOptions, TensorUnitTest):
    abbreviated = {"--algo dense": "--algorithm", "--theo": "--theorems", "--lat 4": "--latency"}
    repeated = ("--size 4",)
    values = {
        "algorithm": (("Dense", "gemm", ""),), "array": (("0", "1", "1025", "x"),), "m": (("3", "50", "0", "1048577", "-16", "x"),),
        "size": (("0", "-4", "67108865", "many"),), "latency": (("-1", "1e3", "1000000000001"),),
        "charges": (("v2", "free", "V1", ""),), "format": (("int16", "f8"),), "lanes": (("0",),), "banks": (("12",),), "out-words": (("17",),),
        "in-words": (("0", "17"),),
    }

    def test_words_of_a_small_unit(self):
        self.refuses_values("in-words", ("5",), job="--m 16")

    def test_an_option_of_another_algorithm(self):
        for option, users in OPTIONS.items():
            for algorithm in ALGORITHMS:
                if algorithm not in users:
                    self.refuses(f"--algorithm {algorithm} --{option} 4", f"--{option}", f"--algorithm {algorithm}", users[0])

    def test_sizes_that_an_algorithm_does_not_take(self):
        for line in ("--algorithm ge_forward --size 18", "--algorithm dft --size 24", "--algorithm dft --size 12 --m 16",
                     "--algorithm stencil --size 10 --sweeps 4", "--algorithm stencil --size 6 --sweeps 2 --m 36",
                     "--algorithm strassen --size 48 --m 1024", "--algorithm recursive8 --size 12 --m 16",
                     "--algorithm laderman --size 16 --m 16", "--algorithm apsd_strassen --size 12 --m 16", "--algorithm dft_radix2 --size 12"):
            with self.subTest(line=line):
                self.refuses(line, "found", "expected")
                # before anything else is looked at
                self.assertNotIn("absent", self.fails_with(2, f"{line} --technology absent.yaml", "found").err)

    def test_numbers_of_edges(self):
        self.refuses("--algorithm tclosure --size 6 --edges 37", "--size 6, --edges 37", "found 37", "at most 36")
        for edges in (4, 16):
            self.refuses(f"--algorithm apsd --size 6 --edges {edges}", f"--edges {edges}", f"found {edges}", "5 to 15")
        for value in ("0", "-1", "67108865", "all"):
            self.refuses(f"--algorithm tclosure --edges {value}", "--edges", value, "1 to 67108864")
        self.save("e.npy", np.zeros((4, 4), dtype=int))
        self.refuses("--algorithm tclosure --input e.npy --edges 3", "--edges", "--input", "a generated graph")

    def test_words_that_are_too_short(self):
        for algorithm in ("intmul", "karatsuba"):
            for value in ("0", "3", "65", "-8", "x"):
                self.refuses(f"--algorithm {algorithm} --kappa {value}", "--kappa", value, "4 to 64")
            self.refuses(f"--algorithm {algorithm} --kappa 6", "kappa: found 6", "a multiple of 4 from 4 to 64")
        self.refuses("--algorithm intmul --size 146 --kappa 16", "--size 146, --kappa 16", "found 146", "at most 145")
        self.refuses("--algorithm karatsuba --size 146 --kappa 16 --cutoff 146", "found 146", "at most 145")
        self.refuses("--algorithm karatsuba --size 600 --kappa 16 --cutoff 290", "found 150", "at most 145")
        self.succeeds("--algorithm karatsuba --size 146 --kappa 16")
        self.succeeds("--algorithm karatsuba_scalar --size 64 --kappa 8")
        self.save("x.npy", np.array([1, 4]))
        self.refuses("--algorithm intmul --kappa 8 --input x.npy,x.npy", "x, element 1: found 4", "0 to 3")

    def test_formats_that_an_algorithm_does_not_take(self):
        for line in ("ge_forward --format int64", "dft --format f64", "intmul --format int32", "strassen --format int8", "apsd_strassen --format f32",
                     "polynomial --format c128"):
            with self.subTest(line=line):
                self.refuses(f"--algorithm {line}", "--format", line.split()[-1], "expected")

    def test_watched_elements(self):
        self.refuses("--size 4 --m 16 --watch 0,0", "--watch", "--fidelity fast", "detailed")
        self.refuses("--size 4 --m 16 --fidelity detailed --watch 4,0", "--watch", "4,0", "inside 4x4")
        self.fails_with(2, "--size 4 --m 16 --fidelity detailed --watch 0,0", "--watch", "--vcd")

    def test_sizes_that_fit_no_scratchpad(self):
        for line, least in (("--size 30000", 3 * 8 * 30000 ** 2), ("--size 1000000", 3 * 8 * 1000000 ** 2),
                            ("--size 50 --scratchpad 4096", 3 * 8 * 50 ** 2), ("--algorithm dft --size 67108864 --scratchpad 1024", 2 ** 31),
                            ("--algorithm stencil --size 8192 --sweeps 4", 16 * (32768 ** 2 + 8192 ** 2)),
                            ("--algorithm rect --size 10 --inner 7 --scratchpad 1024", 8 * (2 * 70 + 100))):
            with self.subTest(line=line):
                self.refuses(line, "--size", "scratchpad", f"expected at least {least}")
        self.refuses("--algorithm stencil --size 10 --sweeps 4", "--size 10, --sweeps 4")

    def test_the_weak_unit_is_no_baseline(self):
        self.refuses("--weak --scalar", "--weak", "--scalar")
        self.refuses("--weak --algorithm dense_scalar", "--weak", "dense_scalar")

    def test_baselines(self):
        self.refuses("--algorithm dense_scalar --scalar", "--scalar", "dense_scalar")

    def test_theorems_are_no_single_run(self):
        for text in ("--algorithm dense", "--size 4", "--m 16", "--weak", "--scalar", "--format f64", "--inner 3", "--kappa 64"):
            self.fails_with(2, f"--theorems {text}", text.split()[0], "--theorems", "single run")
        for text in ("--output c.npy", "--vcd wave", "--input a.npy", "--watch 0,0"):
            self.fails_with(2, f"--theorems {text}", text.split()[0], "--theorems", "single run")

    def test_scratchpad_that_is_too_small(self):
        self.refuses("--size 50 --scratchpad 4096", "scratchpad", "4096", "expected at least")


class BadFile(TensorUnitTest):
    def test_inputs(self):
        self.save("a.npy", np.ones((4, 4)))
        self.save("b.npy", np.ones((3, 4)))
        self.save("v.npy", np.arange(4))
        self.save("i.npy", np.ones((4, 4)) * 1j)
        self.save("h.npy", np.full((4, 4), 0.5))
        self.save("n.npy", np.full((4, 4), np.nan))
        self.save("none.npy", np.ones((0, 4)))
        for line, words in (
                ("--input absent.npy,a.npy", ("absent.npy", "no such file")), ("--input a.npy", ("--input", "1 file", "A, B")),
                ("--input a.npy,a.npy,a.npy", ("3 files", "expected 2")), ("--input a.npy,b.npy", ("B", "3 x 4", "4 x 4")),
                ("--input v.npy,v.npy", ("A", "expected")), ("--input none.npy,none.npy", ("none.npy", "no elements")),
                ("--input a.npy,h.npy", ("B", "whole")), ("--input a.npy,i.npy --format f64", ("B", "complex")),
                ("--input a.npy,n.npy --format f64", ("B", "element (0,0) is nan", "expected finite numbers", "--allow-nonfinite")), ("--input a.npy,n.npy", ("B", "whole")),
                ("--input a.npy,a.npy --size 5", ("A", "5 x 5")), ("--algorithm intmul --input v.npy", ("x, y",))):
            with self.subTest(line=line):
                self.refuses(line, *words)

    def test_values_name_their_place(self):
        self.save("x.npy", np.array([1, 2, -1, 4]))
        self.save("big.npy", np.full((4, 4), 1e40))
        for line, words in (("--algorithm intmul --input x.npy,x.npy", ("--input", "x.npy", "x, element 2: found -1")),
                            ("--algorithm polyeval --input x.npy,x.npy", ("--input", "x.npy", "element 2: found -1")),
                            ("--input big.npy,big.npy", ("big.npy", "element 0: found 1e+40,")),
                            ("--input big.npy", ("1 file,", "expected 2"))):
            with self.subTest(line=line):
                self.refuses(line, *words)

    def test_pivots(self):
        zero_first, zero_third, overflowing = np.eye(8), np.eye(8), np.eye(8)
        zero_first[0, 0] = zero_third[3, 3] = 0
        overflowing[1, 2], overflowing[2, 1] = 1e308, -10
        for x, row, what in ((zero_first, 0, "a zero pivot"), (zero_third, 3, "a zero pivot"),
                             (overflowing, 2, "a pivot that is not finite")):
            x[-1] = 0
            self.save("x.npy", x)
            for options in ("--m 16", "--m 64", "--scalar", "--m 16 --no-check", "--m 16 --weak"):
                with self.subTest(row=row, options=options):
                    self.refuses(f"--algorithm ge_forward --input x.npy {options}", "x.npy", f"{what} in row {row}",
                                 "no pivoting")

    def test_whole_numbers_that_f64_does_not_have(self):
        self.save("a.npy", np.full((2, 2), 2 ** 53 + 1))
        self.save("b.npy", np.eye(2, dtype=int))
        self.refuses("--input a.npy,b.npy --format f64", "element 0", str(2 ** 53 + 1), "f64")
        self.save("a.npy", np.full((2, 2), 2 ** 62))
        self.assert_equal(self.computed("--input a.npy,b.npy --format f64"), np.full((2, 2), 2.0 ** 62))

    def test_a_technology_that_misses_energies(self):
        self.save_text("t.yaml", "name: empty\n")
        for line in ("--size 4", "--theorems"):
            self.fails_with(2, f"{line} --technology t.yaml", "t.yaml")

    def test_outputs(self):
        self.save("a.npy", np.ones((4, 4)))
        self.fails_with(2, "--input a.npy,a.npy --output a.npy", "--output", "a.npy", "another file")
        self.fails_with(2, "--output no/such/c.npy", "--output", "no/such")


class FailedCheck(TensorUnitTest):
    def test_sums_that_overflow_on_the_device_alone_fail(self):
        # From left to right a row overflows; in two sums of two it does not.
        a = np.eye(4)
        a[0] = 1e308, 5e307, 5e307, -1e308
        self.save("a.npy", a)
        self.save("b.npy", np.ones((4, 4)))
        self.succeeds("--input a.npy,b.npy --format f64 --m 4")
        run = self.run_program("--input a.npy,b.npy --format f64 --m 16")
        self.assertEqual(run.status, WRONG)
        self.assertIn("max inf absolute, inf relative", run.out)
        self.assertIn("first wrong at 0", run.out)

    def test_is_told_without_the_table(self):
        self.save("a.npy", np.full((4, 4), 1e200))
        for quiet in ("", "--quiet"):
            run = self.run_program(f"--input a.npy,a.npy --format f64 {quiet}")
            self.assertEqual(run.status, WRONG)
            text = run.err if quiet else run.out
            self.assertIn("first wrong at 0", text)
        self.assertEqual((run.out, run.err.count("\n")), ("", 1))
        self.assertIn("check failed: dense", run.err)


class Overflow(TensorUnitTest):
    def test_is_a_wrong_result(self):
        self.save("a.npy", np.full((4, 4), 2 ** 20))
        self.fails_with(WRONG, "--input a.npy,a.npy --format int32 --output c.npy --out files", "matmul", "wider --format")
        self.succeeds("--input a.npy,a.npy --format int64")
        self.save("x.npy", np.array([2 ** 20] * 4))
        self.fails_with(WRONG, "--algorithm polynomial --format int64 --input x.npy,x.npy", "exceeds the range", "smaller numbers")

    def test_message_names_the_command(self):
        self.save("a.npy", np.full((4, 4), 2 ** 20))
        self.assertTrue(re.search(r"command \d+ \(matmul\)", self.fails_with(WRONG, "--input a.npy,a.npy --format int32").err))
