#!/usr/bin/env python3
"""tensorloom-plot: pictures show the numbers of the files, drop nothing, have one unit on an axis and say which device
and workload; the command refuses in one line."""
import contextlib
import io
import math
import os
import unittest
from unittest import mock

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import StepPatch

import package_path
from hand_made_runs import RunsTest, summary, write_jobs, write_json, write_run
from png_file import read_png
from tensorloom import plot_command
from tensorloom.pictures import comparison, energy, findings, pareto, roofline, slices, timeline
from tensorloom.run import read_runs
from tensorloom.run_directory import InputProblem


def texts_of(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def bars_of(axes):
    return [bar.get_width() for bar in axes.patches]


class PicturesTest(RunsTest):
    def runs(self, *macs):
        return read_runs([write_run(f"run{place}", count) for place, count in enumerate(macs, 1)])

    def refusal(self, draw, *arguments):
        with self.assertRaises(InputProblem) as caught:
            draw(*arguments)
        return str(caught.exception)

    def test_every_picture_says_device_and_workload(self):
        one, two = self.runs(200), read_runs(["run1", write_run("run2")])
        for draw in (timeline.picture_of, energy.picture_of, roofline.picture_of, comparison.picture_of):
            for runs in (one, two):
                text = " ".join(" ".join(texts_of(draw(runs))).split())
                self.assertIn("TriADA, mesh 2 x 3 x 4", text, draw)
                self.assertIn("3D dct of 2 x 3 x 4", text, draw)

    def test_timeline_has_every_record_and_the_power(self):
        lanes, power = timeline.picture_of(self.runs(200)).axes
        drawn = {lane.get_label(): [path.vertices[:, 0] for path in lane.get_paths()]
                 for lane in lanes.collections if isinstance(lane, PolyCollection)}
        self.assertEqual({cause: len(paths) for cause, paths in drawn.items()},
                         {"load": 1, "compute": 2, "unload": 1, "matrices": 1})
        self.assertEqual([(min(path), max(path)) for path in drawn["compute"]], [(20, 24), (24, 28)])
        step, = (patch for patch in power.patches if isinstance(patch, StepPatch))
        values, edges, _ = step.get_data()
        self.assertEqual(list(edges), [0, 20, 24, 28, 40])
        np.testing.assert_allclose(values, [54, 100, 100, 560 / 12])
        self.assertIn("[mW]", power.get_ylabel())
        self.assertIn("[ns]", power.get_xlabel())

    def test_timeline_shows_the_cycles_that_are_asked_for(self):
        runs = self.runs(200)
        _, power = timeline.picture_of(runs, timeline.Window(10, 14)).axes
        self.assertEqual(power.get_xlim(), (20, 28))
        self.assertIn("has no record of run1", self.refusal(timeline.picture_of, runs, timeline.Window(21, 30)))

    def test_energy_has_one_unit_for_all_bars(self):
        write_run("small", 2)
        write_run("large", 10**9)
        whole, phases, _ = energy.picture_of(read_runs(["small", "large"])).axes
        for axes in (whole, phases):
            self.assertIn("[mJ]", axes.get_xlabel())
            self.assertEqual(axes.get_xscale(), "linear")
        self.assertAlmostEqual(max(bars_of(whole)), 2.0)
        self.assertIn("without leakage", phases.get_title("left"))

    def test_energy_by_phase_is_that_of_the_file(self):
        _, phases, _ = energy.picture_of(self.runs(200)).axes
        self.assertEqual([label.get_text() for label in phases.get_yticklabels()], ["load", "stage 1", "stage 2", "unload"])
        self.assertEqual(sorted(width for width in bars_of(phases) if width), [10, 30, 200, 200])

    def test_roofline_drops_no_case(self):
        runs = self.runs(200, 0)
        axes, = roofline.picture_of(runs).axes
        points = {line.get_label(): (line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines
                  if line.get_marker() != "None"}
        self.assertEqual(points["run1: 10"], (200 / 160, 10))
        self.assertIn("run2: no MACs", points)
        self.assertEqual(points["run2: no MACs"][1], axes.get_ylim()[0])
        roof = axes.lines[0]
        self.assertEqual(max(roof.get_ydata()), 12)
        self.assertIn("12 MACs and 64 bytes", " ".join(texts_of(axes)))
        self.assertEqual(roof.get_xdata()[1], 12 / 64)

    def test_roofline_of_unknown_bytes_is_a_line(self):
        write_run("run")
        os.remove("run/latency.csv")
        os.remove("run/energy.csv")
        axes, = roofline.picture_of(read_runs(["run"])).axes
        self.assertIn("run: 10, bytes unknown", [line.get_label() for line in axes.lines])

    def test_comparison_has_a_bar_per_run_and_says_the_ratio(self):
        figure = comparison.picture_of(self.runs(200, 100))
        panels = {axes.get_title("left").split(" [")[0]: bars_of(axes) for axes in figure.axes if axes.get_title("left")}
        self.assertEqual(panels["multiply-adds"], [200, 100])
        self.assertEqual(panels["time"], [40, 40])
        self.assertAlmostEqual(panels["energy per multiply-add"][1], 22.4)
        self.assertIn("100   (0.5 x)", texts_of(figure))

    def test_runs_of_several_technologies_have_their_own(self):
        names = "old", "new", "own 65nm"
        for name, technology in zip(names, ("45nm", "7nm", "files/65nm.yaml")):
            configuration = {**summary(200)["configuration"], "technology": technology}
            write_run(name, configuration=configuration, area_um2={"total": 1e6})
        runs, labels = read_runs(names), ["old (45nm)", "new (7nm)", "own 65nm (65nm.yaml)"]
        whole, phases, _ = energy.picture_of(runs).axes
        self.assertEqual([label.get_text() for label in whole.get_yticklabels()], labels)
        self.assertIn("new (7nm), load", [label.get_text() for label in phases.get_yticklabels()])
        self.assertEqual(whole.get_title("left"), "The whole run")
        panel = comparison.picture_of(runs).axes[0]
        self.assertEqual([label.get_text() for label in panel.get_yticklabels()], labels)
        self.assertEqual(pareto.machines_of(runs).names, labels)
        for draw in (timeline.picture_of, roofline.picture_of):
            text = "\n".join(texts_of(draw(runs)))
            for label in labels:
                self.assertIn(label, text, draw)

    def test_runs_of_one_technology_share_it(self):
        whole, *_ = energy.picture_of(self.runs(200, 100)).axes
        self.assertEqual([label.get_text() for label in whole.get_yticklabels()], ["run1", "run2"])
        self.assertEqual(whole.get_title("left"), "The whole run, technology 45nm")

    def machines(self):
        """Time [ns], energy [pJ], area [mm2]: slow is the best product, fast the fastest, bad beaten by fast."""
        for name, time, macs, area in (("fast", 10.0, 500, 8e6), ("slow", 30.0, 400, 1e6), ("bad", 20.0, 1000, 9e6)):
            write_run(name, macs, simulated_time_ns=time, area_um2={"total": area, "cells": area})
        return read_runs(["fast", "slow", "bad"])

    def test_pareto_front_and_conclusion_are_those_of_the_numbers(self):
        runs = self.machines()
        machines = pareto.machines_of(runs)
        self.assertEqual((machines.area_mm2, machines.on_front), ([8, 1, 9], [True, True, False]))
        sentence = pareto.conclusion(machines)
        self.assertEqual(sentence, "2 of 3 machines are on the front of time, energy and area; slow has the least product of "
                                   "the three: it takes 3 times the time of fast, the fastest, with 0.934 times its energy on "
                                   "0.125 times its area.")
        axes, = pareto.picture_of(runs).axes
        points, = axes.collections
        self.assertEqual([tuple(map(float, point)) for point in points.get_offsets()], [(10, 3.04), (30, 2.84), (20, 4.04)])
        sizes = points.get_sizes()
        self.assertEqual([size / sizes[2] for size in sizes], [8 / 9, 1 / 9, 1])
        colours = [tuple(colour) for colour in points.get_facecolors()]
        self.assertEqual(colours[0], colours[1])
        self.assertNotEqual(colours[0], colours[2])
        text = " ".join(" ".join(texts_of(axes.figure)).split())
        for part in ("fast*, 8 mm", "slow*, 1 mm", "bad*, 9 mm", "*: the energy includes an estimate", sentence):
            self.assertIn(part, text)
        self.assertNotIn("workloads", text)

    def test_pareto_has_no_star_without_an_estimate(self):
        for name, macs in (("a", 400), ("b", 500)):
            write_run(name, macs, area_um2={"total": 1e6}, energy_estimated=[])
        text = " ".join(texts_of(pareto.picture_of(read_runs(["a", "b"]))))
        self.assertIn("a, 1 mm", text)
        self.assertNotIn("*", text)

    def test_pareto_axes_have_several_numbers(self):
        for low, high in ((2.84, 4.04), (2.84, 2.9), (2, 15), (20, 41), (0.9, 1.1), (12, 900)):
            for name, time in (("a", low), ("b", high)):
                write_run(f"{low}-{high}/{name}", simulated_time_ns=time, area_um2={"total": 1e6})
            axes, = pareto.picture_of(read_runs([f"{low}-{high}/a", f"{low}-{high}/b"])).axes
            axes.figure.canvas.draw()
            first, last = axes.get_xlim()
            numbers = {text.get_text() for text in axes.get_xticklabels(which="both")
                       if text.get_text() and first <= text.get_position()[0] <= last}
            self.assertTrue(2 <= len(numbers) <= 8, (low, high, numbers))

    def test_pareto_of_different_workloads_names_them(self):
        self.machines()
        write_run("other", area_um2={"total": 1e6}, configuration={**summary(1)["configuration"], "shape": [9, 3, 4]})
        runs = read_runs(["fast", "slow", "other"])
        sentence = pareto.difference(runs)
        self.assertEqual(sentence, "The runs have different workloads: 3D dct of 2 x 3 x 4, f64; 3D dct of 9 x 3 x 4 to 2 x 3 x 4, "
                                   "f64.")
        self.assertIn(sentence, " ".join(" ".join(texts_of(pareto.picture_of(runs))).split()))
        write_run("esop", area_um2={"total": 1e6}, configuration={**summary(1)["configuration"], "sparsity": "esop"})
        self.assertEqual(pareto.difference(read_runs(["fast", "slow", "esop"])), "")  # of the device

    def test_pareto_of_joined_runs_has_the_larger_area(self):
        self.machines()
        machines = pareto.machines_of(read_runs(["both=fast,slow", "bad"]))
        self.assertEqual((machines.time_ns[0], machines.area_mm2[0]), (40, 8))

    def test_pareto_of_the_fastest_that_is_also_best(self):
        self.machines()
        sentence = pareto.conclusion(pareto.machines_of(read_runs(["fast", "bad"])))
        self.assertEqual(sentence, "1 of 2 machines are on the front of time, energy and area; fast is the fastest and has the "
                                   "least product of the three.")

    def test_pareto_needs_several_jobs_with_area(self):
        self.assertIn("one job", self.refusal(pareto.picture_of, self.machines()[:1]))
        write_run("flat")
        self.assertIn("flat has no area", self.refusal(pareto.picture_of, read_runs(["flat", "fast"])))

    def test_what_has_no_such_picture_is_named(self):
        write_run("run", cycles_by_cause=None)
        for name in ("latency.csv", "energy.csv"):
            os.remove(f"run/{name}")
        run = read_runs(["run"])
        self.assertIn("run has no rows over time in latency.csv or trace.json", self.refusal(timeline.picture_of, run))
        self.assertIn("has no data of the port 'scratchpad', expected bus",
                      self.refusal(roofline.picture_of, run, "scratchpad"))
        for draw, testbench in ((findings.rivals_picture, "compare_accelerators"), (findings.learning_picture, "tnn_training"),
                                (findings.grid_picture, "compare_accelerators --grid"),
                                (findings.sequences_picture, "contraction_search"),
                                (findings.lengths_picture, "segmented --compare"),
                                (findings.theorems_picture, "segmented --theorems or tensor_unit --theorems"),
                                (findings.latencies_picture, "tensor_unit --theorems"),
                                (findings.wires_picture, "orbital --compare triada")):
            self.assertIn(f"expected one of {testbench}", self.refusal(draw, run))

    def test_rivals(self):
        ratios = {"cycles_by_fetta": 2.0, "energy_by_fetta": 4.0}
        row = {"workload": "w", "sequence": "shared", "cycles": 8, "time_ns": 8, "macs": 8, "dram_cycles": 2,
               "dram_read_bytes": 8, "dram_written_bytes": 8, "utilisation": 0.5, "total_pJ": 1}
        ranges = [{"accelerator": name, "cycles_by_fetta": {"mean": 2.0}} for name in ("tpu", "fetta")]
        write_run("run")
        write_json("run/summary.json", {
            "schema": "s", "testbench": "compare_accelerators",
            "configuration": {"mode": "training", "workloads": [{"name": "w"}]},
            "results": [{**row, "accelerator": "tpu", **ratios}, {**row, "accelerator": "fetta", **ratios}],
            "ranges": ranges, "sweeps": [{"rule": "conflicts", "value": value, "ranges": ranges} for value in ("1", "2")]})
        runs = read_runs(["run"])
        cycles, energies, _, sweep = findings.rivals_picture(runs).axes
        bars = [(bar.get_y(), bar.get_y() + bar.get_height()) for axes in (cycles, energies) for bar in axes.patches]
        self.assertEqual(bars, [(1.0, 2.0), (1.0, 4.0)])  # from FETTA's
        self.assertEqual(list(sweep.lines[0].get_ydata()), [2.0, 2.0])
        self.assertEqual([case.peak_macs for case in runs[0].cases], [2, 2])

    def test_theorems_and_latencies(self):
        def entry(algorithm, q, *points):
            return {"theorem": "1", "algorithm": algorithm, "q": q,
                    "points": [{"size": size, "ratio": ratio, "latency_limit": limit} for size, ratio, limit in points]}

        write_run("run")
        write_json("run/summary.json", {
            "schema": "s", "testbench": "tensor_unit", "configuration": {},
            "theorems": [entry("dense", 4, (8, 1.5, 20), (16, 1.75, 70)), entry("dft", 4, (8, 5.0, 7), (16, 6.0, None)),
                         entry("sparse", 4, (8, 25.0, None)), entry("dense", 16, (16, 1.0, 900))]})
        runs = read_runs(["run"])
        for draw, expected in ((findings.theorems_picture, [{"1: dense": [1.5, 1.75], "1: dft": [5, 6], "1: sparse": [25]}, {"1: dense": [1]}]),
                               (findings.latencies_picture, [{"1: dense": [20, 70], "1: dft": [7]}, {"1: dense": [900]}])):
            panels = draw(runs).axes
            self.assertEqual([{line.get_label(): list(line.get_ydata()) for line in axes.lines} for axes in panels], expected)
            self.assertEqual([text.get_text() for text in panels[-1].get_legend().get_texts()], list(expected[0]))
            self.assertEqual([axes.get_title(loc="left") for axes in panels], ["q = 4", "q = 16"])

    def test_theorems_of_steps_and_work(self):
        def entry(algorithm, s, *points):
            return {"theorem": "4", "algorithm": algorithm, "s": s,
                    "points": [{"size": size, "steps_ratio": steps, "work_ratio": work} for size, steps, work in points]}

        write_run("run")
        write_json("run/summary.json", {
            "schema": "s", "testbench": "segmented", "configuration": {},
            "theorems": [entry("scan", 4, (16, 2.5, 0.5), (64, 3, 0.75)), entry("spmv", 16, (114, 3.5, 0.25))]})
        panels = findings.theorems_picture(read_runs(["run"])).axes
        self.assertEqual([{line.get_label(): list(line.get_ydata()) for line in axes.lines} for axes in panels],
                         [{"4: scan": [2.5, 3]}, {"4: spmv": [3.5]}, {"4: scan": [0.5, 0.75]}, {"4: spmv": [0.25]}])
        self.assertEqual([axes.get_title(loc="left") for axes in panels], ["s = 4", "s = 16"] * 2)
        self.assertEqual([axes.get_ylabel() for axes in panels], ["steps / bound [1]", "", "work / bound [1]", ""])

    def test_grid(self):
        def point(first, last, mean, verdict):
            return {"values": {"mode-orders": first, "conflicts": last},
                    "ranges": [{"accelerator": "tpu", "cycles_by_fetta": {"mean": mean}, "verdict": verdict},
                               {"accelerator": "fetta", "cycles_by_fetta": {"mean": 1}, "verdict": "no difference"}]}

        points = [point("natural", "1", 1.02, "no difference"), point("natural", "16", 4.5, "more"),
                  point("ideal", "1", 0.5, "fewer"), point("ideal", "16", None, None)]
        grid = {"rules": ["mode-orders", "conflicts"], "paper_range": {"least": 3.87, "most": 14.63}, "estimate_error": 0.05,
                "points": points, "accelerators": [{"accelerator": "tpu"}, {"accelerator": "fetta"}]}
        write_run("run")
        summary = {"schema": "s", "testbench": "compare_accelerators", "grid": grid,
                   "configuration": {"mode": "training", "workloads": [{"name": "w"}]}, "results": [], "ranges": []}
        write_json("run/summary.json", summary)
        axes, = findings.grid_picture(read_runs(["run"])).axes
        self.assertEqual([text.get_text() for text in axes.texts], ["~1.02", "4.50*", "0.50"])
        self.assertEqual([patch.get_xy() for patch in axes.patches], [(0.5, -0.5)])  # second column of the first row
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()], ["mode-orders natural", "mode-orders ideal"])
        self.assertEqual([label.get_text() for label in axes.get_xticklabels()], ["1", "16"])
        grid["accelerators"].pop(0)
        write_json("run/summary.json", summary)
        self.assertIn("no accelerator besides fetta", self.refusal(findings.grid_picture, read_runs(["run"])))

    def test_learning(self):
        epochs = [{"epoch": place, "training_loss": loss, "test_loss": 2, "test_accuracy": 0.5}
                  for place, loss in ((1, 3), (2, None))]
        write_run("run", epochs=epochs, parameters=1738)
        losses, accuracies, _ = findings.learning_picture(read_runs(["run"])).axes
        first, second = losses.lines
        self.assertEqual((list(first.get_xdata()), first.get_ydata()[0], math.isnan(first.get_ydata()[1])), ([1, 2], 3, True))
        self.assertEqual(list(second.get_ydata()), [2, 2])
        self.assertEqual(list(accuracies.lines[0].get_ydata()), [50, 50])
        del epochs[1]["test_loss"]
        write_json("run/summary.json", summary(200, epochs=epochs))
        self.assertIn("no field 'epochs.test_loss'", self.refusal(findings.learning_picture, read_runs(["run"])))

    def test_learning_of_targets_has_no_accuracy(self):
        epochs = [{"epoch": 1, "training_loss": 3, "test_loss": 2, "test_accuracy": None}]
        write_run("run", epochs=epochs)
        content = {**summary(200, epochs=epochs), "configuration": {"loss": {"kind": "mse"}}}
        write_json("run/summary.json", content)
        losses, _ = findings.learning_picture(read_runs(["run"])).axes
        self.assertEqual([list(line.get_ydata()) for line in losses.lines], [[3], [2]])
        self.assertIn("mean squared error", losses.get_ylabel())
        write_run("classes", epochs=[{**epochs[0], "test_accuracy": 0.5}])
        losses, accuracies, _ = findings.learning_picture(read_runs(["run", "classes"])).axes
        self.assertIn("mean loss", losses.get_ylabel())
        self.assertEqual([list(line.get_ydata()) for line in accuracies.lines][1], [50])

    def test_names_of_groups_of_rivals_do_not_cover_each_other(self):
        names = [f"{name}-tt-attention-of-{name}" for name in ("bert", "wmt", "ucf", "atis", "vit", "gpt", "llm", "mlp")]
        row = {"sequence": "shared", "accelerator": "tpu", "cycles": 8, "time_ns": 8, "macs": 8, "dram_read_bytes": 8,
               "dram_written_bytes": 8, "utilisation": 0.5, "total_pJ": 1, "cycles_by_fetta": 0.5, "energy_by_fetta": 4.0}
        write_run("run")
        write_json("run/summary.json", {
            "schema": "s", "testbench": "compare_accelerators", "ranges": [{"accelerator": "tpu"}],
            "configuration": {"mode": "training", "workloads": [{"name": name} for name in names]},
            "results": [{**row, "workload": name} for name in names]})
        figure = findings.rivals_picture(read_runs(["run"]))
        figure.draw_without_rendering()
        boxes = [label.get_window_extent() for label in figure.axes[0].get_xticklabels()]
        self.assertEqual(len(boxes), len(names))
        for left, right in zip(boxes, boxes[1:]):
            self.assertLess(left.x1, right.x0)

    def test_wires_of_one_size_are_bars(self):
        row = {"shape": [8, 8, 8], "macs": 100, "multipliers": 64, "steps": 4, "cycles": 40, "working_cycles": 20,
               "simulated_time_ns": 40.0, "word_pitches": [100, 50, 50], "longest_wire_um": 500.0, "wire_pJ": 300.0,
               "energy_pJ": {"total": 1000.0, "leakage": 200.0}}
        write_run("one")
        write_json("one/summary.json", {"schema": "s", "testbench": "orbital", "configuration": {"transform": "dct", "shape": None, "sweep": [8], "grid": 4},
                                        "runs": [{**row, "device": "torus"}, {**row, "device": "triada", "longest_wire_um": 1500.0}]})
        figure = findings.wires_picture(read_runs(["one"]))
        wire = figure.axes[1]
        self.assertEqual([bar.get_height() for bar in wire.patches], [1.5, 0.5])
        self.assertEqual((wire.get_yscale(), wire.get_ylim()[0], len(wire.get_xticks())), ("linear", 0, 0))
        for axes in figure.axes[:6]:
            self.assertGreaterEqual(len([tick for tick in axes.get_yticks() if tick <= axes.get_ylim()[1]]), 3)

    def test_wires(self):
        row = {"shape": [8, 8, 8], "macs": 100, "multipliers": 64, "steps": 4, "cycles": 40, "working_cycles": 20,
               "simulated_time_ns": 40.0, "word_pitches": [100, 50, 50], "longest_wire_um": 500.0, "wire_pJ": 300.0,
               "energy_pJ": {"total": 1000.0, "leakage": 200.0}}
        triada = {**row, "device": "triada", "working_cycles": 12, "word_pitches": [50, 25, 25]}
        for name, torus in (("one", row), ("four", {**row, "word_pitches": [0, 0, 0]})):
            write_run(name)
            write_json(f"{name}/summary.json", {
                "schema": "s", "testbench": "orbital", "configuration": {"transform": "dct", "shape": None, "sweep": [8, 16], "grid": None},
                "runs": [part for size in (8, 16) for part in ({**torus, "device": "torus", "shape": [size] * 3},
                                                               {**triada, "shape": [size] * 3})]})
        runs = read_runs(["one", "four"])
        figure = findings.wires_picture(runs)
        distance, wire, cycles, wires, dynamic, energies, legend = figure.axes
        self.assertEqual([line.get_label() for line in distance.lines], ["TriADA", "one", "four"])  # one TriADA in both
        self.assertEqual([list(line.get_ydata()) for line in distance.lines[:2]], [[1, 1], [2, 2]])
        self.assertTrue(np.isnan(distance.lines[2].get_ydata()).all())  # nothing to be seen on a logarithmic axis
        self.assertEqual(list(distance.lines[0].get_xdata()), [8, 16])
        self.assertEqual([axes.lines[1].get_ydata()[0] for axes in (wire, cycles, wires, dynamic, energies)],
                         [0.5, 20, 3, 8, 10])
        self.assertIn("cubes of 8, 16", " ".join(texts_of(figure)))
        self.assertEqual([text.get_text() for text in legend.get_legend().get_texts()], ["TriADA", "one", "four"])
        self.assertEqual([(case.name, case.peak_macs) for case in runs[0].cases[:2]],
                         [("torus, 8 x 8 x 8", 64), ("TriADA, 8 x 8 x 8", 64 * 4 / 12)])
        write_json("one/summary.json", {"schema": "s", "testbench": "orbital", "configuration": {"sweep": [8, 8]},
                                        "runs": [{**row, "device": "torus"}, {**row, "device": "torus"}]})
        self.assertIn("one is a run of orbital without a TriADA", self.refusal(findings.wires_picture, read_runs(["one"])))

    def test_slices_and_psnr(self):
        write_jobs(".")
        figure = slices.picture_of(["original.npy", "dense/reconstruction.npy"])
        self.assertIn("PSNR 40.00 dB", " ".join(texts_of(figure)))
        np.save("short.npy", np.zeros((2, 2, 2)))
        self.assertIn("(2, 2, 2), expected (2, 3, 4)", self.refusal(slices.picture_of, ["original.npy", "short.npy"]))
        self.assertIn("no positive element", self.refusal(slices.picture_of, ["short.npy", "short.npy"]))
        self.assertIn("nowhere.npy is missing", self.refusal(slices.picture_of, ["nowhere.npy", "short.npy"]))
        self.assertEqual(slices.chosen_slices(3), [0, 1, 2])
        self.assertEqual(slices.chosen_slices(24), [4, 8, 12, 15, 19])

    def test_psnr_follows_its_formula_in_float64(self):
        self.assertAlmostEqual(slices.psnr_db([0, 100], [10, 90]), 20, delta=1e-12)  # peak 100, mean square error 100
        self.assertAlmostEqual(slices.psnr_db([10, 0], [1010, 0]), 10 * math.log10(100 / 500000), delta=1e-12)
        self.assertAlmostEqual(slices.psnr_db([1, -100], [2, -99]), 0, delta=1e-12)  # the maximum, not the largest modulus
        volume = np.array([30000, -30000], dtype=np.int16)
        self.assertAlmostEqual(slices.psnr_db(volume, -volume), 20 * math.log10(0.5), delta=1e-12)
        self.assertEqual(slices.psnr_db([1, 2], [1, 2]), math.inf)
        with self.assertRaisesRegex(ValueError, "shapes differ"):
            slices.psnr_db([1, 2], [1, 2, 3])


class PlotCommandTest(RunsTest):
    def plot(self, *arguments):
        """Exit status, standard output, standard error."""
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()) as complaints, \
                mock.patch("sys.argv", ["tensorloom-plot", *arguments]):
            status = plot_command.main()
        return status, printed.getvalue(), complaints.getvalue()

    def test_pictures_become_files_of_the_kind_that_is_named(self):
        write_run("run")
        self.assertEqual(self.plot("timeline", "run"), (0, "tensorloom-plot: timeline.png\n", ""))
        width, height, rows = read_png("timeline.png")
        self.assertGreater(min(width, height), 900)
        self.assertGreater(len(set(rows)), 50)  # many different bytes: not one flat colour
        for name, start in (("a.svg", b"<?xml"), ("a.pdf", b"%PDF"), ("a.png", b"\x89PNG")):
            self.assertEqual(self.plot("energy", "--output", name, "run")[0], 0)
            with open(name, "rb") as file:
                self.assertTrue(file.read(8).startswith(start), name)

    def test_table_is_printed(self):
        write_jobs(".")
        status, printed, _ = self.plot("table", "dense=dense/forward,dense/inverse", "ESOP=esop/forward,esop/inverse")
        self.assertEqual(status, 0)
        self.assertRegex(printed, r"multiply-adds \[thousand\] +2 +0\.75 +0\.375\n")

    def test_help(self):
        status, printed, _ = self.plot("--help")
        self.assertEqual((status, printed.splitlines()[0]), (0, "Usage: tensorloom-plot KIND [OPTION].. DIR [DIR].."))

    def test_the_page_has_the_help(self):
        with open(os.path.join(package_path.ROOT, "docs", "plot.md"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("".join(f"    {line}".rstrip() + "\n" for line in plot_command.USAGE.splitlines()), page)

    def test_wrong_use_is_one_line(self):
        write_run("run")
        for arguments, text in (((), "no picture"), (("run",), "no picture 'run'"), (("timeline",), "timeline without a run"),
                                (("--output", "x.png"), "'--output' as first argument"),
                                (("timeline", "nowhere"), "nowhere is no"),
                                (("timeline", "--port", "bus", "run"), "no option '--port'"),
                                (("energy", "run", "--output"), "needs a"),
                                (("energy", "run", "--output", "x.jpg"), "'x.jpg', expected a name"),
                                (("energy", "run", "--output=nowhere/x.png"), "nowhere/x.png cannot be written"),
                                (("energy", "--output=a.png", "--output=b.png", "run"), "given twice"),
                                (("table", "--output", "x.png", "run"), "no option '--output'"),
                                (("timeline", "--cycles", "5", "run"), "FIRST:LAST"),
                                (("timeline", "--cycles", "9:5", "run"), "'9:5'"),
                                (("roofline", "--port", "x", "run"), "expected bus or scratchpad"),
                                (("slices", "run"), "1 files, expected ORIGINAL.npy")):
            with self.subTest(arguments):
                status, printed, complaint = self.plot(*arguments)
                self.assertEqual((status, printed), (2, ""))
                self.assertRegex(complaint, r"\Atensorloom-plot: [^\n]+\n\Z")
                self.assertIn(text, complaint)


if __name__ == "__main__":
    unittest.main()
