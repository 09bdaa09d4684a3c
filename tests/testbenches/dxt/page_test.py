"""docs/dxt.md says what the program says and does."""
import os
import re
import shlex

from dxt_program import SOURCE, DxtTest, load_json


class Page(DxtTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE, "docs/dxt.md"), encoding="utf-8") as file:
            self.page = file.read()

    def section(self, title):
        return self.page.split(f"\n## {title}\n")[1].split("\n## ")[0]

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

    def test_options_and_defaults_are_those_of_the_help(self):
        page = {name: (form, default) for name, (form, default, _) in self.options_of_page().items()}
        self.assertEqual(page, self.options_of_help())
        self.assertEqual(list(page), list(self.options_of_help()))

    def test_defaults_are_those_of_a_run(self):
        options = self.summary("--shape 2x2x2")["configuration"]["options"]
        for name, (_, default, _) in self.options_of_page().items():
            if name[2:] in options and name not in ("--shape", "--out", "--quiet"):
                self.assertEqual(options[name[2:]], default, name)

    def test_ranges_are_those_of_the_program(self):
        for name in ("zeros", "batch", "keep", "zero-threshold", "step-cycles", "load-elements", "vertical-mode",
                     "clock", "seed"):
            error = self.refuses(f"--shape 2x2x2 --{name} nonsense").err
            low, high = re.search(r"from (\S+) to (\S+)\n", error).groups()
            self.assertIn(f"{low} to {high}", self.options_of_page()["--" + name][2], name)

    def test_every_field_of_the_summary_is_there(self):
        schema = load_json(os.path.join(SOURCE, "docs/dxt-summary.schema.json"))
        table = self.section("Files").split("### summary.json")[1]
        named = set(re.findall(r"`([a-z_A-Z.]+)`", table))
        for name, field in schema["properties"].items():
            owner = field.get("oneOf", [field])[0]
            inner = owner.get("items", owner).get("properties", {})
            if name == "events":
                self.assertIn(name, named)
                continue
            self.assertTrue(name in named or any(word.startswith(name + ".") for word in named), name)
            for part in inner:
                self.assertTrue({f"{name}.{part}", "." + part, part} & named, f"{name}.{part}")

    def test_sample_is_what_the_program_prints(self):
        blocks = re.findall(r"(?:^    .*\n)+", self.section("What it prints"), re.M)
        command, sample = (re.sub(r"^    ", "", block, flags=re.M) for block in blocks)
        printed = self.succeeds(command.split(" ", 1)[1].strip(), cwd=SOURCE).out
        differing = re.compile(r"^  (error|simulation) .*$", re.M)  # the last digits, and the computer
        self.assertEqual(differing.sub(r"  \1", printed), differing.sub(r"  \1", sample))

    def test_usage_lines_run(self):
        usage = re.findall(r"^    build/release/bin/dxt (.*)$", self.page, re.M)
        self.assertEqual(len(usage), 3)
        os.symlink(os.path.join(SOURCE, "data"), self.path("data"))
        for line in usage:
            self.succeeds(line)
        written = {word for line in usage for word in shlex.split(line)
                   if word.endswith((".npy", ".vcd")) and not word.startswith("data/")}
        self.assertLessEqual(written, set(os.listdir(self.directory)))

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#]+)\)", self.page):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, "docs", target)), target)
