#!/usr/bin/env python3
"""tensorloom-asm: files there and back, options, bad input.

Usage: assembler_tool_test.py TOOL [unittest arguments]
"""
import os
import subprocess
import sys
import unittest

from tool_folder import TOOL, ToolFolder, run

TEXT = "loop count=3\n    add result=0x40 a=0x80 b=0xc0 length=4 ; a comment\nend\n"


class AssemblerToolTest(ToolFolder):
    def setUp(self):
        super().setUp()
        self.write("in.asm", TEXT)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def succeed(self, *arguments):
        done = run(*arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def fail_with(self, complaint, *arguments):
        before = {name: self.read(name) for name in os.listdir(self.folder)}
        self.assertIn(complaint, self.refusal("tensorloom-asm", *arguments, cwd=self.folder))
        self.assertEqual({name: self.read(name) for name in os.listdir(self.folder)}, before)

    def test_text_becomes_a_program(self):
        self.succeed("in.asm", "-o", "out.bin")
        program = self.read("out.bin")
        self.assertEqual(program[:4], b"TLPM")
        self.assertEqual(len(program), 16 + 32 + 96 + 16)
        self.assertEqual([program[i] for i in (16, 48, 144)], [0x02, 0x30, 0x03])
        self.assertEqual(program[32], 3)

    def test_there_and_back(self):
        self.succeed("in.asm", "-o", "out.bin")
        self.succeed("--disassemble", "out.bin", "-o", "back.asm")
        self.succeed("-o", "again.bin", "back.asm", "--device", "mmv")
        self.assertEqual(self.read("again.bin"), self.read("out.bin"))
        self.assertIn(b"\n    add result=0x40 a=0x80 b=0xc0 length=4\n", self.read("back.asm"))

    def test_device_decides_which_commands_there_are(self):
        self.write("gemt.asm", "gemt esop order=1,2,3\n")
        self.succeed("--device", "triada", "gemt.asm", "-o", "gemt.bin")
        self.fail_with("gemt.asm:1: found 'gemt', expected a command of device mmv", "gemt.asm", "-o", "gemt.bin")
        self.fail_with("command 0: found 848 bytes, expected 80", "--disassemble", "gemt.bin", "-o", "gemt.asm")

    def test_text_may_name_its_device(self):
        self.write("gemt.asm", ".device triada\ngemt esop order=1,2,3\n")
        self.succeed("gemt.asm", "-o", "gemt.bin")
        self.succeed("gemt.asm", "-o", "same.bin", "--device", "triada")
        self.assertEqual(self.read("gemt.bin"), self.read("same.bin"))
        self.succeed("--disassemble", "--device", "triada", "gemt.bin", "-o", "back.asm")
        self.succeed("back.asm", "-o", "again.bin")
        self.assertEqual(self.read("gemt.bin"), self.read("again.bin"))
        self.fail_with("gemt.asm:1: found '.device triada', expected device fetta", "gemt.asm", "-o", "out.bin",
                       "--device", "fetta")
        self.write("bad.asm", "nop\n.device triada\ngemt\n")
        self.fail_with("bad.asm:2: found '.device triada', expected .device before everything else", "bad.asm", "-o",
                       "out.bin")
        self.write("bad.asm", ".device toroid\n")
        self.fail_with("bad.asm:1: device: found 'toroid', expected triada, mmv, fetta, torus", "bad.asm", "-o", "out.bin")

    def test_symbols_make_a_table(self):
        self.write("in.asm", "nop\nload tensor=x+64:f64:4 local=0x10\nstore tensor=y:f64:4\n")
        self.write("out.bin.rel", "whatever was there\n")
        self.succeed("in.asm", "-o", "out.bin")
        head, tail = "/* symbol, byte offset, addend: what tl_program_bind takes */\n", "{0, 0, 0},\n"
        self.assertEqual(self.read("out.bin.rel").decode(), f'{head}{{"x", 48, 64}},\n{{"y", {48 + 176}, 0}},\n{tail}')
        program = self.read("out.bin")
        self.assertEqual(int.from_bytes(program[48:56], "little"), 64)
        self.assertEqual(int.from_bytes(program[48 + 176:56 + 176], "little"), 0)
        # Without symbols there is nothing to say, but to those who would bind this program by an older one's table.
        self.write("plain.asm", "nop\n")
        self.succeed("plain.asm", "-o", "out.bin")
        self.assertEqual(self.read("out.bin.rel").decode(), head + tail)
        self.write("other.bin.rel", "no table\n")
        self.succeed("plain.asm", "-o", "other.bin")
        self.assertEqual(self.read("other.bin.rel"), b"no table\n")
        self.succeed("plain.asm", "-o", "new.bin")
        self.assertNotIn("new.bin.rel", os.listdir(self.folder))

    def test_table_that_cannot_be_written_leaves_the_program_as_it_was(self):
        self.write("in.rel", "load tensor=x:f64:4\n")
        self.fail_with("the table 'in.rel' is the input 'in.rel', expected another file", "in.rel", "-o", "in")
        self.write("in.asm", "load tensor=x:f64:4\n")
        self.write("out.bin", "older")
        for make in (os.mkdir, os.mkfifo):
            make(self.path("out.bin.rel"))
            done = run("in.asm", "-o", "out.bin", cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"^tensorloom-asm: [^\n]*out\.bin\.rel[^\n]*\n$")
            self.assertEqual(self.read("out.bin"), b"older")
            if make == os.mkdir:
                os.rmdir(self.path("out.bin.rel"))
        self.write("plain.asm", "nop\n")
        self.succeed("plain.asm", "-o", "out.bin") # nobody reads the pipe

    def test_bad_input_leaves_files_as_they_were(self):
        self.write("bad.asm", "nop\nadd lenght=3\n")
        self.write("out.bin", "older")
        self.fail_with("bad.asm:2: found 'lenght=3', expected zero_a", "bad.asm", "-o", "out.bin")
        self.fail_with("expected a program", "--disassemble", "out.bin", "-o", "new.asm")
        self.fail_with("nowhere.asm: cannot be read", "nowhere.asm", "-o", "out.bin")
        self.fail_with("cannot be written", "in.asm", "-o", "no/folder.bin")

    def test_the_source_is_never_the_output(self):
        os.symlink("in.asm", self.path("link.asm"))
        os.link(self.path("in.asm"), self.path("twin.asm"))
        os.mkdir(self.path("folder"))
        self.addCleanup(os.rmdir, self.path("folder"))
        for output in ("in.asm", "./in.asm", "folder/../in.asm", "link.asm", "twin.asm", self.path("in.asm")):
            done = run("in.asm", "-o", output, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""), output)
            self.assertEqual(done.stderr, f"tensorloom-asm: -o '{output}' is the input 'in.asm', expected another file\n")
            self.assertEqual(self.read("in.asm"), TEXT.encode())
        self.assertTrue(os.path.islink(self.path("link.asm")))

    def test_sizes_are_decimal_and_unsigned_fields_are_not_negative(self):
        for text, found, expected in (
                ("load tensor=0x80000000:int64:0x4", "'0x80000000:int64:0x4'", "sizes decimal, at least 1"),
                ("load tensor=0x80000000:int64:0", "'0x80000000:int64:0'", "sizes decimal, at least 1"),
                ("load tensor=0:int64:-4", "'0:int64:-4'", "sizes decimal, at least 1"),
                ("load tensor=-8:int64:4", "'-8:int64:4'", "ADDRESS:TYPE"),
                ("loop count=-1", "'-1'", "count as an unsigned number of 32 bits"),
                ("add result=-64", "'-64'", "result as an unsigned number of 32 bits"),
                ("nop token=-1", "'token=-1'", "an unsigned number of 32 bits"),
                ("loop count=1,2", "'count=1,2'", "1 value\n"),
                ("add result_step=1", "'result_step=1'", "2 values\n")):
            self.write("bad.asm", text + "\n")
            self.fail_with(f"bad.asm:1: found {found}, expected ", "bad.asm", "-o", "out.bin")
            self.fail_with(expected, "bad.asm", "-o", "out.bin")
        self.write("good.asm", "add result_step=-1,-2\nload tensor=64:int64:4x2:-1x0\nset immediate=-5,0\n")
        self.succeed("good.asm", "-o", "out.bin")

    def test_bad_options(self):
        self.fail_with("found no input", "-o", "out.bin")
        self.fail_with("found no -o", "in.asm")
        self.fail_with("-o needs a value", "in.asm", "-o")
        self.fail_with("found a second input 'b.asm'", "in.asm", "b.asm", "-o", "out.bin")
        self.fail_with("unknown option '--dis'", "--dis", "in.asm", "-o", "out.bin")
        self.fail_with("found 'toroid', expected triada, mmv, fetta, torus", "--device", "toroid", "in.asm", "-o", "out.bin")

    def test_complaints_are_one_line_whatever_the_names_hold(self):
        for arguments in (("a\nb", "-o", "x"), ("in.asm", "-o", "no\nfolder/x"), ("--o\np\x1b[31m", "in.asm"),
                          ("--device", "m\nv", "in.asm", "-o", "x")):
            self.fail_with("", *arguments)
            done = run(*arguments, cwd=self.folder)
            self.assertNotIn("\x1b", done.stderr)

    def test_a_pipe_is_refused_instead_of_waited_for(self):
        os.mkfifo(self.path("pipe"))
        for options in ((), ("--disassemble",)):
            done = subprocess.run([TOOL, *options, "pipe", "-o", "out"], capture_output=True, text=True,
                                  cwd=self.folder, timeout=20)
            self.assertEqual((done.returncode, done.stderr),
                             (2, "tensorloom-asm: pipe: found a pipe, expected a file\n"))

    def test_help_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TOOL, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^tensorloom-asm: standard output could not be written[^\n]*\n$")

    def test_help_names_the_options(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--disassemble", "--device", "-o", "--help", ".device", "OUTPUT.rel"):
            self.assertIn(option, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
