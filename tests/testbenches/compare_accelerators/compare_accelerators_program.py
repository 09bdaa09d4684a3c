"""Tests of the program compare_accelerators."""
from testbench_program import BAD_INPUT, RIGHT, SOURCE, TestbenchTest, load_json

__all__ = ["BAD_INPUT", "RIGHT", "SOURCE", "CompareAcceleratorsTest", "load_json"]


class CompareAcceleratorsTest(TestbenchTest):
    program = "compare_accelerators"
    outputs = ("--out files",)

    def result(self, found, **wanted):
        """The one result with these values."""
        rows = [row for row in found["results"] if all(row[name] == value for name, value in wanted.items())]
        self.assertEqual(len(rows), 1, wanted)
        return rows[0]
