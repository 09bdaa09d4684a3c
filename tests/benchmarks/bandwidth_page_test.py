"""docs/dram.md: its table of bandwidths is what dram_bandwidth prints; they are the model's, on any machine."""
import os
import re
import subprocess
import sys
import unittest

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/dram.md")
# as the page calls them: as the benchmark does
CONTROLLERS = {"closed page, row:column:bank:channel": "closed page, banks low"}
TRAFFICS = {"sequential, 256 B": "sequential 256 B", "random, 64 B": "random 64 B",
            "every 4 KiB, 64 B": "stride 4 KiB, 64 B", "rows of one bank, 32 B": "one bank's rows"}
MIXES = ("reads", "writes", "1:1 in turns", "1:1 runs of 16")


class BandwidthPage(unittest.TestCase):
    def test_table_is_what_the_benchmark_prints(self):
        printed = subprocess.run([BENCHMARK], capture_output=True, text=True, check=True).stdout
        measured = {match.groups()[:3]: match[4]
                    for match in re.finditer(r"^(.{22}) (.{18}) (.{14}) +([\d.]+ %) ", printed, re.M)}
        measured = {tuple(word.strip() for word in key): share for key, share in measured.items()}
        with open(PAGE, encoding="utf-8") as file:
            section = file.read().split("\n## Achieved bandwidth\n")[1].split("\n## ")[0]
        rows = [line[2:-2].split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
        self.assertGreater(len(rows), 8)
        for controller, traffic, *shares in rows:
            key = CONTROLLERS.get(controller, controller), TRAFFICS[traffic]
            self.assertEqual(shares, [measured[(*key, mix)] for mix in MIXES], key)


if __name__ == "__main__":
    BENCHMARK = sys.argv.pop(1)
    unittest.main()
