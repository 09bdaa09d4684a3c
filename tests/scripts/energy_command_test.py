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
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import package_path  # noqa: F401
from tensorloom import energy_command, technologies
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
BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 31))  # 2^30 texts, written out


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
                           (ert("[]"), "no energy that a technology file can set"),
                           *((ert(f"[{{name: mac, energy: {text}}}]"), f"energy {found}") for text, found in (
                               ("1_000", "1_000"), ("\u0661", "\u0661"), ("-0.0", "-0.0"), ("1e-400", "1e-400"), ("1e-310", "1e-310"),
                               ("0x1", "0x1"), ("inf", "inf"), ('"1 "', "1, expected a decimal"), ('"1\\n2"', "1 2"), ("0" * 201, "000"), ("[1]", "a list"))),
                           (ert('[{name: "m\\nac", energy: 1}]'), f"{table}: m ac, expected one of"),
                           (ert("[{name: mac, energy: 1}]", '"a\\nb"'), "found a b, expected a component"),
                           (ert("[{name: mac, energy: 1, energy: 2}]"), "found 'energy' twice"),
                           (ert("[{name: mac, energy: 1}]") + "ERT: {}\n", "found 'ERT' twice"),
                           (ert('[{name: "\\UFFFFFFFF", energy: 1}]'), "no character"),
                           (ert("[{name: mac, <<: {energy: 1}}]"), "energy None"),
                           (BOMB + "ERT: {tables: [*a30]}\n", "found a list"),
                           (BOMB + "ERT: {tables: [{name: x, actions: [{name: *a30}]}]}\n", "energy None"),
                           (BOMB + "ERT: {tables: [{name: x, actions: [{name: y, energy: *a30}]}]}\n", "energy a list"),
                           (BOMB + "ERT: {tables: [{name: x, actions: [{name: y, energy: 1, arguments: *a30}]}]}\n", "arguments a list"),
                           ("a: &a [" + ", ".join(f"{{name: e{n}, energy: 1}}" for n in range(1000)) + "]\nERT: {tables: ["
                            + ", ".join(f"{{name: t{n}, actions: *a}}" for n in range(1000)) + "]}\n", "more than 100000 energies"),
                           ("#" * (8 << 20) + "\n", "larger than 8 MiB")):
            with open(self.path("bad.yaml"), "w", encoding="utf-8") as file:
                file.write(text)
            with self.subTest(text=text[:200]):
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
                           (head + "d,triada,mac,mac,1,1,0\nd,triada,mac,mac,1,2,0\n", "line 3: found a second energy of mac of d"),
                           (head, "no line below its names"), (head + "d,triada,,mac,1,1,0\n", "line 2"),
                           (head + 'd,triada,mac,"m\nac",1,1,0\n', "line 2: found d,triada,mac,m ac,1,1,0"),
                           (head + f"{'d.' * 1000}d,triada,mac,mac,1,1,0\n", "line 2"),
                           *((head + f"d,triada,mac,mac,{count},1,0\n", "line 2")
                             for count in ("\u00b2", "\u0661", "1" * 400, "1" * 5000, "1_0", str(1 << 64))),
                           *((head + f"d,triada,mac,mac,1,{energy},0\n", "line 2") for energy in ("1_0", "-0.0", "\u0661", "1e-400"))):
            with open(os.path.join(folder, "events.csv"), "w", encoding="utf-8") as file:
                file.write(text)
            with self.subTest(text=text):
                self.assertIn(what, self.refused(folder, "--accelergy", self.path("x")))

    def copy_of_run(self, name, **changed):
        """The directory of a run in which these fields of the configuration have another value."""
        folder = self.path(name)
        shutil.copytree(self.path(ANY), folder)
        self.change(folder, **changed)
        return folder

    @staticmethod
    def change(folder, **changed):
        summary = summary_of(folder)
        summary["configuration"].update(changed)
        with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
            json.dump(summary, file)

    def back(self, run, out, *options):
        """The arguments that make a technology file of the table of ANY."""
        self.exported(ANY)
        return run, "--from-accelergy", self.path(ANY + "-accelergy/ERT.yaml"), "--output", out, *options

    def test_bad_summaries(self):
        for number, (field, value) in enumerate((("clock_period_ps", None), ("clock_period_ps", "fast"), ("clock_period_ps", 0),
                                                 ("clock_period_ps", math.inf), ("clock_period_ps", True), ("options", None),
                                                 ("options", 3), ("technology", ["7nm"]), ("technology", None), ("technology", ""),
                                                 ("voltage_V", "high"))):
            folder = self.copy_of_run(f"summary{number}", **{field: value})
            for arguments in ((folder, "--accelergy", self.path("x")), self.back(folder, self.path("new.yaml"))):
                with self.subTest(field=field, value=value, arguments=arguments):
                    self.assertIn(field.partition("_")[0], self.refused(*arguments))
        for number, inputs in enumerate((None, 3, [3], [{"name": 3}])):
            folder = self.copy_of_run(f"inputs{number}", inputs=inputs)
            self.assertEqual(self.run_it(*self.back(folder, self.path("made.yaml")))[0], 0)

    def test_events_of_an_older_run_are_refused(self):
        folder = self.copy_of_run("stale")
        summary = summary_of(folder)
        for field, what in (("energy_pJ", "which has no energies"), ("configuration", "no field 'configuration'")):
            del summary[field]
            with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
                json.dump(summary, file)
            self.assertIn(what, self.refused(folder, "--accelergy", self.path("x")))
        for number, (line, what) in enumerate((("dxt --shape 4x5x6 --mesh 4x4x4", " pJ and not "),
                                               ("soc", "of actuators"), ("segmented --pairs 20", "which has no actuators"))):
            folder = self.copy_of_run(f"stale{number}")
            with open(os.path.join(folder, "events.csv"), encoding="utf-8") as file:
                older = file.read()
            subprocess.run([*command_line(line), "--quiet", "--out", folder], check=True)
            with open(os.path.join(folder, "events.csv"), "w", encoding="utf-8") as file:
                file.write(older)
            with self.subTest(line=line):
                self.assertIn(what, self.refused(folder, "--accelergy", self.path("x")))
                self.assertFalse(os.path.exists(self.path("x")))

    def test_runs_of_many_programs_have_events_of_their_own(self):
        for number, line in enumerate(("soc", "segmented --pairs 20", "compare_devices --shape 4x4x4", "segmented --compare --length 500",
                                       "dxt --shape 4x5x6 --ranks 2 --no-check")):
            folder = self.path(f"many{number}")
            subprocess.run([*command_line(line), "--quiet", "--out", folder], check=True)
            with self.subTest(line=line):
                self.assertEqual(self.run_it(folder, "--accelergy", folder + "-accelergy")[::2], (0, ""))

    def test_no_file_is_left_when_one_of_them_cannot_be_written(self):
        for name in ("architecture.yaml", "action_counts.yaml", "ERT.yaml"):
            out = self.path("blocked " + name)
            os.makedirs(os.path.join(out, name))
            self.assertIn("it is a directory", self.refused(self.path(ANY), "--accelergy", out))
            self.assertEqual(os.listdir(out), [name])

    def test_output_replaces_nothing_that_is_read(self):
        for name, base in (("below", "45nm"), ("above", "below.yaml"), ("other", "45nm")):
            with open(self.path(name + ".yaml"), "w", encoding="utf-8") as file:
                file.write(f"schema: tensorloom-technology-1\nname: {name}\nbase: {base}\n")
        os.symlink(self.path("below.yaml"), self.path("link.yaml"))
        run = self.path("of a file")
        subprocess.run([*command_line(RUNS[ANY]), "--technology", self.path("above.yaml"), "--quiet", "--out", run], check=True)
        table = self.path(ANY + "-accelergy/ERT.yaml")
        for out, what, options in ((table, "the table", ()), (self.path("above.yaml"), "an input", ("--base", "7nm")),
                                   (self.path("below.yaml"), "an input", ("--base", "7nm")), (self.path("link.yaml"), "an input", ()),
                                   (self.path("other.yaml"), "the base", ("--base", self.path("other.yaml"))),
                                   (os.path.join(run, "events.csv"), "events", ()), (os.path.join(run, "summary.json"), "summary", ()),
                                   ("7nm", "ships with the project", ())):
            arguments = self.back(run, out, *options)
            kept = os.path.exists(out) and os.stat(out).st_mtime_ns
            with self.subTest(out=out):
                self.assertIn(what, self.refused(*arguments))
                self.assertEqual(os.path.exists(out) and os.stat(out).st_mtime_ns, kept)
        bare = self.path("bare")  # a run that names no inputs
        shutil.copytree(run, bare)
        self.change(bare, inputs=[])
        self.assertIn("a base of it", self.refused(*self.back(bare, self.path("below.yaml"))))
        self.assertIn("a base of it", self.refused(*self.back(self.path(ANY), self.path("below.yaml"), "--base", self.path("above.yaml"))))

    def test_a_run_at_another_voltage_gives_no_technology(self):
        subprocess.run([*command_line(f"{RUNS[ANY]} --voltage 0.6"), "--quiet", "--out", self.path("volts")], check=True)
        self.exported("volts")
        self.assertIn("--voltage 0.6", self.refused(self.path("volts"), "--from-accelergy", self.path("volts-accelergy/ERT.yaml"),
                                                    "--output", self.path("new.yaml")))

    def test_a_run_at_the_nominal_voltage_gives_a_technology(self):
        with open(self.path("nominal.yaml"), "w", encoding="utf-8") as file:
            file.write("schema: tensorloom-technology-1\nname: nominal\nbase: 45nm\n"
                       "voltage:\n  nominal: {value: 0.8, unit: V, source: test}\n")
        for number, (technology, voltage) in enumerate((*technologies.NOMINAL.items(), (self.path("nominal.yaml"), 0.8))):
            run = self.path(f"nominal{number}")
            line = f"{RUNS[ANY]} --technology {technology} --voltage {voltage}"
            subprocess.run([*command_line(line), "--quiet", "--out", run], check=True)
            with self.subTest(technology=technology):
                self.assertEqual(self.run_it(*self.back(run, self.path("made.yaml")))[::2], (0, ""))

    def test_technologies_that_ship_with_the_project(self):
        folder = os.path.join(package_path.ROOT, "models/costs/technologies")
        self.assertEqual({name for name in os.listdir(folder)}, {name + ".yaml" for name in technologies.NOMINAL})

        def nominal_of(name):
            with open(os.path.join(folder, name + ".yaml"), encoding="utf-8") as file:
                content = yaml.safe_load(file)
            return content["voltage"]["nominal"]["value"] if "voltage" in content else nominal_of(content["base"])

        for name, voltage in technologies.NOMINAL.items():
            self.assertEqual(voltage, nominal_of(name), name)

    def test_bases_that_are_not_found_are_refused(self):
        self.assertIn("--base is '22nm'", self.refused(*self.back(self.path(ANY), self.path("new.yaml"), "--base", "22nm")))
        self.assertIn("--base is", self.refused(*self.back(self.path(ANY), self.path("new.yaml"), "--base", self.folder)))
        place = self.path("elsewhere")
        os.makedirs(place)
        with open(os.path.join(place, "local.yaml"), "w", encoding="utf-8") as file:
            file.write("schema: tensorloom-technology-1\nname: local\nbase: 45nm\n")
        shutil.copy(os.path.join(place, "local.yaml"), os.path.join(place, "7nm"))
        program, *options = command_line(RUNS[ANY])
        subprocess.run([os.path.abspath(program), *options, "--technology", "local.yaml", "--quiet", "--out", self.path("local")],
                       check=True, cwd=place)
        self.assertIn("'local.yaml', expected", self.refused(*self.back(self.path("local"), self.path("new.yaml"))))
        here = os.getcwd()
        os.chdir(place)
        try:
            os.symlink(place, self.path("linked"))
            for out, base, expected in ((self.path("up/new.yaml"), (), "../elsewhere/local.yaml"), ("new.yaml", (), "local.yaml"),
                                        ("new.yaml", ("--base", "./7nm"), "./7nm"), ("new.yaml", ("--base", "7nm"), "7nm"),
                                        (self.path("linked/new.yaml"), (), os.path.join(place, "local.yaml"))):
                os.makedirs(self.path("up"), exist_ok=True)
                with self.subTest(out=out, base=base):
                    self.assertEqual(self.run_it(*self.back(self.path("local"), out, *base))[::2], (0, ""))
                    with open(out, encoding="utf-8") as file:
                        self.assertEqual(yaml.safe_load(file)["base"], expected)
                    subprocess.run([os.path.abspath(os.path.join(here, program)), *options, "--technology", out, "--quiet"],
                                   check=True, stdout=subprocess.DEVNULL)
            with open("local.yaml", "a", encoding="utf-8") as file:
                file.write("# changed\n")
            self.assertIn("has changed since", self.refused(*self.back(self.path("local"), "new.yaml")))
        finally:
            os.chdir(here)

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
