"""docs/waveforms.md: its runs have every signal of the saved views; GTKWave reads the views, where it has a display."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["TENSORLOOM_SOURCE"]
PROGRAMS = os.environ["TENSORLOOM_PROGRAMS"]
DEVICES = ("triada", "torus", "mmv", "fetta")
FORMAT = re.compile(r"@[0-9a-f]+")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def signals_of_vcd(path):
    """{name with scopes: bits or None for a real number}"""
    scopes, found = [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["$scope"]:
                scopes.append(words[2])
            elif words[:1] == ["$upscope"]:
                scopes.pop()
            elif words[:1] == ["$var"]:
                found[".".join([*scopes, words[4]])] = None if words[1] == "real" else int(words[2])
            elif words[:1] == ["$enddefinitions"]:
                break
    return found


def rows_of_gtkwave(text):
    """[(kind, text)] of the rows of a save file: "divider" or "signal", the latter as GTKWave writes it"""
    rows = [line for line in text.splitlines() if not line.startswith("[") and not FORMAT.fullmatch(line)]
    return [("divider", row[1:]) if row.startswith("-") else ("signal", row) for row in rows]


def rows_of_surfer(text):
    kinds = {"divider_add": "divider", "variable_add": "signal"}
    rows = [line.split(" ", 1) for line in text.splitlines()]
    return [(kinds[row[0]], row[1]) for row in rows if row != ["zoom_fit"]]


class Views(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.runs = re.findall(r"^    build/release/bin/(.*--vcd (\w+)\.vcd)$", read("docs/waveforms.md"), re.M)
        for line, device in dict.fromkeys(cls.runs):
            program, *options = shlex.split(line)
            subprocess.run([os.path.join(PROGRAMS, program), *options, "--quiet"], cwd=cls.folder.name, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def vcd(self, device):
        return os.path.join(self.folder.name, device + ".vcd")

    def test_every_device_has_a_run_and_two_views(self):
        self.assertEqual(set(DEVICES), {device for _, device in self.runs})
        names = {f"{device}.{ending}" for device in DEVICES for ending in ("gtkw", "sucl")}
        self.assertEqual(set(os.listdir(os.path.join(SOURCE, "docs/waveforms"))), names)

    def test_every_signal_of_a_view_is_in_its_run(self):
        for device in DEVICES:
            bits = signals_of_vcd(self.vcd(device))
            full = {name if width in (None, 1) else f"{name}[{width - 1}:0]": name for name, width in bits.items()}
            with self.subTest(device=device):
                gtkwave = rows_of_gtkwave(read(f"docs/waveforms/{device}.gtkw"))
                surfer = rows_of_surfer(read(f"docs/waveforms/{device}.sucl"))
                shown = [row for kind, row in gtkwave if kind == "signal"]
                self.assertEqual([row for row in shown if row not in full], [])
                self.assertGreater(len(shown), 10)
                self.assertEqual(len(shown), len(set(shown)))
                self.assertEqual([(kind, full.get(row, row)) for kind, row in gtkwave], surfer)

    @unittest.skipUnless(shutil.which("xvfb-run") and shutil.which("gtkwave"), "no xvfb-run or no gtkwave")
    def test_gtkwave_shows_every_row(self):
        script = os.path.join(self.folder.name, "count.tcl")
        with open(script, "w", encoding="utf-8") as file:
            file.write('puts "rows [gtkwave::getTotalNumTraces]"\nexit\n')
        for device in DEVICES:
            view = f"docs/waveforms/{device}.gtkw"
            with self.subTest(device=device):
                done = subprocess.run(["xvfb-run", "-a", "gtkwave", self.vcd(device), os.path.join(SOURCE, view), "-S", script],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False, encoding="utf-8")
                self.assertIn(f"rows {len(rows_of_gtkwave(read(view)))}\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
