#!/usr/bin/env python3
"""The container file, the devcontainer and CITATION.cff: what a linter would say of them. No container can run here."""
import json
import os
import re
import unittest

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def text_of(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def instructions():
    """Name and arguments, lines joined."""
    joined = re.sub(r"\\\n\s*", "", text_of("Containerfile"))
    return [tuple(line.split(maxsplit=1)) for line in joined.splitlines() if line and not line.startswith("#")]


class Container(unittest.TestCase):
    def test_stages_have_versions_and_are_used(self):
        stages = [arguments.split() for name, arguments in instructions() if name == "FROM"]
        names = [words[2] for words in stages if words[1:2] == ["AS"]]
        for words in stages:
            self.assertTrue(words[0] in names or re.fullmatch(r"[a-z]+:[0-9]+", words[0]), words[0])
        for source in re.findall(r"--from=(\w+)", text_of("Containerfile")):
            self.assertIn(source, names)

    def test_what_is_copied_is_there(self):
        for name, arguments in instructions():
            if name == "COPY" and "--from" not in arguments:
                for path in arguments.split()[:-1]:
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)

    def test_package_lists_are_read_and_removed_in_one_step(self):
        for name, arguments in instructions():
            if name == "RUN" and "apt-get" in arguments:
                self.assertTrue(arguments.startswith("apt-get update && "), arguments)
                self.assertIn("rm -rf /var/lib/apt/lists/*", arguments)
                for command in re.findall(r"apt-get install[^&]*", arguments):
                    self.assertIn("-y --no-install-recommends", command)

    def test_the_last_stage_is_no_root_and_starts_the_command(self):
        last = instructions()[max(i for i, (name, _) in enumerate(instructions()) if name == "FROM"):]
        self.assertIn(("USER", "nobody"), last)
        self.assertEqual(json.loads(dict(last)["ENTRYPOINT"]), ["tensorloom"])

    def test_scripts_take_these_options(self):
        for name, arguments in instructions():
            for script, option in re.findall(r"/tensorloom/scripts/(\w+) (\S+)", arguments):
                self.assertIn(option.lstrip("-"), text_of(f"scripts/{script}"))

    def test_the_devcontainer_builds_a_stage(self):
        told = json.loads(text_of(".devcontainer/devcontainer.json"))
        self.assertIn(f" AS {told['build']['target']}\n", text_of("Containerfile"))
        self.assertTrue(os.path.isfile(os.path.join(ROOT, ".devcontainer", told["build"]["dockerfile"])))


class Citation(unittest.TestCase):
    def test_says_what_the_project_is(self):
        told = yaml.safe_load(text_of("CITATION.cff"))
        for field in ("cff-version", "message", "title", "authors", "version", "license"):
            self.assertIn(field, told)
        self.assertEqual(told["version"], re.search(r"project\(TensorLoom VERSION ([\d.]+)", text_of("CMakeLists.txt"))[1])
        self.assertTrue(text_of("LICENSE").strip().startswith("Apache License"))
        for reference in told["references"]:
            self.assertLessEqual({"type", "title", "authors"}, reference.keys())


unittest.main()
