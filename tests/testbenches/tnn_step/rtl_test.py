"""tnn_step in the fidelity rtl."""
from testbench_summary import RtlTables

from tnn_step_program import TnnStepTest


class Rtl(RtlTables, TnnStepTest):
    lines_of_rtl = ("--format ttm --rows 3x2 --cols 2x3 --ranks 2 --batch 4",
                    "--format tr --rows 3x2 --cols 2x3 --ranks 2 --batch 4 --layout banked --block-samples 2")

    def test_what_has_no_rtl_is_refused(self):
        self.refuses("--fidelity rtl --array 2", *(("rtl has no engines of side 2", "of 4") if self.is_built() else
                                                                ("rtl is not built", "scripts/setup --rtl")))
