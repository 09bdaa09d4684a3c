"""segmented in the fidelity rtl."""
from testbench_summary import RtlTables

from segmented_program import SegmentedTest


class Rtl(RtlTables, SegmentedTest):
    lines_of_rtl = ("--variant scan --s 4 --format f32 --length 300",
                    "--variant segscan_hybrid --s 8 --format int8 --length 500",
                    "--variant gemm_tiled --s 16 --format int8 --length 40",
                    "--variant spmv --s 4 --format f32 --length 60 --in-words 2 --out-words 1")

    def test_what_has_no_rtl_is_refused(self):
        self.refuses("--fidelity rtl --format f16", "rtl is not built", "f16" if self.is_built() else "scripts/setup --rtl")
        if self.is_built():
            self.refuses("--fidelity rtl --format f32 --s 5", "rtl has no array of side 5", "4, 8 and 16")
