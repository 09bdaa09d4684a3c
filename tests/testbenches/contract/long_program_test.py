"""A user's own program whose loops go on for long: what bounds its time and its log."""
import re

from contract_program import ContractTest

SIZES = "--sizes i=4,j=4,k=4"


class LongProgram(ContractTest):
    def save_loop(self, *counts):
        self.save_text("p.asm", "".join(f"loop count={n}\n" for n in counts) + "nop\n" + "end\n" * len(counts) + "halt\n")

    def test_one_that_does_not_end_is_refused(self):
        self.save_loop(4294967295, 4294967295)
        self.refuses(f"{SIZES} --program p.asm --max-cycles 20000", "--program", "p.asm", "not done after 20,000 cycles", "--max-cycles")

    def test_one_that_ends_in_time_is_not(self):
        self.save_loop(20000)
        self.fails_with(2, f"{SIZES} --program p.asm --max-cycles 20000", "--max-cycles")
        self.assertEqual(self.run_program(f"{SIZES} --program p.asm --max-cycles 20400 --no-check").status, 0)

    def test_profile_adds_up_by_command(self):
        self.save_loop(100, 20)
        out = self.succeeds(f"{SIZES} --program p.asm --profile --no-check").out.split("profile:")[1]
        ends = re.findall(r"^ +0\.\d+ +(\d+) +(\d+) +[\d.]+ +end", out, re.M)
        self.assertEqual(ends, [("2000", "2000"), ("100", "100")])

    def test_more_rows_than_a_table_gets_are_refused(self):
        self.save_loop(1000001)
        self.refuses(f"{SIZES} --program p.asm --out rows --no-check", "--out", "rows", "expected fewer")

    def test_limit_is_of_own_programs(self):
        self.refuses(f"{SIZES} --max-cycles 1000", "--max-cycles", "--program")
        for limit in ("0", "-1", "x", "1000000000001"):
            self.save_loop(1)
            self.refuses(f"{SIZES} --program p.asm --max-cycles {limit}", "--max-cycles", "expected")


class Profile(ContractTest):
    def test_shows_how_long_the_engines_worked(self):
        found = self.summary("--sizes i=70,j=90,k=50 --bank-bytes 4096")
        out = self.succeeds("--sizes i=70,j=90,k=50 --bank-bytes 4096 --profile").out.split("profile:")[1]
        rows = re.findall(r"^ +0\.\d+ +(\d+) +(\d+) +[\d.]+  contract ", out, re.M)
        self.assertEqual(len(rows), found["plan"]["contracts"])
        self.assertEqual(sum(int(busy) for _, busy in rows), found["tcu_cycles"])
        self.assertTrue(all(int(cycles) <= int(busy) for cycles, busy in rows))
