#!/usr/bin/env python3
"""tensorloom-energy: what it writes for Accelergy gives the energies of the run; what it reads gives a technology with
which the run repeats; what it refuses."""
import contextlib
import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import package_path  # noqa: F401
from tensorloom import energy_command
try:
    import yaml
except ImportError:
    print("no python3-yaml")
    sys.exit(0)

BIN = sys.argv.pop(1)
RUNS = {"triada": "dxt --shape 4x5x6 --mesh 4x4x4 --transform dft --sparsity esop --zeros 0.3",
        "sram": "dxt --shape 4x5x6 --format bf16 --memory sram --technology 45nm --clock 0.3",
        "torus": "orbital --shape 6x5x4 --grid 2 --memory sram",
        "mmv": "segmented --operation segmented-scan --length 500",
        "fetta": "contract --sizes i=20,j=24,k=28"}
ANY = "triada"


def command_line(line):
    program, *options = shlex.split(line)
    return [os.path.join(BIN, program), *options]


def summary_of(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


class Energy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = scratch.name
        for name, line in RUNS.items():
            subprocess.run([*command_line(line), "--quiet", "--out", cls.path(name)], check=True)

    @classmethod
    def path(cls, *parts):
        return os.path.join(cls.folder, *parts)

    def run_it(self, *arguments):
        """(exit status, standard output, standard error)"""
        out, err = io.StringIO(), io.StringIO()
        with mock.patch("sys.argv", ["tensorloom-energy", *arguments]), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(err):
            return energy_command.main(), out.getvalue(), err.getvalue()

    def exported(self, name):
        """The three files of a run, read by a YAML library."""
        status, out, err = self.run_it(self.path(name), "--accelergy", self.path(name + "-accelergy"))
        self.assertEqual((status, err), (0, ""), out)
        found = {}
        for file in ("architecture", "action_counts", "ERT"):
            with open(self.path(name + "-accelergy", file + ".yaml"), encoding="utf-8") as stream:
                content = yaml.safe_load(stream)
            self.assertEqual(list(content), [file])
            self.assertEqual(content[file]["version"], 0.4)
            found[file] = content[file]
        return found

    def test_counts_times_energies_are_the_energies_of_the_summary(self):
        for name in RUNS:
            found, expected = self.exported(name), dict(summary_of(self.path(name))["energy_pJ"])
            energies = {(table["name"], action["name"]): action["energy"] for table in found["ERT"]["tables"]
                        for action in table["actions"]}
            sums = {}
            for table in found["action_counts"]["local"]:
                component = table["name"].rpartition(".")[2]
                sums.setdefault(component, []).extend(action["counts"] * energies[table["name"], action["name"]]
                                                      for action in table["action_counts"])
            total = expected.pop("total")
            with self.subTest(name=name):
                self.assertEqual(set(sums), set(expected))
                for component, parts in sums.items():
                    self.assertAlmostEqual(math.fsum(parts), expected[component], delta=1e-12 * total, msg=component)
                self.assertAlmostEqual(math.fsum(sum(sums.values(), [])), total, delta=1e-12 * total)

    def test_counts_are_the_events_of_the_summary(self):
        counts = {action["name"]: action["counts"] for table in self.exported(ANY)["action_counts"]["local"]
                  for action in table["action_counts"] if table["name"].startswith("tensorloom.platform.device.")}
        summary = summary_of(self.path(ANY))
        for event in ("mac", "register_read", "coefficient_read", "lateral_operand_hop"):
            self.assertEqual(counts[event], summary["events"][event], event)
        self.assertEqual(counts["mac"], summary["macs"])
        self.assertEqual({count for name, count in counts.items() if name.startswith("leak")}, {summary["cycles"]})

    def test_components_of_the_architecture_are_those_of_the_tables(self):
        def leaves(place, above):
            name = f"{above}.{place['name']}" if above else place["name"]
            for leaf in place.get("local", ()):
                self.assertEqual(set(leaf), {"name", "class"})
                yield f"{name}.{leaf['name']}"
            for below in place.get("subtree", ()):
                yield from leaves(below, name)

        for name in RUNS:
            found = self.exported(name)
            self.assertEqual(len(found["architecture"]["subtree"]), 1)
            tables = [table["name"] for table in found["ERT"]["tables"]]
            self.assertEqual(sorted(leaves(found["architecture"]["subtree"][0], "")), sorted(tables))
            self.assertEqual([table["name"] for table in found["action_counts"]["local"]], tables)

    def test_a_run_repeats_with_its_own_table(self):
        for name, line in RUNS.items():
            self.exported(name)
            own = self.path(f"{name}.yaml")
            status, out, err = self.run_it(self.path(name), "--from-accelergy", self.path(name + "-accelergy/ERT.yaml"),
                                           "--output", own)
            self.assertEqual((status, err), (0, ""), out)
            again = self.path(name + "-again")
            subprocess.run([*command_line(line), "--technology", own, "--quiet", "--out", again] if "--technology" not in line else
                           [*command_line(line.replace("45nm", own)), "--quiet", "--out", again], check=True)
            first, second = summary_of(self.path(name)), summary_of(again)
            with self.subTest(name=name):
                for field in ("energy_pJ", "energy_estimated", "energy_range_pJ", "power_mW", "area_um2", "events", "cycles"):
                    self.assertEqual(first[field], second[field], field)
                with open(os.path.join(self.path(name), "events.csv"), encoding="utf-8") as file, \
                        open(os.path.join(again, "events.csv"), encoding="utf-8") as other:
                    self.assertEqual(file.read(), other.read())

    def test_a_changed_energy_is_that_of_the_run(self):
        self.exported(ANY)
        with open(self.path(ANY + "-accelergy/ERT.yaml"), encoding="utf-8") as file:
            table = yaml.safe_load(file)
        next(action for part in table["ERT"]["tables"] for action in part["actions"] if action["name"] == "mac")["energy"] = 1.25
        with open(self.path("changed ERT.yaml"), "w", encoding="utf-8") as file:
            yaml.safe_dump(table, file)  # another layout of the same
        status, out, err = self.run_it(self.path(ANY), "--from-accelergy", self.path("changed ERT.yaml"), "--output",
                                       self.path("changed.yaml"), "--base", "7nm")
        self.assertEqual((status, err), (0, ""))
        self.assertIn(" energies over 7nm\n", out)
        self.assertIn("  not taken, no energies of a technology file: tensorloom.platform.device.leakage, ", out)
        subprocess.run([*command_line(RUNS[ANY]), "--technology", self.path("changed.yaml"), "--quiet", "--out",
                        self.path("changed")], check=True)
        first, second = summary_of(self.path(ANY)), summary_of(self.path("changed"))
        self.assertEqual(second["energy_pJ"]["mac"], second["macs"] * 1.25)
        self.assertIn("mac", second["energy_estimated"])
        for component in ("lines", "registers", "actuators", "leakage", "dram"):
            self.assertEqual(first["energy_pJ"][component], second["energy_pJ"][component])

    def test_page_shows_what_is_printed(self):
        os.makedirs(self.path("page/build/release"))
        os.symlink(os.path.abspath(BIN), self.path("page/build/release/bin"))
        os.symlink(os.path.join(package_path.ROOT, "scripts"), self.path("page/scripts"))
        with open(os.path.join(package_path.ROOT, "docs/accelergy.md"), encoding="utf-8") as file:
            page = file.read()
        commands = re.findall(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", page, re.M)
        self.assertGreater(len(commands), 3)
        for command, sample in commands:
            done = subprocess.run(["bash", "-c", command], cwd=self.path("page"), stdout=subprocess.PIPE, check=True, encoding="utf-8")
            self.assertEqual(done.stdout.splitlines(), [line[4:] for line in sample.splitlines()], command)
        self.assertIn("".join(f"    {line}".rstrip() + "\n" for line in energy_command.USAGE.splitlines()), page)

    def refused(self, *arguments):
        status, out, err = self.run_it(*arguments)
        self.assertEqual((status, out), (2, ""), err)
        self.assertRegex(err, r"\Atensorloom-energy: [^\n]+\n\Z")
        self.assertIn("expected", err)
        return err

    def test_bad_command_lines(self):
        run = self.path(ANY)
        for arguments, what in (((), "0 directories"), ((run, run, "--accelergy", "x"), "2 directories"), ((run,), "either"),
                                ((run, "--accelergy", "x", "--from-accelergy", "y"), "either"),
                                ((run, "--from-accelergy", "ERT.yaml"), "--output"), ((run, "--accelergy", ""), "''"),
                                ((run, "--accelergy", "x", "--base", "7nm"), "--base"),
                                ((run, "--accelergy", os.path.join(run, "summary.json")), "summary.json"),
                                ((self.folder, "--accelergy", self.path("x")), "events.csv is missing")):
            with self.subTest(arguments=arguments):
                self.assertIn(what, self.refused(*arguments))
        status, _, err = self.run_it(run, "--wrong", "x")
        self.assertEqual((status, err), (2, "tensorloom-energy: unknown option '--wrong' (see --help)\n"))

    def test_bad_tables(self):
        table = "tensorloom.platform.device.mac"

        def ert(actions, name=table):
            return f"ERT:\n  version: 0.4\n  tables:\n  - name: {name}\n    actions: {actions}\n"

        for text, what in (("", "NoneType"), ("ERT: 1\n", "ERT.tables"), ("a: [\n", "expected YAML"), (ert("1"), "a list of actions"),
                           (ert("[{name: mac}]"), "energy None"), (ert("[{name: mac, energy: -1}]"), "energy -1"),
                           (ert("[{name: mac, energy: nan}]"), "energy nan"), (ert("[{name: mac, energy: 1e13}]"), "energy 1e13"),
                           (ert("[{name: mac, energy: 1, arguments: {a: 1}}]"), "arguments"),
                           (ert("[{name: mac, energy: 1}, {name: mac, energy: 2}]"), "a second energy"),
                           (ert("[{name: mul, energy: 1}]"), f"{table}: mul, expected one of mac"),
                           (ert("[{name: mac, energy: 1}]", "chip.mac"), "found chip.mac, expected a component like tensorloom."),
                           (ert("[]"), "no energy that a technology file can set")):
            with open(self.path("bad.yaml"), "w", encoding="utf-8") as file:
                file.write(text)
            with self.subTest(text=text):
                err = self.refused(self.path(ANY), "--from-accelergy", self.path("bad.yaml"), "--output", self.path("new.yaml"))
                self.assertIn(what, err)
                self.assertFalse(os.path.exists(self.path("new.yaml")))
        self.refused_table_is_named("nowhere.yaml", "cannot be read")

    def refused_table_is_named(self, name, what):
        err = self.run_it(self.path(ANY), "--from-accelergy", self.path(name), "--output", self.path("new.yaml"))[2]
        self.assertIn(name, err)
        self.assertIn(what, err)

    def test_bad_events(self):
        folder = self.path("damaged")
        os.makedirs(folder, exist_ok=True)
        head = "module,model,event,component,count,pJ,estimate\n"
        for text, what in (("", "other columns"), ("a,b\n", "other columns"), (head + "a,b\n", "line 2"),
                           (head + "d,triada,mac,mac,-1,1,0\n", "line 2"), (head + "d,triada,mac,mac,1,x,0\n", "line 2"),
                           (head + "d,triada,mac,mac,1,1,0\nd,triada,mac,mac,1,1,2\n", "line 3"),
                           (head + "d,triada,mac,mac,1,1,0\nd,triada,mac,mac,1,2,0\n", "line 3: found a second energy of mac of d")):
            with open(os.path.join(folder, "events.csv"), "w", encoding="utf-8") as file:
                file.write(text)
            with self.subTest(text=text):
                self.assertIn(what, self.refused(folder, "--accelergy", self.path("x")))

    def test_a_run_at_another_voltage_gives_no_technology(self):
        subprocess.run([*command_line(f"{RUNS[ANY]} --voltage 0.6"), "--quiet", "--out", self.path("volts")], check=True)
        self.exported("volts")
        self.assertIn("--voltage 0.6", self.refused(self.path("volts"), "--from-accelergy", self.path("volts-accelergy/ERT.yaml"),
                                                    "--output", self.path("new.yaml")))

    def test_a_base_that_is_a_file_is_found_from_the_new_file(self):
        with open(self.path("base.yaml"), "w", encoding="utf-8") as file:
            file.write("schema: tensorloom-technology-1\nname: base\nbase: 45nm\n")
        self.exported(ANY)
        os.makedirs(self.path("deep/er"), exist_ok=True)
        self.assertEqual(self.run_it(self.path(ANY), "--from-accelergy", self.path(ANY + "-accelergy/ERT.yaml"), "--output",
                                     self.path("deep/er/new.yaml"), "--base", self.path("base.yaml"))[0], 0)
        subprocess.run([*command_line(RUNS[ANY]), "--technology", self.path("deep/er/new.yaml"), "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    unittest.main()
