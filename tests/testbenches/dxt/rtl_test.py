"""dxt in the fidelity rtl."""
from testbench_summary import RtlTables

from dxt_program import DxtTest


class Rtl(RtlTables, DxtTest):
    lines_of_rtl = ("--shape 4x4x4 --format f32", "--shape 5x3x7 --mesh 2x3x4 --format f32 --double-buffer",
                    "--shape 4x8x4 --transform dwht --norm backward --format int8 --shift 1,2,1",
                    "--shape 8x8x8 --format f32 --chain --threshold 0.2 --batch 2 --double-buffer --memory sram",
                    "--shape 3x3x3 --format f32 --zero-threshold 0.3 --tags random")

    def test_what_has_no_rtl_is_refused(self):
        if self.is_built():
            self.refuses("--fidelity rtl --shape 4x4x4 --format c64", "rtl is not built for c64")
            self.refuses("--fidelity rtl --shape 9x4x4 --format f32", "rtl has no mesh of 9 cells", "up to 8")
