"""docs/tnn_step.md says what the program says and does."""
import re

from testbench_program import load_json
from tnn_step_program import SMALL, TnnStepTest
from testbench_page import TestbenchPage


class Page(TestbenchPage, TnnStepTest):
    small_job = SMALL
    ranged = ("blocks", "lanes", "outstanding", "clock", "seed")
    usage_lines = 3

    def test_whole_steps(self):
        rows = re.findall(r"^\| `([a-z0-9-]+(?: --dx on)?)` \| ([\d,]+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", self.page, re.M)
        memory = {layer: cells for layer, *cells in re.findall(
            r"^\| `([a-z0-9-]+)` \| (?:tt|ttm|tr|ht|bt) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", self.page, re.M)}
        self.assertEqual(len(rows), 7)
        self.assertEqual(set(memory), {layer for layer, *_ in rows if "--dx" not in layer})
        for layer, cycles, of_bound, of_ideal, estimate, of_energy in rows:
            with self.subTest(layer=layer):
                found = self.summary(f"--layer {layer}")
                self.assertTrue(found["check"]["passed"])
                self.assertEqual(f"{found['cycles']:,}", cycles)
                for cell, value in ((of_bound, found["cycles"] / max(found["bound"].values())),
                                    (of_ideal, found["engine_cycles"] / found["ideal_engine_cycles"]),
                                    (estimate, found["plan"]["estimated_cycles"] / found["cycles"]),
                                    (of_energy, found["plan"]["estimated_energy_pJ"] / found["energy_pJ"]["total"])):
                    self.assertEqual(f"{value:.3f}", cell)
                if layer in memory:
                    self.assertEqual(self.memory_cells(found["training_memory"]), memory[layer])

    def test_estimates_of_all_named_layers(self):
        """The ranges on the page are those of all layers; of one that takes too long with its own batch, with a smaller one."""
        text = " ".join(self.page.split())
        count, samples, least, at_least, most, at_most, *of_energy = re.search(
            r"Over all (\d+) named layers \(.*? with (\d+) samples\), estimated cycles are ([\d.]+) \(`([a-z0-9-]+)`\) to ([\d.]+) "
            r"\(`([a-z0-9-]+)`\) times those of the device, and estimated energy ([\d.]+) \(`([a-z0-9-]+)`\) to ([\d.]+) "
            r"\(`([a-z0-9-]+)`\) times", text).groups()
        names = re.search(r"expected one of (.*)\n", self.refuses("--layer nothing").err)[1].split(", ")
        cycles, energy = {}, {}
        for name in names:
            batch = f"--batch {samples}" if name == "bert-ttm-embedding" else ""
            self.succeeds(f"--layer {name} {batch} --no-check --quiet --out files")
            found = load_json(self.path("files/summary.json"))
            cycles[name] = found["plan"]["estimated_cycles"] / found["cycles"]
            energy[name] = found["plan"]["estimated_energy_pJ"] / found["energy_pJ"]["total"]
        self.assertEqual(len(cycles), int(count))
        for ratios, words in ((cycles, (least, at_least, most, at_most)), (energy, of_energy)):
            ends = [end for choose in (min, max) for end in (f"{choose(ratios.values()):.3f}", choose(ratios, key=ratios.get))]
            self.assertEqual(ends, list(words))

    def memory_cells(self, needed):
        """KB of what belongs to parameters, of activations, and of all at once; of the dense layer likewise."""
        parts = [(sum(of[kind] for kind in ("masters", "copies", "gradients")), of["activations"], of["peak_bytes"])
                 for of in (needed, needed["dense"])]
        return [f"{size / 1000:,.1f}" for part in parts for size in part]

    def test_least_energy_of_ucf_ttm(self):
        cycles, energy = re.search(r"With `--objective energy`[^.]*?([\d,]+)\s+cycles and ([\d.]+)\s+mJ", self.page).groups()
        found = self.summary("--layer ucf-ttm --objective energy")
        self.assertEqual((f"{found['cycles']:,}", f"{found['energy_pJ']['total'] / 1e9:.3f}"), (cycles, energy))
        self.assertLess(found["energy_pJ"]["total"], self.summary("--layer ucf-ttm")["energy_pJ"]["total"])

    def test_storing_all_of_ucf_ttm(self):
        cycles = re.search(r"Storing T1, too, takes ([\d,]+)\s+cycles", self.page)[1]
        stored = self.summary("--layer ucf-ttm --residency batch-blocked --between-passes store")
        self.assertEqual(f"{stored['cycles']:,}", cycles)

    def test_residency(self):
        rows = re.findall(r"^\| `(--layer [a-z0-9- ]+)` \| ([\d,]+) \| ([\d,]+) \| (\S+) \|$", self.page, re.M)
        self.assertEqual(len(rows), 10)
        for run, cycles, moved, energy in rows:
            with self.subTest(run=run):
                found = self.summary(f"{run} --no-check")
                self.assertEqual(f"{found['cycles']:,}", cycles)
                self.assertEqual(f"{found['memory']['read_bytes'] + found['memory']['written_bytes']:,}", moved)
                self.assertEqual(f"{found['energy_pJ']['total'] / 1e6:,.1f}", energy)

    def test_transpose_layer(self):
        rows = re.findall(r"^\| `(--(?:format|layer) [^`]*)` \| (\d+) \| (\d+) \| (\d+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$",
                          self.page, re.M)
        self.assertEqual(len(rows), 5)
        for line, operands, *cells in rows:
            if "ucf-ttm" in line:
                continue  # half a minute
            with self.subTest(line=line):
                for layer, gathered, cycles, permuted in zip(("on", "off"), cells[0:2], cells[2:4], cells[4:6]):
                    found = self.summary(f"{line} --layout banked --transpose-layer {layer}")
                    paths = found["plan"]["operands"]
                    self.assertTrue(found["check"]["passed"])
                    self.assertEqual(paths["network"] + paths["transposed"] + paths["gathered"], int(operands))
                    self.assertEqual((f"{paths['gathered']:,}", f"{found['engine_cycles']:,}", f"{paths['permutation_cycles']:,}"),
                                     (gathered, cycles, permuted))
                    self.assertTrue(layer == "on" or paths["transposed"] == 0)
