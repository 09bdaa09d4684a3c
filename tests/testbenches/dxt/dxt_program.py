"""Tests of the program dxt."""
from testbench_program import (BAD_INPUT, INTERNAL, RIGHT, SOURCE, WRONG,  # what tests of dxt need besides
                               TestbenchTest, load_json, program_path)

__all__ = ["BAD_INPUT", "INTERNAL", "PROGRAM", "RIGHT", "SOURCE", "WRONG", "DxtTest", "load_json"]

PROGRAM = program_path("dxt")


class DxtTest(TestbenchTest):
    program = "dxt"
    outputs = ("--output y.npy", "--out files", "--vcd wave")

    def output(self, line):
        self.succeeds(line + " --quiet --output y.npy")
        return self.load("y.npy")
