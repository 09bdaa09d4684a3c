"""What soc refuses: status 2, one line that says which, what was found and expected, and nothing written."""
import itertools
import os
import re

from soc_program import JOBS, SHAPES, SOURCE, SocTest
from testbench_refusals import RefusedOptions

SHAPES_REFUSED = ("0x3x4", "2x3", "2x3x4x5", "-2x3x4", "2x3x", "axbxc", "2,3,4", "2.0x3x4", "1025x1x1", "1x1025x1",
                  "1x1x1025", "65535x1x1", "1x1x18446744073709551617")
SIZES = ("expected three sizes from 1 to 1024,",)


def choice(*good):
    """Of an option of these words: what is refused, with all of them in the line, and what is accepted."""
    return ("none", good[0].upper(), good[0][:-1], good[0] + "s"), good, JOBS, good


class BadOption(RefusedOptions, SocTest):
    job = JOBS
    abbreviated = {"--mem sram": "--memory", "--sram 4": "--sram-banks", "--check": "--checkers",
                   "--large-run 2": "--large-runs"}
    repeated = ("--quantum 0", "--checkers", "--seed 1")
    values = {
        "large": (SHAPES_REFUSED, ("1024x1x1", "1x1x1024"), "--small 2x3x2", SIZES),
        "small": (SHAPES_REFUSED, ("1024x1x1", "1x1x1024"), "--large 5x4x3", SIZES),
        "quantum": (("1", "-1ns", "1.5ps", "2s", "1.0000001s", "1001ms", "0.1ps", "ns", "1 ns", " 1ns", "1ns ", "1NS",
                     "1nm", "1ns2", "0x1ns", "+1ns", "nan", "nanns", "infs", "1e400ns", "00", "-0", "1,5ns", "1e-400s"),
                    ("0", "0ns", "1ps", "0.5ns", "1.5us", "1000ms", "1s", "1e3ns")),
        "memory": choice("dram", "sram", "split"), "transport": choice("lt", "at"),
        "arbitration": choice("round-robin", "fixed-priority", "first-come", "weighted"),
        "format": choice("f64", "f32", "c128", "c64"), "fidelity": choice("fast", "detailed"),
        "sram-banks": (("0", "3", "257", "512", "-4"), ("1", "256")), "memory-ports": (("0", "65", "1.5"), ("1", "64")),
        "outstanding": (("0", "65", "-1", "1.5"), ("1", "64")),
        "link": (("-1", "65537", "1.5", "all"), ("0", "1", "65536")),
        "zeros": (("-0.1", "1.1", "nan", "half"), ("0", "1", "0.5")),
        "burst": (("0", "2", "3", "100", "131072"), ("4", "65536")),
        "clock": (("0", "-1", "0.0009", "1001", "inf"), ("0.001", "1000"), f"{JOBS} --allow-overclock"),
        "seed": (("-1", "1.5", "18446744073709551616"), ("0", "18446744073709551615")),
    }

    def test_without_value(self):
        for option in ("--memory", "--dram", "--quantum", "--large-runs"):
            self.refuses(f"{SHAPES} {option}", option, "no value", "expected")
            self.refuses(f"{SHAPES} {option} ''", option, "no value", "expected")
        self.refuses(f"{JOBS} --checkers=perhaps", "--checkers", "perhaps", "expected on or off")

    def test_transforms(self):
        for device in ("large", "small"):
            option = f"{device}-transform"
            self.refuses_values(option, ("fft", "DCT", "dct,dct", "dct,dct,dct,dct"))
            self.refuses_values(option, ("file:c.npy", "dct,file:c.npy,dct", "file:/dev/null"), ("expected", "dxt"))
            self.refuses_values(option, ("dct,,dct", ","))
            self.refuses(f"{JOBS} --{option} dwht", f"--{option}", "dwht", "size 5" if device == "large" else "size 3",
                         "expected a power of two")
            for real in ("f64", "f32"):
                self.refuses(f"{JOBS} --{option} dct,dft,dct --format {real}", "--format", real, "expected", "complex")

    def test_runs(self):
        for device in ("large", "small"):
            self.refuses_values(f"{device}-runs", ("-1", "1001", "1.5", "many", "18446744073709551616"), job=SHAPES)
            self.accepts(f"{device}-runs", ("0", "1000"), job="--large 1x1x1 --small 1x1x1")

    def test_priority(self):
        """Of what: unknown names, a name twice, no number, one out of range; and beside another arbitration."""
        job = f"{JOBS} --arbitration priority"
        names = "large_host, small_host, large.dma, small.dma"
        self.refuses_values("priority", ("dma=1", "large=1", "1", "=1", "small.dma", "small.dma=1,large.dma"),
                            ("NAME=N in place of", names), job)
        self.refuses_values("priority", ("small.dma=1,small.dma=1", "small.dma=0,large.dma=2,small.dma=3"),
                            ("small.dma once",), job)
        self.refuses_values("priority", ("small.dma=16", "small.dma=-1", "small.dma=", "small.dma=1.5",
                                         "small.dma=high", "small.dma=1=2", "large.dma=2,small.dma=99999999999999999"),
                            ("of small.dma an integer from 0 to 15",), job)
        self.refuses_values("priority", ("", ",", "small.dma=1,", "small.dma=1,,large.dma=2"), (), job)
        self.accepts("priority", ("small.dma=0", "large_host=15,small_host=0,large.dma=3,small.dma=3"), job)
        self.refuses(job, "--arbitration", "'priority'", "expected --priority beside it")
        for other in ("round-robin", "fixed-priority", "first-come", "weighted"):
            self.refuses(f"{JOBS} --arbitration {other} --priority small.dma=1",
                         f"--priority is given with --arbitration {other}, expected it with --arbitration priority")
        self.refuses(f"{JOBS} --priority small.dma=1", "--priority", "round-robin")

    def test_share(self):
        job = f"{JOBS} --arbitration weighted"
        self.refuses_values("share", ("dma=1", "small.dma", "=5"), ("NAME=N in place of", "large_host"), job)
        self.refuses_values("share", ("small.dma=5,small.dma=5",), ("small.dma once",), job)
        self.refuses_values("share", ("small.dma=0", "small.dma=98", "small.dma=50%", "small.dma=0.5"),
                            ("of small.dma an integer from 1 to 97",), job)
        self.refuses_values("share", ("small.dma=97,large.dma=2",), ("a sum of at most 98 percent, not 99",), job)
        self.refuses_values("share", ("small.dma=50,large.dma=40,large_host=10",), ("at most 99 percent, not 100",),
                            job)
        for small in (69, 71):
            self.refuses_values("share", (f"large_host=10,small_host=10,large.dma=10,small.dma={small}",),
                                (f"a sum of 100 percent, not {30 + small}",), job)
        self.accepts("share", ("small.dma=97", "small.dma=97,large.dma=1", "large_host=1,small_host=2,small.dma=96",
                               "large_host=10,small_host=10,large.dma=10,small.dma=70"), job)
        for other in ("round-robin", "fixed-priority", "first-come"):
            self.refuses(f"{JOBS} --arbitration {other} --share small.dma=1",
                         f"--share is given with --arbitration {other}, expected it with --arbitration weighted")
        self.refuses(f"{JOBS} --arbitration priority --priority small.dma=1 --share small.dma=1", "--share")

    def test_output_of_an_idle_device(self):
        for device in ("large", "small"):
            self.refuses(f"{SHAPES} --{device}-runs 0 --{device}-output y.npy", f"--{device}-output", "y.npy",
                         f"expected it with --{device}-runs")


class BadDram(SocTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE, "models/costs/dram/memories/lpddr4-3200.yaml"), encoding="utf-8") as file:
            self.text = file.read()

    def refuses_text(self, text, *words):
        self.assertNotEqual(text, self.text)
        self.save_text("ram.yaml", text)
        for memory in ("dram", "split"):
            self.refuses(f"{JOBS} --memory {memory} --dram ram.yaml", "--dram", "ram.yaml", *words)

    def test_the_file_to_start_from_is_good(self):
        self.save_text("ram.yaml", self.text)
        self.assertEqual(self.results(f"{JOBS} --dram ram.yaml"), self.results(JOBS))

    def test_no_file(self):
        os.mkdir(self.path("folder"))
        for name in ("nowhere.yaml", "lpddr5", "lpddr4", "folder", "."):
            self.refuses(f"{JOBS} --dram {name}", "--dram", f"'{name}'")

    def test_not_yaml(self):
        self.refuses_text("a: [1, 2\nb: }", "YAML")
        self.refuses_text("", "expected")
        self.refuses_text("just words", "expected")

    def test_keys(self):
        self.refuses_text(re.sub(r"\n *tRCD: 29", "", self.text), "tRCD", "expected")
        self.refuses_text(self.text + "\nfrobnicate: 1\n", "frobnicate")
        for value in ("-1", "many", ".nan", ""):
            self.refuses_text(self.text.replace("tRCD: 29", f"tRCD: {value}"), "tRCD", "expected")
        self.refuses_text(self.text.replace("banks: 8", "banks: 7"), "banks", "7")

    def test_more_memory_than_there_are_addresses(self):
        self.refuses_text(self.text.replace("rows: 65536", "rows: 16777216").replace("columns: 1024", "columns: 65536"),
                          "organisation", "at most 1099511627776 bytes")

    def test_jobs_that_do_not_fit(self):
        """4 channels x 8 banks x 4 rows x 1024 columns x 2 bytes."""
        self.save_text("ram.yaml", self.text.replace("rows: 65536", "rows: 4"))
        capacity = 4 * 8 * 4 * 1024 * 2
        jobs = "--large 24x24x24 --small 2x3x2 --dram ram.yaml"
        # Pages of 4 KiB: program, matrices, tensor in, tensor out.
        pages = (1 + 3 * 2 + 27 + 27) + (1 + 3 + 1 + 1)
        self.refuses(jobs, "DRAM", f"{pages * 4096} bytes", f"expected at most {capacity}", "ram.yaml")
        for memory in ("split", "sram"):
            self.succeeds(f"{jobs} --memory {memory}")


class BadConfiguration(SocTest):
    def refuses_text(self, text, *words, line=""):
        self.save_text("job.yaml", text)
        self.refuses(f"{line} --config job.yaml", "job.yaml", *words)

    def test_file(self):
        self.refuses(f"{JOBS} --config nowhere.yaml", "--config", "nowhere.yaml", "expected")
        self.refuses(f"{JOBS} --config .", "--config", "'.'", "expected")
        self.refuses_text("large: [2\nx: }", "YAML")

    def test_keys_and_values(self):
        for line, words in (("frobnicate: 1", ("frobnicate",)), ("mem: sram", ("mem",)),
                            ("quantum: 1", ("quantum", "'1'")),
                            ("memory: rom", ("memory", "rom")), ("large: 2x2", ("large", "2x2")),
                            ("large-runs: 2000", ("large-runs", "2000")),
                            ("checkers: perhaps", ("checkers", "perhaps")),
                            ("seed: [1, 2]", ("seed", "list")), ("link: -1", ("link", "-1"))):
            self.refuses_text(f"small: 2x3x2\n{line}\n", "job.yaml:2", *words)


class BadOutput(SocTest):
    """Of the options that soc alone has; places that cannot be written are dxt's to try, which checks them likewise."""

    OPTIONS = ("--large-output", "--small-output", "--vcd")
    FILES = ("summary.json", "latency.csv", "energy.csv", "trace.json", "events.csv", "transactions.csv",
             "transactions.txlog", "traffic.csv")

    def test_place_that_cannot_be_written(self):
        self.save_text("plain", "text")
        for option in self.OPTIONS:
            self.refuses(f"{JOBS} {option} nowhere/file", option, "nowhere/file", "expected")
        self.refuses(f"{JOBS} --out plain", "--out", "plain", "expected")
        for name in self.FILES:
            os.makedirs(self.path(f"case/{name}"))
            self.refuses(f"{JOBS} --out case", "--out", f"case/{name}", "expected")
            os.rmdir(self.path(f"case/{name}"))

    def test_output_that_is_another_output(self):
        for first, second in itertools.combinations(self.OPTIONS, 2):
            self.refuses(f"{JOBS} {first} both {second} ./both", first, second, "both", "expected")
        for option in self.OPTIONS:
            for name in self.FILES:
                self.refuses(f"{JOBS} {option} files/{name} --out files", option, f"files/{name}", "--out", "expected")
        self.refuses(f"{SHAPES} --large-output out --out out", "--out", "out", "--large-output")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_output_that_is_an_input(self):
        for name, path in (("tech.yaml", "models/costs/technologies/45nm.yaml"),
                           ("ram.yaml", "models/costs/dram/memories/lpddr4-3200.yaml")):
            with open(os.path.join(SOURCE, path), "rb") as file:
                self.save_bytes(name, file.read())
        self.save_text("job.yaml", "seed: 1\n")
        for reader in ("--config job.yaml", "--technology tech.yaml", "--dram ram.yaml"):
            word, name = reader.split()
            for option in self.OPTIONS:
                self.refuses(f"{JOBS} {reader} {option} {name}", option, name, word, "expected")
