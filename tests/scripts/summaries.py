"""Summaries of runs, written by hand."""
import json
import os
import tempfile
import unittest


class SummariesTest(unittest.TestCase):
    """Has a folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def write(self, name, content):
        """Text as it is, all else as JSON; the path."""
        path = os.path.join(self.scratch, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path
