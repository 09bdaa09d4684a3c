"""What compare_accelerators refuses: status 2, one line that says what was found, where, and what was expected."""
from compare_accelerators_program import CompareAcceleratorsTest
from testbench_refusals import RefusedOptions


class BadOption(RefusedOptions, CompareAcceleratorsTest):
    job = "--workloads atis-tt --accelerators tpu"
    abbreviated = {"--work atis-tt": "--workloads", "--resid kept": "--residency"}
    repeated = ("--batch 3", "--mode training")
    values = {
        "mode": (("", "fp", "Training"), ("training", "inference"), "--workloads atis-tt"),
        "workloads": (("", "atis", "ucf-ttm,", ",ucf-ttm", "UCF-TTM", "ucf-ttm,ucf-ttm"), ("atis-tt", "atis-tt,ucf-tt"), ""),
        "batch": (("0", "-1", "1.5", "65537"), ("1", "40")),
        "dx": (("yes",), ("auto", "on", "off")),
        "accelerators": (("", "gpu", "tpu,", "tpu,tpu", "TPU"), ("fetta", "tpu-dense,sigma"), "--workloads atis-tt"),
        "sequences": (("", "best", "shared,shared", "macs"), ("own", "shared,csse-memory,tetrix")),
        "objective": (("macs", ""), ("latency", "energy", "edp")),
        "sweep": (("", "rules", "all,conflicts", "mode-orders,mode-orders"), ("conflicts", "run-cycles,residency")),
        "grid": (("", "rules", "all", "conflicts", "conflicts,conflicts", "conflicts,rules"), ("run-cycles,double-buffered",)),
        "layout": (("", "paper"), ("linear", "banked", "unbuffered")),
        "buffer-cycles": (("-1", "17", "1.5"), ("0", "16")),
        "residency": (("spill", ""), ("blocked", "kept", "spilled")),
        "double-buffered full-plan": (("", "yes", "True"), ("on", "off")),
        "mode-orders": (("best",), ("searched", "natural", "ideal")),
        "max-conflict-factor": (("0", "0.9", "17", "nan"), ("1", "3.5", "16")),
        "conflicts": (("0", "-1", "16.1", "many"), ("1", "16")),
        "run-cycles": (("-1", "1001", "inf"), ("0", "30", "1000")),
        "clock": (("0", "-1", "1001", "2"), ("0.5", "1.1")),
    }

    def test_an_accelerator_that_only_infers_does_not_train(self):
        self.refuses("--workloads ucf-ttm --accelerators tie,tpu", "--accelerators is 'tie,tpu'", "fetta, tpu,",
                     "expected names of")
        self.succeeds("--workloads ucf-ttm --accelerators tie,tpu --mode inference --quiet")

    def test_options_that_contradict_each_other(self):
        self.refuses(f"{self.job} --conflicts 4 --max-conflict-factor 8", "--max-conflict-factor", "--conflicts", "expected")
        self.refuses(f"{self.job} --model digits-tt", "--workloads", "--model", "expected")

    def test_no_waveform(self):
        self.refuses(f"{self.job} --vcd wave", "--vcd")

    def test_a_model_that_is_none(self):
        for name in ("digits", "missing.yaml", ".", ""):
            self.refuses(f"--model '{name}' --accelerators tpu", "--model")
        self.save_text("model.yaml", "layers: [{format: ttm, rows: 4x4, cols: 4, ranks: 2}]\n")
        self.refuses("--model model.yaml --accelerators tpu", "--model", "model.yaml:1", "expected")
        self.save_text("model.yaml", "colour: red\n")
        self.refuses("--model model.yaml --accelerators tpu", "--model", "model.yaml:1", "'colour'", "expected one of")

    def test_the_model_is_no_output(self):
        self.save_text("summary.json", "layers: [{format: dense, rows: 10, cols: 64}]\n")
        self.fails_with(2, "--model summary.json --accelerators tpu --out .", "--model", "--out")
