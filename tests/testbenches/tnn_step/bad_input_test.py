"""What tnn_step refuses: status 2, one line that says what was found, where, and what was expected."""
import re

from tnn_step_program import SMALL, TnnStepTest


class BadInput(TnnStepTest):
    def test_layers(self):
        self.refuses("--layer nothing", "--layer", "nothing", "expected one of")
        self.refuses(f"{SMALL} --layer ucf-ttm", "--layer", "--format", "expected one of them")
        self.refuses("--rows 4x4", "--rows", "--format")
        self.refuses("--format ttm --rows 4x4 --cols 33=4x8 --ranks 2", "--cols", "33=4x8", "multiply to 33", "not to 32")
        self.refuses("--format ttm --rows 4x4 --cols 4x6 --ranks 0", "--ranks", "expected")
        self.refuses("--layer atis-tt --batch 65537", "--batch is 65537", "at most 65536")

    def test_plans(self):
        self.refuses(f"{SMALL} --block-samples 5", "--block-samples", "a divisor of the batch, 12")
        self.refuses(f"{SMALL} --phases bp", "--phases", "expected")
        self.refuses(f"{SMALL} --dx yes", "--dx", "expected")
        self.refuses(f"{SMALL} --sequence bidirectional", "--sequence", "bidirectional", "this network")
        self.refuses(f"{SMALL} --residency some", "--residency", "expected")
        self.refuses(f"{SMALL} --residency spill --between-passes store", "--between-passes", "batch-blocked")
        self.refuses(f"{SMALL} --residency micro-batch --phases fp", "--residency", "micro-batch", "no backward pass")
        self.refuses(f"{SMALL} --samples 11", "--samples", "11", "12")
        for option in ("layout", "mode-orders", "transpose-layer"):
            self.refuses(f"{SMALL} --{option} some", f"--{option}", "expected")

    def test_formats_of_numbers(self):
        self.refuses(f"{SMALL} --operand f32", "--operand", "f32", "expected bf16")
        self.refuses(f"{SMALL} --psum bf16", "--psum", "bf16", "expected f32")

    def test_a_network_that_fits_no_memory(self):
        self.refuses("--layer ucf-ttm --batch 1 --engines 4 --bank-bytes 4096", "layer ucf-ttm", "--batch 1", "--sequence estimate",
                     "--bank-bytes 4096", "--engines 4", "16384 bytes of the unified memory", "expected a network that fits")
        self.refuses("--layer ucf-ttm --batch 4 --block-samples 4 --bank-bytes 4096", "--block-samples 4")

    def test_needed_memory_is_the_smallest_that_fits(self):
        for layer in ("--format ttm --rows 64 --cols 512 --batch 4", "--layer bert-ttm-embedding --batch 64 --sequence macs",
                      "--layer ucf-bt-d2 --batch 4 --sequence macs"):
            error = self.refuses(f"{layer} --bank-bytes 4096").err
            memory, bank = map(int, re.search(r"along this sequence it needs (\d+) bytes, banks of (\d+)", error).groups())
            self.assertEqual(memory, 16 * bank)
            self.refuses(f"{layer} --bank-bytes {bank // 2}", f"it needs {memory} bytes")
            self.succeeds(f"{layer} --bank-bytes {bank} --no-check --quiet")
        self.refuses("--format ttm --rows 65536 --cols 65536", "more than the largest memory, 1073741824 bytes")
