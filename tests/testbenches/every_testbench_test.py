"""What all testbenches have in common: options of the platform, the listing of all options."""
import json
import os
import re

import jsonschema

from testbench_program import BAD_INPUT, SOURCE, TestbenchTest, load_json

# A quick run of each, the option that names its result, and its memory by default.
JOBS = {
    "contract": ("--sizes i=40,j=30,k=20", "--output", "dram"),
    "dxt": ("--shape 8x9x10", "--output", "sram"),
    "segmented": ("--operation scan --length 3000", "--output", "sram"),
    "soc": ("--large 9x8x7 --small 4x5x6 --small-runs 2", "--large-output", "dram"),
    "tensor_unit": ("--algorithm dense --size 40 --m 64", "--output", "sram"),
    "tucker": ("--shape 8x9x10 --ranks 3x4x5", "--output", "sram"),
}


class EveryTestbenchTest(TestbenchTest):
    program = "testbenches"

    def found(self, program, more="", **keywords):
        """The summary of its job with more options, and the bytes of its result."""
        job, output, _ = JOBS[program]
        self.succeeds(f"{job} {output} result.npy --quiet --out files {more}", program=program, **keywords)
        return load_json(self.path("files/summary.json")), self.read_bytes("result.npy")

    def refused(self, program, line, *words):
        done = self.run_program(line, program=program)
        self.assertEqual((done.status, done.out), (BAD_INPUT, ""), line)
        self.assertRegex(done.err, rf"\A{program}: [^\n]+\n\Z", line)
        for word in words:
            self.assertIn(word, done.err, line)
        return done.err

    def every(self):
        for program in JOBS:
            with self.subTest(program=program):
                yield program


class Platform(EveryTestbenchTest):
    def test_options_are_the_same(self):
        for program in self.every():
            help_text = self.succeeds("--help", program=program).out
            group = help_text.split("\nPlatform:\n")[1].split("\n\n")[0]
            self.assertEqual(re.findall(r"^  --([a-z-]+)", group, re.M),
                             ["memory", "dram", "memory-latency", "memory-ports", "dma-width", "burst", "outstanding"])

    def test_any_platform_gives_the_same_bits(self):
        lines = ("--memory sram", "--memory dram", "--dma-width 32", "--dma-width 128 --memory dram --outstanding 4",
                 "--memory sram --memory-latency 40 --memory-ports 3 --outstanding 9 --burst 32",
                 "--memory dram --burst 64 --outstanding 64")
        for program in self.every():
            plain, bits = self.found(program)
            for line in lines:
                found, same = self.found(program, line)
                self.assertEqual(same, bits, line)
                self.assertEqual(found["macs"], plain["macs"], line)

    def test_cycles_follow_the_width(self):
        for program in self.every():
            memory = "--memory sram --burst 64 --outstanding 8" + (" --quantum 0" if program == "soc" else "")
            cycles = [self.found(program, f"{memory} --dma-width {w}")[0]["cycles"] for w in (32, 64, 128, 256, 512)]
            self.assertEqual(cycles, sorted(cycles, reverse=True))
            self.assertGreater(cycles[0], cycles[-1])

    def test_cycles_follow_latency_and_bursts_in_flight(self):
        for program in self.every():
            cycles = [self.found(program, f"--memory sram --burst 64 {more}")[0]["cycles"]
                      for more in ("--memory-latency 50 --outstanding 1", "--memory-latency 2 --outstanding 1",
                                   "--memory-latency 2 --outstanding 8")]
            self.assertGreater(cycles[0], cycles[1])
            self.assertGreaterEqual(cycles[1], cycles[2])

    def test_energy_and_configuration_are_those_of_the_memory(self):
        for program in self.every():
            for memory in ("sram", "dram"):
                found, _ = self.found(program, f"--memory {memory}")
                if program == "soc":  # which has both
                    self.assertIs(found["router"]["targets"]["dram"]["bytes"] > 0, memory == "dram")
                else:
                    self.assertIs(any(name.startswith("dram") for name in found["energy_pJ"]), memory == "dram")
                self.assertEqual(found["configuration"]["options"]["memory"], memory)
            self.assertEqual(self.found(program)[0]["configuration"]["options"]["memory"], JOBS[program][2])

    def test_the_roof_of_the_bus_is_its_width(self):
        for program in ("segmented", "tensor_unit"):
            for width in (32, 512):
                roofline = self.found(program, f"--dma-width {width}")[0]["roofline"]
                self.assertEqual(roofline["peak_bus_bytes_per_cycle"], width / 8)
                self.assertLessEqual(roofline["bus_bytes_per_cycle"], width / 8)
        for width, peak in ((32, 4), (128, 16), (256, 25.6), (512, 25.6)):
            memory = self.found("contract", f"--dma-width {width}")[0]["memory"]
            self.assertAlmostEqual(memory["peak_bytes_per_cycle"], peak)
            self.assertLessEqual(memory["bytes_per_cycle"], peak)

    def test_what_cannot_be(self):
        with open(os.path.join(SOURCE, "models/arch/dram/memories/lpddr4-3200.yaml"), encoding="utf-8") as file:
            shipped = file.read()
        small, count = re.subn(r"\brows: *\d+", "rows: 1", shipped)
        self.assertEqual(count, 1)
        self.save_text("small.yaml", small)
        larger = {"dxt": "--shape 30x30x30", "tucker": "--shape 30x30x30 --ranks 3x3x3", "soc": "--large 30x30x30"}
        for program in self.every():
            job = JOBS[program][0]
            for width in ("16", "48", "1024", "x"):
                self.refused(program, f"{job} --dma-width {width}", "--dma-width", width, "expected one of 32, 64, 128")
            self.refused(program, f"{job} --memory rom", "--memory", "'rom'", "sram, dram")
            self.refused(program, f"{job} --memory dram --dram none", "--dram", "'none'")
            self.refused(program, f"{larger.get(program, job)} --memory dram --dram small.yaml --out small", "small.yaml",
                         "bytes", "expected")
            self.assertFalse(os.path.exists(self.path("small")))
            if program != "soc":  # which has both
                self.refused(program, f"{job} --memory sram --dram lpddr4-3200", "--dram", "--memory sram")
                self.refused(program, f"{job} --memory dram --memory-ports 2", "--memory-ports", "--memory dram")
                self.refused(program, f"{job} --memory dram --memory-latency 2", "--memory-latency", "--memory dram")


class HelpJson(EveryTestbenchTest):
    WORDS = {"integer": "an integer|a power of two|a perfect square|a multiple", "number": "a number", "choice": "one of",
             "time": "a time"}

    def listing(self, program):
        return json.loads(self.succeeds("--help-json", program=program).out)

    def test_is_what_the_help_says(self):
        schema = load_json(os.path.join(SOURCE, "docs/options.schema.json"))
        for program in self.every():
            found = self.listing(program)
            jsonschema.Draft7Validator(schema).validate(found)
            self.assertEqual(found["program"], program)
            lines = " ".join(self.succeeds("--help", program=program).out.split())
            for option in found["options"]:
                form = f" {option['form']}" if option["form"] else ""
                default = f" (default: {option['default']})" if option["default"] else ""
                repeated = " Can be repeated." if option["repeatable"] else ""
                self.assertIn(f"--{option['name']}{form} {option['help']}{repeated}{default}", lines)
            self.assertEqual([option["name"] for option in found["options"]],
                             re.findall(r"^  --([a-z0-9-]+)", self.succeeds("--help", program=program).out, re.M))

    def test_types_are_those_of_the_program(self):
        needed = {"max-cycles": "--program p.bin", "outstanding": "", "max-iterations": "--method hooi",
                  "fit-change": "--method hooi", "noise": "--fill known-rank --fill-ranks 1x1x1",
                  "nonzeros": "--algorithm sparse", "sweeps": "--algorithm stencil", "points": "--algorithm polyeval",
                  "inner": "--algorithm rect", "cutoff": "--algorithm strassen", "density": "--operation segmented-sum",
                  "columns": "--operation spmv"}
        kept = {"contract": "--sizes i=2,j=2,k=2", "dxt": "--shape 2x2x2", "soc": "--large 2x2x2", "tucker": "--shape 2x2x2"}
        for program in self.every():
            for option in self.listing(program)["options"]:
                if option["type"] in self.WORDS:
                    job = f"{kept.get(program, '')} {needed.get(option['name'], '')}"
                    if program == "tucker" and option["name"] not in ("tolerance", "ranks"):
                        job += " --ranks 1x1x1"
                    error = self.refused(program, f"{job} --{option['name']} nonsense", f"--{option['name']} is 'nonsense'")
                    self.assertRegex(error, self.WORDS[option["type"]])
                if option["choices"]:
                    self.assertTrue(option["default"] is None or option["default"] in option["choices"])
