"""Checks that a testbench's page in docs/ agrees with the program, common to all testbenches."""
import os
import re
import shlex

from tensorloom.schemas import load_schema

from testbench_manifests import MANIFESTS
from testbench_program import SOURCE

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?: [fpnumk](?=[JsW]\b))?")  # with the prefix of its unit


class TestbenchPage:
    """Beside a TestbenchTest: its page, by the manifest.

    `small_job`: options of a quick run; `ranged`: options whose range the page gives; `schemas`: of the files whose
    fields it lists; `differing`: names of the lines of its sample whose numbers depend on the computer;
    `usage_lines`: how many it has.
    """

    small_job = ""
    ranged = ()
    schemas = ("summary",)
    differing = "simulation"
    usage_lines = 0

    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE, MANIFESTS[self.program]["page"]), encoding="utf-8") as file:
            self.page = file.read()

    def section(self, title):
        return self.page.split(f"\n## {title}\n")[1].split("\n## ")[0]

    def code_blocks(self, title):
        """Code blocks of a section, without their indentation."""
        return [re.sub(r"^    ", "", block, flags=re.M)
                for block in re.findall(r"(?:^    .*\n)+", self.section(title), re.M)]

    def options_of_page(self):
        """name -> (form, default, meaning)"""
        found = {}
        for line in self.section("Options").splitlines():
            if line.startswith("| `--"):
                cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
                name, form, default, _, meaning = cells
                found[name.strip("`")] = ("" if form == "-" else form.strip("`"),
                                          "" if default == "-" else default.strip("`"), meaning)
        return found

    def options_of_help(self):
        """name -> (form, default)"""
        found = {}
        for entry in re.split(r"\n  (?=--)", self.succeeds("--help").out)[1:]:
            entry = entry.split("\n\n")[0]
            name, form, help_text = re.match(r"(--\S+)(?: (\S+))?(?: {2,}|\n)(.*)", entry, re.S).groups()
            default = re.search(r"\(default: ((?:[^()]|\([^()]*\))*)\)", " ".join(help_text.split()))
            found[name] = (form or "", default[1] if default else "")
        return found

    # ---- checks

    def test_options_and_defaults_are_those_of_the_help(self):
        page = {name: (form, default) for name, (form, default, _) in self.options_of_page().items()}
        self.assertEqual(page, self.options_of_help())
        self.assertEqual(list(page), list(self.options_of_help()))

    def test_defaults_are_those_of_a_run(self):
        given = re.findall(r"--\S+", self.small_job)
        options = self.summary(self.small_job)["configuration"]["options"]
        for name, (_, default, _) in self.options_of_page().items():
            if name[2:] in options and name not in (*given, "--out", "--quiet"):
                self.assertEqual(options[name[2:]], default, name)

    def range_is_that_of_the_program(self, name, job):
        error = self.refuses(f"{job} --{name} nonsense").err
        low, high = re.search(r"from (\S+) to (\S+)\n", error).groups()
        self.assertIn(f"{low} to {high}", self.options_of_page()["--" + name][2], name)

    def test_ranges_are_those_of_the_program(self):
        for name in self.ranged:
            self.range_is_that_of_the_program(name, self.small_job)

    def test_every_field_of_the_summary_is_there(self):
        table = self.section("Files").split("### summary.json")[1]
        named = set(re.findall(r"`([a-z_A-Z0-9.]+)`", table))
        for schema in self.schemas:
            fields = load_schema(f"{self.program}-{schema}")["properties"]
            for name, field in fields.items():
                owner = field.get("oneOf", [field])[0]
                inner = owner.get("items", owner).get("properties", {})
                self.assertTrue(name in named or any(word.startswith(name + ".") for word in named), name)
                for part in {} if name == "events" else inner:
                    self.assertTrue({f"{name}.{part}", "." + part, part} & named, f"{name}.{part}")

    def test_sample_is_what_the_program_prints(self):
        command, sample = self.code_blocks("What it prints")
        printed = self.succeeds(command.removeprefix(self.program).strip(), cwd=SOURCE).out

        def without_differing_numbers(text):
            lines = re.compile(rf"^ +(?:{self.differing})  .*$", re.M)
            return lines.sub(lambda line: NUMBER.sub("#", line[0]), text)
        self.assertEqual(without_differing_numbers(printed), without_differing_numbers(sample))

    def test_usage_lines_run(self):
        usage = re.findall(rf"^    build/release/bin/{self.program}( .*)?$", self.page, re.M)
        self.assertEqual(len(usage), self.usage_lines)
        os.symlink(os.path.join(SOURCE, "data"), self.path("data"))
        for line in usage:
            self.succeeds(line)
        written = {word for line in usage for words in shlex.split(line) for word in words.split(",")
                   if word.endswith((".npy", ".vcd")) and not word.startswith("data/")}
        self.assertLessEqual(written, set(os.listdir(self.directory)))

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#]+)\)", self.page):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, "docs", target)), target)
