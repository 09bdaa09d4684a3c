"""dxt in the fidelity rtl."""
import os
import subprocess

from testbench_summary import RtlTables

from dxt_program import SOURCE, DxtTest


class Rtl(RtlTables, DxtTest):
    lines_of_rtl = ("--shape 4x4x4 --format f32", "--shape 5x3x7 --mesh 2x3x4 --format f32 --double-buffer",
                    "--shape 4x8x4 --transform dwht --norm backward --format int8 --shift 1,2,1",
                    "--shape 8x8x8 --format f32 --chain --threshold 0.2 --batch 2 --double-buffer --memory sram",
                    "--shape 3x3x3 --format f32 --zero-threshold 0.3 --tags random")

    def test_what_has_no_rtl_is_refused(self):
        if self.is_built():
            self.refuses("--fidelity rtl --shape 4x4x4 --format c64", "rtl is not built for c64")
            self.refuses("--fidelity rtl --shape 9x4x4 --format f32", "rtl has no mesh of 9 cells", "up to 8")
            self.refuses("--fidelity rtl --shape 4x4x4 --format f32 --look-ahead 8", "rtl has no look-ahead of 8 rows", "of all")

    def test_waveforms_are_those_of_detailed(self):
        if not self.is_built():
            self.skipTest("no Verilator: scripts/setup --rtl installs it")
        for line in ("--shape 4x3x4 --format f32 --zero-threshold 0.3", "--shape 5x4x3 --format f32 --tags random"):
            for fidelity in ("detailed", "rtl"):
                self.succeeds(f"{line} --fidelity {fidelity} --vcd {fidelity}.vcd --watch 0,0,0 --watch 3,2,1")
            done = subprocess.run([os.path.join(SOURCE, "scripts/compare_waveforms"), "detailed.vcd", "rtl.vcd"],
                                  cwd=self.directory, stdout=subprocess.PIPE, encoding="utf-8", check=False)
            self.assertEqual((done.returncode, done.stdout), (0, "equal: 28 signals\n"), line)
