"""Tests of the program orbital."""
from testbench_program import SOURCE, TestbenchTest, load_json  # what tests of orbital need besides

__all__ = ["SOURCE", "OrbitalTest", "load_json"]


class OrbitalTest(TestbenchTest):
    program = "orbital"
    outputs = ("--output y.npy", "--out files", "--vcd wave")

    def output(self, line):
        self.succeeds(line + " --quiet --output y.npy")
        return self.load("y.npy")
