"""Every numeric option of tnn_step at its limits and beyond; layers at theirs."""
from tnn_step_program import SMALL, TnnStepTest
from testbench_refusals import RefusedOptions

TINY = "--format ttm --rows 2x3 --cols 3x2 --ranks 2"
LAYER = "--format tt --rows 4x4 --cols 4x6"


class OptionLimits(RefusedOptions, TnnStepTest):
    job = SMALL
    abbreviated = {"--resid keep": "--residency"}
    repeated = ("--dx on",)
    values = {
        "batch": (("0", "-1", "65537", "2147483648", "1e3", "many"), ("1", "40"), TINY),
        "block-samples": (("0", "-1", "13", "5", "18446744073709551616"), ("1", "12")),
        "blocks": (("0", "-1", "1000001"), ("1", "3"), "--format bt --rows 2x3 --cols 3x2 --ranks 2"),
        "samples": (("0", "11", "-1", "1e3", "18446744073709551616"), ("12", "100")),
        "rate": (("nan", "inf", "1e39", "-1e39", "1e400", "fast"), ("0", "-1", "3e38", "1e-50")),
        "ranks": (("0", "2,0,2", "2,3", "-1", "2147483648", "1,2,2,2", "2;2"), ("1", "2,3,2", "1,2,3,2,1"), LAYER),
        "rows": (("0x4", "4x", "=4x4", "15=4x4", "2147483648x1", "4*4"), ("16=4x4", "1x1"),
                 "--format ttm --cols 4x6 --ranks 3"),
        "engines": (("0", "1", "8", "256"), ("4", "64")),
        "array": (("0", "1", "6", "32"), ("2", "16")),
        "bank-bytes": (("0", "4095", "5000", "134217728"), ("4096", "67108864")),
        "accumulator-bytes": (("0", "512", "3000", "134217728"), ("1024", "65536")),
        "buffer-cycles": (("-1", "17", "1.5"), ("0", "16")),
        "mac-latency": (("0", "65", "1.5"), ("1", "64")),
        "lanes": (("0", "-1", "65537"), ("1", "65536")),
        "program-prefetch": (("-16", "15", "16777232"), ("0", "16", "16777216")),
        "padding-share": (("-0.1", "1.1", "nan"), ("0", "1")), "leakage": (("-0.1", "101", "nan"), ("0", "100")),
        "outstanding": (("0", "65"), ("1", "64")),
        "burst": (("2", "3", "131072"), ("4", "65536")),
        "clock": (("0", "0.0009", "1001", "nan"), ("0.001", "1000"), f"{SMALL} --allow-overclock"),
        "seed": (("-1", "18446744073709551616"), ("0", "18446744073709551615")),
    }

    def test_smallest_layers(self):
        for layer in ("--format ttm --rows 1 --cols 1", "--format tr --rows 1 --cols 1 --ranks 1,1",
                      "--format tt --rows 1x1 --cols 1 --ranks 1", "--format ht --rows 1x1 --cols 1x1 --ranks 1",
                      "--format bt --rows 1x1 --cols 1x1 --ranks 1 --blocks 2"):
            for phases in ("fp", "fp,bp,wg", "fp,bp,wg,update"):
                self.assertTrue(self.summary(f"{layer} --phases {phases}")["check"]["passed"], layer)

    def test_layers_beyond_every_memory(self):
        for layer, words in (
                ("--format ttm --rows 65536 --cols 65536", ("unified memory", "expected a network that fits")),
                ("--format tr --rows 1 --cols 1 --ranks 1073741824", ("unified memory", "expected a network that fits")),
                ("--format ttm --rows 2147483647x2147483647x3 --cols 2x2x2 --ranks 2", ("--rows", "2^63", "expected")),
                ("--format bt --rows 2x2 --cols 2x2 --ranks 2 --blocks 1000000", ("unified memory", "expected")),
                (f"--format tt --rows {'x'.join('2' * 10)} --cols {'x'.join('2' * 10)} --ranks 2", ("21 nodes", "at most 20")),
                ("--layer ucf-ttm --batch 4 --block-samples 4 --bank-bytes 4096", ("65536 bytes", "expected"))):
            self.refuses(layer, *words)

    def test_layers_that_are_none(self):
        self.refuses("--format ht --rows 4 --cols 4 --ranks 2", "one pair of factors", "at least two")
        self.refuses("--format bt --rows 2x2 --cols 2 --ranks 2", "2 factors of rows and 1 of columns")
        self.refuses("--format cp --rows 2 --cols 2", "--format", "cp", "expected")
        self.refuses(f"{TINY} --order nm", "--order", "tt or tr")
        self.refuses("--layer ucf-ttm --ranks 3", "--ranks", "--layer", "expected it with --format")
        self.refuses("--format ttm --rows 2x3 --ranks 2", "--cols", "expected both")
