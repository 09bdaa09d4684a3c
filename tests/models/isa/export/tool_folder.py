"""A tool of the first argument, and a folder for its files."""
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.abspath(sys.argv[1])


def run(*arguments, cwd=None):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, cwd=cwd)


class ToolFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def refusal(self, name, *arguments, cwd=None):
        """The one line with which the tool of this name refuses its use or a file."""
        done = run(*arguments, cwd=cwd)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, rf"^{name}: [^\n]+\n$")
        return done.stderr
