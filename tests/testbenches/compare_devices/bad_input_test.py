"""What compare_devices refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import numpy as np

from compare_devices_program import CompareDevicesTest
from testbench_refusals import RefusedOptions

JOB = "--shape 6x5x7"


class BadInput(RefusedOptions, CompareDevicesTest):
    job = JOB
    abbreviated = {"--gri 2": "--grid", "--device mmv": "--devices"}
    repeated = ("--grid 2", "--devices mmv", "--s 4")
    values = {
        "devices": (("tpu", "mmv,mmv", "mmv,,fetta", "TriADA"), ("mmv", "fetta,torus")),
        "mesh": (("0x1x1", "2x2", "x"), ("2x2x2",)),
        "torus-array": (("0", "65", "x"), ("1", "7")),
        "mmv-array": (("1", "1025", "x"), ("2", "5")),
        "engines": (("5", "0"), ("4", "16")),
        "fetta-array": (("3", "x"), ("2", "8")),
        "step-cycles": (("0", "x"), ("1", "9")),
        "mac-latency": (("0", "65", "x"), ("1", "64")),
        "load-elements": (("0", "x"), ("1", "64")),
        "dma-ports": (("0", "17", "x"), ("1", "16")),
        "lanes": (("0", "x"), ("1", "128")),
        "banks": (("0", "3"), ("1", "32", "4096")),
        "out-shape": (("1025x1x1", "0x1x1", "2x2"), ("1x2x3",)),
        "shape": (("1025x1x1", "0x1x1", "2x2"), ("1x1x1",), ""),
    }

    def test_files(self):
        for name, shape in (("x", (6, 5, 7)), ("a", (6, 2)), ("b", (5, 3)), ("c", (7, 4)), ("flat", (6, 5)), ("empty", (5, 0))):
            self.save(f"{name}.npy", np.ones(shape))
        self.save("complex.npy", np.ones((5, 3), dtype=complex))
        good = "--input x.npy,a.npy,b.npy,c.npy"
        self.succeeds(f"{good} --quiet")
        for line, words in (
                ("--input x.npy,a.npy,b.npy", ("--input", "four files")),
                (f"{good} --shape 6x5x7", ("--shape", "--input", "expected it without")),
                (f"{good} --out-shape 6x5x7", ("--out-shape", "--input")),
                ("--input flat.npy,a.npy,b.npy,c.npy", ("flat.npy", "6 x 5", "expected", "three modes")),
                ("--input x.npy,b.npy,a.npy,c.npy", ("b.npy", "5 x 3", "expected 6 rows", "mode 1 of x.npy")),
                ("--input x.npy,a.npy,empty.npy,c.npy", ("empty.npy", "5 x 0", "expected")),
                ("--input x.npy,a.npy,complex.npy,c.npy", ("complex.npy", "complex", "expected real numbers")),
                ("--input x.npy,a.npy,none.npy,c.npy", ("none.npy",)),
                (f"{good} --output a.npy", ("--output", "a.npy"))):
            self.refuses(line, *words)

    def test_what_no_device_can_take(self):
        for line, words in (
                (f"{JOB} --banks 4096 --s 2 --devices mmv --memory rom", ("--memory", "rom")),
                (f"{JOB} --block 1025", ("--block", "1025")),
                (f"{JOB} --accumulator-bytes 3", ("--accumulator-bytes", "expected")),
                (f"{JOB} --technology none", ("technology", "none")),
                (f"{JOB} --mac-latency 4 --step-cycles 3", ("--step-cycles", "3", "at least the 4 of --mac-latency")),
                (f"{JOB} --technology 45nm --clock 40", ("84 cycles of 25 ps", "105 gates", "45nm", "at most 64", "--clock, or --mac-latency"))):
            self.refuses(line, *words)

    def test_work_that_no_device_holds(self):
        self.refuses("--shape 90x90x90 --out-shape 2x2x2 --devices fetta", "--devices fetta", "network")

    def test_equal_sizes(self):
        self.refuses(f"{JOB} --equal bytes", "--equal", "bytes", "expected one of none, multipliers, area, power, onchip")
        self.refuses(f"{JOB} --equal area", "--equal area", "--budget is missing", "mm^2 of die")
        self.refuses(f"{JOB} --equal power", "--budget is missing", "W of the die")
        self.refuses(f"{JOB} --budget 3", "--budget", "--equal none", "expected it without")
        self.refuses(f"{JOB} --equal area --budget 0", "--budget", "'0'", "expected a number from 1e-06")
        self.refuses(f"{JOB} --equal area --budget 0.001 --devices fetta", "FETTA: no size is within 0.001 mm^2 of die, the nearest has")
        for option in ("--mesh 2x2x2", "--torus-array 2", "--block 2", "--macs-per-cycle 2", "--mmv-array 4", "--engines 4",
                       "--fetta-array 2", "--bank-bytes 4096", "--accumulator-bytes 1024"):
            self.refuses(f"{JOB} --equal multipliers {option}", option.split()[0], "--equal multipliers", "expected it without")

    def test_what_a_technology_lacks_is_told_before_anything_runs(self):
        self.save_text("bare.yaml", "name: bare\n")
        self.refuses(f"{JOB} --technology bare.yaml", "bare", "missing")
