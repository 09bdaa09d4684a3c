"""Options that dxt refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import numpy as np

from dxt_program import DxtTest
from testbench_refusals import RefusedOptions

PROBLEM = "--shape 2x3x4"
SHAPES = ("0x3x4", "2x0x4", "2x3x0", "2x3", "2x3x4x5", "-2x3x4", "2x3x", "x3x4", "2xx4", "axbxc", "2X3X4", "2,3,4",
          " 2x3x4", "2x3x4 ", "2.0x3x4", "+2x3x4", "65536x1x1", "1x1x18446744073709551617", "0x2x2", "1e1x1x1",
          "2x3x4x", "9" * 200)


class BadOption(RefusedOptions, DxtTest):
    job = PROBLEM
    abbreviated = {"--trans dct": "--transform", "--qui": "--quiet", "--zero 0.5": "--zeros", "--form f64": "--format",
                   "--in x.npy": "--input", "--v wave": "--vcd", "--no": "--norm"}
    repeated = ("--seed 1", "--quiet", "--inverse", "--norm backward", "--output y.npy", "--out files", "--vcd wave",
                "--clock 1", "--batch 1", "--fill ramp")
    values = {
        "shape": (SHAPES, ("1x1x1", "1024x1x1", "1x1024x1", "1x1x1024"), ""),
        "out-shape": (SHAPES,),
        "mesh": (("0x3x4", "2x3", "2x3x1025", "1025x1025x1025", "65535x3x4", "-2x3x4", "2x3xx", "nan"),
                 ("1x1x1", "1x3x4", "2x2x4", "2x3x3", "2x3x4", "1024x3x4", "2x1024x4", "2x3x1024")),
        "order": (("112", "12", "1234", "012", "3,1,2", "abc", "-312", " 312", "3120", "321 ", "0"),
                  ("123", "132", "213", "231", "312", "321")),
        "tags": (("forward", "diag", "Reverse", "1,0", "0,1,2", "none", "randomly"), ("diagonal", "reverse", "random")),
        "fill": (("ramps", "rand", "Ramp", "zero", "0"), ("random", "ramp", "sparse")),
        "norm": (("ortho", "back", "forward", "Backward", "none"),),
        "format": (("f16", "bfloat16", "int32", "int4", "F64", "double", "f", "c", "c256", "float64"),
                   ("f64", "f32", "c128", "c64", "bf16", "int8 --transform identity")),
        "sparsity": (("ESOP", "sparse", "den", "on", "true"),),
        "line-extent": (("meshes", "act", "box", "1"),),
        "fidelity": (("cell", "array", "Fast", "det", "slow"),),
        "seed": (("-1", "-0", "1.5", "1e3", "18446744073709551616", "0x10", "+1", " 1", "nan", "one"),
                 ("0", "18446744073709551615", "18446744073709551615 --batch 3 --tags random")),
        "zeros keep": (("-0.1", "-1e-300", "1.0000001", "2", "nan", "NaN", "-nan", "inf", "-inf", "1e400", "half",
                        "0,5", "50%", "0x1"), ("0", "1", "0.5", "1e-300", "5e-1", "-0")),
        "zero-threshold": (("-1", "-1e-300", "nan", "inf", "1e400", "small"), ("0", "5e-324", "1.7976931348623157e308")),
        "matrix-zeros": (("-0.1", "1.1", "nan", "half", "0,0", "0,0,0,0", "0,,0", "0,2,0", "50%"),
                         ("0", "1", "0.5", "0,1,0.25")),
        "mm-per-cycle": (("0", "-1", "0.0009", "1000001", "nan", "far"), ("0.001", "10", "1000000")),
        "batch": (("0", "-1", "1.5", "65536", "4294967297", "99999999999999999999", "two"), ("1",)),
        "mac-latency": (("0", "65", "1.5"), ("1", "64")),
        "step-cycles": (("0", "-1", "1000001", "2.5", "4294967297", "nan"), ("1", "1000000")),
        "clock": (("0", "-1", "0.0", "-0", "1e-300", "0.000999", "1000.001", "nan", "inf", "1GHz", "1e400"),
                  ("0.001", "1000", "0.7", "1e0", "0.001 --step-cycles 1000000 --load-elements 1 --burst 4",
                   "1000 --step-cycles 1 --load-elements 1048576 --burst 65536"), f"{PROBLEM} --allow-overclock"),
        "look-ahead": (("0", "-1", "1048577", "0.5", "all"), ("1", "1048576")),
        "load-elements": (("0", "-1", "1048577", "0.5", "all"), ("1", "1048576")),
        "port-aligner": (("no", "1", "True"), ("on", "off")),
        "cell-registers": (("0", "-1", "9", "1.5", "all"), ("1", "8")),
        "tensor-layout": (("row", "Tiles", "tile", "0"), ("rows", "converted", "tiles")),
        "partials": (("-1", "3", "9", "1.5", "all"), ("0", "1", "2", "8 --cell-registers 8")),
        "dma-ports": (("0", "-1", "17", "0.5", "all"), ("1", "16")),
        "matrix-elements": (("0", "-1", "1073741825", "1.5", "all"), ("16", "1073741824")),
        "threads": (("0", "-1", "257", "1.5", "many"), ("1", "256")),
        "vertical-mode": (("4", "-1", "none", "2.0", "1,2"), ("0", "1", "2", "3")),
        "burst": (("0", "1", "2", "3", "5", "100", "4095", "131072", "65537", "-4", "4k"), ("4", "65536")),
        "watch": (("2,0,0", "0,3,0", "0,0,4", "-1,0,0", "0,0", "0,0,0,0", "a,b,c", "0x0x0", "0,0,", "1.0,0,0",
                   "18446744073709551616,0,0"), (), f"{PROBLEM} --vcd wave"),
    }

    # ---- which options there are

    def test_other_spellings(self):
        for text in ("--Shape 2x2x2", "--shape_ 2x2x2"):
            self.refuses(f"{PROBLEM} {text}", "unknown option", text.split()[0])
        self.refuses(f"{PROBLEM} {PROBLEM}", "--shape", "twice")
        for option, value in (("--seed", "-1"), ("--zeros", "-0.1"), ("--fill", "ramps"), ("--clock", "nan")):
            self.refuses(f"{PROBLEM} {option} '{value}'", option, value, "expected")  # a word of its own
        for text in ("-h", "-q", "x.npy", "''", "-", "--", "-1", "help"):
            self.refuses(f"{PROBLEM} {text}")

    def test_option_without_value(self):
        for option in ("--transform", "--seed", "--fill", "--technology", "--config", "--keep"):
            self.refuses(f"{PROBLEM} --output y.npy --out files --vcd wave {option}", option, "no value", "expected")
            for rest in (" --quiet", "=", " ''"):
                self.refuses(f"{PROBLEM} {option}{rest}", option, "no value", "expected")

    def test_flag_with_wrong_value(self):
        for flag in ("inverse", "double-buffer", "quiet", "no-check", "help", "version"):
            self.refuses(f"{PROBLEM} --{flag}=perhaps", f"--{flag}", "perhaps", "expected on or off")
            self.refuses(f"{PROBLEM} --{flag} true", "true", "expected")

    def test_transform(self):
        for value in ("fft", "DCT", "dc", "dct2", "dwht-", "dct,dct", "dct,dct,dct,dct", "dct,,dct", ",", "dct,",
                      "dct dct dct", "file:", "file", "idct"):
            with self.subTest(value=value):
                self.refuses(f"--shape 4x4x4 --transform '{value}'", "transform", f"'{value}'", "expected")

    # ---- what goes together

    def test_one_problem(self):
        self.save("x.npy", np.zeros((2, 3, 4)))
        for line in ("--transform dct", "", "--input x.npy --shape 2x3x4"):
            self.refuses(line, "--input", "--shape", "expected")
        for option in ("--fill ramp", "--fill random", "--zeros 0"):
            self.refuses(f"--input x.npy {option}", option.split()[0], "--input", "expected")

    def test_combinations(self):
        for line, words in (
                ("--mesh 0x1x1", ("--mesh", "0x1x1", "from 1 to 1024")),
                ("--mesh 1x1x1025", ("--mesh", "1x1x1025", "from 1 to 1024")),
                ("--burst 3", ("--burst", "a power of two from 4 to 65536")),
                ("--result-format element", ("--result-format", "element", "--format bf16 or int8")),
                ("--format f32 --result-format element", ("--result-format", "element", "--format bf16 or int8")),
                ("--sparsity dense --zero-threshold 0.1", ("--zero-threshold", "0.1", "--sparsity esop")),
                ("--transform dct,dct,fft", ("transform", "'fft'", "expected")),
                *((f"--transform {name} --format {real}", ("--format", real, "complex", "expected"))
                  for name in ("dft", "dct,dct,dft") for real in ("f64", "f32", "bf16", "int8")),
                ("--mesh 1x9x2 --vcd wave --watch 1,0,0", ("--watch", "1,0,0", "inside 1x3x2")),
                ("--mesh 1x9x2 --vcd wave --watch 0,3,0", ("--watch", "0,3,0", "inside 1x3x2")),
                ("--out-shape 2x5x1 --vcd wave --watch 0,5,0", ("--watch", "0,5,0", "inside 2x5x4")),
                ("--watch 0,0,0 --watch 2,0,0 --watch 1,1,1", ("--watch", "'2,0,0'", "expected", "2x3x4")),
                ("--mesh 8x8x8 --watch 4,4,4", ("--watch", "4,4,4", "2x3x4", "expected"))):
            with self.subTest(line=line):
                self.refuses(f"{PROBLEM} {line}", *words)
        self.fails_with(2, f"{PROBLEM} --watch 0,0,0", "--watch", "--vcd", "expected")
        self.refuses("--shape 4x4x4 --format int8 --transform dwht --norm backward --inverse",
                     "inverse of transform dwht", "0.25", "expected")
        for line in ("--sparsity dense --zero-threshold 0 --double-buffer",
                     "--out-shape 2x5x1 --vcd wave --watch 1,4,3", "--vcd wave --watch 0,0,0 --watch 1,2,3 --watch 0,0,0"):
            self.succeeds(f"{PROBLEM} {line}")

    def test_size_of_walsh_hadamard(self):
        for name in ("dwht", "dwht-sequency"):
            for shape in ("3x4x4", "4x6x4", "4x4x12", "4x4x1023"):
                wrong = next(size for size in shape.split("x") if int(size) & (int(size) - 1))
                self.refuses(f"--shape {shape} --transform {name}", "dwht", wrong, "power of two")
            self.refuses(f"--shape 4x4x5 --transform dct,dct,{name}", "dwht", "5", "power of two")
            self.succeeds(f"--shape 1x2x1024 --transform {name}")
            self.succeeds(f"--shape 3x4x5 --transform dct,{name},dct")


class LargestBatch(DxtTest):
    """The range of --batch ends where the device's program would be too long."""

    def end_of_range(self):
        error = self.refuses(f"{PROBLEM} --batch 0", "expected").err
        return int(error.split(" to ")[-1])

    def test_it_runs(self):
        self.succeeds(f"--shape 1x1x1 --batch {self.end_of_range()} --no-check --quiet")

    def test_one_more_is_refused(self):
        self.refuses(f"{PROBLEM} --batch {self.end_of_range() + 1}", "--batch", str(self.end_of_range() + 1),
                     "expected")


class BadConfiguration(DxtTest):
    def test_files(self):
        for text, words in (
                ("shape: 2x3x4\nfrobnicate: 1\n", ("job.yaml:2", "frobnicate")),
                ("shape: 2x3x4\ntrans: dct\n", ("job.yaml:2", "trans")),
                ("--shape: 2x3x4\n", ("job.yaml:1", "--shape")),
                ("shape: 2x3x4\nseed: 1\nseed: 1\n", ("job.yaml:3", "seed", "twice")),
                *((f"shape: 2x3x4\n{key}: {value}\n", ("job.yaml:2", key, value, "expected")) for key, value in (
                    ("seed", "-1"), ("zeros", "1.5"), ("zeros", ".nan"), ("clock", "0"), ("step-cycles", "0"),
                    ("batch", "0"), ("mesh", "2x3"), ("fill", "rump"), ("tags", "none"), ("inverse", "perhaps"),
                    ("burst", "3"))),
                ("shape: 2x3x4\nseed: [1, 2]\n", ("job.yaml:2", "seed", "list", "expected")),
                ("shape: {a: 1}\n", ("job.yaml:1", "shape", "nested", "expected")),
                ("shape:\n", ("job.yaml:1", "shape", "no value")),
                ("shape: [2\nx: }", ("YAML",)), ("- shape\n- 2x3x4\n", ("expected",)),
                ("shape 2x3x4\n", ("expected",)),
                *((f"shape: 2x3x4\n{key}\n", ("job.yaml:2", key.split(":")[0]))
                  for key in ("config: other.yaml", "help: true", "version: true"))):
            with self.subTest(text=text):
                self.save_text("job.yaml", text)
                self.refuses("--config job.yaml", "job.yaml", *words)

    def test_what_is_no_file_or_given_twice(self):
        self.save_text("job.yaml", "shape: 2x3x4\n")
        self.refuses(f"{PROBLEM} --config nowhere.yaml", "--config", "nowhere.yaml", "expected")
        self.refuses(f"{PROBLEM} --config .", "--config", "'.'", "expected")
        self.refuses("--config job.yaml --config job.yaml", "--config", "twice")
