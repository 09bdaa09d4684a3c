#!/usr/bin/env python3
"""Files, folders and headings that pages name are there."""
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ["README.md"] + sorted("docs/" + name for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md"))
# A path of the tree, or of models: `fetta/isa/schedule.h`, also without its ending.
FIRST = [name for base in ("", "models") for name in os.listdir(os.path.join(ROOT, base))
         if os.path.isdir(os.path.join(ROOT, base, name)) and name != "build"]
NAMED = re.compile(rf"`((?:{'|'.join(map(re.escape, FIRST))})/[\w./-]+)`")
LINK = re.compile(r"\]\(([\w./-]+\.\w+)?(?:#([^)]*))?\)")  # not a formula: x[k](i)


def text_of(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def exists(path):
    return any(os.path.exists(os.path.join(ROOT, base, path + ending)) for base in ("", "models") for ending in ("", ".h"))


def anchors(page):
    """Of its headings."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


class PagePaths(unittest.TestCase):
    def test_files_that_pages_name_are_there(self):
        for page in PAGES:
            self.assertEqual([path for path in NAMED.findall(text_of(page)) if not exists(path)], [], page)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for path, anchor in LINK.findall(text_of(page)):
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                self.assertTrue(os.path.exists(os.path.join(ROOT, target)), f"{page}: {path}")
                if anchor:
                    self.assertIn(anchor, anchors(target), f"{page}: {path}#{anchor}")

    def test_the_life_of_a_command_lists_every_unit(self):
        page = text_of("docs/life-of-a-command.md")
        listed = re.findall(r"^ +\| `(\w+::\w+)` \| .* \| `([\w/]+\.h)` \|$", page, re.M)
        units = set()
        for folder, _, names in os.walk(os.path.join(ROOT, "models")):
            for path in (os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".h")):
                text = text_of(path)
                for unit in re.findall(r"^class (\w+) : .*\bpublic (?:shell::)?command_unit\b", text, re.M):
                    units.add((re.search(r"^namespace tensorloom::(\w+) \{", text, re.M)[1] + "::" + unit, path))
        self.assertGreater(len(units), 7)
        self.assertEqual(set(listed), units)


if __name__ == "__main__":
    unittest.main()
