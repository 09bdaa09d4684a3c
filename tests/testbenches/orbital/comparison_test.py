"""--compare triada and --sweep: both devices in one convention."""
import itertools
import math
import os

from orbital_program import OrbitalTest, load_json


class Comparison(OrbitalTest):
    def runs(self, line):
        found = self.summary(line)
        return found, {(run["device"], tuple(run["shape"])): run for run in found["runs"]}

    def test_one_element_per_node_passes_twice_the_pitches_of_lines(self):
        for n in (2, 3, 8):
            _, runs = self.runs(f"--shape {n}x{n}x{n} --block 1 --compare triada")
            torus, triada = runs["torus", (n, n, n)], runs["triada", (n, n, n)]
            self.assertEqual(sum(triada["word_pitches"]), 6 * n**3 * (n - 1))
            self.assertEqual(sum(torus["word_pitches"]), 12 * n**3 * (n - 1))
            self.assertEqual((torus["steps"], triada["steps"]), (3 * n, 3 * n))
            self.assertEqual((torus["longest_wire_pitches"], triada["longest_wire_pitches"]), (min(n - 1, 2), n - 1))
            self.assertEqual((torus["macs"], triada["macs"]), (3 * n**4, 3 * n**4))

    def test_words_grow_with_the_side(self):
        n = 12
        for p in (1, 2, 3, 4, 6, 12):
            found, _ = self.runs(f"--shape {n}x{n}x{n} --grid {p}")
            run, = found["runs"]
            self.assertEqual(sum(run["words"]), 0 if p == 1 else 5 * n**3 * p + n**2 * p**2)
            self.assertEqual((found["steps"], found["macs"], found["macs_done"]), (3 * p, 3 * n**4, 3 * n**4))

    def test_triada_is_what_dxt_runs(self):
        _, runs = self.runs("--shape 6x4x5 --compare triada")
        self.run_program("--shape 6x4x5 --sparsity dense --matrix-elements 36 --quiet --out dxt", program="dxt")
        dxt, triada = load_json(self.path("dxt/summary.json")), runs["triada", (6, 4, 5)]
        self.assertEqual({name: triada[name] for name in ("cycles", "cycles_by_cause", "steps", "macs", "energy_pJ")},
                         {name: dxt[name] for name in ("cycles", "cycles_by_cause", "steps", "macs", "energy_pJ")})

    def test_rows_do_not_depend_on_how_the_other_device_is_simulated(self):
        for more in ("--shape 2x4x6 --batch 2", "--shape 4x5x6 --batch 3 --grid 4"):
            rows = []
            for fidelity in ("fast", "detailed"):
                self.summary(f"{more} --memory sram --compare triada --double-buffer --fidelity {fidelity}")
                rows.append(self.read_bytes("files/latency.csv"))
            self.assertEqual(rows[0], rows[1], more)

    def test_time_steps_wait_for_lines(self):
        n = 16
        for options, line, hop in (("", 1, 2), ("--mm-per-cycle 100", 1, 1), ("--mm-per-cycle 1", 4, 1),
                                   ("--mm-per-cycle 0.1", 33, 6)):
            _, runs = self.runs(f"--shape {n}x{n}x{n} --compare triada --technology 45nm {options}")
            torus, triada = runs["torus", (n, n, n)], runs["triada", (n, n, n)]
            self.assertEqual((triada["wire_cycles"], torus["wire_cycles"]), (line, hop), options)
            self.assertEqual(triada["cycles_by_cause"]["compute"], 3 * n * (2 * line + 1))
        _, runs = self.runs(f"--shape {n}x{n}x{n} --compare triada --step-cycles 7")
        self.assertEqual(runs["triada", (n, n, n)]["cycles_by_cause"]["compute"], 3 * n * 7)

    def test_wires_cost_words_by_length(self):
        _, runs = self.runs("--shape 9x9x9 --grid 3 --compare triada --vertical-axis none --format f32")
        torus = runs["torus", (9, 9, 9)]
        bits, pj_per_bit_mm = 32, 0.06
        apart = (2, 2, 1)  # nodes along Q, R, S: planes along S lie in fields of 2 x 2
        pitches = sum(nodes * words for nodes, words in zip(apart, torus["word_pitches"]))
        self.assertAlmostEqual(torus["wire_pJ"], pitches * torus["pitch_um"] / 1000 * bits * pj_per_bit_mm,
                               delta=1e-9 * torus["wire_pJ"])
        self.assertEqual(torus["wire_pJ"], torus["energy_pJ"]["links"])
        triada = runs["triada", (9, 9, 9)]
        self.assertAlmostEqual(triada["wire_pJ"], triada["energy_pJ"]["lines"] * 8 / 9, delta=1e-9 * triada["wire_pJ"])

    def test_results_differ_by_rounding_alone(self):
        for options in ("--transform dft", "--format f32 --inverse --order 123", "--format bf16", "--batch 2"):
            self.succeeds(f"--shape 5x6x7 --compare triada {options}")
            self.assertRegex(self.succeeds(f"--shape 5x6x7 --compare triada {options}").out, r"difference +max \d")

    def test_sweep(self):
        found, runs = self.runs("--sweep 4,6,8 --grid 2 --compare triada --seed 3")
        self.assertEqual(list(runs), [(device, (n, n, n)) for n, device in itertools.product((4, 6, 8), ("torus", "triada"))])
        self.assertEqual(found["cycles"], sum(run["cycles"] for run in found["runs"] if run["device"] == "torus"))
        self.assertEqual(found["macs"], sum(3 * n**4 for n in (4, 6, 8)))
        self.assertEqual((found["configuration"]["sweep"], found["configuration"]["shape"]), ([4, 6, 8], None))
        self.assertEqual(sorted(os.listdir(self.path("files"))), ["comparison.csv", "summary.json"])
        rows = self.rows("files/comparison.csv")
        self.assertEqual(len(rows), len(found["runs"]))
        for row, run in zip(rows, found["runs"]):
            self.assertEqual((row["device"], [int(row[f"n{m}"]) for m in (1, 2, 3)]), (run["device"], run["shape"]))
            self.assertEqual(int(row["word_pitches"]), sum(run["word_pitches"]))
            self.assertEqual(float(row["total_pJ"]), run["energy_pJ"]["total"])
            parts = [float(pj) for name, pj in row.items() if name.endswith("_pJ") and name not in ("total_pJ", "wire_pJ")]
            self.assertAlmostEqual(math.fsum(parts), float(row["total_pJ"]), delta=1e-3)
        one, = self.summary("--shape 6x6x6 --grid 2 --seed 3", "alone")["runs"]
        for name in ("cycles", "words", "energy_pJ", "max_abs_error"):
            self.assertEqual(runs["torus", (6, 6, 6)][name], one[name], name)

    def test_energies_sum(self):
        found, _ = self.runs("--shape 4x5x6 --compare triada")
        for run in found["runs"]:
            parts = dict(run["energy_pJ"])
            self.assertAlmostEqual(parts.pop("total"), math.fsum(parts.values()), delta=1e-6)
            self.assertEqual(sum(run["cycles_by_cause"].values()), run["cycles"])
