"""Tests of the program tnn_step."""
from testbench_program import BAD_INPUT, RIGHT, SOURCE, TestbenchTest, load_json

__all__ = ["BAD_INPUT", "RIGHT", "SOURCE", "SMALL", "TnnStepTest", "load_json"]

SMALL = "--format ttm --rows 4x4 --cols 4x6 --ranks 3 --batch 12"


class TnnStepTest(TestbenchTest):
    program = "tnn_step"
    outputs = ("--out files", "--vcd wave")
