"""What a resource saves, by the report, is what a run saves whose configuration has a faster one."""
import unittest

from testbench_program import TestbenchTest, load_json

NARROW_PORT, WIDE_PORT = "--load-elements 1", "--load-elements 4096"
SERIAL = ("--shape 16x16x16", "--shape 9x8x7 --mesh 4x3x5", "--shape 12x12x12 --mesh 4x4x4 --tensor-layout converted")
OVERLAPPED = ("--shape 7x9x8 --mesh 4x3x5 --double-buffer", "--shape 5x6x7 --batch 3 --double-buffer")


class BottleneckTest(TestbenchTest):
    def found(self, line, program):
        self.succeeds(f"{line} --memory sram --no-check --quiet --out files", program=program)
        return load_json(self.path("files/summary.json"))

    def cycles(self, line, program):
        return self.found(line, program)["cycles"]

    def left(self, resource, line, program):
        """Cycles without a resource, by the report."""
        found = self.found(line, program)
        return round(found["cycles"] * (1 - found["bound_by"]["savings"][resource]))


class OnTriada(BottleneckTest):
    program = "dxt"

    def test_port_of_the_cells(self):
        for line in (*SERIAL, *OVERLAPPED):
            with self.subTest(line=line):
                self.assertEqual(self.left("port", f"{line} {NARROW_PORT}", "dxt"),
                                 self.cycles(f"{line} {WIDE_PORT}", "dxt"))

    def test_latency_of_the_memory(self):
        """A cycle of the router for each burst in flight is the memory's, too, whatever its own latency is."""
        for line in (*SERIAL, *OVERLAPPED):
            for bursts in (1, 8):
                with self.subTest(line=line, bursts=bursts):
                    left = [self.left("memory", f"{line} --burst 64 --outstanding {bursts} --memory-latency {latency}",
                                      "dxt") for latency in (40, 0)]
                    self.assertEqual(*left)

    def test_time_steps(self):
        """Without overlap a run is linear in the time of a step."""
        for line in SERIAL:
            with self.subTest(line=line):
                one, two = (self.cycles(f"{line} --step-cycles {cycles}", "dxt") for cycles in (1, 2))
                self.assertEqual(self.left("compute", f"{line} --step-cycles 2", "dxt"), 2 * one - two)

    def test_steps_that_transfers_hide_save_nothing(self):
        line = "--shape 24x24x24 --mesh 8x8x8 --double-buffer"
        found = self.found(line, "dxt")
        self.assertGreater(found["cycles_by_cause"]["compute"], 0.05 * found["cycles"])
        self.assertLess(found["bound_by"]["savings"]["compute"], 0.01)
        self.assertEqual(found["bound_by"]["resource"], "transfers")

    def test_ceiling_is_that_of_the_step(self):
        for cycles in (1, 2, 3, 7):
            found = self.found(f"--shape 8x8x8 --step-cycles {cycles}", "dxt")
            self.assertAlmostEqual(found["bound_by"]["utilisation_ceiling"], 1 / cycles, delta=1e-12)


class OnTheTorus(BottleneckTest):
    program = "orbital"
    lines = "--shape 16x16x16 --grid 4", "--shape 9x8x7 --grid 2", "--shape 8x8x8 --grid 4 --batch 3"

    def test_port_of_the_nodes(self):
        for line in self.lines:
            with self.subTest(line=line):
                self.assertEqual(self.left("port", f"{line} {NARROW_PORT}", "orbital"),
                                 self.cycles(f"{line} {WIDE_PORT}", "orbital"))

    def test_latency_of_the_memory(self):
        for line in self.lines:
            with self.subTest(line=line):
                left = [self.left("memory", f"{line} --burst 64 --outstanding 1 --memory-latency {latency}", "orbital")
                        for latency in (40, 0)]
                self.assertEqual(*left)


class OnFetta(BottleneckTest):
    program = "contract"

    def test_width_of_the_bus(self):
        """What is left without the bus hardly depends on its width, and is less than with any."""
        for sizes in ("i=40,j=30,k=20", "i=256,j=256,k=256", "i=300,j=200,k=64"):
            with self.subTest(sizes=sizes):
                lines = [f"--sizes {sizes} --dma-width {width}" for width in (64, 512)]
                left = [self.left("bus", line, "contract") for line in lines]
                self.assertLess(abs(left[0] / left[1] - 1), 0.02)
                self.assertLess(max(left), min(self.cycles(line, "contract") for line in lines))

    def test_units_that_work_in_parallel_hide_each_other(self):
        found = self.found("--sizes i=256,j=256,k=256", "contract")
        savings, causes = found["bound_by"]["savings"], found["cycles_by_cause"]
        self.assertEqual(found["bound_by"]["resource"], "compute")
        self.assertLess(savings["compute"], causes["compute"] / found["cycles"])  # transfers that it hides are left


if __name__ == "__main__":
    unittest.main()
