#!/usr/bin/env python3
"""Python in pages, taken at its word: sessions print what they show, scripts run to their end, tables name what is there.
Usage: python_pages_test.py DIRECTORY with the testbenches"""
import doctest
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest

from package_path import PYTHON, ROOT
from testbench_manifests import MANIFESTS
import tensorloom as tl

PROGRAMS = os.path.abspath(sys.argv.pop(1))
EXAMPLES = os.path.join(ROOT, "docs", "examples")
SESSION = re.compile(r"^```python\n(>>> .*?)^```$", re.M | re.S)


def text_of(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def first_column(text, title):
    table = re.search(rf"^\| {title} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)[1]
    return re.findall(r"^\| `(\w+)", table, re.M)


class PythonPagesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(scratch.name)
        os.environ["TENSORLOOM_BIN"] = PROGRAMS

    def test_sessions_print_what_they_show(self):
        for page in ("README.md", "docs/python.md"):
            sessions = "".join(SESSION.findall(text_of(page)))
            example = doctest.DocTestParser().get_doctest(sessions, {}, page, page, 0)
            self.assertGreater(len(example.examples), 4, page)
            told = []
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=told.append)
            self.assertEqual("".join(told), "", page)

    def test_scripts_run_to_their_end(self):
        names = sorted(name for name in os.listdir(EXAMPLES) if name.endswith(".py"))
        self.assertEqual(names, sorted(re.findall(r"\(examples/(\w+\.py)\)", text_of("docs/python.md"))))
        for name in names:
            with self.subTest(name):
                with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
                    text = file.read()
                self.assertTrue(text.startswith("# %% [markdown]\n# # "))
                if "import torch" in text and not importlib.util.find_spec("torch"):
                    self.skipTest(f"no torch: {name} is not run")
                done = subprocess.run([sys.executable, os.path.join(EXAMPLES, name)], env={**os.environ, "PYTHONPATH": PYTHON},
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertNotEqual(done.stdout, "")
        self.assertEqual([name for name in os.listdir() if not name.startswith(".")], [])  # they leave no files

    def test_tables_name_what_is_there(self):
        page = text_of("docs/python.md")
        functions = {name for name in tl.__all__ if hasattr(getattr(tl, name), "request")}
        self.assertEqual(set(first_column(page, "function")), functions)
        self.assertEqual(functions, set(MANIFESTS))
        self.assertEqual(str(inspect.signature(tl.dxt)), "(x=None, *, progress=None, **options)")
        members = re.search(r"## A Run\n(.*?)\n\n`tl", page, re.S)[1]
        own = {name for name in re.findall(r"`(\w+)(?:\([a-z]*\))?`", members)}
        run = tl.dxt(shape=(2, 2, 2))
        missing = [name for name in sorted(own - functions) if not hasattr(type(run), name) and not hasattr(run, name)]
        self.assertEqual(missing, [])
        public = {name for name in {*vars(run), *dir(type(run))} if not name.startswith("_")}
        self.assertEqual(public - own, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)  # which says what is skipped, and why
