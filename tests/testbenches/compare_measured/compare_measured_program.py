"""Tests of the program compare_measured."""
from testbench_program import BAD_INPUT, SOURCE, TestbenchTest, load_json

__all__ = ["BAD_INPUT", "COLUMNS", "ROW", "SOURCE", "CompareMeasuredTest", "load_json"]

COLUMNS = "M,K,N,accumulator_entries,scratchpad_entries,mapped_cycles,auto_cycles,mapping"
ROW = "6,32,16,6,704,100,200,L3[WIO] N1 - L2[WI] K16X - L1[O] C2 C16X - L0[W] P3 Q2"


class CompareMeasuredTest(TestbenchTest):
    program = "compare_measured"
    outputs = ("--out files", "--vcd wave")

    def passes(self, line):
        found = self.summary(line)
        self.assertIs(found["check"]["passed"], True, line)
        return found

    def cases(self, *rows, columns=COLUMNS):
        """Saved: cases.csv."""
        self.save_text("cases.csv", "".join(f"{line}\n" for line in ("# comment", columns, *rows)))
