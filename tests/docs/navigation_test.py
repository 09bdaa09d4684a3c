#!/usr/bin/env python3
"""docs/index.md leads to every page, in the order in which a newcomer needs them; the site's navigation is made of it."""
import os
import re
import unittest

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs")
CELL = re.compile(r"^\| (.*?) \|", re.M)


class Navigation(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(DOCS, "index.md"), encoding="utf-8") as file:
            self.index = file.read()

    def test_sections_are_those_of_a_newcomer(self):
        self.assertEqual(re.findall(r"^## (.*)", self.index, re.M), ["Tutorial", "How-to", "Reference", "Background"])

    def test_every_page_is_there_once(self):
        listed = re.findall(r"\]\(([^)]+)\)", "\n".join(CELL.findall(self.index)))
        pages = {name for name in os.listdir(DOCS) if name.endswith(".md")} - {"index.md"}
        self.assertEqual(sorted(set(listed) - {"../CHANGELOG.md"}), sorted(pages))
        self.assertEqual(len(listed), len(set(listed)))


if __name__ == "__main__":
    unittest.main()
