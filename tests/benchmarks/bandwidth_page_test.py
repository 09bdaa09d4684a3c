"""docs/dram.md: its tables of parts and of bandwidths are what dram_bandwidth prints: the model's, on any machine."""
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


def rows_of(section):
    with open(PAGE, encoding="utf-8") as file:
        text = file.read().split(f"\n## {section}\n")[1].split("\n## ")[0].split("\n### ")[0]
    return [line[2:-2].split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]


class BandwidthPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.printed = subprocess.run([BENCHMARK], capture_output=True, text=True, check=True).stdout
        lines = re.finditer(r"^(.{22}) (.{18}) (.{14}) +([\d.]+ %) +([\d.]+) GB/s ", cls.printed, re.M)
        cls.measured = {tuple(word.strip() for word in line.groups()[:3]): (line[4], line[5]) for line in lines}

    def test_table_is_what_the_benchmark_prints(self):
        rows = rows_of("Achieved bandwidth")
        self.assertGreater(len(rows), 8)
        for controller, traffic, *shares in rows:
            key = CONTROLLERS.get(controller, controller), TRAFFICS[traffic]
            self.assertEqual(shares, [self.measured[(*key, mix)][0] for mix in MIXES], key)

    def test_parts_are_what_the_benchmark_prints(self):
        lines = re.finditer(r"^(\S+) +(\d+) channels +([\d.]+) GB/s, ([\d.]+) pJ/bit read, ([\d.]+) pJ/bit written$",
                            self.printed, re.M)
        printed = {line[1]: line.groups()[1:] for line in lines}
        rows = rows_of("Shipped parts")
        self.assertEqual([name.strip("`") for name, *_ in rows], list(printed))
        for name, _, *numbers in rows:
            name = name.strip("`")
            self.assertEqual(tuple(numbers[:4]), printed[name], name)
            self.assertEqual(numbers[4:], [self.measured[name, traffic, mix][1] for traffic in
                                           ("sequential 256 B", "random 64 B") for mix in MIXES[:2]], name)


if __name__ == "__main__":
    BENCHMARK = sys.argv.pop(1)
    unittest.main()
