"""The pages docs/life-of-a-command.md and docs/life-of-a-contract.md: what they show are runs."""
import os
import re

from contract_program import BAD_INPUT, SOURCE, ContractTest


def page(name):
    with open(os.path.join(SOURCE, "docs", name), encoding="utf-8") as file:
        return file.read()


def tables(text):
    """Directory of a run -> rows of the table behind its mark, each column -> cell."""
    found = {}
    for run, table in re.findall(r"^<!-- rows: (\w+) -->\n\n((?:\|.*\n)+)", text, re.M):
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        found[run] = [dict(zip(cells[0], row)) for row in cells[2:]]
    return found


class LifePages(ContractTest):
    def shows_runs(self, text, rows_of_page):
        """Runs the page's commands; rows_of_page: those of latency.csv that its tables show."""
        lines = re.findall(r"^    contract (.* --out (\w+))$", text, re.M)
        shown = tables(text)
        self.assertEqual({run for _, run in lines}, set(shown))
        for line, run in lines:
            self.succeeds(line)
            found = [row for row in self.rows(f"{run}/latency.csv") if rows_of_page(row)]
            self.assertEqual([{column: row[column] for column in shown[run][0]} for row in found], shown[run], run)
        return lines

    def test_a_command(self):
        text = page("life-of-a-command.md")
        program = re.search(r"```asm\n(.*?)```", text, re.S)[1]
        self.save_text("rows.asm", program)
        lines = self.shows_runs(text, lambda row: True)
        self.save_text("far.asm", program.replace("local=0x20100", "local=0x40000"))
        self.save_text("waits.asm", program.splitlines()[0] + "\nwait signal=3\n")
        refusals = re.findall(r"^    (contract: --program: (\w+\.asm): .*)$", text, re.M)
        self.assertEqual([name for _, name in refusals], ["far.asm", "waits.asm"])
        for message, name in refusals:
            line = re.sub(r" --out \w+$", "", lines[0][0]).replace("rows.asm", name)
            self.fails_with(BAD_INPUT, line, message)

    def test_a_contract(self):
        text = page("life-of-a-contract.md")
        for fidelity in ("fast", "detailed"):
            with self.subTest(fidelity):
                self.shows_runs(re.sub(r"( --out \w+)$", rf" --fidelity {fidelity}\1", text, flags=re.M),
                                lambda row: row["phase"] == "contract")
