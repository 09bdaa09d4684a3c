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


if __name__ == "__main__":
    unittest.main()
