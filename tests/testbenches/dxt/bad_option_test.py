"""Options that dxt refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import numpy as np

from dxt_program import DxtTest

PROBLEM = "--shape 2x3x4"


class BadOption(DxtTest):
    def refuses_values(self, option, values, words=("expected",), problem=PROBLEM):
        for value in values:
            with self.subTest(value=value):
                self.refuses(f"{problem} --{option} '{value}'", f"--{option}", value[:70], *words)
                self.refuses(f"{problem} --{option}='{value}'", f"--{option}", value[:70], *words)

    def accepts(self, option, values, problem=PROBLEM):
        for value in values:
            with self.subTest(value=value):
                self.succeeds(f"{problem} --{option} {value}")

    # ---- which options there are

    def test_unknown_option(self):
        for text in ("--frobnicate", "--frobnicate 3", "--frobnicate=3", "--Shape 2x2x2", "--shape_ 2x2x2"):
            self.refuses(f"{PROBLEM} {text}", "unknown option", text.split("=")[0].split()[0])

    def test_abbreviated_option(self):
        for text, full in (("--trans dct", "--transform"), ("--qui", "--quiet"), ("--zero 0.5", "--zeros"),
                           ("--form f64", "--format"),
                           ("--in x.npy", "--input"), ("--v wave", "--vcd"), ("--no", "--norm")):
            self.refuses(f"{PROBLEM} {text}", "unknown option", text.split()[0], full)

    def test_short_options_and_loose_arguments(self):
        for text in ("-h", "-q", "x.npy", "''", "-", "--", "-1", "help"):
            self.refuses(f"{PROBLEM} {text}")

    def test_option_without_value(self):
        for option in ("--transform", "--seed", "--fill", "--technology", "--config", "--keep"):
            self.refuses(f"{PROBLEM} --output y.npy --out files --vcd wave {option}", option, "no value", "expected")
            self.refuses(f"{PROBLEM} {option} --quiet", option, "no value", "expected")
            self.refuses(f"{PROBLEM} {option}=", option, "no value", "expected")
            self.refuses(f"{PROBLEM} {option} ''", option, "no value", "expected")

    def test_flag_with_wrong_value(self):
        for flag in ("inverse", "double-buffer", "quiet", "no-check", "help", "version"):
            self.refuses(f"{PROBLEM} --{flag}=perhaps", f"--{flag}", "perhaps", "expected true or false")
            self.refuses(f"{PROBLEM} --{flag} true", "true", "expected")

    def test_repeated_option(self):
        for text in ("--shape 2x3x4", "--seed 1", "--quiet", "--inverse", "--norm backward", "--output y.npy",
                     "--out files", "--vcd wave",
                     "--clock 1", "--batch 1", "--fill ramp"):
            once = "" if text.startswith("--shape") else text
            self.refuses(f"{PROBLEM} {once} {text}", text.split()[0], "twice")

    # ---- what is to be transformed

    def test_no_problem(self):
        self.refuses("--transform dct", "--input", "--shape", "expected")
        self.refuses("", "--input", "--shape", "expected")

    def test_two_problems(self):
        self.save("x.npy", np.zeros((2, 3, 4)))
        self.refuses("--input x.npy --shape 2x3x4", "--input", "--shape", "expected")

    def test_fill_of_a_file(self):
        self.save("x.npy", np.zeros((2, 3, 4)))
        self.refuses("--input x.npy --fill ramp", "--fill", "--input", "expected")
        self.refuses("--input x.npy --fill random", "--fill", "--input", "expected")
        self.refuses("--input x.npy --zeros 0", "--zeros", "--input", "expected")

    def test_shape(self):
        values = ("0x3x4", "2x0x4", "2x3x0", "2x3", "2x3x4x5", "-2x3x4", "2x3x", "x3x4", "2xx4", "axbxc", "2X3X4",
                  "2,3,4", " 2x3x4",
                  "2x3x4 ", "2.0x3x4", "+2x3x4", "65536x1x1", "1x1x18446744073709551617", "0x2x2", "1e1x1x1", "2x3x4x",
                  "9" * 200)
        for value in values:
            with self.subTest(value=value):
                self.refuses(f"--shape '{value}'", "--shape", value[:70], "expected")
        for value in values:
            self.refuses(f"{PROBLEM} --out-shape '{value}'", "--out-shape", value[:70], "expected")
        for value in ("1x1x1", "1024x1x1", "1x1024x1", "1x1x1024"):
            self.succeeds(f"--shape {value}")

    def test_mesh(self):
        self.refuses_values("mesh", ("0x3x4", "2x3", "2x3x1025", "1025x1025x1025", "65535x3x4", "-2x3x4", "2x3xx",
                                     "nan"))
        self.accepts("mesh", ("1x1x1", "1x3x4", "2x2x4", "2x3x3", "2x3x4", "1024x3x4", "2x1024x4", "2x3x1024"))

    def test_mesh_is_told_its_own_limit(self):
        for value in ("0x1x1", "1x1x1025"):
            self.refuses(f"{PROBLEM} --mesh {value}", "--mesh", value, "from 1 to 1024")

    def test_options_without_effect(self):
        for line in ("--result-format element", "--format f32 --result-format element"):
            self.refuses(f"{PROBLEM} {line}", "--result-format", "element", "--format bf16 or int8")
        self.refuses(f"{PROBLEM} --sparsity dense --zero-threshold 0.1", "--zero-threshold", "0.1", "--sparsity esop")
        self.succeeds(f"{PROBLEM} --sparsity dense --zero-threshold 0 --double-buffer")

    def test_inverse_that_int8_cannot_hold(self):
        self.refuses("--shape 4x4x4 --format int8 --transform dwht --norm backward --inverse",
                     "inverse of transform dwht", "0.25", "expected")

    def test_size_of_walsh_hadamard(self):
        for name in ("dwht", "dwht-sequency"):
            for shape in ("3x4x4", "4x6x4", "4x4x12", "4x4x1023"):
                wrong = next(size for size in shape.split("x") if int(size) & (int(size) - 1))
                self.refuses(f"--shape {shape} --transform {name}", "dwht", wrong, "power of two")
            self.refuses(f"--shape 4x4x5 --transform dct,dct,{name}", "dwht", "5", "power of two")
            self.succeeds(f"--shape 1x2x1024 --transform {name}")
            self.succeeds(f"--shape 3x4x5 --transform dct,{name},dct")

    # ---- words

    def test_transform(self):
        for value in ("fft", "DCT", "dc", "dct2", "dwht-", "dct,dct", "dct,dct,dct,dct", "dct,,dct", ",", "dct,",
                      "dct dct dct", "file:", "file",
                      "idct"):
            with self.subTest(value=value):
                self.refuses(f"--shape 4x4x4 --transform '{value}'", "transform", f"'{value}'", "expected")
        self.refuses("--shape 4x4x4 --transform dct,dct,fft", "transform", "'fft'", "expected")

    def test_complex_transform_in_a_real_format(self):
        for real_format in ("f64", "f32", "bf16", "int8"):
            self.refuses(f"{PROBLEM} --transform dft --format {real_format}", "--format", real_format, "complex",
                         "expected")
            self.refuses(f"{PROBLEM} --transform dct,dct,dft --format {real_format}", "--format", real_format,
                         "expected")

    def test_order(self):
        for value in ("112", "12", "1234", "012", "3,1,2", "abc", "-312", " 312", "3120", "321 ", "0"):
            with self.subTest(value=value):
                self.refuses(f"{PROBLEM} --order '{value}'", "--order", value, "expected")
        self.accepts("order", ("123", "132", "213", "231", "312", "321"))

    def test_tags(self):
        self.refuses_values("tags", ("forward", "diag", "Reverse", "1,0", "0,1,2", "none", "randomly"))
        self.accepts("tags", ("diagonal", "reverse", "random"))

    def test_fill(self):
        self.refuses_values("fill", ("ramps", "rand", "Ramp", "zero", "0"))
        self.accepts("fill", ("random", "ramp", "sparse"))

    def test_norm(self):
        self.refuses_values("norm", ("ortho", "back", "forward", "Backward", "none"))

    def test_format(self):
        self.refuses_values("format", ("f16", "bfloat16", "int32", "int4", "F64", "double", "f", "c", "c256", "float64"))
        self.accepts("format", ("f64", "f32", "c128", "c64", "bf16", "int8 --transform identity"))

    def test_sparsity(self):
        self.refuses_values("sparsity", ("ESOP", "sparse", "den", "on", "true"))

    def test_line_extent(self):
        self.refuses_values("line-extent", ("meshes", "act", "box", "1"))

    def test_fidelity(self):
        self.refuses_values("fidelity", ("cell", "array", "Fast", "det", "slow"))

    # ---- numbers

    def test_seed(self):
        self.refuses_values("seed", ("-1", "-0", "1.5", "1e3", "18446744073709551616", "0x10", "+1", " 1", "nan",
                                     "one"))
        self.accepts("seed", ("0", "18446744073709551615"))
        self.succeeds(f"{PROBLEM} --seed 18446744073709551615 --batch 3 --tags random")

    def test_fractions(self):
        values = ("-0.1", "-1e-300", "1.0000001", "2", "nan", "NaN", "-nan", "inf", "-inf", "1e400", "half", "0,5",
                  "50%", "0x1", "")[:-1]
        for option in ("zeros", "keep"):
            with self.subTest(option=option):
                self.refuses_values(option, values)
                self.accepts(option, ("0", "1", "0.5", "1e-300", "5e-1", "-0"))

    def test_zero_threshold(self):
        self.refuses_values("zero-threshold", ("-1", "-1e-300", "nan", "inf", "1e400", "small"))
        self.accepts("zero-threshold", ("0", "5e-324", "1.7976931348623157e308"))

    def test_batch(self):
        self.refuses_values("batch", ("0", "-1", "1.5", "65536", "4294967297", "99999999999999999999", "two"))
        self.accepts("batch", ("1",))

    def test_step_period(self):
        self.refuses_values("step-cycles", ("0", "-1", "1000001", "2.5", "4294967297", "nan"))
        self.accepts("step-cycles", ("1", "1000000"))

    def test_clock(self):
        self.refuses_values("clock", ("0", "-1", "0.0", "-0", "1e-300", "0.000999", "1000.001", "nan", "inf", "1GHz",
                                      "1e400"))
        self.accepts("clock", ("0.001", "1000", "0.7", "1e0"))

    def test_load_elements(self):
        self.refuses_values("load-elements", ("0", "-1", "1048577", "0.5", "all"))
        self.accepts("load-elements", ("1", "1048576"))

    def test_matrix_elements(self):
        self.refuses_values("matrix-elements", ("0", "-1", "1073741825", "1.5", "all"))
        self.accepts("matrix-elements", ("16", "1073741824"))

    def test_threads(self):
        self.refuses_values("threads", ("0", "-1", "257", "1.5", "many"))
        self.accepts("threads", ("1", "256"))

    def test_vertical_mode(self):
        self.refuses_values("vertical-mode", ("4", "-1", "none", "2.0", "1,2"))
        self.accepts("vertical-mode", ("0", "1", "2", "3"))

    def test_burst_is_a_power_of_two(self):
        for value in ("3", "100", "0", "131072"):
            self.refuses(f"{PROBLEM} --burst {value}", "--burst", value, "a power of two from 4 to 65536")

    def test_burst(self):
        self.refuses_values("burst", ("0", "1", "2", "3", "5", "100", "4095", "131072", "65537", "-4", "4k"))
        self.accepts("burst", ("4", "65536"))

    def test_clock_and_step_at_their_ends_together(self):
        self.succeeds(f"{PROBLEM} --clock 0.001 --step-cycles 1000000 --load-elements 1 --burst 4")
        self.succeeds(f"{PROBLEM} --clock 1000 --step-cycles 1 --load-elements 1048576 --burst 65536")

    # ---- watched cells

    def test_watch_needs_a_waveform(self):
        self.fails_with(2, f"{PROBLEM} --watch 0,0,0", "--watch", "--vcd", "expected")

    def test_watch_inside_mesh_and_box(self):
        self.refuses(f"{PROBLEM} --mesh 1x9x2 --vcd wave --watch 1,0,0", "--watch", "1,0,0", "inside 1x3x2")
        self.refuses(f"{PROBLEM} --mesh 1x9x2 --vcd wave --watch 0,3,0", "--watch", "0,3,0", "inside 1x3x2")
        self.refuses(f"{PROBLEM} --out-shape 2x5x1 --vcd wave --watch 0,5,0", "--watch", "0,5,0", "inside 2x5x4")
        self.succeeds(f"{PROBLEM} --out-shape 2x5x1 --vcd wave --watch 1,4,3")

    def test_watch(self):
        self.refuses_values("watch", ("2,0,0", "0,3,0", "0,0,4", "-1,0,0", "0,0", "0,0,0,0", "a,b,c", "0x0x0", "0,0,",
                                      "1.0,0,0",
                                      "18446744073709551616,0,0"), problem=f"{PROBLEM} --vcd wave")
        self.refuses(f"{PROBLEM} --watch 0,0,0 --watch 2,0,0 --watch 1,1,1", "--watch", "'2,0,0'", "expected", "2x3x4")
        self.succeeds(f"{PROBLEM} --vcd wave --watch 0,0,0 --watch 1,2,3 --watch 0,0,0")

    def test_watch_inside_the_mesh_but_outside_the_box(self):
        self.refuses(f"{PROBLEM} --mesh 8x8x8 --watch 4,4,4", "--watch", "4,4,4", "2x3x4", "expected")


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
    def refuses_text(self, text, *words, line=""):
        self.save_text("job.yaml", text)
        self.refuses(f"{line} --config job.yaml", "job.yaml", *words)

    def test_missing_file(self):
        self.refuses(f"{PROBLEM} --config nowhere.yaml", "--config", "nowhere.yaml", "expected")

    def test_directory(self):
        self.refuses(f"{PROBLEM} --config .", "--config", "'.'", "expected")

    def test_unknown_key(self):
        self.refuses_text("shape: 2x3x4\nfrobnicate: 1\n", "job.yaml:2", "frobnicate")

    def test_abbreviated_key(self):
        self.refuses_text("shape: 2x3x4\ntrans: dct\n", "job.yaml:2", "trans")

    def test_dashes_are_not_part_of_a_key(self):
        self.refuses_text("--shape: 2x3x4\n", "job.yaml:1", "--shape")

    def test_repeated_key(self):
        self.refuses_text("shape: 2x3x4\nseed: 1\nseed: 1\n", "job.yaml:3", "seed", "twice")

    def test_bad_values_are_named_with_file_and_line(self):
        for text in ("seed: -1", "zeros: 1.5", "zeros: .nan", "clock: 0", "step-cycles: 0", "batch: 0", "mesh: 2x3",
                     "fill: rump", "tags: none",
                     "inverse: perhaps", "burst: 3"):
            key, value = text.split(": ")
            with self.subTest(text=text):
                self.refuses_text(f"shape: 2x3x4\n{text}\n", "job.yaml:2", key, value, "expected")

    def test_list_of_a_single_option(self):
        self.refuses_text("shape: 2x3x4\nseed: [1, 2]\n", "job.yaml:2", "seed", "list", "expected")

    def test_nested_value(self):
        self.refuses_text("shape: {a: 1}\n", "job.yaml:1", "shape", "nested", "expected")

    def test_key_without_value(self):
        self.refuses_text("shape:\n", "job.yaml:1", "shape", "no value")

    def test_not_yaml(self):
        self.refuses_text("shape: [2\nx: }", "YAML")

    def test_not_a_mapping(self):
        self.refuses_text("- shape\n- 2x3x4\n", "expected")
        self.refuses_text("shape 2x3x4\n", "expected")

    def test_program_control(self):
        for key in ("config: other.yaml", "help: true", "version: true"):
            self.refuses_text(f"shape: 2x3x4\n{key}\n", "job.yaml:2", key.split(":")[0])

    def test_repeated_option_on_the_command_line(self):
        self.save_text("job.yaml", "shape: 2x3x4\n")
        self.refuses("--config job.yaml --config job.yaml", "--config", "twice")
