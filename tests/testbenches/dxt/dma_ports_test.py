"""--dma-ports: the same bytes, less time where the memory serves the ports together, and what exceeds what."""
import os
import re

from dxt_program import SOURCE, DxtTest, load_json

PORTS = (1, 2, 4, 8, 16)
CUBE = "--shape 16x16x16 --memory sram --no-check"


class DmaPorts(DxtTest):
    def found(self, line):
        self.succeeds(f"{line} --quiet --out files")
        return load_json(self.path("files/summary.json"))

    def load_cycles(self, line):
        return self.found(line)["events"]["load_cycle"]

    def test_bytes_are_those_of_one_port_in_both_fidelities_at_the_same_cycles(self):
        tiled = "--shape 7x9x8 --mesh 4x3x5 --double-buffer"
        for line in ("--shape 5x6x7", "--shape 7x7x5 --memory sram --memory-ports 3 --format f32",
                     "--shape 9x8x7 --burst 16", tiled, f"{tiled} --overlap-runs off",
                     "--shape 5x6x7 --batch 3 --double-buffer --load-elements 64 --memory sram --memory-ports 16"):
            self.succeeds(f"{line} --quiet --output one.npy")
            for ports in (2, 3, 16):
                with self.subTest(line=line, ports=ports):
                    cycles = []
                    for fidelity in ("fast", "detailed"):
                        self.succeeds(f"{line} --dma-ports {ports} --fidelity {fidelity} --quiet --output many.npy "
                                      "--out files")
                        self.assertEqual(self.read_bytes("many.npy"), self.read_bytes("one.npy"))
                        found = load_json(self.path("files/summary.json"))
                        cycles.append((found["cycles"], found["cycles_by_cause"], found["energy_pJ"], found["events"]))
                    self.assertEqual(*cycles)

    def test_as_many_ports_of_the_memory_serve_them_together(self):
        beats = 16**3 * 8 // 64
        for ports in PORTS:
            line = f"{CUBE} --dma-ports {ports} --memory-ports {ports} --load-elements {8 * ports}"
            # the router takes 1 cycle, and 2 pass from the last beat to the response
            self.assertEqual(self.load_cycles(line), beats // ports + 3, ports)

    def test_the_port_of_the_core_limits_them(self):
        for elements in (8, 40, 100):
            cycles = self.load_cycles(f"{CUBE} --dma-ports 16 --memory-ports 16 --load-elements {elements}")
            self.assertEqual(cycles, max(-(-16**3 // elements), 32 + 3))

    def test_a_memory_with_one_port_serves_one_at_a_time(self):
        beats = 16**3 * 8 // 64
        for ports in PORTS:
            self.assertEqual(self.load_cycles(f"{CUBE} --dma-ports {ports} --load-elements 128"), beats + 3, ports)

    def test_a_dram_is_no_faster_for_several_ports(self):
        line = "--shape 16x16x16 --no-check --load-elements 128"
        one, many = (self.found(f"{line} --dma-ports {ports}") for ports in (1, 16))
        self.assertEqual(*(run["bound_by"]["peak_bus_bytes_per_cycle"] for run in (one, many)))
        self.assertLess(abs(many["cycles"] - one["cycles"]), 0.05 * one["cycles"])

    def test_counts_of_the_dma_are_summed_over_its_ports(self):
        def sums(line):
            self.found(line)
            columns = [f"platform.device.dma_engine.{way}_byte" for way in ("read", "write")]
            return [sum(int(row[column]) for row in self.rows("files/latency.csv")) for column in columns]

        self.assertEqual(sums(f"{CUBE} --dma-ports 5"), sums(CUBE))

    def test_table_says_which_port_is_wider(self):
        dma = "elements per cycle, the DMA brings"
        for options, text in (("", None), ("--dma-ports 4 --load-elements 32 --memory-ports 4", None),
                              ("--load-elements 1024", f"1,024 {dma} 8, a face of the array takes 16"),
                              ("--load-elements 1", "1 element per cycle, the DMA brings 8"),
                              ("--format f32", f"8 {dma} 16"), ("--dma-width 32", f"8 {dma} 0.5"),
                              ("--dma-ports 4 --memory-ports 4", f"8 {dma} 32"),
                              ("--dma-ports 16 --load-elements 64 --memory-ports 2",
                               f"64 {dma} 128, the memory 16, a face of the array takes 16")):
            with self.subTest(options=options):
                out = self.succeeds(f"--shape 4x4x4 --memory sram {options}").out
                line = re.search(r"^  memory port +(.*)$", out, re.M)
                self.assertEqual(line and line[1], text)

    def test_table_of_compute_bound_meshes_is_measured(self):
        with open(os.path.join(SOURCE, "docs/dxt.md"), encoding="utf-8") as file:
            section = file.read().split("\n## From how many ports is a mesh compute-bound?\n")[1].split("\n## ")[0]
        line = re.search(r"^    dxt (.*)$", section, re.M)[1]
        rows = [row.replace(",", "").split("|")[1:-1] for row in re.findall(r"^\| \d.*$", section, re.M)]
        self.assertEqual([(int(row[0]), int(row[1])) for row in rows], [(n, p) for n in (16, 64) for p in PORTS])
        for n, ports, cycles, moving, computing, slower, hidden in rows:
            with self.subTest(n=n, ports=ports):
                job = line.replace("NxNxN", "x".join(3 * [n.strip()])).replace("8P", str(8 * int(ports)))
                found = self.found(job.replace(" P", f" {ports.strip()}"))
                events = found["events"]
                busy = [events["load_cycle"] + events["unload_cycle"], found["cycles_by_cause"]["compute"]]
                self.assertEqual([found["cycles"], *busy], [int(cycles), int(moving), int(computing)])
                beats, pieces = int(n)**3 // (8 * int(ports)), -(-int(n)**3 // (32 * 1024 * int(ports)))
                self.assertEqual(busy, [8 * 2 * (beats + 3 * pieces), 8 * 9 * int(n)])
                self.assertAlmostEqual(found["cycles"] / max(busy), float(slower), delta=0.0005)
                overlapped = events["overlapped_cycle"] / min(busy)
                self.assertAlmostEqual(100 * overlapped, float(hidden.replace("%", "")), delta=0.05)
                self.assertLessEqual(found["cycles"], 1.2 * max(busy))
                self.assertGreaterEqual(overlapped, 0.7)
