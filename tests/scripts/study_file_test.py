#!/usr/bin/env python3
"""What a study asks: its points and their options; bad files are refused in one line before anything runs; Pareto fronts.
Needs python3-yaml; nothing is scheduled here."""
import contextlib
import io
import json
import math
import os
import random
import unittest
from unittest import mock

import numpy as np
import yaml

import package_path
from study_folder import NO_SNAKEMAKE, StudyTest, has_snakemake
from tensorloom import study_command
from tensorloom.option_keys import short_names
from tensorloom.study.constraints import constraint_of, nearest
from tensorloom.study.measures import MEASURES, Measure, schema_of, unknown_name
from tensorloom.study.pareto import front
from tensorloom.study.plan import StudyRun, plan_of
from tensorloom.study.results import designs_of
from tensorloom.study.study_file import Objective, Text, read_study

GRID = "testbench: stand_in\ngrid: {x: [1, 2]}\n"
REFUSED = (  # the file, the line of it that is named, what stands in the complaint
    ("testbench: none_such\ngrid: {x: [1]}\n", None, "none_such"),
    ("testbench: ../dxt\ngrid: {x: [1]}\n", 1, "'../dxt'"),
    ("grid: {x: [1]}\n", 1, "no testbench"),
    ("testbench: stand_in\n", 1, "no points"),
    ("", 1, "no testbench"),
    ("- 1\n", 1, "not a mapping"),
    ("testbench: [stand_in\n", 2, "expected a study in YAML"),
    ("testbench: stand_in\ngrid: &g {x: [1], y: *g}\n", 2, "too deep"),
    ("testbench: stand_in\ngrid: " + 200_000 * "[", 2, "nested more than 8 deep"),
    ("testbench: stand_in\ngrid: " + 200_000 * "{a: " + "1" + 200_000 * "}" + "\n", 2, "nested more than 8 deep"),
    (GRID + "colour: red\n", 3, "'colour' is not a key of a study"),
    (GRID + "testbench: stand_in\n", 3, "'testbench' is given twice"),
    ("testbench: stand_in\ngrid:\n  x: [1]\n  x: [2]\n", 4, "'x' is given twice"),
    ("testbench: stand_in\ngrid: {x: [1, 2, 1]}\n", 2, "x has 1 twice"),
    ("testbench: stand_in\ngrid: {x: []}\n", 2, "empty list"),
    ("testbench: stand_in\ngrid: {}\n", 2, "empty"),
    ("testbench: stand_in\ngrid: {x: 1}\n", 2, "not a list of values"),
    ("testbench: stand_in\ngrid: {x: [1, '']}\n", 2, "no value"),
    ("testbench: stand_in\ngrid:\n  mdoe: [a]\n", 3, "'mdoe' is not an option of stand_in, perhaps mode"),
    ("testbench: stand_in\noptions: {out: there}\ngrid: {x: [1]}\n", 2, "'out' cannot be an option of a point"),
    ("testbench: stand_in\noptions: {x: 3}\ngrid: {x: [1]}\n", 3, "'x' is also in options"),
    ("testbench: stand_in\noptions: {x: 3}\ngrid: {times: [1]}\n", 3, "'x' is also in options"),
    ("testbench: stand_in\noptions: {y: 3}\ngrid:\n  x: [1]\n  times: [1]\n", 5, "x is given twice, once by its synonym"),
    ("testbench: stand_in\nlist: [{x: 1}, {times: 1}]\n", None, "two points are the same: x 1"),
    ("testbench: stand_in\ngrid: {x: [1.5]}\n", 2, "x is '1.5', expected an integer"),
    ("testbench: stand_in\nrepeats: 2\noptions: {seed: 1%s}\ngrid: {x: [1]}\n" % (5000 * "0"), 3,
     "seed is '1%s...', expected an integer of at most 20 digits" % (79 * "0")),
    ("testbench: stand_in\ngrid: {y: [one]}\n", 2, "y is 'one', expected a number"),
    ("testbench: stand_in\ngrid: {mode: [c]}\n", 2, "mode is 'c', expected a or b"),
    ("testbench: stand_in\ngrid: {on: [yes]}\n", 2, "on is 'yes', expected on or off"),
    ("testbench: stand_in\ngrid: {aligner: [yes]}\n", 2, "aligner is 'yes', expected on or off"),
    ("testbench: stand_in\ngrid: {x: [[1, 2]]}\n", 2, "x is a list, expected a single value"),
    ("testbench: stand_in\noptions: {input: none.npy}\ngrid: {x: [1]}\n", 2, "input is 'none.npy', expected a file"),
    ("testbench: stand_in\nlist: [{x: 1}, {x: 1}]\n", None, "two points are the same: x 1"),
    ("testbench: stand_in\ngrid: {x: [1]}\nlist: [{x: 1}]\n", None, "two points are the same"),
    ("testbench: stand_in\nlist: []\n", 2, "empty"),
    ("testbench: stand_in\nsample: {options: {x: [1]}}\n", 2, "no count"),
    ("testbench: stand_in\nsample: {count: 0, options: {x: [1]}}\n", 2, "count is '0'"),
    ("testbench: stand_in\nsample: {count: 3, options: {x: [1, 2]}}\n", None, "2 different points, expected 3"),
    ("testbench: stand_in\nsample: {count: 3, options: {x: {from: 5, to: 1}}}\n", 2, "expected a larger end"),
    ("testbench: stand_in\nsample: {count: 3, options: {y: {from: 0, to: 1, scale: logarithmic}}}\n", 2, "logarithm"),
    ("testbench: stand_in\nsample: {count: 3, options: {mode: {from: a, to: b}}}\n", 2, "it is not a number"),
    ("testbench: stand_in\nsample: {count: 3, options: {y: {from: 0}}}\n", 2, "no 'to'"),
    (GRID + "repeats: 0\n", 3, "repeats is '0', expected 1 to 10000"),
    ("testbench: stand_in\nrepeats: 2\ngrid: {seed: [1]}\n", 3, "'seed' is swept"),
    ("testbench: stand_in\noptions: {seed: -1}\nrepeats: 2\ngrid: {x: [1]}\n", None, "seed"),
    (GRID + "measures: {latency: cycles}\n", 3, "'latency' cannot name a measure"),
    (GRID + "measures: {a-b: cycles}\n", 3, "'a-b' cannot name a measure"),
    (GRID + "measures: {x: cycles}\n", 3, "'x' is already a column"),
    (GRID + "measures: {host: cycles}\n", 3, "'host' is already a column"),
    (GRID + "measures: {load: [cycles]}\n", 3, "load is empty or not a single value"),
    (GRID + "objectives: {speed: max}\n", 3, "'speed' is not a key of objectives, expected one of latency"),
    (GRID + "objectives: {latency: least}\n", 3, "latency is 'least', expected min or max"),
    (GRID + "objectives: {}\n", 3, "empty"),
    (GRID + "constraints: area_mm2 <= 50\n", 3, "constraints is not a list"),
    (GRID + "constraints: []\n", 3, "constraints is not a list, or is empty, expected a limit like area_mm2 <= 50"),
    (GRID + "constraints:\n  - area_mm2 < 50\n", 4, "'area_mm2 < 50' is not a constraint, expected a limit like"),
    (GRID + "constraints: [area <= much]\n", 3, "'area <= much' is not a constraint"),
    (GRID + "constraints: [area_mm2 <= 1, area_um2 >= 1000001]\n", 3, "'area_um2 >= 1000001' contradicts 'area_mm2 <= 1'"),
    (GRID + "constraints: [speed <= 5]\n", 3, "'speed' is not a measure, expected one of latency"),
    (GRID + "constraints: [area_W <= 5]\n", 3, "'area_W' is not a measure"),
    (GRID + "constraints: [area <= 5, area <= 5]\n", 3, "constraints has 'area <= 5' twice"),
    (GRID + "constraints: [power_W <= -1]\n", 3, "no design meets power_W <= -1: power is at least 0"),
    (GRID + "question: [what]\n", 3, "question is empty or not a single value"),
    (GRID + "measures: {area_um2_deviation: cycles}\n", 3, "'area_um2_deviation' is already a column"),
    (GRID + "batch: many\n", 3, "batch is 'many'"),
    (GRID + "keep: nothing\n", 3, "keep is 'nothing', expected summary or all"),
    ("testbench: stand_in\ngrid: {x: [1, 2000]}\n", None, "point 2: stand_in: --x is '2000'"),  # the program's own verdict
    ("testbench: stand_in\nrepeats: 10000\ngrid: {x: [%s]}\n" % ", ".join(map(str, range(1, 102))), None, "1,010,000 runs"),
)


class ConstraintTest(unittest.TestCase):
    def test_a_unit_scales_its_limit(self):
        for text, values, met in (("area_mm2 <= 50", {"area": 50e6}, True), ("area_mm2 <= 50", {"area": 50.1e6}, False),
                                  ("area<=50", {"area": 51}, False), ("power_W >= .5", {"power": 500}, True),
                                  ("energy_mJ <= 1e-3", {"energy": 1e6}, True), ("latency_us >= 2", {"latency": 1999}, False),
                                  ("utilisation >= 0.5", {"utilisation": math.nan}, False), ("area <= 1", {}, False)):
            with self.subTest(text, values=values):
                self.assertEqual(constraint_of(text, MEASURES).met(values), met)
        measures = MEASURES | {"area_of": Measure("area_of", ("a",), "1")}
        self.assertEqual(constraint_of("area_of <= 2", measures).measure, "area_of")

    def test_the_nearest_design_has_the_least_largest_excess(self):
        constraints = [constraint_of(text, MEASURES) for text in ("area_mm2 <= 10", "utilisation >= 0.5")]
        designs = [mock.Mock(values={"area": area, "utilisation": share}) for area, share in
                   ((40e6, 0.5), (12e6, 0.3), (13e6, 0.4), (1e6, math.nan))]
        self.assertIs(nearest(constraints, designs), designs[2])  # 30 % and 20 % beyond; the second is 40 % beyond


class DesignTest(unittest.TestCase):
    def designs(self, rows, constraints=(), goals=(("latency", "min"), ("energy", "min"))):
        """rows: (point, status, latency, energy) of each run."""
        names = ("latency", "energy")
        plan = mock.Mock(measures={name: Measure(name, (name,), "1") for name in names},
                         objectives=[Objective(Text(name), goal) for name, goal in goals],
                         constraints=[constraint_of(text, MEASURES) for text in constraints], varied=lambda: ["x"])
        return designs_of(plan, [(StudyRun(point, 1, (("x", ("1",)), ("seed", ("2",))), ""), status,
                                  {"latency": latency, "energy": energy}) for point, status, latency, energy in rows])

    def test_a_point_is_the_mean_and_deviation_of_its_runs(self):
        first, second, third = self.designs([(1, "done", 1, 5), (1, "done", 3, 5), (2, "done", 7, 7), (2, "wrong", 7, 7), (3, "done", 9, 0.1)])
        self.assertEqual((first.values, first.runs, first.options), ({"latency": 2, "energy": 5}, 2, {"x": "1"}))
        self.assertAlmostEqual(first.deviations["latency"], math.sqrt(2))
        self.assertEqual(first.deviations["energy"], 0)
        self.assertEqual((second.status, second.values, second.meets, second.on_front), ("wrong", {}, False, False))
        self.assertEqual((third.deviations, third.on_front), ({"latency": 0, "energy": 0}, True))

    def test_the_front_is_of_designs_that_meet_the_constraints(self):
        designs = self.designs([(1, "done", 1, 1), (2, "done", 5, 5), (3, "done", 6, 6)], ["energy >= 3"])
        self.assertEqual([(design.meets, design.on_front) for design in designs], [(False, False), (True, True), (True, False)])

    def test_a_point_is_out_only_beyond_the_deviation(self):
        rows = [(1, "done", 9, 5), (1, "done", 11, 5), (2, "done", 10.5, 5), (2, "done", 11.5, 5), (3, "done", 14, 5), (3, "done", 14, 5)]
        self.assertEqual([design.on_front for design in self.designs(rows)], [True, True, False])
        exact = [row for row in rows[::2] if row] + [(4, "done", 11, 5)]
        self.assertEqual([design.on_front for design in self.designs(exact)], [True, False, False, False])


@unittest.skipUnless(has_snakemake(), NO_SNAKEMAKE)
class StudyFileTest(StudyTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        patched = mock.patch.dict(os.environ, self.environment)
        patched.start()
        self.addCleanup(patched.stop)

    def plan(self, text):
        self.write_study(text)
        return plan_of(read_study("study.yaml"))

    def asked(self, text):
        """The options of each run, without their dashes."""
        return [dict(word[2:].partition("=")[::2] for word in run.arguments(plan.table))
                for plan in [self.plan(text)] for run in plan.runs]

    def refused(self, *arguments):
        complaint = io.StringIO()
        with mock.patch("sys.argv", ["tensorloom-study", *arguments]), contextlib.redirect_stderr(complaint):
            self.assertEqual(study_command.main(), 2, arguments)
        self.assertRegex(complaint.getvalue(), r"\Atensorloom-study: [^\n]+\n\Z")
        return complaint.getvalue()

    def test_a_grid_is_all_combinations_and_a_list_what_it_says(self):
        found = self.asked("testbench: stand_in\noptions: {y: 0.50}\ngrid: {mode: [a, b], x: [3, 4]}\nlist: [{x: 7, on: true}, {on: false}]\n")
        self.assertEqual(found, [{"x": "3", "y": "0.50", "mode": "a"}, {"x": "4", "y": "0.50", "mode": "a"},
                                 {"x": "3", "y": "0.50", "mode": "b"}, {"x": "4", "y": "0.50", "mode": "b"},
                                 {"x": "7", "y": "0.50", "on": ""}, {"y": "0.50"}])

    def test_booleans_are_on_or_off_and_may_be_true_or_false(self):
        found = self.asked("testbench: stand_in\ngrid: {aligner: [on, off]}\nlist: [{aligner: true}, {aligner: false}]\n")
        self.assertEqual([point["aligner"] for point in found], ["on", "off", "true", "false"])

    def test_a_synonym_is_its_option(self):
        plan = self.plan("testbench: stand_in\ngrid: {times: [3, 4]}\nlist: [{x: 7}]\n")
        self.assertEqual(([run.options for run in plan.runs], plan.swept), ([(("x", ("3",)),), (("x", ("4",)),), (("x", ("7",)),)], ["x"]))
        self.assertEqual([run.id for run in plan.runs], [run.id for run in self.plan("testbench: stand_in\ngrid: {x: [3, 4, 7]}\n").runs])

    def test_repeats_are_the_next_seeds(self):
        plan = self.plan("testbench: stand_in\noptions: {seed: 40}\nrepeats: 3\ngrid: {x: [1, 2]}\n")
        self.assertEqual([(run.point, run.repeat, dict(run.options)["seed"]) for run in plan.runs],
                         [(point, repeat, (str(39 + repeat),)) for point in (1, 2) for repeat in (1, 2, 3)])
        self.assertEqual(len({run.id for run in plan.runs}), 6)

    def test_values_are_taken_as_they_are_written(self):
        found = self.asked("testbench: stand_in\nlist: [{tags: [on, 1e3, 0x10, 12:30, no]}, {tags: 1_000}]\n")
        self.assertEqual([found[0]["tags"], found[1]["tags"]], ["no", "1_000"])
        runs = self.plan("testbench: stand_in\nlist: [{tags: [on, 1e3, 0x10, 12:30, no]}]\n").runs
        self.assertEqual(runs[0].options, (("tags", ("on", "1e3", "0x10", "12:30", "no")),))

    def test_a_sample_has_different_points_within_its_ranges_the_same_for_the_same_seed(self):
        text = ("testbench: stand_in\nsample: {count: 200, seed: %d, options: {x: {from: 1, to: 9}, y: {from: 0.01, to: 100, "
                "scale: logarithmic}, mode: [a, b], burst: {from: 1, to: 900, scale: logarithmic}}}\n")
        found = self.asked(text % 5)
        self.assertEqual(found, self.asked(text % 5))
        self.assertNotEqual(found, self.asked(text % 6))
        self.assertEqual(len({tuple(point.items()) for point in found}), 200)
        self.assertEqual({point["x"] for point in found}, set("123456789"))
        self.assertEqual({point["mode"] for point in found}, {"a", "b"})
        y = [float(point["y"]) for point in found]
        self.assertTrue(0.01 <= min(y) < 0.02 and 50 < max(y) <= 100)
        self.assertTrue(70 < sum(value < 1 for value in y) < 130)  # half of the logarithms
        self.assertTrue(all(1 <= int(point["burst"]) <= 900 for point in found))

    def test_bad_files_are_refused_before_anything_runs(self):
        for text, line, words in REFUSED:
            with self.subTest(text=text):
                self.write_study(text)
                complaint = self.refused("study.yaml", "--out", "found")
                self.assertIn(words, complaint)
                if line is not None:
                    self.assertIn(f"study.yaml:{line}: ", complaint)
                self.assertFalse(os.path.exists(self.log) or os.path.exists("found"))

    TEMPLATE = ("# The ${text} of a comment is no parameter.\nepochs: 2\noptimizer: {kind: sgd, rate: '${rate}'}\nlayers:\n"
                "  - {name: one, ranks: \"${rank}\"}\n  - name: two-${rank}\n    ranks: ${rank}\n")

    def test_parameters_of_a_template_fill_the_model_of_each_point(self):
        self.write_study(self.TEMPLATE, "model.yaml")
        plan = self.plan("testbench: stand_in\noptions: {rate: 0.5}\ntemplate: {model: model.yaml}\n"
                         "grid: {rank: [2, '3,4'], x: [1, 2]}\n")
        self.assertEqual((plan.swept, plan.fixed), (["rank", "x"], {"rate": "0.5", "model": "model.yaml"}))
        found = [(run.values()["rank"], run.values()["x"], json.loads(dict(run.options)["model"][0])) for run in plan.runs]
        self.assertEqual([(rank, x) for rank, x, _ in found], [((rank,), (x,)) for rank in ("2", "3,4") for x in "12"])
        for (rank,), _, model in found[:2]:
            self.assertEqual(model, {"epochs": "2", "optimizer": {"kind": "sgd", "rate": "0.5"},
                                     "layers": [{"name": "one", "ranks": rank}, {"name": f"two-{rank}", "ranks": rank}]})
        self.assertEqual(found[2][2]["layers"][0]["ranks"], "3,4")
        self.assertEqual(len({run.id for run in plan.runs}), 4)
        self.write_study(self.TEMPLATE.replace("epochs: 2", "epochs: 3"), "model.yaml")
        again = self.plan("testbench: stand_in\ntemplate: {model: model.yaml}\nlist: [{rank: 2, rate: 0.5, x: 1}]\n")
        self.assertNotIn(again.runs[0].id, [run.id for run in plan.runs])  # of another template
        drawn = self.plan("testbench: stand_in\noptions: {rate: 1}\ntemplate: {model: model.yaml}\n"
                          "sample: {count: 5, options: {rank: {from: 1, to: 9}}}\n").runs
        self.assertTrue(all(run.values()["rank"][0] in "123456789" for run in drawn))

    def test_bad_templates_are_refused_before_anything_runs(self):
        self.write_study(self.TEMPLATE, "model.yaml")
        self.write_study("epochs: 2\n", "plain.yaml")
        self.write_study("- ${rank}\n", "list.yaml")
        self.write_study("a: ${x}\n", "taken.yaml")
        self.write_study("a: [${rank}\n", "broken.yaml")
        of = "testbench: stand_in\ntemplate: {model: %s}\ngrid: {rank: [2], rate: [1]}\n"
        for text, words in ((of % "none.yaml", "study.yaml:2: none.yaml cannot be read"), (of % "plain.yaml", "plain.yaml has no parameter"),
                            (of % "list.yaml", "'rate' is not an option"), (of % "taken.yaml", "the template has ${x}, which is already an option"),
                            (of.replace(", rate: [1]", "") % "list.yaml", "list.yaml: found list, expected 'name: value' lines"),
                            (of.replace(", rate: [1]", "") % "broken.yaml", "broken.yaml:2: "),
                            (of.replace(", rate: [1]", "") % "model.yaml", "point 1 has no rate, expected a value for ${rate}"),
                            (of.replace("model:", "technology:") % "model.yaml", "'technology' of stand_in cannot have a template"),
                            (of.replace("rate: [1]", "rate: [1], model: [a]") % "model.yaml", "'model' is also in template"),
                            ("testbench: stand_in\ntemplate: {}\ngrid: {x: [1]}\n", "template is not a mapping, or is empty"),
                            (GRID + "objectives: {accuracy: max}\n", "stand_in does not report accuracy")):
            with self.subTest(text=text):
                self.write_study(text)
                self.assertIn(words, self.refused("study.yaml", "--out", "found"))
        self.assertFalse(os.path.exists(self.log) or os.path.exists("found"))

    MODEL = ("epochs: 2\nlayers:\n  - {name: one, format: ttm, rows: 4x4, ranks: 2}\n  - {name: two, format: ttm, ranks: 2}\n"
             "optimizer: {kind: sgd, rate: 0.1}\n")

    def models(self, text):
        self.write_study(self.MODEL, "model.yaml")
        return [json.loads(dict(run.options)["model"][0]) for run in self.plan("testbench: stand_in\n" + text).runs]

    def test_points_set_keys_of_a_model(self):
        one, two = {"name": "one", "format": "ttm", "rows": "4x4", "ranks": "2"}, {"name": "two", "format": "ttm", "ranks": "2"}
        whole = {"epochs": "2", "layers": [one, two], "optimizer": {"kind": "sgd", "rate": "0.1"}}
        of = "template: {model: model.yaml}\n"
        found = self.models(of + "grid: {model.layers.one.ranks: [4, '4,8', [4, 8], null], model.layers.1.format: [tt]}\n")
        self.assertEqual([model["layers"] for model in found],
                         [[{**one, "ranks": ranks}, {**two, "format": "tt"}] for ranks in ("4", "4,8", "4,8")] +
                         [[{name: one[name] for name in ("name", "format", "rows")}, {**two, "format": "tt"}]])
        found = self.models(of + "options: {model.optimizer.kind: adam}\nlist:\n"
                                 "  - model.layers.one: {format: dense, rows: [2, 8], ranks: null}\n"
                                 "  - {model.layers.two: null, model.epochs: 5, model.optimizer: {rate: 1e-3, decay: 0.1}}\n")
        self.assertEqual(found, [{**whole, "layers": [{"name": "one", "format": "dense", "rows": "2x8"}, two],
                                  "optimizer": {"kind": "adam", "rate": "0.1"}},
                                 {"epochs": "5", "layers": [one], "optimizer": {"kind": "adam", "rate": "1e-3", "decay": "0.1"}}])
        for text in ("options: {model: model.yaml}\n", "options: {model: '{layers: [{name: one}]}'}\n"):
            found = self.models(text + "sample: {count: 3, options: {model.layers.one.ranks: {from: 1, to: 3}}}\n")
            self.assertEqual(sorted(model["layers"][0]["ranks"] for model in found), ["1", "2", "3"])
        shipped, = self.models("template: {model: digits-ttm}\ngrid: {model.layers.hidden.ranks: [8]}\n")
        with open(os.path.join(package_path.ROOT, "workloads/training/models/digits-ttm.yaml"), encoding="utf-8") as file:
            expected = yaml.load(file, Loader=yaml.BaseLoader)
        expected["layers"][0]["ranks"] = "8"
        self.assertEqual(shipped, expected)

    def test_keys_are_columns_with_short_labels(self):
        self.write_study(self.MODEL, "model.yaml")
        plan = self.plan("testbench: stand_in\ntemplate: {model: model.yaml}\ngrid:\n  model.layers.one.ranks: [4, 8]\n  x: [1]\n"
                         "  model.layers.one: [{rows: 2x8, ranks: 1}]\n")
        self.assertEqual((plan.swept, plan.fixed), (["model.layers.one.ranks", "model.layers.one", "x"], {"model": "model.yaml"}))
        self.assertEqual([run.values()["model.layers.one"] for run in plan.runs], [("{rows: 2x8, ranks: 1}",)] * 2)
        self.assertEqual(short_names([*plan.swept, "model.layers.two.ranks", "model.epochs", "model.a.up.ranks", "model.b.up.ranks"]),
                         {"model.layers.one.ranks": "one.ranks", "model.layers.one": "layers.one", "x": "x", "model.epochs": "model.epochs",
                          "model.layers.two.ranks": "two.ranks", "model.a.up.ranks": "a.up.ranks", "model.b.up.ranks": "b.up.ranks"})

    def test_bad_keys_are_refused_before_anything_runs(self):
        self.write_study(self.MODEL, "model.yaml")
        of = "testbench: stand_in\ntemplate: {model: %s}\ngrid:\n  %s\n"
        for file, grid, words in (("model.yaml", "model.layers.three.ranks: [2]", "study.yaml:4: model.layers.three.ranks: found no entry "
                                                                             "'three', expected 0 to 1 or one, two"),
                                  ("model.yaml", "model.layers.2: [{ranks: 2}]", "found no entry '2', expected 0 to 1 or one, two"),
                                  ("model.yaml", "model.leyers.one.ranks: [2]", "found no 'leyers', expected one of epochs, layers, optimizer"),
                                  ("model.yaml", "model.epochs.few: [2]", "found '2' where 'few' should be, expected a dict or a list"),
                                  ("model.yaml", "mode.layers: [2]", "study.yaml:4: 'mode.layers' is not a key of an option of stand_in"),
                                  ("model.yaml", "model..ranks: [2]", "study.yaml:4: 'model..ranks' is not a key of an option"),
                                  ("model.yaml", "model.layers.one.ranks: [2, 2]", "model.layers.one.ranks has 2 twice"),
                                  ("model.yaml", "model.layers.one: [{ranks: }]", "study.yaml:4: model.layers.one has no value of one line"),
                                  ("model.yaml", "model.layers.one: [[]]", "model.layers.one has no value of one line"),
                                  ("model.yaml", "model.layers: [null]\n  model.layers.one.ranks: [2]", "found no 'layers'"),
                                  ("digits-tmm", "model.layers.one.ranks: [2]", "study.yaml:2: digits-tmm cannot be read: No such file or "
                                                                                "directory, expected a file or one of digits-conv, ")):
            with self.subTest(grid=grid):
                self.write_study(of % (file, grid))
                self.assertIn(words, self.refused("study.yaml", "--out", "found"))
        self.write_study("testbench: stand_in\ngrid: {model: [a, b], model.layers.0.ranks: [1]}\n")
        self.assertIn("model varies and so does its key", self.refused("study.yaml", "--out", "found"))
        self.assertFalse(os.path.exists(self.log) or os.path.exists("found"))

    def test_a_front_of_repeats_has_no_seed(self):
        plan = self.plan("testbench: stand_in\nrepeats: 3\ngrid: {x: [1, 2]}\n")
        summary = {"simulated_time_ns": 1.0, "energy_pJ": {"total": 2.0}}
        designs = designs_of(plan, [(run, "done", summary) for run in plan.runs])
        self.assertEqual([design.options for design in designs], [{"x": "1"}, {"x": "2"}])
        self.assertNotIn("seed", plan.described()["swept"])

    def test_a_program_that_is_no_testbench_is_bad_input(self):
        with open("bin/other", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho other: unknown option >&2\nexit 2\n")
        os.chmod("bin/other", 0o755)
        self.write_study("options: {x: 1}\ntestbench: other\nlist: [{y: 1}]\n")
        self.assertEqual(self.refused("study.yaml"), "tensorloom-study: study.yaml:2: other is not a testbench, it does not report its "
                                                     "options: other: unknown option\n")

    def test_help_is_that_of_the_page(self):
        printed = io.StringIO()
        with mock.patch("sys.argv", ["tensorloom-study", "--help"]), contextlib.redirect_stdout(printed):
            self.assertEqual(study_command.main(), 0)
        with open(os.path.join(package_path.ROOT, "docs/studies.md"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("".join(f"    {line}".rstrip() + "\n" for line in printed.getvalue().splitlines()), page)
        for name, measure in MEASURES.items():
            self.assertIn(f"| `{name}` | `{measure.column}` | `{'.'.join(measure.path)}` |", page)

    def test_half_a_surrogate_pair_is_refused(self):
        self.write_study('testbench: stand_in\noptions: {technology: "\\ud800"}\ngrid: {x: [1]}\n')
        self.assertIn("study.yaml:2: ", self.refused("study.yaml"))  # by libyaml
        with mock.patch("yaml.CSafeLoader", yaml.SafeLoader):
            self.assertIn("study.yaml:2: a value has half of a surrogate pair", self.refused("study.yaml"))

    def test_bad_use_is_refused(self):
        self.write_study(GRID)
        os.mkfifo("fifo.yaml")
        os.mkdir("other")
        with open("other/file", "w", encoding="utf-8") as file:
            file.write("mine")
        with open("binary.yaml", "wb") as file:
            file.write(b"\xff\xfe\x00")
        for arguments, words in (((), "0 files"), (("study.yaml", "study.yaml"), "2 files"), (("none.yaml",), "none.yaml"), (("fifo.yaml",), "fifo.yaml is not a regular file"),
                                 (("binary.yaml",), "UTF-8"), (("study.yaml", "--jobs", "0"), "--jobs is '0'"),
                                 (("study.yaml", "--jobs", "x"), "--jobs is 'x'"), (("study.yaml", "--jbos", "1"), "--jbos"),
                                 (("study.yaml", "--profile", "lsf"), "--profile is 'lsf', expected slurm or a folder"),
                                 (("study.yaml", "--again", "some"), "--again"), (("--claims", "none.yaml"), "none.yaml"),
                                 (("--verdicts",), "--verdicts"), (("--verdicts", "none"), "--verdicts"), (("study.yaml", "--out", "other"), "files that do not belong to a study"),
                                 (("study.yaml", "--out", "study.yaml"), "is a file")):
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.refused(*arguments))
        self.assertFalse(os.path.exists(self.log) or os.path.exists("study"))
        self.assertEqual(os.listdir("other"), ["file"])


class MeasureTest(unittest.TestCase):
    def test_names_are_looked_up_in_the_schema_of_the_summary(self):
        for testbench, path, unknown in (
                ("dxt", "simulated_time_ns", None), ("dxt", "simulated_time", "simulated_time"), ("dxt", "energy_pJ.mac", None),
                ("dxt", "cycles_by_cause.load", None), ("dxt", "cycles_by_cause.laod", "laod"), ("dxt", "stages.1.steps", None),
                ("dxt", "stages.one.steps", "one"), ("dxt", "stages.1.step", "step"), ("dxt", "cycles.more", "more"),
                ("contraction_search", "simulated_time_ns", "simulated_time_ns"), ("contraction_search", "check.max_rel_error", None),
                ("none_such", "anything", None)):
            with self.subTest(testbench=testbench, path=path):
                self.assertEqual(unknown_name(schema_of(testbench), path.split(".")), unknown)

    def test_is_a_number_of_the_summary(self):
        causes = {"cycles_by_cause": {"load": 3}}
        for name, cycles in (("load", 3), ("reload", 0)):  # a cause that did not occur is not in a summary
            self.assertEqual(Measure("m", ("cycles_by_cause", name), "1").of(causes), cycles)
        self.assertTrue(np.isnan(Measure("m", ("cycles_by_cause", "load"), "1").of({})))
        summary = {"a": {"b": [1, {"c": 2.5}]}, "text": "1", "flag": True}
        for path, value in (("a.b.0", 1), ("a.b.1.c", 2.5), ("a.b.2", None), ("a.b", None), ("text", None), ("flag", None), ("z", None)):
            found = Measure("m", tuple(path.split(".")), "1").of(summary)
            self.assertTrue(np.isnan(found) if value is None else found == value, path)


class ParetoTest(unittest.TestCase):
    def test_is_what_comparing_all_pairs_finds(self):
        generator = random.Random(3)
        for goals in (["min"], ["min", "max"], ["max", "min", "min"]):
            rows = [[generator.choice([1, 2, 3, 4, 5, float("nan")]) for _ in goals] for _ in range(60)]

            def better(one, other):
                """One is at least as good in all and better in one."""
                signs = [1 if goal == "min" else -1 for goal in goals]
                gains = [(b - a) * sign for a, b, sign in zip(one, other, signs)]
                return all(gain >= 0 for gain in gains) and any(gain > 0 for gain in gains)

            expected = [not any(np.isnan(row)) and not any(better(other, row) for other in rows) for row in rows]
            self.assertEqual(list(front(rows, goals)), expected)
            self.assertTrue(any(expected))

    def test_without_points_there_is_no_front(self):
        self.assertEqual(list(front(np.zeros((0, 2)), ["min", "min"])), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
