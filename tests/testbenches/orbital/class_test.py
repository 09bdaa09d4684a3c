"""--class: products of matrices by schedule classes, their counts, and what is refused."""
import json
import os
import re

import jsonschema
from tensorloom.schemas import load_schema

from orbital_program import SOURCE, OrbitalTest
from testbench_summary import expect_closed_schema

OPEN = ("/options", "/options_given", "/energy_pJ", "/area_um2", "/area_by_pitch_um2",
        "/energy_by_second_source_pJ/oneOf/1", "/savings", "/bus")  # objects of any names
SCHEMA = load_schema("orbital-class")


class Classes(OrbitalTest):
    def product(self, line):
        found = self.summary(line)
        jsonschema.Draft201909Validator(SCHEMA).validate(found)
        self.assertTrue(found["check"]["passed"])
        for run in (found, *found["runs"]):
            self.assertEqual(sum(run["cycles_by_cause"].values()), run["cycles"])
            energy = run["energy_pJ"]
            self.assertAlmostEqual(sum(energy.values()), 2 * energy["total"], delta=1e-9 * energy["total"])
        for name in ("cycles", "macs_done"):
            self.assertEqual(sum(run[name] for run in found["runs"]), found[name])
        self.assertAlmostEqual(found["power_mW"]["average"], found["energy_pJ"]["total"] / found["simulated_time_ns"],
                               delta=1e-9 * found["power_mW"]["average"])
        return found, {run["class"]: run for run in found["runs"]}

    def test_movement_by_formula(self):
        p, i, j, k = 3, 12, 15, 18
        blocks = {"A": i * k // p**2, "B": k * j // p**2}
        _, runs = self.product(f"--class all --shape {i}x{j}x{k} --grid {p}")
        self.assertEqual(list(runs), ["bbc", "bcr-ki", "bcr-kj", "cra", "asc"])
        for name, driven, rolled in (("bbc", "AB", ""), ("bcr-ki", "A", "B"), ("bcr-kj", "B", "A"), ("cra", "", "AB")):
            run = runs[name]
            words = p * p * sum(blocks[m] for m in driven), p**3 * sum(blocks[m] for m in rolled)
            self.assertEqual(run["steps"], p)
            self.assertEqual(run["macs_done"], i * j * k)
            self.assertEqual((run["words_driven"], run["words_delivered"]), (words[0], words[0] * (p - 1)), name)
            self.assertEqual(sum(run["words_rolled"]), words[1], name)
            self.assertEqual(run["word_pitches"], words[0] * (p - 1) + words[1] // p * 2 * (p - 1), name)
        tiles = (i // p) * (j // p) * (k // p)
        self.assertEqual(runs["asc"]["steps"], tiles * (3 * p - 2))
        self.assertEqual(runs["asc"]["words_entered"], tiles * 2 * p * p)
        self.assertEqual(runs["asc"]["words_rolled"], [tiles * p * p * (p - 1)] * 2)

    def test_names_of_the_literature(self):
        _, runs = self.product("--class all --shape 6x6x6 --grid 2")
        self.assertEqual({name: run["algorithm"] for name, run in runs.items()},
                         {"bbc": "SUMMA", "bcr-ki": "Fox", "bcr-kj": "Fox, mirrored", "cra": "Cannon",
                          "asc": "systolic array"})
        for name, synonym in (("bbc", "summa"), ("bcr-ki", "fox"), ("cra", "cannon")):
            found, one = self.product(f"--class {synonym} --shape 6x6x6 --grid 2")
            self.assertEqual(found["configuration"]["classes"], [name])
            for counted in ("algorithm", "steps", "macs_done", "words_driven", "words_rolled", "word_pitches"):
                self.assertEqual(one[name][counted], runs[name][counted])

    def test_forms_formats_and_fidelities(self):
        for line in ("--class cra --form 17b --shape 5x6x7 --schedule -+-", "--class cra --form 17c --shape 5x6x7 --format c128",
                     "--class all --shape 7x5x9 --grid 2 --block 2 --format bf16", "--class all --shape 4x5x3 --format c64"):
            fast, runs = self.product(line)
            detailed, _ = self.product(line + " --fidelity detailed")
            for one, other in zip(fast["runs"], detailed["runs"]):
                self.assertEqual(json.dumps(one), json.dumps(other))
            self.assertEqual("asc" in runs, "bf16" in line)

    def test_blocks_are_along_i_j_k(self):
        found, runs = self.product("--class cra --shape 24x24x24 --grid 4 --block 2x3x4")
        self.assertEqual(found["configuration"]["block"], [2, 3, 4])
        self.assertEqual(runs["cra"]["steps"], 4 * 3 * 2 * 2)  # passes of 8 x 12 x 16 elements
        chosen, chosen_runs = self.product("--class cra --shape 24x12x40 --grid 4")
        given, given_runs = self.product("--class cra --shape 24x12x40 --block 6x3x10")
        self.assertEqual(given["configuration"]["grid"], 4)
        self.assertEqual(json.dumps(chosen_runs), json.dumps(given_runs))
        one, _ = self.product("--class cra --shape 24x12x40 --grid 4 --coefficient-elements 1")  # has none to hold
        self.assertEqual(one["energy_pJ"], chosen["energy_pJ"])

    def test_die_is_that_of_transforms_on_the_same_torus(self):
        found, _ = self.product("--class all --shape 12x12x12 --grid 3 --memory dram")
        other = self.summary("--shape 12x12x12 --grid 3 --memory dram --transform identity")
        for name in ("nodes", "node_memory"):
            self.assertGreater(found["area_um2"][name], 0)
        self.assertEqual(found["area_um2"]["nodes"], other["area_um2"]["nodes"])
        self.assertEqual(set(found["area_um2"]), set(other["area_um2"]))
        area = dict(found["area_um2"])
        total = area.pop("total")
        self.assertAlmostEqual(sum(area.values()), total, delta=1e-9 * total)
        self.assertAlmostEqual(found["power_density_W_per_mm2"],  # pJ per ns are mW
                               (found["power_mW"]["average"] - found["power_mW"]["dram"]) * 1000 / found["footprint_um2"],
                               delta=1e-12)

    def test_utilisation_is_of_the_plane_by_all_classes(self):
        found, runs = self.product("--class all --shape 8x7x6 --grid 2")
        done = len(runs) * 8 * 7 * 6
        self.assertAlmostEqual(found["utilisation"], done / (4 * found["cycles"]), delta=1e-12)
        working = sum(run["events"]["compute_cycle"] + run["events"]["exposed_roll_cycle"] for run in runs.values())
        self.assertAlmostEqual(found["utilisation_working"], done / (4 * working), delta=1e-12)
        self.assertGreater(found["bound_by"]["utilisation_ceiling"], found["utilisation"])

    def test_rows_sum_to_the_summary(self):
        found, _ = self.product("--class all --shape 8x7x6 --grid 2")
        rows = self.rows("files/latency.csv")
        self.assertEqual(sum(int(row["cycles"]) for row in rows), found["cycles"])
        for index, run in enumerate(found["runs"]):
            mine = [row for row in rows if row["run"] == str(index)]
            self.assertEqual({row["job"] for row in mine}, {run["class"]})
            for event, count in run["events"].items():
                self.assertEqual(sum(int(row[event]) for row in mine), count, event)

    def test_schema_describes_everything(self):
        expect_closed_schema(self, SCHEMA, OPEN)

    def test_page(self):
        with open(os.path.join(SOURCE, "docs/orbital.md"), encoding="utf-8") as file:
            section = file.read().split("\n## Products of matrices\n")[1].split("\n## ")[0]
        command, sample = (re.sub(r"^    ", "", block, flags=re.M)
                           for block in re.findall(r"(?:^    .*\n)+", section, re.M))
        printed = self.succeeds(command.removeprefix("orbital").strip(), cwd=SOURCE).out
        differing = re.compile(r"^( +(?:error|simulation)) .*$", re.M)
        self.assertEqual(differing.sub(r"\1", printed), differing.sub(r"\1", sample))
        for field in SCHEMA["properties"]["runs"]["items"]["properties"]:
            if field.startswith("words_"):
                self.assertIn(field, section)

    def test_refusals(self):
        for line, words in (("--class cra", ("--shape", "expected --shape IxJxK")),
                            ("--class strassen --shape 3x3x3", ("--class", "strassen", "expected")),
                            ("--class bbc --form 17b --shape 3x3x3", ("--form 17b", "--class bbc", "--class cra")),
                            ("--class all --form 17c --shape 3x3x3", ("--form 17c", "--class all", "--class cra")),
                            ("--form 17b --shape 3x3x3", ("--form", "--class", "expected both")),
                            ("--class asc --format c64 --shape 3x3x3", ("asc", "c64", "expected f64, f32, c128 or bf16")),
                            ("--class cra --shape 5x6x7 --tiles off --grid 1 --block 2",
                             ("5x6x7", "--tiles off", "blocks of 2x2x2", "expected")),
                            ("--class all --shape 65535x65535x65535", ("GiB of memory", "expected smaller matrices")),
                            ("--class cra --shape 3x3x3 --transform dft", ("--transform", "--class", "without"))):
            with self.subTest(line=line):
                self.fails_with(2, line, *words)
