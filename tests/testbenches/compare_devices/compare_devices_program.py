"""Tests of the program compare_devices."""
from testbench_program import BAD_INPUT, SOURCE, TestbenchTest, load_json

__all__ = ["BAD_INPUT", "DEVICES", "SOURCE", "CompareDevicesTest", "load_json"]

DEVICES = ("triada", "torus", "mmv", "fetta")


class CompareDevicesTest(TestbenchTest):
    program = "compare_devices"
    outputs = ("--output y.npy", "--out files", "--vcd wave")

    def found(self, line):
        """The summary, and what each device did by its name."""
        summary = self.summary(line)
        return summary, {run["device"]: run for run in summary["runs"]}
