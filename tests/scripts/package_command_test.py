#!/usr/bin/env python3
"""scripts/package: what it says and refuses. That its packages work: tests/install/packages_test.py."""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.join(ROOT, "scripts/package")


class PackageCommand(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def run_it(self, *arguments, **variables):
        return subprocess.run([PACKAGE, *arguments], cwd=self.folder, env={**os.environ, **variables}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", check=False)

    def test_help(self):
        done = self.run_it("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("deb|wheel|tar", "--out DIR", "tensorloom-dev"):
            self.assertIn(word, done.stdout)

    def test_what_it_refuses(self):
        with open(os.path.join(self.folder, "file"), "w", encoding="utf-8"):
            pass
        for arguments, words in (((), "no kind of package, expected deb, wheel or tar"), (("rpm",), "'rpm', expected deb, wheel or tar"),
                                 (("deb", "tar"), "unexpected argument 'tar'"), (("--what",), "unknown option '--what'"),
                                 (("deb", "--out"), "--out needs a value"), (("deb", "--out="), "--out is ''"),
                                 (("tar", "--out", "file"), "expected a directory that can be written")):
            done = self.run_it(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertRegex(done.stderr, r"\Apackage: [^\n]*\n\Z")
            self.assertIn(words, done.stderr)
        self.assertEqual(os.listdir(self.folder), ["file"])

    def test_a_system_without_the_tools(self):
        done = self.run_it("deb", "--out", "packages", PATH="/nowhere")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("cmake, ninja, dpkg-deb, dpkg-shlibdeps not found, expected a Debian or Ubuntu", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])


unittest.main()
