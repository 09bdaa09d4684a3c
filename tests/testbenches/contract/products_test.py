"""docs/fetta-gemm.md: its tables are what scripts/fetta_products measures, and its formulas are those of others."""
import os
import subprocess

from contract_program import SOURCE, ContractTest
from testbench_program import program_path

SCRIPT = os.path.join(SOURCE, "scripts/fetta_products")


class Products(ContractTest):
    def run_script(self, programs):
        return subprocess.run([SCRIPT, "--programs", programs], cwd=self.directory, capture_output=True, text=True, check=False)

    def test_tables_of_the_page_are_what_is_measured(self):
        run = self.run_script(os.path.dirname(program_path("contract")))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        with open(os.path.join(SOURCE, "docs/fetta-gemm.md"), encoding="utf-8") as file:
            page = file.read()
        sections = {part.split("\n")[0]: part.splitlines() for part in page.split("\n## ")[1:]}
        measured = run.stdout.split("## ")[1:]
        self.assertEqual(len(measured), 4)
        for part in measured:
            title, *lines = part.splitlines()
            table = [line for line in lines if line]
            self.assertGreater(len(table), 4)
            start = sections[title].index(table[0])
            self.assertEqual(sections[title][start:start + len(table)], table, title)

    def test_formulas_of_others(self):
        found = self.run_script(os.path.dirname(program_path("contract"))).stdout
        # 16 tiles of 64 rows and 46 to fill; 16 tiles of 2 x 16 + 16 + 64 - 2
        self.assertRegex(found, r"\| 64 \| 1,024 \| [\d,]+ \| [\d,]+ \| 1,070 \| 1,760 \|")
        self.assertRegex(found, r"\| 256 \| 65,536 \| [\d,]+ \| [\d,]+ \| 65,582 \| 77,312 \|")

    def test_a_folder_without_programs(self):
        run = self.run_script(self.directory)
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"\Afetta_products: [^\n]*contract: No such file[^\n]*expected a testbench[^\n]*\n\Z")
