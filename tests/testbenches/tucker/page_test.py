"""docs/tucker.md says what the program says and does."""
from testbench_page import TestbenchPage
from tucker_program import TuckerTest


class Page(TestbenchPage, TuckerTest):
    small_job = "--shape 2x2x2 --ranks 1x1x1 --method hooi"
    ranged = ("max-iterations", "fit-change", "zero-threshold", "matrix-elements", "mac-latency", "step-cycles", "look-ahead", "load-elements", "dma-ports",
              "vertical-mode", "threads", "clock", "seed")
    # The last digits, which numbers of the decomposition are exactly 0 (the mathematical library), and the computer.
    differing = ("error of chains|error of factors|MACs done|MACs skipped|a time-step uses|utilisation|by 40nm|"
                 "actuators|lines|registers|mac|device energy|simulation")
    usage_lines = 3
