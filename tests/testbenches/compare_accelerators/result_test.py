"""What compare_accelerators finds: in summary.json, in the tables and on the terminal."""
import json
import math

import jsonschema

from compare_accelerators_program import CompareAcceleratorsTest
from testbench_summary import SummarySchema

SMALL = "--workloads atis-tt"
TRAINING = ["tpu", "tpu-offchip", "sigma", "treta", "tpu-dense", "fetta"]
INFERENCE = ["tie", "ette", "fdht", "tetrix", "fetta"]
BY_FETTA = {"cycles": "cycles", "energy": "total_pJ", "edp": "edp_pJ_s", "utilisation": "utilisation",
            "dram_share": "dram_share"}


def traffic(row):
    return row["dram_read_bytes"] + row["dram_written_bytes"]


class Summary(SummarySchema, CompareAcceleratorsTest):
    small_job = SMALL
    open_objects = ("/energy_pJ/oneOf/0", "/options")

    def every_kind(self):
        return (SMALL, f"{SMALL} --mode inference", f"{SMALL} --sweep all", f"{SMALL} --sequences own,bidirectional",
                "--workloads ucf-ttm --sequences bidirectional", f"{SMALL} --no-check", "--model digits-ttm",
                "--model digits-encoder --accelerators tpu", "--model digits-lstm --mode inference",
                f"{SMALL} --memory sram --conflicts 3", f"{SMALL} --accelerators sigma,fetta --grid run-cycles,conflicts",
                f"{SMALL} --accelerators fetta --layout banked --buffer-cycles 2")

    def test_an_unknown_missing_or_wrong_field_does_not_meet_it(self):
        good, schema = self.meets(SMALL), self.schema()
        for index, spoil in enumerate((
                lambda s: s.update(extra=1), lambda s: s.pop("results"), lambda s: s["check"].update(extra=1),
                lambda s: s["configuration"].update(extra=1), lambda s: s["results"][0].update(cycles=-1),
                lambda s: s["results"][0].update(utilisation=1.5), lambda s: s["results"][0]["energy_pJ"].pop("total"),
                lambda s: s["results"][0]["contractions"][0].pop("times"), lambda s: s["ranges"][0].pop("workloads"),
                lambda s: s["simulation"].update(wall_s=None), lambda s: s.update(gpu="fast"),
                lambda s: s.update(grid={}), lambda s: s["ranges"][0].update(verdict="slower"))):
            bad = json.loads(json.dumps(good))
            spoil(bad)
            self.assertFalse(jsonschema.Draft201909Validator(schema).is_valid(bad), index)


class Result(CompareAcceleratorsTest):
    def assert_same(self, a, b, message=""):
        """Two rows, but for the details that only results have."""
        for name in b:
            if name not in ("rule", "value"):
                self.assertEqual(a[name], b[name], f"{message} {name}")

    def test_parts_sum_to_totals(self):
        found = self.summary("--workloads ucf-ttm,atis-tt")
        self.assertEqual(len(found["results"]), 12)
        for row in found["results"]:
            with self.subTest(workload=row["workload"], accelerator=row["accelerator"]):
                parts = dict(row["energy_pJ"])
                total = parts.pop("total")
                self.assertAlmostEqual(math.fsum(parts.values()) / total, 1, delta=1e-12)
                self.assertEqual(total, row["total_pJ"])
                self.assertAlmostEqual((parts["dram"] + parts["dram_background"]) / total, row["dram_share"], delta=1e-12)
                for name in ("macs", "compute_cycles", "conflict_cycles", "reorder_cycles", "dram_cycles"):
                    self.assertEqual(sum(c[name] for c in row["contractions"]), row[name], name)
                for name in ("dram_read_bytes", "dram_written_bytes"): # programs, cores and gradients besides
                    self.assertLessEqual(sum(c[name] for c in row["contractions"]), row[name], name)
                self.assertEqual(row["time_ns"], row["cycles"])
                self.assertAlmostEqual(row["utilisation"], row["macs"] / 256 / row["cycles"], delta=1e-12)
                self.assertAlmostEqual(row["edp_pJ_s"] / (row["total_pJ"] * row["cycles"] * 1e-9), 1, delta=1e-12)
                self.assertGreaterEqual(row["cycles"], row["compute_cycles"] + row["conflict_cycles"])

    def test_the_two_tables(self):
        for mode, names in (("training", TRAINING), ("inference", INFERENCE)):
            found = self.summary(f"{SMALL} --mode {mode}")
            self.assertEqual([row["accelerator"] for row in found["results"]], names)
            out = self.succeeds(f"{SMALL} --mode {mode}").out
            for name in names:
                self.assertRegex(out, rf"(?m)^    {name} +(\d|not of)")
            self.assertEqual("    gpu               not measured" in out, mode == "training")
            self.assertEqual(found["gpu"], "not measured" if mode == "training" else None)

    def test_normalised_columns(self):
        found = self.summary("--workloads ucf-ttm,atis-tt --sequences shared,csse-memory")
        for row in found["results"]:
            fetta = self.result(found, workload=row["workload"], sequence=row["sequence"], accelerator="fetta")
            for name, field in BY_FETTA.items():
                self.assertAlmostEqual(row[f"{name}_by_fetta"], row[field] / fetta[field], delta=1e-9, msg=name)
            self.assertAlmostEqual(row["dram_bytes_by_fetta"], traffic(row) / traffic(fetta), delta=1e-9)
        for ranges in found["ranges"]:
            ratios = [row["cycles_by_fetta"] for row in found["results"] if row["accelerator"] == ranges["accelerator"]]
            self.assertEqual(ranges["workloads"], 4)
            by = ranges["cycles_by_fetta"]
            self.assertEqual((by["least"], by["most"]), (min(ratios), max(ratios)))
            self.assertAlmostEqual(by["mean"], math.prod(ratios) ** 0.25, delta=1e-9)

    def test_ratios_do_not_need_fetta_among_the_accelerators(self):
        alone = self.summary(f"{SMALL} --accelerators sigma", "a")["results"][0]
        self.assert_same(self.result(self.summary(SMALL, "b"), accelerator="sigma"), alone)

    def cell(self, value):
        return "" if value is None else "true" if value is True else "false" if value is False else str(value)

    def test_the_tables_are_those_of_the_summary(self):
        found = self.summary("--workloads ucf-ttm,atis-tt --accelerators tpu,treta --sweep run-cycles,mode-orders")
        lines = self.rows("files/comparison.csv")
        self.assertEqual(len(lines), 4)
        swept = [{"rule": sweep["rule"], "value": sweep["value"], **row} for sweep in found["sweeps"]
                 for row in sweep["results"]]
        self.assertEqual(len(swept), 5 * 4)
        for lines, rows in ((lines, found["results"]), (self.rows("files/sweep.csv"), swept)):
            self.assertEqual(len(lines), len(rows))
            for line, row in zip(lines, rows):
                for name, text in line.items():
                    if isinstance(row[name], float):
                        self.assertEqual(float(text), row[name], name)
                    else:
                        self.assertEqual(text, self.cell(row[name]), name)
        self.assertEqual(set(lines[0]), set(swept[0]))
        self.assertNotIn("sweep.csv", self.snapshot_of(f"{SMALL} --quiet --out plain", "plain"))

    def snapshot_of(self, line, folder):
        self.succeeds(line)
        return {name.split("/")[-1] for name in self.snapshot() if name.startswith(folder + "/")}

    def test_ends_of_sweeps_are_single_runs(self):
        line = f"{SMALL},ucf-ttm --accelerators tpu,tpu-offchip,sigma --sequences own"
        found = self.summary(f"{line} --sweep all", "swept")
        self.assertEqual([(s["rule"], s["value"]) for s in found["sweeps"]],
                         [("conflicts", str(1 << i)) for i in range(5)] +
                         [("residency", v) for v in ("blocked", "kept", "spilled")] +
                         [("mode-orders", v) for v in ("searched", "natural", "ideal")] +
                         [("double-buffered", v) for v in ("on", "off")] +
                         [("run-cycles", v) for v in ("0", "30")])
        for sweep in found["sweeps"]:
            if sweep["value"] in ("2", "4", "8", "kept", "natural"):
                continue
            single = self.summary(f"{line} --{sweep['rule']} {sweep['value']}", "single")
            self.assertEqual(len(single["results"]), len(sweep["results"]))
            for a, b in zip(single["results"], sweep["results"]):
                self.assert_same(a, b, f"{sweep['rule']} {sweep['value']}")
            self.assertEqual(single["ranges"], sweep["ranges"])

    def test_points_of_a_grid_are_single_runs(self):
        line = f"{SMALL},ucf-ttm --accelerators tpu,sigma,fetta"
        found = self.summary(f"{line} --grid mode-orders,conflicts", "combined")
        grid = found["grid"]
        values = [(point["values"]["mode-orders"], point["values"]["conflicts"]) for point in grid["points"]]
        self.assertEqual(values, [(m, str(1 << c)) for m in ("searched", "natural", "ideal") for c in range(5)])
        for m, c in (("natural", "16"), ("searched", "1")):
            single = self.summary(f"{line} --mode-orders {m} --conflicts {c}", "single")
            self.assertEqual(grid["points"][values.index((m, c))]["ranges"], single["ranges"])
        by_point = {}
        for row in self.rows("combined/grid.csv"):
            by_point.setdefault((row["mode-orders"], row["conflicts"]), []).append(row)
        self.assertEqual(list(by_point), values)
        for entry in grid["accelerators"]:
            ratios = {(at, row["workload"]): float(row["cycles_by_fetta"]) for at, rows in by_point.items() for row in rows
                      if row["accelerator"] == entry["accelerator"]}
            means = [math.sqrt(ratios[at, "atis-tt"] * ratios[at, "ucf-ttm"]) for at in values]
            low, high = grid["paper_range"]["least"], grid["paper_range"]["most"]
            self.assertEqual((low, high), (3.87, 14.63))
            self.assertEqual((entry["points"], entry["in_paper_range"], entry["no_difference"], entry["fewer"]),
                             (15, sum(low <= mean <= high for mean in means), sum(abs(mean - 1) <= 0.05 for mean in means),
                              sum(mean < 0.95 for mean in means)))
            for name, pick in (("least", min), ("most", max)):
                end = entry[name]
                self.assertEqual(end["cycles_by_fetta"], pick(ratios.values()))
                at = end["values"]["mode-orders"], end["values"]["conflicts"]
                self.assertEqual(ratios[at, end["workload"]], end["cycles_by_fetta"])
        self.assertGreater(next(e for e in grid["accelerators"] if e["accelerator"] == "tpu")["in_paper_range"], 0)

    def test_a_difference_within_the_error_of_the_estimates_is_none(self):
        found = self.summary("--workloads ucf-ttm,atis-tt")
        for entry in found["ranges"]:
            mean = entry["cycles_by_fetta"]["mean"]
            self.assertEqual(entry["verdict"], "more" if mean > 1.05 else "fewer" if mean < 0.95 else "no difference")
        self.assertEqual(next(e for e in found["ranges"] if e["accelerator"] == "sigma")["verdict"], "no difference")
        out = self.succeeds("--workloads ucf-ttm --accelerators sigma,tpu").out
        self.assertRegex(out, r"(?m)^    sigma +[\d,]+ +~1\.")
        self.assertRegex(out, r"(?m)^    tpu +[\d,]+ +2\.")

    def test_hardware_of_the_paper_beside_charged_buffers(self):
        line = "--workloads atis-tt --accelerators fetta,fetta-networks --sequences csse-macs"
        linear, banked, unbuffered, slow = (self.summary(f"{line} {more}") for more in
                                            ("", "--layout banked", "--layout unbuffered", "--buffer-cycles 4"))
        fetta = [self.result(found, accelerator="fetta") for found in (linear, banked, unbuffered, slow)]
        paper = [self.result(found, accelerator="fetta-networks") for found in (linear, banked, unbuffered, slow)]
        self.assertEqual([row["cycles"] for row in paper], [paper[0]["cycles"]] * 4)  # whatever FETTA has
        self.assert_same({**paper[0], "accelerator": "fetta", **{n: 1 for n in paper[0] if n.endswith("_by_fetta")}},
                         {k: v for k, v in fetta[2].items() if not k.endswith("_by_fetta")})
        self.assertGreater(fetta[0]["energy_pJ"]["buffers"], fetta[1]["energy_pJ"]["buffers"])
        self.assertGreater(fetta[1]["energy_pJ"]["buffers"], 0)
        self.assertEqual(fetta[2]["energy_pJ"]["buffers"], 0)
        operands = fetta[2]["operands"]
        self.assertGreater(operands["gathered"], 0)
        self.assertGreater(operands["network"], 0)
        self.assertGreater(fetta[2]["conflict_cycles"], 0)  # of the vector unit
        self.assertGreater(fetta[2]["cycles"], fetta[1]["cycles"])
        self.assertIsNone(fetta[0]["operands"])
        self.assertGreater(fetta[3]["cycles"], fetta[0]["cycles"])
        rival = self.summary(f"{SMALL} --accelerators sigma")["results"][0]
        self.assertEqual(rival["energy_pJ"]["buffers"], 0)

    def test_rules(self):
        line = "--workloads ucf-ttm --accelerators tpu,tpu-offchip"
        plain, ideal, fixed, runs = (self.summary(f"{line} {more}") for more in
                                     ("", "--mode-orders ideal", "--conflicts 16", "--run-cycles 30"))
        tpu = [self.result(f, accelerator="tpu") for f in (plain, ideal, fixed, runs)]
        offchip = [self.result(f, accelerator="tpu-offchip") for f in (plain, ideal, fixed, runs)]
        self.assertEqual(tpu[1]["conflict_cycles"], 0)
        self.assertGreater(tpu[2]["cycles"], tpu[0]["cycles"])
        self.assertEqual(tpu[3]["cycles"], tpu[0]["cycles"])
        self.assertEqual(offchip[2]["cycles"], offchip[0]["cycles"])
        self.assertGreater(offchip[3]["cycles"], offchip[0]["cycles"])
        self.assertEqual([row["reorder_cycles"] for row in tpu], [0, 0, 0, 0])
        self.assertEqual(tpu[1]["cycles"], offchip[1]["cycles"])

    def test_own_sequences(self):
        found = self.summary("--workloads ucf-tt --mode inference --accelerators ette,fetta --sequences own,descending")
        ette = [self.result(found, accelerator="ette", sequence=s) for s in ("own", "descending")]
        self.assertEqual(ette[0]["tree"], ette[1]["tree"])
        self.assertEqual(ette[0]["cycles"], ette[1]["cycles"])
        fetta = [self.result(found, accelerator="fetta", sequence=s) for s in ("own", "descending")]
        self.assertLessEqual(fetta[0]["cycles"], fetta[1]["cycles"])

    def test_what_cannot_be_evaluated_says_why(self):
        found = self.summary("--workloads atis-tt --mode inference --accelerators tie,fetta")
        tie = self.result(found, accelerator="tie")
        self.assertEqual((tie["reason"], tie["cycles"], tie["contractions"]), ("not of this format", None, None))
        self.assertIsNone(next(r for r in found["ranges"] if r["accelerator"] == "tie")["cycles_by_fetta"]["mean"])
        found = self.summary("--workloads ucf-ttm --sequences bidirectional --accelerators tpu,tpu-dense")
        self.assertEqual(self.result(found, accelerator="tpu")["reason"], "the network has no such sequence")
        dense = self.result(found, accelerator="tpu-dense")
        self.assertEqual((dense["tree"], dense["apart"]), ("X.W", True))
        self.assertGreater(dense["cycles"], 0)

    def test_what_is_too_large_is_left_out(self):
        found = self.summary("--workloads ucf-tt,atis-tt --accelerators tpu-dense,fetta --mode inference --batch 40000")
        row = self.result(found, workload="ucf-tt", accelerator="tpu-dense")
        self.assertIn("2^31", row["reason"])
        self.assertIsNone(row["cycles"])
        for wanted in ({"workload": "ucf-tt", "accelerator": "fetta"}, {"workload": "atis-tt", "accelerator": "tpu-dense"}):
            self.assertGreater(self.result(found, **wanted)["cycles"], 0)

    def test_dense_does_the_multiply_adds_of_the_matrix(self):
        found = self.summary("--workloads atis-tt --accelerators tpu-dense --dx on")
        self.assertEqual(found["results"][0]["macs"], 3 * 32 * 768 * 768)
        found = self.summary("--workloads atis-tt --accelerators tpu-dense --dx off --batch 64")
        self.assertEqual(found["results"][0]["macs"], 2 * 64 * 768 * 768)
        found = self.summary("--workloads atis-tt --accelerators tpu-dense --mode inference")
        self.assertEqual(found["results"][0]["macs"], 32 * 768 * 768)

    def test_layers_of_a_model(self):
        found = self.summary("--model digits-ttm --accelerators tpu,fetta")
        layers = found["configuration"]["workloads"]
        self.assertEqual([layer["dx"] for layer in layers], [False] + [True] * (len(layers) - 1))
        self.assertEqual(len(found["results"]), 2 * len(layers))
        self.save_text("one.yaml", "batch: 96\nlayers: [{name: gates, format: ttm, rows: 16x4x4x4, cols: 8x20x20x18, "
                                   "ranks: 4}]\n")
        own = self.summary("--model one.yaml --accelerators tpu", "own")["results"][0]
        self.assertEqual(own["workload"], "gates")
        named = self.summary("--workloads ucf-ttm --accelerators tpu", "named")["results"][0]
        self.assertEqual((own["cycles"], own["total_pJ"]), (named["cycles"], named["total_pJ"]))

    def workloads(self, line):
        found = self.summary(line)
        return {of["name"]: of for of in found["configuration"]["workloads"]}, found

    def test_a_matrix_has_dx_if_the_model_trains_something_before_it(self):
        for model, dx in (("digits-lstm", {"rows.input": False, "rows.hidden": True, "output": True}),
                          ("sequences-lstm", {"memory.input": True, "memory.hidden": True, "output": True}),
                          ("digits-conv", {"first": False, "second": True, "output": True}),
                          ("digits-encoder", {"rows": False, "encoder.query": True, "encoder.down": True})):
            workloads, _ = self.workloads(f"--model {model} --accelerators tpu")
            self.assertEqual({name: workloads[name]["dx"] for name in dx}, dx, model)
        first = "layers: [{name: e, kind: encoder, frames: 8, features: 8, heads: 2, hidden: 8, norm: %s}, " \
                "{name: output, format: dense, rows: 10, cols: 64}]\n"
        for norm, of_data in (("post", False), ("pre", True)): # before it: the normalization of the block, with parameters
            self.save_text("first.yaml", first % norm)
            workloads, _ = self.workloads("--model first.yaml --accelerators tpu")
            self.assertEqual([workloads[f"e.{role}"]["dx"] for role in ("query", "key", "values", "output", "up", "down")],
                             3 * [of_data] + 3 * [True])

    def test_dx_of_a_trained_embedding_is_charged(self):
        line = "--model sequences-lstm --accelerators fetta"
        plain, on, off = (self.result(self.summary(f"{line} {dx}"), workload="memory.input")["cycles"]
                          for dx in ("", "--dx on", "--dx off"))
        self.assertEqual(plain, on)
        self.assertGreater(on, off)

    def test_recurrence_is_frame_by_frame(self):
        workloads, found = self.workloads("--model digits-lstm --accelerators tpu,fetta,tpu-dense")
        self.assertEqual((workloads["rows.hidden"]["frames"], workloads["rows.hidden"]["batch"]), (8, 8 * 16))
        self.assertEqual((workloads["rows.input"]["frames"], workloads["rows.input"]["batch"]), (1, 8 * 16))
        for accelerator in ("tpu", "fetta"):
            row = self.result(found, workload="rows.hidden", accelerator=accelerator)
            self.assertEqual(row["blocks"], 8)
            self.assertTrue(all(c["times"] in (1, 8) for c in row["contractions"]), accelerator)
        dense = self.result(found, workload="rows.hidden", accelerator="tpu-dense")
        self.assertEqual([(c["phase"], c["times"], c["macs"]) for c in dense["contractions"]],
                         [("fp", 8, 8 * 16 * 256 * 64), ("wg", 1, 8 * 16 * 256 * 64), ("bp", 8, 8 * 16 * 256 * 64)])
        self.assertEqual((dense["macs"], dense["useful_macs"]), (3 * 8 * 16 * 256 * 64, 3 * 8 * 16 * 256 * 64))
        at_once = "layers: [{name: all, format: ttm, rows: 16x16, cols: 8x8, ranks: 4, frames: 8}, " \
                  "{name: output, format: dense, rows: 10, cols: 2048}]\n"
        self.save_text("once.yaml", at_once)
        for accelerator in ("tpu", "fetta"): # 4 rows in a frame, fewer than the array needs to load the next weights
            once, framed = (self.result(self.summary(f"--model {model} --batch 4 --dx on --accelerators {accelerator}"),
                                        workload=name) for model, name in (("once.yaml", "all"), ("digits-lstm", "rows.hidden")))
            self.assertEqual(once["useful_macs"], framed["useful_macs"])
            self.assertLess(once["compute_cycles"], framed["compute_cycles"], accelerator)

    def test_products_of_an_attention(self):
        workloads, found = self.workloads("--model digits-encoder --accelerators tpu,fetta,tpu-dense")
        of = workloads["encoder.attention"]
        self.assertEqual((of["batch"], of["format"], of["rows"]), (16, None, None))
        for accelerator in ("tpu", "fetta", "tpu-dense"):
            row = self.result(found, workload="encoder.attention", accelerator=accelerator)
            self.assertEqual((row["macs"], row["apart"], row["tree"]), (6 * 16 * 8 * 8 * 32, True, "-"))
            self.assertEqual([c["phase"] for c in row["contractions"]], ["fp", "fp", "bp", "bp", "bp", "bp"])
        inferred = self.summary("--model digits-encoder --mode inference --accelerators tetrix,tie")
        self.assertEqual(self.result(inferred, workload="encoder.attention", accelerator="tetrix")["macs"], 2 * 16 * 8 * 8 * 32)
        self.assertIn("format", self.result(inferred, workload="encoder.attention", accelerator="tie")["reason"])

    def test_one_total_for_a_model(self):
        found = self.summary("--model digits-encoder --accelerators tpu,fetta")
        self.assertEqual(found["configuration"]["model"], "digits-encoder")
        for total in found["totals"]:
            parts = [row for row in found["results"] if row["accelerator"] == total["accelerator"]]
            self.assertEqual(len(parts), 9)
            for field in ("cycles", "macs", "useful_macs", "dram_read_bytes", "dram_written_bytes", "compute_cycles"):
                self.assertEqual(total[field], sum(row[field] for row in parts), field)
            self.assertAlmostEqual(total["total_pJ"] / math.fsum(row["total_pJ"] for row in parts), 1, delta=1e-12)
            self.assertAlmostEqual(total["edp_pJ_s"] / (total["total_pJ"] * total["cycles"] * 1e-9), 1, delta=1e-12)
            self.assertEqual(total["workload"], "digits-encoder")
        tpu, fetta = found["totals"]
        self.assertAlmostEqual(tpu["cycles_by_fetta"], tpu["cycles"] / fetta["cycles"], delta=1e-12)
        self.assertEqual(self.summary(SMALL)["totals"], [])
        tie = self.summary("--model digits-ttm --mode inference --accelerators ette,fetta")["totals"]
        self.assertIsNone(tie[0]["cycles"])
        self.assertIn("not of this format", tie[0]["reason"])
        self.assertGreater(tie[1]["cycles"], 0)

    def test_what_is_left_out_of_a_model_is_said(self):
        for model, words in (("digits-encoder", ("loss", "biases", "encoder: softmax")), ("digits-lstm", ("rows: gates",)),
                             ("sequences-lstm", ("tokens: gather", "memory: gates")), ("digits-conv", ("patches", "relu")),
                             ("digits-ttm", ("hidden: relu",))):
            line = f"--model {model} --accelerators tpu"
            left_out = "; ".join(self.summary(line)["left_out"])
            self.assertIn(f"left out              {left_out}\n", self.succeeds(line).out)
            for word in words:
                self.assertIn(word, left_out, model)
        self.assertEqual(self.summary(SMALL)["left_out"], [])

    def test_recomputed_products_are_not_useful(self):
        row = self.result(self.summary("--workloads ucf-ttm --accelerators fetta"), accelerator="fetta")
        self.assertEqual(row["useful_macs"], 469499904) # of reverse mode without dX
        self.assertAlmostEqual(row["useful_utilisation"], 469499904 / 256 / row["cycles"], delta=1e-12)
        self.assertGreater(row["macs"], row["useful_macs"])
        self.assertIn(f"{100 * row['utilisation']:.1f} %    {100 * row['useful_utilisation']:.1f} %",
                      self.succeeds("--workloads ucf-ttm --accelerators fetta").out)
        apart = self.result(self.summary(f"{SMALL} --accelerators tpu-dense"), accelerator="tpu-dense")
        self.assertEqual(apart["macs"], apart["useful_macs"])

    def test_the_memory_decides(self):
        rows = [self.summary(f"--workloads ucf-tt --accelerators fetta {more}")["results"][0]
                for more in ("", "--dma-width 64", "--memory sram")]
        self.assertGreater(rows[1]["cycles"], rows[0]["cycles"])
        self.assertLess(rows[2]["cycles"], rows[0]["cycles"])

    def test_a_run_is_repeated_from_its_summary(self):
        first = self.summary(f"{SMALL} --conflicts 2 --accelerators sigma,tpu", "first")
        again = self.summary("--config first/summary.json", "again")
        self.assertEqual(first["results"], again["results"])
