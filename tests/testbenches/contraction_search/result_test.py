"""What contraction_search finds, as JSON and on the terminal."""
import math
import os

import jsonschema
from tensorloom.schemas import load_schema

from contraction_search_program import CHAIN, ContractionSearchTest, golden_phases, load_json


def macs_of(network, steps):
    """Of a list of steps, in the words of the golden: the product of the sizes of the union of both operands' indices."""
    tensors = {name: set(indices) for name, indices in network["nodes"]}
    total = 0
    for a, b, made in steps:
        both = tensors.pop(a) | tensors.pop(b)
        total += math.prod(network["sizes"][index] for index in both)
        needed = set(network["out"]).union(*tensors.values())
        tensors[made] = both & needed
    assert [set(network["out"])] == list(tensors.values())
    return total


class Result(ContractionSearchTest):
    def test_golden_networks_from_files(self):
        for name, network, figures in list(golden_phases())[::7]:
            with self.subTest(name=name):
                self.save_network(network)
                found = self.found("--network network.json --near-copies 0")
                self.assertEqual(found["optimal_macs"], figures["opt_macs"])
                self.assertIsInstance(found["optimal_macs"], int)
                self.assertEqual(found["sequence"]["macs"], figures["opt_macs"])
                self.assertEqual(macs_of(network, found["sequence"]["steps"]), figures["opt_macs"])
                self.assertEqual(found["network"], network)
                self.assertIsNone(found["layer"])
                self.assertIsNone(found["training"])
                if "top8_macs" in figures:
                    self.assertEqual([tree["macs"] for tree in found["top"]], figures["top8_macs"])

    def test_optimal_macs_whatever_the_objective(self):
        for objective in ("macs", "memory", "traffic"):
            found = self.found(f"--layer ucf-ttm --objective {objective}")
            self.assertEqual(found["optimal_macs"], 185991168)
            self.assertEqual(found["sequence"], {**found["strategies"][f"csse-{objective}"],
                                                 "steps": found["sequence"]["steps"]})
        self.assertGreater(found["sequence"]["macs"], found["optimal_macs"])

    def test_objectives_of_the_device(self):
        for objective, figure in (("latency", "cycles"), ("energy", "energy_pJ"), ("edp", "edp_pJ_s")):
            found = self.found(f"--layer ucf-ttm --objective {objective}")
            self.assertEqual(found["optimal_macs"], 185991168)
            best = found["sequence"]["device"]
            self.assertEqual(best["basis"], "plan")
            self.assertEqual(found["strategies"][f"csse-{objective}"]["device"], best)
            self.assertAlmostEqual(best["edp_pJ_s"], best["energy_pJ"] * best["cycles"] * 1e-9, delta=1)
            for strategy in filter(None, found["strategies"].values()):
                if strategy["device"]["basis"] != "apart":
                    self.assertGreaterEqual(strategy["device"][figure], best[figure])
            self.assertEqual([tree["device"]["basis"] for tree in found["top"]],
                             sorted((tree["device"]["basis"] for tree in found["top"]), key="plan sketch apart".split().index))
            self.assertEqual(best["residency"], "batch-blocked")
            self.assertIs(found["configuration"]["dx"], False)
        self.assertIsNone(self.found("--layer ucf-ttm")["sequence"]["device"])

    def test_dx_takes_longer(self):
        cycles = [self.found(f"--layer atis-tt --objective latency --dx {dx}")["sequence"]["device"]["cycles"]
                  for dx in ("off", "on", "auto")]
        self.assertLess(cycles[0], cycles[1])
        self.assertEqual(cycles[1], cycles[2])

    def test_the_device_decides(self):
        small = self.found("--layer atis-tt --objective latency --engines 4 --memory sram")
        large = self.found("--layer atis-tt --objective latency --memory sram")
        self.assertLess(large["sequence"]["device"]["cycles"], small["sequence"]["device"]["cycles"])

    def test_a_network_by_itself_by_the_device(self):
        for name, network, figures in list(golden_phases())[::13]:
            self.save_network(network)
            found = self.found("--network network.json --objective latency")
            self.assertEqual(found["optimal_macs"], figures["opt_macs"], name)
            self.assertEqual(found["sequence"]["device"]["basis"], "plan", name)
            self.assertGreaterEqual(256 * found["sequence"]["device"]["cycles"], found["sequence"]["macs"], name)
            self.assertIsNone(found["configuration"]["dx"])
            self.assertLess(found["simulation"]["cpu_s"], 4, name)

    def test_what_fits_nowhere_is_costed_apart(self):
        nowhere = "--layer ucf-bt-d2 --objective edp --bank-bytes 16384"
        found = self.found(nowhere)
        self.assertEqual({tree["device"]["basis"] for tree in found["top"]}, {"apart"})
        self.assertIn("no block fits", self.succeeds(nowhere).out)

    def test_strategies_side_by_side(self):
        found = self.found("--layer ucf-ttm")["strategies"]
        self.assertEqual({name: found[name] and found[name]["macs"] for name in found}, {
            "csse-macs": 185991168, "csse-memory": 417064960, "csse-traffic": 417064960, "ascending": 1210318848,
            "descending": 185991168, "tetrix": 185991168, "reconstruct": 5911511040, "reconstruct-best": 5898496000,
            "bidirectional": None})
        out = self.succeeds("--layer ucf-ttm").out
        for name in found:
            self.assertRegex(out, rf"(?m)^    {name} +(\d|not of)")

    def test_training_figures(self):
        self.assertEqual(self.found("--layer ucf-ttm")["training"],
                         {"reverse_mode_macs": 557973504, "without_dx_macs": 469499904})

    def test_every_search_finds_the_same(self):
        found = [self.found(f"--layer ucf-bt --search {search}") for search in ("auto", "depth-first", "subsets")]
        self.assertEqual(*[[tree["macs"] for tree in f["top"]] for f in found[1:]])
        self.assertEqual(found[0]["top"], found[1]["top"])

    def test_top_and_near_copies(self):
        self.assertEqual(len(self.found("--layer ucf-ht --top 3")["top"]), 3)
        plain, every = (self.found(f"--layer ucf-ht {more}")["top"] for more in ("", "--near-copies 0"))
        self.assertLess(every[-1]["macs"], plain[-1]["macs"])

    def test_a_layer_by_its_sizes_is_the_named_one(self):
        named = self.found("--layer ucf-tt")
        sizes = self.found("--format tt --rows 1024=16x8x8 --cols 8x20x20x18 --ranks 1,4,5,9,12,6,3,1 --batch 96")
        self.assertEqual(sizes["network"], named["network"])
        self.assertEqual(sizes["sequence"], named["sequence"])

    def test_a_batch_of_one_s_own(self):
        self.assertEqual(self.found("--layer atis-tt --batch 1024")["optimal_macs"], 19123200)

    def test_a_chain_of_matrices(self):
        self.save_network(CHAIN)
        found = self.found("--network network.json")
        self.assertEqual(found["sequence"]["steps"], [["A", "B", "T1"], ["T1", "C", "T2"]])
        self.assertEqual(found["optimal_macs"], 2 * 30 * 4 + 2 * 4 * 50)
        self.assertIn("\n    T2 [i l]: 2 x 50 over 4, 400 MACs\n      T1 [i k]: 2 x 4 over 30, 240 MACs\n"
                      "        A [i j]\n        B [j k]\n      C [k l]\n", self.succeeds("--network network.json").out)

    def test_one_node(self):
        self.save_network({"nodes": [["A", ["i"]]], "out": ["i"], "sizes": {"i": 3}})
        found = self.found("--network network.json")
        self.assertEqual((found["optimal_macs"], found["sequence"]["steps"]), (0, []))

    def test_out_has_the_same(self):
        found = self.found("--layer fc4096-ttm --out files --phase wg:G3")
        summary = load_json(self.path("files/summary.json"))
        self.assertEqual(summary, found)
        self.assertEqual(os.listdir(self.path("files")), ["summary.json"])

    def test_time_that_is_up(self):
        for objective in ("macs", "memory", "traffic", "energy"):
            with self.subTest(objective=objective):
                found = self.found(f"--layer ucf-tr --objective {objective} --time-limit 1e-9")
                self.assertEqual((found["complete"], found["optimal"], found["optimal_macs"]), (False, False, None))
                self.assertIs(found["check"]["passed"], True)
                known = list(filter(None, found["strategies"].values()))
                self.assertEqual(found["fewest_macs"], min(strategy["macs"] for strategy in known))
                self.assertLess(found["fewest_macs"], found["strategies"]["ascending"]["macs"])
                self.assertEqual(found["strategies"][f"csse-{objective}"]["tree"], found["sequence"]["tree"])
                if objective == "energy":
                    costs = list(filter(None, (strategy["device"] for strategy in known)))  # those that were known in time
                    fitting = [cost["energy_pJ"] for cost in costs if cost["basis"] != "apart"]
                    self.assertLessEqual(found["sequence"]["device"]["energy_pJ"],
                                         min(fitting or [cost["energy_pJ"] for cost in costs]))
                else:
                    self.assertEqual(found["sequence"][objective], min(strategy[objective] for strategy in known))
        out = self.succeeds("--layer ucf-tr --time-limit 1e-9").out
        self.assertIn("NOT COMPLETE, best found", out)
        self.assertRegex(out, r"MACs +[\d,]+, best found [\d,]+\n")
        self.assertNotIn("optimum", out)

    def test_a_search_that_ends_is_optimal(self):
        for line, optimal in (("--layer atis-tt", True), ("--layer ucf-ttm --time-limit 100", True),
                              ("--layer atis-tt --objective latency", False)):
            found = self.found(line)
            self.assertEqual((found["complete"], found["optimal"]), (True, optimal), line)
            self.assertEqual(found["optimal_macs"], found["fewest_macs"], line)

    def test_schema(self):
        schema = load_schema("contraction_search-summary")
        jsonschema.Draft201909Validator.check_schema(schema)
        self.save_network(CHAIN)
        for line in ("--layer ucf-ttm", "--network network.json --objective memory", "--layer atis-tt --phase wg:G1",
                     "--layer atis-tt --objective edp", "--network network.json --objective latency",
                     "--format bt --rows 4x4 --cols 4x4 --ranks 2 --blocks 3 --no-check", "--layer tednet-tr --top 1"):
            found = self.found(line)
            jsonschema.Draft201909Validator(schema).validate(found)
            self.assertIs(found["check"]["passed"], None if "--no-check" in line else True)
        for key in list(found):
            self.assertFalse(jsonschema.Draft201909Validator(schema).is_valid({k: v for k, v in found.items() if k != key}))
        self.assertFalse(jsonschema.Draft201909Validator(schema).is_valid({**found, "more": 1}))

    def test_a_run_is_repeated_from_its_summary(self):
        first = self.found("--layer ucf-ht --top 2 --out first")
        again = self.found("--config first/summary.json")
        self.assertEqual(again["top"], first["top"])
