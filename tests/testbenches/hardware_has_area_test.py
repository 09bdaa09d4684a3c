"""Every numeric option of a device or of its platform moves the area, or its row on the page says why it does not."""
import json
import os
import re
import unittest

from testbench_program import SOURCE, TestbenchTest

# A testbench of each device, with a job in which every option has an effect.
JOBS = {
    "dxt": "--shape 8x8x8 --format f32",
    "orbital": "--shape 8x8x8 --array 2 --block 4 --format f32",
    "segmented": "--operation scan --length 512 --format f32 --scratchpad 65536",
    "contract": "--sizes i=16,j=16,k=16",
}
GROUPS = {"Device", "Torus", "Comparison", "Platform", "Reading of the paper's Table III", "Program"}
FIRST = {"array": {"segmented": 8, "contract": 4, "orbital": 2}, "matrix-elements": 4096, "look-ahead": 4,
         "coefficient-elements": 4096, "scratchpad": 65536, "in-words": 8, "out-words": 8, "program-prefetch": 1024,
         "engines": 16}
MORE = {"engines": 4}  # times as many; twice of others


class HardwareHasArea(TestbenchTest):
    program = "testbenches"

    def area(self, program, options):
        names = re.findall(r"--[a-z-]+", options)
        job = " ".join(words for words in re.findall(r"--\S+ \S+", JOBS[program]) if words.split()[0] not in names)
        done = self.run_program(f"{job} --memory sram --no-check --quiet --out files {options}", program=program)
        self.assertEqual((done.status, done.err), (0, ""), (program, options))
        with open(self.path("files/summary.json"), encoding="utf-8") as file:
            return json.load(file)["area_um2"]["total"]

    def test_of_every_option_of_every_device(self):
        for program in JOBS:
            with open(os.path.join(SOURCE, f"docs/{program}.md"), encoding="utf-8") as file:
                page = file.read()
            listing = json.loads(self.run_program("--help-json", program=program).out)
            moved = set()
            for option in listing["options"]:
                name = option["name"]
                if option["group"] not in GROUPS or option["type"] not in ("integer", "number"):
                    continue
                row = re.search(rf"^\| `--{name}` \|.*$", page, re.M)
                self.assertIsNotNone(row, (program, name))
                if "Not in the area: " in row[0]:
                    continue
                with self.subTest(program=program, option=name):
                    first = FIRST.get(name, option["default"])
                    first = float(first[program] if isinstance(first, dict) else first)
                    once, twice = (self.area(program, f"--{name} {int(factor * first)}") for factor in (1, MORE.get(name, 2)))
                    self.assertGreater(twice, once, "the area of twice as much")
                    moved.add(name)
            self.assertGreater(len(moved), 7, program)

    def test_of_a_larger_mesh(self):
        self.assertGreater(self.area("dxt", "--mesh 4x4x4"), self.area("dxt", "--mesh 4x4x2"))


if __name__ == "__main__":
    unittest.main()
