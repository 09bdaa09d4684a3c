"""Tests of the program tensor_unit."""
from testbench_program import (BAD_INPUT, INTERNAL, RIGHT, SOURCE, WRONG,  # what tests of tensor_unit need besides
                               TestbenchTest, load_json)

__all__ = ["BAD_INPUT", "INTERNAL", "RIGHT", "SOURCE", "WRONG", "TensorUnitTest", "load_json", "ALGORITHMS"]

# With a small size and options at which each runs on an array of 4 x 4.
ALGORITHMS = {"dense": "--size 10", "rect": "--size 9 --inner 5", "strassen": "--size 16 --cutoff 4",
              "recursive8": "--size 16 --cutoff 4", "laderman": "--size 12 --cutoff 4",
              "sparse": "--size 16 --nonzeros 20", "ge_forward": "--size 12",
              "solve": "--size 10", "tclosure": "--size 10 --edges 30", "apsd": "--size 9 --edges 12",
              "apsd_strassen": "--size 16 --cutoff 4 --edges 20",
              "dft": "--size 32", "dft_inverse": "--size 32", "stencil": "--size 8 --sweeps 2", "intmul": "--size 9 --kappa 16",
              "karatsuba": "--size 20 --cutoff 5 --kappa 32", "polyeval": "--size 11 --points 7",
              "polynomial": "--size 11 --points 7"}


class TensorUnitTest(TestbenchTest):
    program = "tensor_unit"
    outputs = ("--output c.npy", "--out files", "--vcd wave")

    def computed(self, line):
        """The result of a run."""
        self.succeeds(f"{line} --quiet --output c.npy")
        return self.load("c.npy")
