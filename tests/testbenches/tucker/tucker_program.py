"""Tests of the program tucker."""
from testbench_program import (BAD_INPUT, INTERNAL, RIGHT, SOURCE, WRONG,  # what tests of tucker need besides
                               TestbenchTest, load_json)

__all__ = ["BAD_INPUT", "INTERNAL", "RIGHT", "SOURCE", "WRONG", "TuckerTest", "load_json"]


class TuckerTest(TestbenchTest):
    program = "tucker"
    outputs = ("--core core.npy", "--factors u1.npy,u2.npy,u3.npy", "--output y.npy", "--out files", "--vcd wave")

    def decomposed(self, line, folder="files"):
        """The summary, core, factors and expanded tensor of a run."""
        found = self.summary(f"{line} --core core.npy --factors u1.npy,u2.npy,u3.npy --output y.npy", folder)
        return found, self.load("core.npy"), [self.load(f"u{m}.npy") for m in (1, 2, 3)], self.load("y.npy")
