"""A testbench's page in docs/ says what the program says and does: the checks that are the same for every testbench."""
import os
import re
import shlex

from testbench_program import SOURCE


class TestbenchPage:
    """Beside a TestbenchTest; `page_name`: in docs/, `small_job`: options of a quick run."""

    page_name = None
    small_job = ""

    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE, "docs", self.page_name), encoding="utf-8") as file:
            self.page = file.read()

    def section(self, title):
        return self.page.split(f"\n## {title}\n")[1].split("\n## ")[0]

    def code_blocks(self, title):
        """Of a section, without their indentation."""
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
            default = re.search(r"\(default: (.*?)\)", " ".join(help_text.split()))
            found[name] = (form or "", default[1] if default else "")
        return found

    # ---- checks

    def options_are_those_of_the_help(self):
        page = {name: (form, default) for name, (form, default, _) in self.options_of_page().items()}
        self.assertEqual(page, self.options_of_help())
        self.assertEqual(list(page), list(self.options_of_help()))

    def defaults_are_those_of_a_run(self):
        given = re.findall(r"--\S+", self.small_job)
        options = self.summary(self.small_job)["configuration"]["options"]
        for name, (_, default, _) in self.options_of_page().items():
            if name[2:] in options and name not in (*given, "--out", "--quiet"):
                self.assertEqual(options[name[2:]], default, name)

    def ranges_are_those_of_the_program(self, *names):
        for name in names:
            error = self.refuses(f"{self.small_job} --{name} nonsense").err
            low, high = re.search(r"from (\S+) to (\S+)\n", error).groups()
            self.assertIn(f"{low} to {high}", self.options_of_page()["--" + name][2], name)

    def sample_is_what_the_program_prints(self, differing):
        """`differing`: what the lines begin with that are not the same on every computer."""
        command, sample = self.code_blocks("What it prints")
        printed = self.succeeds(command.removeprefix(self.program).strip(), cwd=SOURCE).out
        lines = re.compile(rf"^( +(?:{differing})) .*$", re.M)
        self.assertEqual(lines.sub(r"\1", printed), lines.sub(r"\1", sample))

    def usage_lines_run(self, count):
        usage = re.findall(rf"^    build/release/bin/{self.program}( .*)?$", self.page, re.M)
        self.assertEqual(len(usage), count)
        os.symlink(os.path.join(SOURCE, "data"), self.path("data"))
        for line in usage:
            self.succeeds(line)
        written = {word for line in usage for word in shlex.split(line)
                   if word.endswith((".npy", ".vcd")) and not word.startswith("data/")}
        self.assertLessEqual(written, set(os.listdir(self.directory)))

    def links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#]+)\)", self.page):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, "docs", target)), target)
