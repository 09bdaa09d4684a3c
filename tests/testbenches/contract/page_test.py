"""docs/contract.md says what the program says and does."""
from contract_program import MAPPINGS, ContractTest
from testbench_page import TestbenchPage


def table_after(page, words):
    """Rows of the first table behind these words, each a list of cells."""
    rows = []
    for line in page.split(words, 1)[1].splitlines():
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


class Page(TestbenchPage, ContractTest):
    small_job = "--sizes i=6,j=9,k=5"
    ranged = ("bank-bytes", "accumulator-bytes", "buffer-cycles", "mac-latency", "lanes", "outstanding", "padding-share", "leakage", "clock",
              "burst", "seed")
    usage_lines = 4

    def test_every_mapping_is_there(self):
        rows = [row[0].strip("`") for row in table_after(self.page, "**Mapping.**")]
        self.assertEqual(tuple(rows), MAPPINGS)
