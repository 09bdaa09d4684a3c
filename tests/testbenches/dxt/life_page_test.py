"""docs/life-of-an-operand-word.md: its table has the rows of a run."""
import os
import re

from dxt_program import SOURCE, DxtTest


class LifePage(DxtTest):
    def test_rows_of_the_example(self):
        with open(os.path.join(SOURCE, "docs/life-of-an-operand-word.md"), encoding="utf-8") as file:
            page = file.read()
        self.succeeds(re.search(r"^    dxt (.*)$", page, re.M)[1])
        table = re.search(r"^\| cause .*\n\|[-|]+\|\n((?:\|.*\n)+)", page, re.M)
        columns, *shown = [[cell.strip() for cell in line.strip("|").split("|")]
                           for line in (table[0].splitlines()[0], *table[1].splitlines())]
        self.assertEqual([[row[column] for column in columns] for row in self.rows("run/latency.csv")], shown)
