"""docs/tnn_step.md says what the program says and does."""
from tnn_step_program import SMALL, TnnStepTest
from testbench_page import TestbenchPage


class Page(TestbenchPage, TnnStepTest):
    small_job = SMALL
    ranged = ("blocks", "lanes", "outstanding", "clock", "seed")
    usage_lines = 3
