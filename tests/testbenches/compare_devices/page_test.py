"""docs/compare_devices.md says what the program says and does, and its figures are what is measured."""
from compare_devices_program import CompareDevicesTest, load_json
from page_figures import PageFigures, wrapped
from testbench_page import TestbenchPage
from testbench_words import TestbenchWords

SMALL = "--shape 6x5x7"


class Words(TestbenchWords, CompareDevicesTest):
    job = long_job = SMALL
    helped = ("--shape", "--devices", "--mesh", "--grid", "--s", "--engines")
    nonsense = "--devices nothing"


class Page(TestbenchPage, CompareDevicesTest):
    small_job = SMALL
    ranged = ("s", "step-cycles", "load-elements", "lanes", "macs-per-cycle", "clock", "seed")
    usage_lines = 3


class Figures(PageFigures, CompareDevicesTest):
    pages = ("compare_devices.md",)

    def summary(self, command, _folder=None):
        self.succeeds(f"{command.removeprefix(self.program)} --quiet --out files")
        return wrapped(load_json(self.path("files/summary.json")))
