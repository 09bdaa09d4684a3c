"""The waveform read back: steps, tags and a watched cell are what latency.csv and that cell's multiply-adds say."""
import itertools
import os
import shutil
import subprocess
import unittest

import numpy as np

import transform_oracle as oracle
from dxt_program import BAD_INPUT, DxtTest
from vcd_file import VcdFile, body

DEVICE = "SystemC.platform.device."


class WaveformTest(DxtTest):
    def waveform(self, line):
        self.succeeds(f"{line} --quiet --vcd wave --out files")
        return VcdFile(self.read_bytes("wave"))

    def start(self, wave, period=1000):
        """When cycle 0 is: the device is done, and busy falls, where the last cycle of the log ends."""
        times, values = wave.changes[DEVICE + "busy"]
        self.assertEqual(values, [0, 1, 0])
        return times[-1] - sum(int(row["cycles"]) for row in self.rows("files/latency.csv")) * period


class Steps(WaveformTest):
    def check_steps(self, line, period=1000):
        wave, rows = self.waveform(line), self.rows("files/latency.csv")
        start = self.start(wave, period)
        steps = [row for row in rows if row["step"] == "1"]
        self.assertTrue(steps)
        for row in steps:
            now = start + int(row["start_cycle"]) * period
            for time in (now, now + int(row["cycles"]) * period - 1):
                shown = tuple(wave.at(DEVICE + name, time) for name in ("core.stage", "core.step", "core.tag",
                                                                        "command", "phase"))
                self.assertEqual(shown, (int(row["phase"][-1]), int(row["id"]), int(row["detail"]),
                                         int(row["command"]), 3))
        return wave, rows, start

    def test_stage_step_and_tag_are_those_of_the_log(self):
        for line in ("--shape 3x4x5", "--shape 5x3x4 --order 213 --tags reverse",
                     "--shape 3x4x5 --tags random --seed 8 --sparsity dense",
                     "--shape 2x3x4 --batch 3 --step-cycles 1",
                     "--shape 4x4x4 --transform identity --fidelity detailed",
                     "--shape 4x3x5 --out-shape 2x6x5", "--shape 4x3x5 --mesh 2x2x3",
                     "--shape 4x3x5 --mesh 2x2x3 --fidelity detailed --batch 2"):
            with self.subTest(line=line):
                self.check_steps(line)

    def test_with_skipped_rows(self):
        self.save("c.npy", oracle.sparse_integer_matrix(1, 6))
        _, rows, _ = self.check_steps("--shape 6x6x6 --transform file:c.npy")
        self.assertEqual(sum(int(row["step_skipped"]) for row in rows), 6)

    def test_odd_clock(self):
        self.check_steps("--shape 3x4x5 --clock 0.7 --allow-overclock --step-cycles 5", period=1429)

    def test_the_actuator_of_the_summed_mode_streams(self):
        order = "231"
        wave, rows, start = self.check_steps(f"--shape 3x4x5 --order {order}")
        for row in rows:
            for mode in "123":
                streams = row["cause"] == "compute" and order[int(row["phase"][-1]) - 1] == mode
                middle = start + int(row["start_cycle"]) * 1000 + int(row["cycles"]) * 500
                self.assertEqual(wave.at(f"{DEVICE}actuator_{mode}.streaming", middle), streams, row)

    def test_busy_from_start_to_done_and_then_the_interrupt(self):
        wave, rows, start = self.check_steps("--shape 3x4x5")
        done = start + sum(int(row["cycles"]) for row in rows) * 1000
        written = wave.changes[DEVICE + "busy"][0][1]
        self.assertLessEqual(start - 2000, written)  # the write that starts it is on its way through the router
        self.assertLessEqual(written, start)
        self.assertEqual([wave.at(DEVICE + "irq", t) for t in (start, done - 1, done)], [0, 0, 1])

    def test_phases(self):
        wave, rows, start = self.check_steps("--shape 3x4x5 --batch 2")
        number = {"fetch": 0, "matrices": 1, "load": 2, "compute": 3, "unload": 4}
        for row in rows:
            middle = start + int(row["start_cycle"]) * 1000 + int(row["cycles"]) * 500
            self.assertEqual(wave.at(DEVICE + "phase", middle), number[row["cause"]])


class WatchedCell(WaveformTest):
    """The registers of one cell, followed by hand: integer data, so that every multiply-add is exact."""

    def check_cell(self, x, matrices, cells, order="312", esop=True, options="", threshold=0.0):
        self.save("x.npy", x)
        for mode, matrix in enumerate(matrices):
            self.save(f"c{mode + 1}.npy", matrix)
        watch = " ".join("--watch " + ",".join(map(str, cell)) for cell in cells)
        wave = self.waveform(f"--input x.npy --transform file:c1.npy,file:c2.npy,file:c3.npy --order {order} "
                             f"--sparsity {'esop' if esop else 'dense'} {watch} {options}")
        start = self.start(wave)
        registers = [x.astype(complex)] + [np.zeros(x.shape, complex) for _ in range(3)]
        for row in self.rows("files/latency.csv"):
            if row["step"] != "1":
                continue
            stage, n = int(row["phase"][-1]) - 1, int(row["detail"])
            mode = int(order[stage]) - 1
            operands, sums = registers[stage], registers[stage + 1]
            for cell in np.ndindex(x.shape):
                pivot = tuple(n if m == mode else i for m, i in enumerate(cell))
                coefficient, operand = complex(matrices[mode][n, cell[mode]]), complex(operands[pivot])
                pivot_speaks = not esop or abs(operand) > threshold
                arrives = not esop or coefficient != 0 or cell[mode] == n
                if pivot_speaks and (not esop or coefficient != 0):
                    sums[cell] += operand * coefficient
                if cell in cells:
                    now = start + int(row["start_cycle"]) * 1000
                    expected = {"x_valid": arrives, "x_tag": cell[mode] == n,
                                "x_coefficient": coefficient if arrives else 0, "y_valid": pivot_speaks,
                                "y_operand": operand if pivot_speaks else 0}
                    expected.update({f"element_{r}": registers[r][cell] for r in range(4)})
                    self.assertEqual(self.shown(wave, cell, now), expected, (cell, row))
                    self.assertEqual(self.shown(wave, cell, now + int(row["cycles"]) * 1000 - 1), expected, (cell, row))
        return wave

    @staticmethod
    def shown(wave, cell, time):
        prefix = DEVICE + "core.cell_" + "_".join(map(str, cell)) + "."
        found = {}
        for name in ("x_valid", "x_tag", "x_coefficient", "y_valid", "y_operand", *(f"element_{r}" for r in range(4))):
            found[name] = wave.at(prefix + name, time)
            if prefix + name + "_im" in wave.names():
                found[name] = complex(found[name], wave.at(prefix + name + "_im", time))
        return found

    CELLS = ((0, 0, 0), (2, 1, 3), (1, 3, 2))

    def test_esop_in_all_orders(self):
        matrices = [oracle.sparse_integer_matrix(m + 1, n) for m, n in enumerate((4, 5, 6))]
        for order in map("".join, itertools.permutations("123")):
            self.check_cell(oracle.sparse((4, 5, 6)), matrices, self.CELLS, order)

    def test_dense_in_all_orders(self):
        matrices = [oracle.sparse_integer_matrix(m + 1, n) for m, n in enumerate((4, 5, 6))]
        for order in map("".join, itertools.permutations("123")):
            self.check_cell(oracle.sparse((4, 5, 6)), matrices, self.CELLS, order, esop=False)

    def test_complex(self):
        matrices = [np.array([[(-1j) ** (n * k) for k in range(4)] for n in range(4)]).round() for _ in range(3)]
        x = oracle.sparse((4, 4, 4)) + 1j * oracle.ramp((4, 4, 4))
        x[:, :, 2] = 0
        for options in ("", "--format c64 --order 123", "--fidelity detailed --order 231"):
            order = options.split("--order ")[1][:3] if "--order" in options else "312"
            wave = self.check_cell(x, matrices, self.CELLS, order, options=options.replace(f"--order {order}", ""))
            self.assertIn(DEVICE + "core.cell_0_0_0.element_3_im", wave.names())

    def test_larger_mesh_with_permuted_tags(self):
        matrices = [oracle.integer_matrix(m + 1, n) for m, n in enumerate((4, 5, 6))]
        for fidelity in ("fast", "detailed"):
            self.check_cell(oracle.ramp((4, 5, 6)), matrices, self.CELLS, "132",
                            options=f"--fidelity {fidelity} --mesh 7x6x8 --tags random --seed 2")

    def test_zero_threshold(self):
        matrices = [oracle.integer_matrix(m + 1, n) for m, n in enumerate((4, 5, 6))]
        self.check_cell(oracle.ramp((4, 5, 6)), matrices, self.CELLS, options="--zero-threshold 5", threshold=5)

    def test_single_precision(self):
        matrices = [oracle.integer_matrix(m + 1, n) for m, n in enumerate((4, 5, 6))]
        self.check_cell(oracle.ramp((4, 5, 6)), matrices, self.CELLS, options="--format f32")

    def test_rounded_values_are_shown_in_full(self):
        wave = self.waveform("--shape 3x4x5 --watch 1,2,3 --output y.npy")
        last = DEVICE + "core.cell_1_2_3.element_3"
        self.assertAlmostEqual(wave.at(last, wave.end), self.load("y.npy")[1, 2, 3], delta=1e-15)


class File(WaveformTest):
    FRAME = {"busy", "irq", "phase", "command", "actuator_1.streaming", "actuator_2.streaming", "actuator_3.streaming",
             "core.stage", "core.step",
             "core.tag"}
    CELL = {"x_valid", "x_tag", "x_coefficient", "y_valid", "y_operand", "element_0", "element_1", "element_2",
            "element_3"}

    def shown(self, line):
        return {name[len(DEVICE):] for name in self.waveform(line).names()}

    def test_without_watched_cells(self):
        self.assertEqual(self.shown("--shape 3x4x5"), self.FRAME)

    def test_with_watched_cells(self):
        cells = {f"core.cell_{cell}.{name}" for cell in ("0_0_0", "2_3_4") for name in self.CELL}
        self.assertEqual(self.shown("--shape 3x4x5 --watch 0,0,0 --watch 2,3,4"), self.FRAME | cells)

    def test_imaginary_parts_in_complex_formats(self):
        cell = {f"core.cell_0_0_0.{name}" for name in self.CELL}
        imaginary = {name + "_im" for name in cell if not name.endswith(("valid", "tag"))}
        self.assertEqual(self.shown("--shape 3x4x5 --transform dft --watch 0,0,0"), self.FRAME | cell | imaginary)

    def test_time_is_in_picoseconds(self):
        self.assertEqual(self.waveform("--shape 3x4x5").timescale, "1 ps")

    def test_is_at_exactly_the_path(self):
        os.mkdir(self.path("sub.dir"))
        for name in ("wave", "wave.vcd", "wave.txt", "sub.dir/wave", "w.vcd.vcd", "a b", ".hidden"):
            self.succeeds(f"--shape 2x2x2 --quiet --vcd '{name}'")
            self.assertTrue(self.read_bytes(name).startswith(b"$date"), name)
            os.remove(self.path(name))
            self.assertEqual(set(self.snapshot()), {"sub.dir"}, name)

    def test_replaces_an_older_one(self):
        self.save_text("wave", "older" * 10000)
        self.succeeds("--shape 2x2x2 --quiet --vcd wave")
        self.assertTrue(self.read_bytes("wave").startswith(b"$date"))

    def test_does_not_change_anything_else(self):
        self.succeeds("--shape 5x6x7 --quiet --output plain.npy --out plain")
        self.succeeds("--shape 5x6x7 --quiet --output traced.npy --out traced --vcd wave --watch 0,0,0")
        self.assertEqual(self.read_bytes("plain.npy"), self.read_bytes("traced.npy"))
        for name in ("latency.csv", "energy.csv", "trace.json"):
            self.assertEqual(self.read_bytes("plain/" + name), self.read_bytes("traced/" + name), name)

    def test_fast_and_detailed_are_the_same(self):
        self.save("y0.npy", oracle.ramp((3, 4, 5)))
        x = np.random.default_rng(1).uniform(-1, 1, (3, 4, 5))
        x[0, 1, 2], x[2, 2, 2], x[1, 1, 1] = np.nan, -np.inf, -0.0
        self.save("x.npy", x)
        for line in ("--shape 3x4x5", "--shape 3x4x5 --zeros 0.6 --sparsity dense --order 123",
                     "--shape 4x4x4 --transform dft --zeros 0.4",
                     "--shape 4x8x2 --transform dwht,identity,dct --mesh 5x9x3 --tags random",
                     "--shape 3x4x5 --initial y0.npy --batch 2 --format f32",
                     "--input x.npy --line-extent active --allow-nonfinite", "--shape 5x7x6 --mesh 3x4x2",
                     "--shape 5x7x6 --mesh 3x4x2 --double-buffer", "--shape 4x4x5 --out-shape 3x6x2 --format bf16",
                     "--shape 4x8x2 --format int8 --transform identity --shift 1,1,1 --mesh 3x4x2",
                     "--shape 3x4x5 --clock 0.7 --allow-overclock --step-cycles 2 --zero-threshold 0.3"):
            watch = "--watch 0,0,0 --watch 2,3,1"
            self.succeeds(f"{line} {watch} --quiet --vcd fast --fidelity fast")
            self.succeeds(f"{line} {watch} --quiet --vcd detailed --fidelity detailed")
            with self.subTest(line=line):
                self.assertTrue(body(self.read_bytes("fast")) == body(self.read_bytes("detailed")))


class Fst(WaveformTest):
    LINE = "--shape 3x4x5 --quiet --seed 3"

    @unittest.skipUnless(shutil.which("vcd2fst") and shutil.which("fst2vcd"), "no vcd2fst: GTKWave has it")
    def test_has_the_changes_of_the_waveform_in_vcd(self):
        self.succeeds(f"{self.LINE} --vcd wave.vcd")
        self.succeeds(f"{self.LINE} --vcd wave.fst")
        self.assertLess(len(self.read_bytes("wave.fst")), len(self.read_bytes("wave.vcd")))
        back = subprocess.run(["fst2vcd", self.path("wave.fst")], stdout=subprocess.PIPE, check=True).stdout
        found, expected = VcdFile(back), VcdFile(self.read_bytes("wave.vcd"))
        self.assertEqual(set(found.changes), set(expected.changes))
        for name, (times, values) in expected.changes.items():
            self.assertEqual(list(found.changes[name][0]), list(times), name)
            self.assertEqual(list(found.changes[name][1]), list(values), name)
        self.assertEqual(sorted(name for name in os.listdir(self.directory) if "wave" in name), ["wave.fst", "wave.vcd"])

    def test_needs_the_converter(self):
        self.fails_with(BAD_INPUT, f"{self.LINE} --vcd wave.fst", "--vcd is 'wave.fst'", "vcd2fst", "GTKWave",
                        env={"PATH": "/nowhere"})
        self.succeeds(f"{self.LINE} --vcd wave.fst.vcd", env={"PATH": "/nowhere"})

    def test_a_converter_that_fails_leaves_nothing(self):
        os.mkdir(self.path("bin"))
        self.save_text("bin/vcd2fst", "#!/bin/sh\nexit 1\n")
        os.chmod(self.path("bin/vcd2fst"), 0o755)
        self.fails_with(BAD_INPUT, f"{self.LINE} --vcd wave.fst", "wave.fst", "the converter to FST failed",
                        env={"PATH": self.path("bin")})
