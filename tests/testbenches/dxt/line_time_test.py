"""--mm-per-cycle: a time-step takes as long as its lines are."""
import math

from dxt_program import DxtTest

PITCH_UM = 58.3  # of a cell of float64 at 7nm (docs/orbital.md)


class LineTime(DxtTest):
    def lines(self, options, problem="--shape 12x5x30"):
        found = self.summary(f"{problem} --no-check {options}")
        steps = found["steps"] * found["configuration"]["step_cycles"]
        self.assertEqual(found["cycles_by_cause"]["compute"], steps)
        return found, found["lines"]

    def test_length_and_cycles(self):
        for mm, latency in ((1000, 1), (1.0, 1), (0.5, 4), (0.06, 2), (0.001, 1)):
            found, lines = self.lines(f"--mm-per-cycle {mm} --mac-latency {latency}")
            self.assertAlmostEqual(lines["longest_um"] / 29, PITCH_UM, delta=0.05)  # mode 2 is vertical
            cycles = max(1, math.ceil(lines["longest_um"] / 1000 / mm))
            self.assertEqual((lines["cycles"], found["configuration"]["mm_per_cycle"]), (cycles, mm))
            self.assertEqual(found["configuration"]["step_cycles"], 2 * cycles + latency)

    def test_mesh_and_vertical_mode(self):
        for options, pitches in (("--vertical-mode 3", 11), ("--vertical-mode 1", 29), ("--mesh 4x4x40", 39),
                                 ("--mesh 4x4x4", 3), ("--line-extent active --mesh 64x5x30", 63)):
            _, lines = self.lines(f"--mm-per-cycle 0.1 {options}")
            _, whole = self.lines("--mm-per-cycle 0.1")
            self.assertAlmostEqual(lines["longest_um"] / whole["longest_um"], pitches / 29, delta=1e-9)

    def test_only_time_differs(self):
        plain, none = self.lines("")
        slow, lines = self.lines("--mm-per-cycle 0.1")
        self.assertIsNone(none)
        self.assertIsNone(plain["configuration"]["mm_per_cycle"])
        self.assertEqual(plain["events"], slow["events"])
        self.assertEqual(slow["cycles"] - plain["cycles"], plain["steps"] * 2 * (lines["cycles"] - 1))
        detailed, _ = self.lines("--mm-per-cycle 0.1 --fidelity detailed")
        for name in ("cycles", "cycles_by_cause", "events", "energy_pJ", "lines"):
            self.assertEqual(detailed[name], slow[name])

    def test_refusals(self):
        self.refuses("--shape 4x4x4 --mm-per-cycle 1 --step-cycles 3", "--step-cycles", "--mm-per-cycle",
                     "expected it without")
