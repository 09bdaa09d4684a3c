"""Tests of the program soc."""
from testbench_program import SOURCE, TestbenchTest, load_json

__all__ = ["DEVICES", "JOBS", "QUANTA", "SHAPES", "SOURCE", "SocTest", "load_json"]

DEVICES = ("large", "small")
SHAPES = "--large 5x4x3 --small 2x3x2"
JOBS = SHAPES + " --small-runs 2"
QUANTA = ("0", "1ns", "1us", "1ms")


class SocTest(TestbenchTest):
    program = "soc"
    outputs = ("--large-output l.npy", "--small-output s.npy", "--out files", "--vcd wave")

    def results(self, line):
        """The bytes of both results."""
        self.succeeds(line + " --quiet --large-output l.npy --small-output s.npy")
        return self.read_bytes("l.npy"), self.read_bytes("s.npy")

    def results_of_dxt(self, large, small, options="", seed=1):
        """What dxt gives for the same two jobs; `large`, `small`: their shape and transform."""
        found = []
        for number, (shape, transform) in enumerate((large, small)):
            self.succeeds(f"--shape {shape} --transform {transform} --seed {(seed + number) % 2**64} {options} "
                          "--quiet --no-check --output dxt.npy", program="dxt")
            found.append(self.read_bytes("dxt.npy"))
        return tuple(found)

    def summary_of(self, line):
        """Of a run whose results nobody checks."""
        return self.summary(line + " --no-check")

    def cycles(self, line):
        return self.summary_of(line)["cycles"]
