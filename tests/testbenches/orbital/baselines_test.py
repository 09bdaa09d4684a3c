"""--baselines: fast Fourier transforms on the nodes of the torus, beside its own transform."""
import jsonschema
from tensorloom.schemas import load_schema

from orbital_program import OrbitalTest

SCHEMA = load_schema("orbital-summary")
JOB = "--shape 16x8x16 --grid 4 --transform dft --coefficient-elements 64"


def forwarded(row):
    return row["hops"] - row["words"]


class Baselines(OrbitalTest):
    def run_of(self, line=JOB):
        found = self.summary(f"{line} --baselines")
        jsonschema.Draft201909Validator(SCHEMA).validate(found)
        rows = found["baselines"]
        for row in rows:
            energy = row["energy_pJ"]
            self.assertAlmostEqual(sum(energy.values()), 2 * energy["total"], delta=1e-9 * energy["total"])
            self.assertEqual(sum(row["word_hops"]), row["hops"])
            self.assertAlmostEqual(row["word_pitches"], row["hops"] * 2 * 3 / 4)  # P = 4
        return found, rows[0], rows[1:]

    def test_torus_is_what_was_measured(self):
        found, torus, others = self.run_of()
        self.assertEqual([row["algorithm"] for row in others], ["slabs", "pencils", "blocks"])
        run, energy = found["runs"][0], found["energy_pJ"]
        self.assertEqual((torus["nodes"], torus["rounds"], torus["cycles"]), (64, 12, found["working_cycles"]))
        self.assertEqual((torus["word_hops"], torus["words"]), (run["words"], sum(run["words"])))
        self.assertEqual(torus["multiply_adds"], 4 * found["macs_done"])
        self.assertAlmostEqual(torus["energy_pJ"]["total"],
                               sum(energy[name] for name in ("mac", "registers", "node_memory", "links")), places=3)
        self.assertIsNone(self.summary(JOB)["baselines"])

    def test_counts_by_formula(self):
        _, _, others = self.run_of()
        volume, side = 16 * 8 * 16, 4
        slabs, pencils, blocks = others
        self.assertEqual((slabs["nodes"], pencils["nodes"], blocks["nodes"]), (8, 64, 64))
        for row in others:
            self.assertEqual(row["multiply_adds"], 3 * volume * (4 + 3 + 4))  # six per butterfly
            self.assertEqual(row["node_memory_words"], 2 * volume // row["nodes"])
        self.assertEqual(slabs["rounds"], 7)
        self.assertEqual(slabs["words"], volume * 7 // 8)
        self.assertEqual(blocks["rounds"], 6 * 3)
        self.assertEqual(blocks["word_hops"], 3 * [2 * volume])  # a word passes one link on average, there and back

    def test_cycles_are_those_of_a_node_and_its_links(self):
        for macs, words in ((1, 1), (2, 4)):
            _, _, others = self.run_of(f"{JOB} --macs-per-cycle {macs} --words-per-cycle {words}")
            blocks = others[2]
            link = 6 * 2 * (16 * 8 * 16 // 64 // 4)  # six times two blocks over a link of a ring of 4
            self.assertEqual(blocks["cycles"], blocks["multiply_adds"] // (4 * 64 * macs) + link // words)

    def test_energy_has_the_costs_of_the_torus(self):
        found, torus, others = self.run_of()
        stage = self.summary(JOB.replace("dft", "none,none,dft"))  # rolls along Q and S, which cost the same
        planar = stage["energy_pJ"]["links"] / sum(stage["runs"][0]["word_pitches"])
        q, r, s = found["runs"][0]["word_pitches"]
        vertical = (found["energy_pJ"]["links"] - (q + s) * planar) / r
        moved = found["events"]
        access = found["energy_pJ"]["node_memory"] / sum(moved[name] for name in (
            "block_read", "block_write", "coefficient_copy"))
        for row in others:
            energy, macs = row["energy_pJ"], row["multiply_adds"] / 4
            self.assertAlmostEqual(energy["mac"], macs * torus["energy_pJ"]["mac"] / found["macs_done"], places=3)
            along = [1.5 * hops for hops in row["word_hops"]]
            self.assertAlmostEqual(energy["links"], planar * (along[0] + along[2]) + vertical * along[1], places=3)
            accesses = row["multiply_adds"] / 6 * 5 + 2 * row["words"] + 2 * 16 * 8 * 16
            self.assertAlmostEqual(energy["node_memory"], accesses * access, places=3)

    def test_registers_of_blocks_of_one_element(self):
        found = self.summary("--shape 4x4x4 --block 1 --transform dft --baselines")
        torus, *others = found["baselines"]
        self.assertEqual([row["algorithm"] for row in others], ["slabs", "pencils"])  # a line for four nodes
        of_mac = torus["energy_pJ"]["registers"] / found["macs_done"]
        passing = [(row["energy_pJ"]["registers"] - row["multiply_adds"] / 4 * of_mac) / forwarded(row)
                   for row in others]
        self.assertAlmostEqual(passing[0], passing[1], delta=1e-6 * passing[0])
        self.assertAlmostEqual(passing[0], 2 * (0.0426375 + 0.0426375), places=9)  # two of 64 bits, written and read: 7nm.yaml

    def test_overhead(self):
        _, torus, others = self.run_of()
        for row in others:
            more, rounds = torus["cycles"] - row["cycles"], row["rounds"] - torus["rounds"]
            overhead = 0 if more <= 0 else more / rounds if rounds > 0 else None
            self.assertEqual(row["overhead_of_round_cycles"], overhead)
        self.assertEqual(others[0]["overhead_of_round_cycles"], 0)  # 8 nodes take longer than the 64 of the torus

    def test_table(self):
        out = self.succeeds(f"{JOB} --baselines").out
        self.assertRegex(out, r"fast Fourier transforms on these nodes\n +nodes +rounds +words sent .*overhead\n +torus ")
        self.assertRegex(out, r"\n +slabs \(1D decomposition\) +8 +7 +1,792 ")

    def test_refusals(self):
        for line, words in (
                ("--shape 8x8x8", ("--transform", "expected dft")),
                ("--shape 8x8x8 --transform dft,dft,none", ("--transform", "expected dft")),
                ("--shape 8x12x8 --transform dft --grid 4", ("--baselines", "mode 2 of 12", "expected a power of two")),
                ("--shape 9x9x9 --transform dft --grid 3", ("--baselines", "a side of 3", "expected a power of two")),
                ("--shape 8x2x8 --transform dft --grid 4", ("--baselines", "mode 2 of 2", "at least the 4 nodes")),
                ("--shape 16x16x16 --transform dft --grid 4 --block 2", ("--baselines", "larger than the torus")),
                ("--shape 8x8x8 --transform dft --batch 2", ("--batch", "expected 1")),
                ("--sweep 8 --transform dft", ("--sweep", "expected it with")),
                ("--shape 8x8x8 --transform dft --also dft", ("--also", "--baselines", "expected it without")),
                ("--shape 8x8x8 --transform dft --chain", ("--chain", "--baselines", "expected it without")),
                ("--shape 8x8x8 --transform dft --out-shape 8x8x4", ("--out-shape", "expected it without")),
                ("--shape 8x8x8 --class cra", ("--class", "expected it without"))):
            self.refuses(f"{line} --baselines", *words)
