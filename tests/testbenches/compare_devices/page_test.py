"""docs/compare_devices.md says what the program says and does. Its figures: testbenches/figures."""
from compare_devices_program import CompareDevicesTest
from testbench_page import TestbenchPage
from testbench_words import TestbenchWords

SMALL = "--shape 6x5x7"


class Words(TestbenchWords, CompareDevicesTest):
    job = long_job = SMALL
    helped = ("--shape", "--devices", "--mesh", "--torus-array", "--mmv-array", "--engines")
    nonsense = "--devices nothing"


class Page(TestbenchPage, CompareDevicesTest):
    small_job = SMALL
    ranged = ("mmv-array", "step-cycles", "cell-registers", "mac-latency", "load-elements", "dma-ports", "lanes", "macs-per-cycle",
              "clock", "seed")
    usage_lines = 3
