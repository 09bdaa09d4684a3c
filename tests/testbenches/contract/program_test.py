"""--program, --save-program and --profile: a user's own programs, what is refused of them, and what a command took."""
import re
import struct

from contract_program import CONTRACT, ContractTest, ProgramBytes

SIZES = "--sizes i=12,j=20,k=9"
LOAD, STORE, LOOP, END, WAIT, SIGNAL = 0x04, 0x05, 0x02, 0x03, 0x06, 0x07


class OwnProgram(ContractTest):
    def setUp(self):
        super().setUp()
        # The places of a linear plan are those of a user's own program.
        self.expected = self.computed(f"{SIZES} --layout conflicted --save-program p.bin")
        self.good = ProgramBytes(self.read_bytes("p.bin"))
        self.contract = self.good.first(CONTRACT)

    def refuses_program(self, data, *words):
        self.save_bytes("bad.bin", data)
        return self.refuses(f"{SIZES} --program bad.bin", "--program", "bad.bin", *words)

    def text(self):
        """The program as the profile shows it, in the assembler's words."""
        out = self.succeeds(f"{SIZES} --program p.bin --profile").out
        return [row[1] for row in re.findall(r"^ +0\.(\d+) +\d+ +\d+ +[\d.]+  (.*)$", out, re.M)]

    def test_gives_the_result_of_the_planned_one(self):
        found = self.computed(f"{SIZES} --program p.bin")
        self.assert_equal(found, self.expected)

    def test_as_text_is_the_same(self):
        self.save_text("p.asm", "\n".join(["; a comment"] + self.text()) + "\n")
        self.assert_equal(self.computed(f"{SIZES} --program p.asm"), self.expected)

    def test_summary_has_no_plan(self):
        found = self.summary(f"{SIZES} --program p.bin")
        self.assertIsNone(found["plan"])
        self.assertEqual((found["check"]["passed"], found["check"]["as_closed_form"]), (True, None))
        self.assertEqual(found["memory"]["addresses"], {"a": 0x81000000, "b": 0x81001000, "c": 0x81002000})
        self.assertIn("A 0x81000000, B 0x81001000, C 0x81002000", self.succeeds(f"{SIZES} --program p.bin").out)

    def test_one_that_does_nothing_is_a_wrong_result(self):
        self.save_text("p.asm", "halt\n")
        run = self.run_program(f"{SIZES} --program p.asm --quiet")
        self.assertEqual((run.status, run.out, run.err.count("\n")), (1, "", 1))
        self.assertIn("check failed", run.err)

    def test_bad_opcode(self):
        self.refuses_program(self.good.with_byte(self.good.starts[self.contract], 0x7f), f"command {self.contract} ", "opcode")

    def test_other_version_and_broken_header(self):
        self.refuses_program(self.good.with_byte(6, 99), "command 0 ", "program header")
        self.refuses_program(self.good.with_byte(8, 99), "command ")  # number of commands
        for fewer in (0, 1):
            self.refuses_program(self.good.with_byte(8, fewer), f"command {fewer} (load)", "program header")
        self.refuses_program(self.good.with_byte(self.good.starts[1] + 1, 1), "command 1 ", "command header")

    def test_a_file_that_is_cut_off_or_goes_on(self):
        data = bytes(self.good.data)
        for bad in (data[:-16], data + bytes(16), data[:12]):
            self.refuses_program(bad, f"has {len(bad)} bytes", "expected")

    def test_bank_out_of_range(self):
        # An operand of banked rows whose bank is 16: linear flags cleared, its place (base, bank) at byte 48 of the
        # payload.
        command = self.good.starts[self.contract]
        changed = ProgramBytes(self.good.with_byte(command + 2, 0))
        struct.pack_into("<II", changed.data, command + 16 + 48, 0, 16)
        self.refuses_program(bytes(changed.data), f"command {self.contract} ", "out of range", "bank: found 16", "0 to 15")

    def test_oversize_loop(self):
        for offset in (4, 8, 12, 16):  # batch, contracted, IA's and IB's free index
            self.refuses_program(self.good.with_word(self.contract, offset, 0xffffffff), f"command {self.contract} ")

    def test_loops_that_do_not_match_or_count_nothing(self):
        for text, index in (("loop count=0\nend\n", 0), ("nop\nloop count=2\n", 1), ("nop\nend\n", 1),
                            ("loop count=2\n" * 5 + "end\n" * 5, 4)):
            self.save_text("p.asm", text)
            self.refuses(f"{SIZES} --program p.asm", "--program", f"command {index} ")

    def test_overlapping_buffers(self):
        # The result begins where IA does: the bases of linear operands.
        base = struct.unpack_from("<I", self.good.data, self.good.starts[self.contract] + 16 + 48)[0]
        place_of_result = 48 + 2 * 112
        self.refuses_program(self.good.with_word(self.contract, place_of_result, base // 2), f"command {self.contract} ",
                             "out of range")

    def test_wait_that_nobody_signals(self):
        self.save_text("p.asm", "nop\nwait signal=3\nhalt\n")
        self.refuses(f"{SIZES} --program p.asm", "command 1 (wait)", "signal")

    def test_addresses_where_nothing_is(self):
        self.save_text("p.asm", "load tensor=0x200000000:bf16:64\n")
        self.refuses(f"{SIZES} --program p.asm", "command 0 (load)", "bus error")

    def test_text_that_is_no_program(self):
        for text, words in (("contrakt mapping=0\n", ("p.asm:1", "contrakt")), ("nop\nload local=5 local=6\n", ("p.asm:2",)),
                            ("\x7fELF", ("p.asm:1",))):
            self.save_text("p.asm", text)
            self.refuses(f"{SIZES} --program p.asm", "--program", *words)
        self.refuses(f"{SIZES} --program absent.asm", "--program", "absent.asm")


class Profile(ContractTest):
    def test_sums_to_the_run(self):
        for line in ("--sizes i=70,j=90,k=50 --bank-bytes 4096", "--layout offchip --einsum 'ij,jk->ki' --sizes i=9,j=20,k=11",
                     "--layout conflicted --sizes i=9,j=20,k=11 --no-overlap"):
            with self.subTest(line=line):
                out = self.succeeds(f"{line} --profile --out files").out
                rows = re.findall(r"^ +(\d+(?:\.\d+)?|total) +(\d+) +(?:\d+|-) +([\d.]+)  (.*)$", out.split("profile:")[1], re.M)
                total = rows.pop()
                self.assertEqual(total[0], "total")
                self.assertEqual(sum(int(row[1]) for row in rows), int(total[1]))
                self.assertAlmostEqual(sum(float(row[2]) for row in rows), float(total[2]), delta=1e-3 * len(rows))
                with open(self.path("files/summary.json"), encoding="utf-8") as file:
                    text = file.read()
                self.assertIn(f'"cycles": {total[1]},', text)
                pj = float(re.search(r'"energy_pJ": \{\s*"total": ([\d.e+]+)', text)[1])
                self.assertAlmostEqual(pj, float(total[2]), delta=1e-6 * pj)
                names = {row[3].split()[0] for row in rows}
                self.assertLessEqual({"load", "contract", "store", "fetch"}, names)

    def test_shows_what_commands_are_for(self):
        out = self.succeeds("--sizes i=9,j=20,k=11 --profile").out
        for what in ("; load A batch 0", "; contract C batch 0", "; store C batch 0"):
            self.assertIn(what, out)

    def test_changes_nothing(self):
        plain, profiled = (self.succeeds(f"--sizes i=9,j=20,k=11{option}").out for option in ("", " --profile"))
        keep = re.compile(r"^ +simulation.*$", re.M)
        self.assertEqual(keep.sub("", plain).strip(), keep.sub("", profiled.split("profile:")[0]).strip())


class SavedProgram(ContractTest):
    def test_is_what_ran(self):
        line = "--sizes i=40,j=30,k=20"
        found = self.summary(f"{line} --save-program p.bin")
        data = self.read_bytes("p.bin")
        self.assertEqual((data[:4], len(data)), (b"TLPM", found["memory"]["program_bytes"]))
        contracts = sum(ProgramBytes(data).opcode(i) == CONTRACT for i in range(len(ProgramBytes(data).starts)))
        self.assertEqual((contracts, contracts), (found["plan"]["contracts"], found["events"]["contract"]))

    def test_gives_the_same_again(self):
        # Its transfers are of C order, so that it also runs as a user's own program; saved again by a second run, it
        # has the same bytes.
        line = "--sizes i=40,j=30,k=20 --layout conflicted"
        planned = self.computed(f"{line} --save-program p.bin")
        again = self.computed(f"{line} --save-program q.bin")
        self.assertEqual(self.read_bytes("p.bin"), self.read_bytes("q.bin"))
        for result in (again, self.computed("--sizes i=40,j=30,k=20 --program p.bin")):
            self.assertEqual(result.tobytes(), planned.tobytes())
