"""Tests of the program segmented."""
from testbench_program import (BAD_INPUT, INTERNAL, RIGHT, SOURCE, WRONG,  # what tests of segmented need besides
                               TestbenchTest, load_json)

__all__ = ["BAD_INPUT", "INTERNAL", "RIGHT", "SOURCE", "WRONG", "SegmentedTest", "load_json", "METRICS", "VARIANTS",
           "crossover_text"]

METRICS = ("steps", "cycles", "energy")
VARIANTS = {"scan": ("scan", "scan_tile", "scan_vcu", "scan_tree_vcu", "scan_hybrid"), "compress": ("compress", "compress_vcu"),
            "difference": ("diff_mmu", "diff_vcu"), "segmented-sum": ("scd", "scd_diff_mmu", "scd_vcu", "scd_tree_vcu"),
            "segmented-scan": ("sscr", "sscr_shared", "segscan", "segscan_ks", "segscan_loop", "segscan_vcu",
                               "sscr_vcu", "sscr_tree_vcu", "segscan_hybrid"),
            "product": ("ewmul", "ewmul_seg", "ewmul_vcu", "mul"),
            "matrix-product": ("matprod", "matprod_vcu", "gemm_tiled", "gemm_vcu"),
            "spmv": ("spmv", "spmv_scd", "spmv_segscan", "spmv_vcu", "spmv_scan_vcu", "spmv_tree_vcu"),
            "copy": ("copy",)}


class SegmentedTest(TestbenchTest):
    program = "segmented"
    outputs = ("--output z.npy", "--out files", "--vcd wave")

    def computed(self, line):
        """The result of a run."""
        self.succeeds(f"{line} --quiet --output z.npy")
        return self.load("z.npy")


def crossover_text(at, lengths):
    """As programs and pages say it."""
    return f"not up to {lengths[-1]:,}" if at is None else f"from {at:,}"
