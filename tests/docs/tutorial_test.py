"""docs/tutorial.md: its commands run, one after the other, and print what it shows."""
import os
import re
import subprocess
import tempfile
import unittest

SOURCE = os.environ["TENSORLOOM_SOURCE"]
PROGRAMS = os.environ["TENSORLOOM_PROGRAMS"]
FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", re.M)
LEFT_OUT = "..."


def missing_line(shown, printed):
    """The first line of a sample that was not printed where it shows it, or None. `...` stands for any lines."""
    place, anywhere = 0, False
    for line in shown:
        if line == LEFT_OUT:
            anywhere = True
            continue
        if anywhere:
            place = next((at for at in range(place, len(printed)) if printed[at] == line), len(printed))
        if place == len(printed) or printed[place] != line:
            return line
        place, anywhere = place + 1, False
    return None if anywhere or place == len(printed) else f"{printed[place]} (printed, not shown)"


class Tutorial(unittest.TestCase):
    def test_commands_print_what_is_shown(self):
        with open(os.path.join(SOURCE, "docs/tutorial.md"), encoding="utf-8") as file:
            page = file.read()
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "build", "release"))
            os.symlink(PROGRAMS, os.path.join(folder, "build", "release", "bin"))
            os.symlink(os.path.join(SOURCE, "scripts"), os.path.join(folder, "scripts"))
            for name, text in FILE.findall(page):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            commands = COMMAND.findall(page)
            self.assertGreater(len(commands), 5)
            for command, sample in commands:
                done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
                                      check=False, encoding="utf-8")
                shown = [line[4:] for line in sample.splitlines()]
                self.assertIsNone(missing_line(shown, done.stdout.splitlines()), f"{command}\n{done.stdout}")
                self.assertEqual(done.returncode, 2 if "expected" in done.stdout else 0, command)


class MissingLine(unittest.TestCase):
    def test_each_kind(self):
        for shown, printed, missing in ((["a", "b"], ["a", "b"], None), (["a", "...", "c"], ["a", "b", "c"], None),
                                        (["..."], ["a"], None), ([], [], None), (["...", "c"], ["a", "c"], None),
                                        (["a"], ["b"], "a"), (["a", "c"], ["a", "b", "c"], "c"), (["...", "d"], ["a"], "d"),
                                        (["b", "...", "a"], ["b", "a", "b"], "b (printed, not shown)"),
                                        ([], ["a"], "a (printed, not shown)"), (["a", "b"], ["a"], "b")):
            with self.subTest(shown=shown, printed=printed):
                self.assertEqual(missing_line(shown, printed), missing)
