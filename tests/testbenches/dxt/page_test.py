"""docs/dxt.md says what the program says and does."""
from dxt_program import DxtTest
from testbench_page import TestbenchPage


class Page(TestbenchPage, DxtTest):
    small_job = "--shape 2x2x2"
    ranged = ("zeros", "batch", "keep", "zero-threshold", "matrix-elements", "mac-latency", "step-cycles", "look-ahead",
              "cell-registers", "load-elements", "dma-ports", "vertical-mode", "threads", "clock", "seed")
    differing = "error|simulation"  # the last digits, and the computer
    usage_lines = 7
