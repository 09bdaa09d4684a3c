"""500 random command lines of a fixed seed: every option of every testbench and tool as its help names it, with values
that are good, bad and strange. Each ends with status 0, 1 or 2 and at most one line on standard error; nothing fails
internally."""
import concurrent.futures
import os
import random
import re
import struct
import subprocess
import tempfile
import unittest

import numpy as np

from testbench_manifests import TEST_JOBS

LINES = 500
SEED = 1
PATIENCE_S = 60

# Small jobs of each: what the options are added to, nine times in ten.
JOBS = {
    **{name: jobs["command_lines"] for name, jobs in TEST_JOBS.items()},
    "tensorloom-asm": ["good.asm -o new.bin", "--disassemble good.bin -o new.asm"],
    "tensorloom-registers": ["--svd", "--systemrdl", "--ipxact", "--map-header --map board.yaml", "--c-header",
                             "--markdown good.md"],
    "tensorloom-modules": ["--list", "--fields torus", "--check good.yaml a=mmv", "--markdown good.md"],
}

# By the name of what stands for a value in the help.
NUMBERS = "0 1 2 3 4 5 8 16 17 32".split()
BAD_NUMBERS = ["-1", "1.5", "nan", "1e400", "0x10", "18446744073709551616", "99999999999999999999999", "x", "1 ", "+3"]
PATHS = ["good.npy", "good3.npy", "good.mtx", "good.yaml", "good.bin", "good.asm", "good.md", "good.json"]
BAD_PATHS = ["missing", "folder", "empty", "bad.yaml", "bad.npy", "bad.mtx", "no/folder", "pipe", "/dev/null", "/dev/full",
             "", "/proc/self/mem", "two\nlines", "\x1b[31mred", "n" * 300, ".", "/"]
STRANGE = ["", " ", "\n", "-", "--", "a,b", ",", "1,,2", "=", "x" * 2000, "\udcff\udcfe", "'", "none"]
SHAPES = ["1x1x1", "2x3x4", "3x2x1", "4x4x4", "0x1x1", "2x2", "2x2x2x2", "x", "-1x2x3", "99999x1x1"]


def options_of(program, path):
    """Name and form of each option, as the help says; a flag has none."""
    text = subprocess.run([path, "--help"], capture_output=True, check=True, text=True).stdout
    found = re.findall(r"^  (--?[a-z][a-z0-9-]*)(?: ([^ \n]+))?(?:  .*)?$", text, re.MULTILINE)
    assert len(found) >= 4, (program, text)
    return found


class CommandLines:
    """Draws command lines."""

    def __init__(self, programs):
        self.random = random.Random(SEED)
        self.options = {name: options_of(name, path) for name, path in sorted(programs.items())}

    def value(self, form):
        draw = self.random
        if draw.random() < 0.08:
            return draw.choice(STRANGE)
        good = draw.random() < 0.7
        if "FILE" in form or form in ("DIR", "PAGE", "OUTPUT"):
            return draw.choice(PATHS + ["new"] if good else BAD_PATHS)
        if "|" in form:
            return draw.choice(form.split("|")) if good else draw.choice(["", "both", "F64", form])
        if re.search(r"[a-zA-Z]\d?x[a-zA-Z]", form):
            return draw.choice(SHAPES[:4] if good else SHAPES)
        if "," in form:
            parts = [draw.choice(["0", "1", "2", "dct", "i=2", "4"]) for _ in form.split(",")]
            return ",".join(parts if good else parts[:-1] or ["x"])
        if form in ("NAME", "EPS", "FRACTION", "X", "TIME", "EPOCH:STEP"):
            words = {"NAME": ["fetta", "dense", "scan", "scd", "dft"], "TIME": ["0", "10ns", "1us"],
                     "EPOCH:STEP": ["1:1", "1:2"]}
            return draw.choice(words.get(form, ["0", "0.5", "1"]) if good else BAD_NUMBERS)
        return draw.choice(NUMBERS if good else BAD_NUMBERS)

    def line(self):
        draw = self.random
        program = draw.choice(sorted(self.options))
        words = draw.choice(JOBS[program]).split() if draw.random() < 0.9 else []
        for _ in range(draw.choice([0, 1, 1, 2, 2, 3, 5])):
            name, form = draw.choice(self.options[program])
            if name == "--theorems":  # every size of every theorem
                continue
            value = [] if form == "" else [self.value(form)]
            if value and name.startswith("--") and draw.random() < 0.2:
                name, value = f"{name}={value[0]}", []
            if draw.random() < 0.03:
                name = name[:-1] if draw.random() < 0.5 else name + "\n"
            if draw.random() < 0.03:
                value = value[1:] if draw.random() < 0.5 else value + ["more"]
            at = draw.randrange(len(words) + 1) if draw.random() < 0.1 else len(words)
            words[at:at] = [name, *value]
        return program, words


def prepare(folder):
    """The files that command lines name."""
    def path(name):
        return os.path.join(folder, name)

    def write(name, data):
        with open(path(name), "wb") as file:
            file.write(data)

    np.save(path("good.npy"), np.arange(20) % 3)
    np.save(path("good3.npy"), np.arange(18.0).reshape(2, 3, 3))
    write("good.mtx", b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 2 2\n")
    write("good.yaml", b"seed: 3\n")
    write("good-model.yaml", b"layers: [{format: ttm, rows: 2x5, cols: 8x8, ranks: 2}]\n")
    write("good.asm", b"nop\nhalt\n")
    write("good.bin", struct.pack("<IIII", 0x4d504c54, 1 << 16, 1, 32) + struct.pack("<BBHIII", 0, 0, 0, 16, 0, 0))
    write("good.md", b"# A page\n")
    write("board.yaml", b"platform: p\ndevices:\n- {name: a, kind: mmv, base: 0x1000, interrupt: 1}\n")
    write("good.json", b'{"nodes": [["A", ["i"]], ["B", ["i"]]], "out": [], "sizes": {"i": 3}}')
    write("bad.yaml", b"&a x\n? ")
    write("bad.npy", b"\x93NUMPY\x01\x00\x76\x00{'descr'")
    write("bad.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 9\n")
    write("empty", b"")
    os.mkdir(path("folder"))
    os.mkfifo(path("pipe"))


class RandomCommandLines(unittest.TestCase):
    def test_end_with_a_status_and_at_most_one_line(self):
        programs = {name: os.environ[name.upper().replace("-", "_")] for name in JOBS}
        lines = CommandLines(programs)
        drawn = [lines.line() for _ in range(LINES)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(lambda line: self.outcome(programs[line[0]], line[1]), drawn))
        wrong = [(line, outcome) for line, outcome in zip(drawn, outcomes) if not self.is_fine(*outcome)]
        self.assertEqual(wrong, [])
        counts = {status: sum(1 for found, _ in outcomes if found == status) for status in (0, 2)}
        self.assertGreater(min(counts.values()), LINES // 10, counts)  # neither all good nor all bad

    @staticmethod
    def outcome(path, words):
        with tempfile.TemporaryDirectory(prefix="command-line-") as folder:
            prepare(folder)
            try:
                done = subprocess.run([os.fsencode(w) for w in (path, *words)], cwd=folder, timeout=PATIENCE_S,
                                      check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE)
            except subprocess.TimeoutExpired:
                return "too long", b""
            return done.returncode, done.stderr

    @staticmethod
    def is_fine(status, err):
        one_line = err == b"" or (err.endswith(b"\n") and err.count(b"\n") == 1)
        return status in (0, 1, 2) and one_line and b"internal failure" not in err and (status != 2 or err != b"")


if __name__ == "__main__":
    unittest.main()
