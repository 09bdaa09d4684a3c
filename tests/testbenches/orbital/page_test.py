"""docs/orbital.md says what the program says and does."""
import re

from orbital_program import OrbitalTest
from testbench_page import TestbenchPage


class Page(TestbenchPage, OrbitalTest):
    small_job = "--shape 2x2x2"
    ranged = ("zeros", "batch", "keep", "array", "macs-per-cycle", "mac-latency", "words-per-cycle", "cycles-per-pitch",
              "load-elements", "dma-ports", "coefficient-elements", "threads", "clock", "seed")
    differing = "error|difference|simulation"  # the last digits, and the computer
    usage_lines = 10

    def test_table_of_the_comparison(self):
        section = self.section("What the comparison shows")
        common = re.search(r"`--sweep N (.*?)`", section)[1]
        rows = re.findall(r"^\| (TriADA|`.*?`) \| (\d+) \| (.*) \|$", section, re.M)
        self.assertEqual(len(rows), 10)
        for machine, size, cells in rows:
            device = "triada" if machine == "TriADA" else "torus"
            options = "--block 1" if device == "triada" else machine.strip("`")
            found = self.summary(f"--sweep {size} {options} {common}")
            run, = (one for one in found["runs"] if one["device"] == device)
            macs, energy = run["macs"], run["energy_pJ"]
            self.assertEqual(cells.split(" | "), [
                *(f"{run[name]:,}" for name in ("multipliers", "steps", "working_cycles")),
                f"{100 * run['utilisation_working']:.4g} %",
                *(f"{value:.4g}" for value in (sum(run["word_pitches"]) / macs, run["longest_wire_um"] / 1000,
                                               run["wire_pJ"] / macs, (energy["total"] - energy["leakage"]) / macs))])

    def test_sample_of_several_sets(self):
        command, sample, *_ = self.code_blocks("What it computes")
        printed = self.succeeds(command.removeprefix(self.program).strip()).out.splitlines()
        errors = re.compile(r"error max \S+ absolute")  # differ between computers
        self.assertLessEqual({errors.sub("", line) for line in sample.splitlines()},
                             {errors.sub("", line) for line in printed})

    def test_accesses_of_a_memory_with_more_ports_take_more_energy(self):
        self.assertIn("more ports are larger and take [more energy]", self.section("Options"))
        one, four = (self.summary(f"--shape 4x4x4 --memory sram --memory-ports {ports}", f"run{ports}") for ports in (1, 4))
        self.assertGreater(four["energy_pJ"]["memory"], 1.5 * one["energy_pJ"]["memory"])
        self.assertGreater(four["area_um2"]["memory"], one["area_um2"]["memory"])

    def test_cycles_at_other_speeds(self):
        text = " ".join(self.section("What the comparison shows").split())
        job = "--shape 64x64x64 --block 1 --compare triada --no-check --mac-latency 1"
        for options, words in (("--mm-per-cycle 10", "{:,} cycles of work instead of {:,}"),
                               ("--mm-per-cycle 1", "the torus works {:,} cycles and TriADA {:,}. If"),
                               ("--cycles-per-pitch 1", "`--cycles-per-pitch 1`, the torus works {:,} cycles and TriADA {:,}")):
            runs = self.summary(f"{job} {options}")["runs"]
            self.assertIn(words.format(*(run["working_cycles"] for run in runs)), text)

    def test_what_batches_hide(self):
        text = " ".join(self.section("What the comparison shows").split())
        job = "--shape 16x16x16 --batch 4 --memory sram --no-check"
        moved = [sum(self.summary(f"{job} {option}")["cycles_by_cause"][cause] for cause in ("load", "unload"))
                 for option in ("", "--double-buffer")]
        self.assertIn("in {:,} cycles, with `--double-buffer` {:,} of them show".format(*moved), text)
        alone, beside = (re.search(r"^  cycles +([0-9,]+)", self.succeeds(f"{job} {option}", program="dxt").out, re.M)[1]
                         for option in ("", "--double-buffer"))
        self.assertIn(f"`dxt` takes {alone} cycles for the same batch, with `--double-buffer` {beside}.", text)
