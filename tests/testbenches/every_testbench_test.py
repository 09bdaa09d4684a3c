"""What all testbenches have in common: options of the platform, the listing of all options, and runs that are repeated
from their summaries."""
import hashlib
import json
import os
import re
import subprocess

import jsonschema
import numpy as np
from tensorloom.schemas import load_schema

from testbench_manifests import QUICK_JOBS, WITH_TOTALS, result_option
from testbench_program import BAD_INPUT, SOURCE, TestbenchTest, load_json

# Those with an array and a platform of their own: a quick run, and the option for its result.
JOBS = {name: (QUICK_JOBS[name], result_option(name)) for name in WITH_TOTALS if result_option(name)}


class EveryTestbenchTest(TestbenchTest):
    program = "testbenches"

    def found(self, program, more="", **keywords):
        """The summary of its job with more options, and the bytes of its result."""
        job, output = JOBS[program]
        self.succeeds(f"{job} {output} result.npy --quiet --out files {more}", program=program, **keywords)
        return load_json(self.path("files/summary.json")), self.read_bytes("result.npy")

    def refused(self, program, line, *words):
        done = self.run_program(line, program=program)
        self.assertEqual((done.status, done.out), (BAD_INPUT, ""), line)
        self.assertRegex(done.err, rf"\A{program}: [^\n]+\n\Z", line)
        for word in words:
            self.assertIn(word, done.err, line)
        return done.err


class Platform(EveryTestbenchTest):
    def test_options_are_the_same(self):
        for program in JOBS:
            with self.subTest(program=program):
                help_text = self.succeeds("--help", program=program).out
                group = help_text.split("\nPlatform:\n")[1].split("\n\n")[0]
                self.assertEqual(re.findall(r"^  --([a-z-]+)", group, re.M),
                                 ["memory", "dram", "memory-bandwidth", "memory-latency", "memory-ports", "dma-width", "burst",
                                  "outstanding", "overlap-runs"])

    def test_any_platform_gives_the_same_bits(self):
        lines = ("--memory sram", "--memory dram", "--dma-width 32", "--dma-width 128 --memory dram --outstanding 4",
                 "--memory sram --memory-latency 40 --memory-ports 3 --outstanding 9 --burst 32",
                 "--memory dram --burst 64 --outstanding 64", "--overlap-runs off")
        for program in JOBS:
            with self.subTest(program=program):
                plain, bits = self.found(program)
                for line in lines:
                    found, same = self.found(program, line)
                    self.assertEqual(same, bits, line)
                    self.assertEqual(found["macs"], plain["macs"], line)

    def test_cycles_follow_the_width(self):
        for program in JOBS:
            with self.subTest(program=program):
                memory = "--memory sram --burst 64 --outstanding 8" + (" --quantum 0" if program == "soc" else "")
                cycles = [self.found(program, f"{memory} --dma-width {w}")[0]["cycles"] for w in (32, 64, 128, 256, 512)]
                self.assertEqual(cycles, sorted(cycles, reverse=True))
                self.assertGreater(cycles[0], cycles[-1])

    def test_cycles_follow_latency_and_bursts_in_flight(self):
        for program in JOBS:
            with self.subTest(program=program):
                cycles = [self.found(program, f"--memory sram --burst 64 {more}")[0]["cycles"]
                          for more in ("--memory-latency 50 --outstanding 1", "--memory-latency 2 --outstanding 1",
                                       "--memory-latency 2 --outstanding 8")]
                self.assertGreater(cycles[0], cycles[1])
                self.assertGreaterEqual(cycles[1], cycles[2])

    def test_energy_and_configuration_are_those_of_the_memory(self):
        for program in JOBS:
            with self.subTest(program=program):
                for memory in ("sram", "dram"):
                    found, _ = self.found(program, f"--memory {memory}")
                    if program == "soc":  # which has both
                        self.assertIs(found["router"]["targets"]["dram"]["bytes"] > 0, memory == "dram")
                    else:
                        self.assertIs(any(name.startswith("dram") for name in found["energy_pJ"]), memory == "dram")
                    self.assertEqual(found["configuration"]["options"]["memory"], memory)
                self.assertEqual(self.found(program)[0]["configuration"]["options"]["memory"], "dram")

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

    def test_bandwidth_is_that_of_its_channels(self):
        for program in JOBS:
            with self.subTest(program=program):
                plain, bits = self.found(program)
                at_quarter, same = self.found(program, "--memory-bandwidth 6.4")
                self.assertEqual(same, bits)
                self.assertGreater(at_quarter["cycles"], plain["cycles"])
                for found, peak in ((plain, 25.6), (at_quarter, 6.4)):
                    self.assertEqual(found["configuration"]["memory_bandwidth_GB_per_s"], peak)
                own, nominal = (self.found(program, f"--dram lpddr5-6400 {more}")[0]
                                for more in ("", "--memory-bandwidth 51.2"))
                for field in ("cycles", "energy_pJ"):
                    self.assertEqual(nominal[field], own[field])
                for line, expected in (("5", "at least 6.4 GB/s (1 channel of lpddr4-3200)"),
                                       ("20", "12.8 or 25.6 GB/s (2 or 4 channels of lpddr4-3200)"),
                                       ("1000", "at most 409.6 GB/s (64 channels of lpddr4-3200)"), ("-1", "a number")):
                    self.refused(program, f"{JOBS[program][0]} --memory-bandwidth {line} --out none",
                                 f"--memory-bandwidth is '{line}', expected {expected}")
                self.assertFalse(os.path.exists(self.path("none")))

    def test_what_cannot_be(self):
        with open(os.path.join(SOURCE, "models/costs/dram/memories/lpddr4-3200.yaml"), encoding="utf-8") as file:
            shipped = file.read()
        small, count = re.subn(r"\brows: *\d+", "rows: 1", shipped)
        self.assertEqual(count, 1)
        self.save_text("small.yaml", small)
        larger = {"dxt": "--shape 30x30x30", "orbital": "--shape 30x30x30", "tucker": "--shape 30x30x30 --ranks 3x3x3",
                  "soc": "--large 30x30x30"}
        for program in JOBS:
            with self.subTest(program=program):
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
                    self.refused(program, f"{job} --memory sram --memory-bandwidth 25.6", "--memory-bandwidth", "--memory sram")
                    self.refused(program, f"{job} --memory dram --memory-ports 2", "--memory-ports", "--memory dram")
                    self.refused(program, f"{job} --memory dram --memory-latency 2", "--memory-latency", "--memory dram")


class LongValues(EveryTestbenchTest):
    def test_are_told_by_their_beginning(self):
        for program, job, options in (("dxt", "--shape 1x1x1", ("transform", "norm", "order", "fill", "result-format", "quiet")),
                                      ("tucker", "--shape 2x2x2 --ranks 1x1x1", ("method",)), ("segmented", "", ("operation",)),
                                      ("tensor_unit", "", ("algorithm",))):
            for option in options:
                with self.subTest(program=program, option=option):
                    self.save_text("long.yaml", f"{option}: {'y' * 100000}\n")
                    error = self.refused(program, f"{job} --config long.yaml", "yyyy...", "expected")
                    self.assertLess(len(error), 1000)


class LongSimulatedTime(EveryTestbenchTest):
    def test_is_no_failure(self):
        # More than an hour, which hosts once waited at most.
        for program, job in (("dxt", "--shape 20x20x20"), ("tucker", "--shape 16x16x16 --ranks 2x2x2")):
            with self.subTest(program=program):
                self.succeeds(f"{job} --burst 4 --outstanding 1 --memory sram --memory-latency 1000000 --clock 0.001 --quiet --out long",
                              program=program)
                self.assertGreater(load_json(self.path("long/summary.json"))["simulated_time_ns"], 3600e9)


class DryRun(EveryTestbenchTest):
    def test_says_what_a_run_would_refuse_and_writes_nothing(self):
        for program, (job, output) in JOBS.items():
            with self.subTest(program=program):
                done = self.succeeds(f"{job} {output} result.npy --out files --vcd w.vcd --dry-run", program=program)
                self.assertEqual((done.out, done.err, os.listdir(self.directory)), ("", "", []))
                self.assertEqual(self.refused(program, f"{job} --burst 100 --dry-run", "--burst is '100'"),
                                 self.refused(program, f"{job} --burst 100"))
                self.refused(program, f"{job} --technology none.yaml --dry-run", "none.yaml")


class TechnologyFile(EveryTestbenchTest):
    MOST_NAMED = 8

    def missing(self, error):
        """Named keys with their units, and the number of all."""
        keys, more = re.fullmatch(r".*technology t\.yaml: missing keys? (.*?)(?: and (\d+) more)?\n", error).groups()
        named = re.findall(r"([^ ]+) \(([^)]+)\)", keys)
        self.assertTrue(more is None or len(named) == self.MOST_NAMED, error)
        return named, len(named) + int(more or 0)

    def test_from_scratch_lists_all_that_a_run_misses(self):
        for program, (job, _) in JOBS.items():
            with self.subTest(program=program):
                technology = {"schema": "tensorloom-technology-1", "name": "t", "process": "p"}
                self.save_text("t.yaml", json.dumps(technology))
                line = f"{job} --technology t.yaml"
                named, left = self.missing(self.refused(program, line))
                self.assertGreater(left, self.MOST_NAMED)
                while True:
                    for key, unit in named:
                        *path, last = f"{key}.8192".split(".") if key == "energy.sram.access_64bit" else key.split(".")
                        section = technology
                        for part in path:
                            section = section.setdefault(part, {})
                        section[last] = {"value": 1, "unit": unit, "source": "test"}
                    self.save_text("t.yaml", json.dumps(technology))
                    left -= len(named)
                    if left == 0:
                        break
                    named, still = self.missing(self.refused(program, line))
                    self.assertEqual(still, left)
                self.succeeds(line, program=program)


    def test_base_is_the_rest(self):
        head = "schema: tensorloom-technology-1\nname: t\n"
        self.save_text("same.yaml", f"{head}base: 45nm\n")
        self.save_text("hot.yaml", f"{head}base: same.yaml\nlimit: {{power_density: {{value: 1e-9, unit: W/mm^2, source: test}}}}\n")
        self.save_text("one.yaml", f"{head}base: two.yaml\n")
        self.save_text("two.yaml", f"{head}base: one.yaml\n")
        self.save_text("none.yaml", f"{head}base: 22nm\n")
        for program, (job, _) in JOBS.items():
            with self.subTest(program=program):
                plain, _ = self.found(program, "--technology 45nm")
                same, _ = self.found(program, "--technology same.yaml")
                hot, _ = self.found(program, "--technology hot.yaml")
                for part in ("energy_pJ", "area_um2"):
                    self.assertEqual(same.get(part), plain.get(part))
                    self.assertEqual(hot.get(part), plain.get(part))
                self.assertTrue(any("W/mm" in text for text in hot["warnings"]))
                self.assertEqual([entry["name"] for entry in hot["configuration"]["inputs"] if entry["option"] == "--technology"],
                                 ["hot.yaml", "same.yaml"])
                self.refused(program, f"{job} --technology one.yaml --out none",
                             "technology one.yaml: base: technology two.yaml: base: 'one.yaml' is based on this file")
                self.refused(program, f"{job} --technology none.yaml --out none",
                             "technology none.yaml: base: found '22nm', expected a shipped technology (45nm, 40nm, 7nm, fetta-7nm) or a file")
                self.assertFalse(os.path.exists(self.path("none")))


class HelpJson(EveryTestbenchTest):
    WORDS = {"integer": "an integer|a power of two|a perfect square|a multiple|4, 16 or 64", "number": "a number", "choice": "one of|an integer|on or off",
             "time": "a time"}

    def listing(self, program):
        return json.loads(self.succeeds("--help-json", program=program).out)

    def test_is_what_the_help_says(self):
        schema = load_schema("options")
        for program in JOBS:
            with self.subTest(program=program):
                found = self.listing(program)
                jsonschema.Draft201909Validator(schema).validate(found)
                self.assertEqual(found["program"], program)
                lines = " ".join(self.succeeds("--help", program=program).out.split())
                for option in found["options"]:
                    form = f" {option['form']}" if option["form"] else ""
                    default = f" (default: {option['default']})" if option["default"] else ""
                    repeated = " Can be repeated." if option["repeatable"] else ""
                    synonym = f" Synonym: --{option['synonym']}." if option["synonym"] else ""
                    self.assertIn(f"--{option['name']}{form} {option['help']}{synonym}{repeated}{default}", lines)
                self.assertEqual([option["name"] for option in found["options"]],
                                 re.findall(r"^  --([a-z0-9-]+)", self.succeeds("--help", program=program).out, re.M))

    def test_what_writes_a_file_does_not_compute(self):
        for program in JOBS:
            for option in self.listing(program)["options"]:
                if option["help"].startswith("Write ") or option["name"] in ("quiet", "dry-run"):
                    self.assertFalse(option["computes"], (program, option["name"]))
                if option["name"] in ("seed", "input", "technology", "memory", "config"):
                    self.assertTrue(option["computes"], (program, option["name"]))

    def test_units_say_what_is_counted(self):
        units = {"link": "bytes per cycle", "lanes": "words per cycle", "in-words": "words per cycle",
                 "out-words": "words per cycle", "scalar-ops": "operations per cycle", "load-elements": "elements per cycle",
                 "latency": "time units of the model"}
        seen = set()
        for program in JOBS:
            for option in self.listing(program)["options"]:
                seen.add(option["name"])
                self.assertNotEqual(option["unit"], "per cycle", option["name"])
                if option["name"] in units:
                    self.assertEqual(option["unit"], units[option["name"]], option["name"])
                if option["name"] in ("technology", "dram"):
                    self.assertEqual(option["type"], "file")
        self.assertLessEqual(set(units), seen)

    def test_types_are_those_of_the_program(self):
        needed = {"max-cycles": "--program p.bin", "outstanding": "", "max-iterations": "--method hooi",
                  "fit-change": "--method hooi", "noise": "--fill known-rank --fill-ranks 1x1x1",
                  "nonzeros": "--algorithm sparse", "sweeps": "--algorithm stencil", "points": "--algorithm polyeval",
                  "inner": "--algorithm rect", "edges": "--algorithm apsd", "cutoff": "--algorithm strassen", "kappa": "--algorithm intmul", "density": "--operation segmented-sum",
                  "columns": "--operation spmv", "bits": "--operation product", "form": "--class cra",
                  "held-out": "--data x.npz", "scale": "--data x.npz", "between-passes": "--residency batch-blocked"}
        of_layer = {"format": "--rows 2x2 --cols 2x2 --ranks 1", "blocks": "--format bt --rows 2x2 --cols 2x2 --ranks 1",
                    "order": "--format tt --rows 2x2 --cols 2x2 --ranks 1"}
        kept = {"contract": "--sizes i=2,j=2,k=2", "dxt": "--shape 2x2x2", "orbital": "--shape 2x2x2 --compare triada",
                "soc": "--large 2x2x2", "tucker": "--shape 2x2x2"}
        for program in JOBS:
            with self.subTest(program=program):
                for option in self.listing(program)["options"]:
                    if option["type"] in self.WORDS:
                        of_program = {**needed, **of_layer} if program == "tnn_step" else needed
                        job = f"{kept.get(program, '')} {of_program.get(option['name'], '')}"
                        if program == "tucker" and option["name"] not in ("tolerance", "ranks"):
                            job += " --ranks 1x1x1"
                        error = self.refused(program, f"{job} --{option['name']} nonsense", f"--{option['name']} is 'nonsense'")
                        self.assertRegex(error, self.WORDS[option["type"]])
                    if option["choices"]:
                        self.assertTrue(option["default"] is None or option["default"] in option["choices"])


def told(summary):
    """What a run says, apart from what is different when it is repeated."""
    summary = json.loads(json.dumps(summary))
    del summary["simulation"]
    for options in (summary["configuration"]["options"], summary["configuration"]["options_given"]):
        for name in ("out", "quiet", "vcd", "output", "large-output", "weights-out", "watch"):
            options.pop(name, None)
    return summary


class Repeated(EveryTestbenchTest):
    def repeated(self, program, line, *more):
        """The summaries of a run and of its repetition."""
        self.succeeds(f"{line} --out first", program=program)
        self.succeeds(f"--config first/summary.json --out second {' '.join(more)}", program=program)
        return [load_json(self.path(f"{folder}/summary.json")) for folder in ("first", "second")]

    def changed(self, change):
        found = load_json(self.path("first/summary.json"))
        change(found)
        self.save_text("changed.json", json.dumps(found))

    def test_is_the_same(self):
        for program in JOBS:
            with self.subTest(program=program):
                job, output = JOBS[program]
                first, second = self.repeated(program, f"{job} --seed 5 --clock 0.5 --allow-overclock --dma-width 64 {output} result.npy --quiet --vcd w")
                self.assertEqual(told(second), told(first))
                given = second["configuration"]["options_given"]
                self.assertEqual((given["seed"], given["clock"], given["out"]), ("5", "0.5", "second"))
                self.assertFalse({"quiet", "vcd", output[2:], "config"} & set(given))

    def test_the_command_line_wins(self):
        for program in JOBS:
            with self.subTest(program=program):
                first, second = self.repeated(program, f"{JOBS[program][0]} --seed 5 --dma-width 64", "--dma-width 512")
                self.assertEqual([s["configuration"]["options_given"]["dma-width"] for s in (first, second)], ["64", "512"])
                self.assertNotEqual(first["cycles"], second["cycles"])

    def test_what_is_written_belongs_to_one_run(self):
        line = "--shape 4x4x4 --watch 0,0,0 --watch 1,2,3 --vcd wave --output y.npy --double-buffer"
        first, second = self.repeated("dxt", line)
        given = first["configuration"]["options_given"]
        self.assertEqual((given["watch"], given["double-buffer"]), (["0,0,0", "1,2,3"], "true"))
        self.assertEqual(second["configuration"]["options_given"],
                         {"shape": "4x4x4", "double-buffer": "true", "out": "second"})

    def test_a_yaml_file_counts_as_given(self):
        self.save_text("job.yaml", "shape: 4x5x6\nseed: 9\n")
        first, second = self.repeated("dxt", "--config job.yaml --seed 3")
        self.assertEqual(first["configuration"]["options_given"], {"shape": "4x5x6", "seed": "3", "out": "first"})
        self.assertEqual(told(second), told(first))

    def test_inputs_have_hashes(self):
        with open(os.path.join(SOURCE, "models/costs/technologies/45nm.yaml"), encoding="utf-8") as file:
            self.save_text("tech.yaml", file.read())
        self.save("x.npy", np.arange(60.0).reshape(3, 4, 5))
        line = "--input x.npy --technology tech.yaml --memory dram"
        first, second = self.repeated("dxt", line)
        inputs = {entry["option"]: entry for entry in first["configuration"]["inputs"]}
        self.assertEqual(list(inputs), ["--input", "--technology", "--dram"])
        for option, name in (("--input", "x.npy"), ("--technology", "tech.yaml")):
            self.assertEqual(inputs[option], {"option": option, "name": name,
                                              "sha256": hashlib.sha256(self.read_bytes(name)).hexdigest()})
        shipped = os.path.join(SOURCE, "models/costs/dram/memories/lpddr4-3200.yaml")
        with open(shipped, "rb") as file:
            self.assertEqual(inputs["--dram"]["sha256"], hashlib.sha256(file.read()).hexdigest())
        self.assertEqual(told(second), told(first))

    def test_an_input_that_has_changed(self):
        self.save("x.npy", np.ones((3, 4, 5)))
        self.save("z.npy", np.ones((3, 4, 5)))
        self.repeated("dxt", "--input x.npy")
        self.save("x.npy", np.zeros((3, 4, 5)))
        self.refused("dxt", "--config first/summary.json --out third", "--input: x.npy", "SHA-256", "expected")
        self.assertFalse(os.path.exists(self.path("third")))
        self.succeeds("--config first/summary.json --input z.npy", program="dxt")
        os.remove(self.path("x.npy"))
        self.refused("dxt", "--config first/summary.json", "x.npy")
        self.save_text("base.yaml", "schema: tensorloom-technology-1\nname: b\nbase: 45nm\n")
        self.save_text("tech.yaml", "schema: tensorloom-technology-1\nname: t\nbase: base.yaml\n")
        self.repeated("dxt", "--shape 2x2x2 --technology tech.yaml")
        self.save_text("base.yaml", "schema: tensorloom-technology-1\nname: b\nbase: 7nm\n")
        self.refused("dxt", "--config first/summary.json", "--technology: base.yaml", "SHA-256")
        self.repeated("dxt", "--shape 2x2x2")
        self.changed(lambda s: s["configuration"]["inputs"][0].update(sha256="0" * 64))
        self.refused("dxt", "--config changed.json", "--technology: 7nm", "expected 000000000000")

    def test_what_is_no_summary_of_this_testbench(self):
        self.succeeds("--shape 2x2x2 --out first", program="dxt")
        self.refused("tucker", "--config first/summary.json", "first/summary.json", "a summary of dxt", "expected one of tucker")
        for change, word in ((lambda s: s["configuration"].pop("options_given"), "options_given"),
                             (lambda s: s["configuration"].pop("inputs"), "inputs"),
                             (lambda s: s["configuration"].update(options_given=[]), "--input nor --shape"),
                             (lambda s: s["configuration"].update(options_given={"shape": 3}), "options_given"),
                             (lambda s: s["configuration"]["options_given"].update(frob="1"), "frob"),
                             (lambda s: s["configuration"]["options_given"].update(help="true"), "help"),
                             (lambda s: s["configuration"]["options_given"].update(seed=["1", "2"]), "seed"),
                             (lambda s: s["configuration"]["options_given"].update(seed="x"), "options_given.seed is 'x'"),
                             (lambda s: s.update(testbench=["dxt"]), "testbench"), (lambda s: s.pop("testbench"), "nested")):
            self.changed(change)
            self.refused("dxt", "--config changed.json", "changed.json" if word != "--input nor --shape" else "", word)
        self.succeeds("--shape 2x2x2 --array 1 --out first", program="orbital")
        self.changed(lambda s: s["configuration"]["options_given"].update(grid="2"))
        self.refused("orbital", "--config changed.json", "changed.json", "options_given.grid is given twice", "synonym")
        self.save_text("deep.json", "{\"testbench\": " + "[" * 100000)
        self.refused("dxt", "--config deep.json", "deep.json")

    def test_tells_the_commit(self):
        top = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=SOURCE, capture_output=True, text=True, check=False)
        self.succeeds("--shape 2x2x2 --out first", program="dxt")
        commit = load_json(self.path("first/summary.json"))["commit"]
        self.assertIs(commit is None, top.stdout.strip() != os.path.realpath(SOURCE))
