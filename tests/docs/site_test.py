#!/usr/bin/env python3
"""scripts/site: every page of docs/ is in the site and in its navigation, every link of it leads somewhere, and nothing is
loaded from a network. Skipped where its packages are missing, except where CI is true."""
import json
import os
import re
import subprocess
import tempfile
import unittest

import site_links

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = sorted(name[:-3] for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md"))


def run_site(*arguments, **environment):
    return subprocess.run([os.path.join(ROOT, "scripts", "site"), *arguments], capture_output=True, encoding="utf-8", check=False,
                          env={**os.environ, **environment})


class Command(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def refuses(self, *arguments, because, **environment):
        done = run_site(*arguments, **environment)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(because, done.stderr)

    def test_help(self):
        done = run_site("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Usage: scripts/site [--out DIR]", done.stdout)

    def test_wrong_use_is_one_line_and_writes_nothing(self):
        kept = os.path.join(self.scratch, "kept")
        with open(kept, "w", encoding="utf-8") as file:
            file.write("mine")
        for arguments, because in ((("--ou", "x"), "'--ou'"), (("--out",), "--out needs a value"), (("--out=",), "--out needs a value"),
                                   (("x",), "argument 'x'"), (("--help=1",), "'--help'"), (("--o\nut",), "'--o?ut'"),
                                   (("--out", self.scratch), "empty, new, or an earlier site"), (("--out", kept), kept),
                                   (("--out", os.path.join(kept, "x")), "can be written")):
            with self.subTest(arguments):
                self.refuses(*arguments, because=because)
        self.assertEqual(os.listdir(self.scratch), ["kept"])

    def test_packages_that_are_missing_are_named(self):
        self.refuses("--out", os.path.join(self.scratch, "x"), because="doxygen", PATH=self.scratch)
        self.assertEqual(os.listdir(self.scratch), [])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.site = os.path.join(cls.scratch.name, "the site")
        os.mkdir(cls.site)
        for name in (".tensorloom-site", "old.html"):  # an earlier one
            with open(os.path.join(cls.site, name), "w", encoding="utf-8"):
                pass
        done = run_site("--out", cls.site)
        if "expected the packages of scripts/setup --site" in done.stderr and os.environ.get("CI") != "true":
            print("no packages of scripts/setup --site")
            raise unittest.SkipTest(done.stderr.strip())
        if done.returncode != 0 or done.stderr:
            raise AssertionError(done.stderr)
        cls.pages = site_links.pages_of(cls.site)

    def targets(self, page):
        return [target for _, target, _ in self.pages[page + ".html"].links]

    def test_every_link_leads_somewhere_and_nothing_is_loaded_from_a_network(self):
        self.assertGreater(len(self.pages), 1000)
        self.assertEqual(list(site_links.broken_links(self.site, self.pages)), [])

    def test_every_page_is_in_the_navigation(self):
        on_every_page = set.intersection(*(set(self.targets(page)) for page in PAGES))
        self.assertLessEqual({f"{page}.html" for page in PAGES} | {"CHANGELOG.html", "api/index.html"}, on_every_page)

    def test_pages_lead_to_the_api_pages_of_what_they_name(self):
        with open(os.path.join(self.site, "integration.html"), encoding="utf-8") as file:
            text = file.read()
        for name, target in (("triada::device&lt;BUSWIDTH&gt;", "api/namespacetensorloom_1_1triada.html#"),
                             ("models/triada/device.h", "api/triada_2device_8h.html"),
                             ("bus::host_thread", "api/classtensorloom_1_1bus_1_1host__thread.html")):
            self.assertRegex(text, rf'<a href="{re.escape(target)}\w*"><code>{re.escape(name)}</code></a>')
        self.assertIn("api/dram_8h.html", self.targets("dram"))
        self.assertIn("models/costs/dram/memories/lpddr4-3200.yaml", self.targets("dram"))
        self.assertIn("api/index.html", self.targets("index"))

    def test_search_finds_pages_and_names_of_headers(self):
        with open(os.path.join(self.site, "search", "search_index.json"), encoding="utf-8") as file:
            found = {entry["location"]: entry["title"] for entry in json.load(file)["docs"]}
        for page in PAGES:
            self.assertIn("index.html" if page == "index" else page + ".html", found)
        self.assertEqual(found["api/classtensorloom_1_1bus_1_1host__thread.html"], "host_thread (bus)")
        self.assertEqual(found["api/triada_2device_8h.html"], "device.h (models/triada)")
        for location in found:
            self.assertIsNone(site_links.complaint(self.site, self.pages, "index.html", location, False), location)

    def test_first_api_page_leads_to_what_it_names(self):
        with open(os.path.join(self.site, "api", "index.html"), encoding="utf-8") as file:
            text = file.read()
        named = re.findall(r"(?:>|, )(tensorloom::[\w:]+)", text)
        self.assertGreater(len(named), 10)
        self.assertEqual(named, re.findall(r"<a [^>]*>(tensorloom::[\w:]+)</a>", text))

    def test_items_of_numbered_lists_are_items(self):
        """Also behind an item with a table, a list or paragraphs of its own."""
        for page in ("life-of-a-command", "life-of-a-contract", "life-of-a-training-step", "life-of-an-operand-word"):
            with open(os.path.join(ROOT, "docs", page + ".md"), encoding="utf-8") as file:
                written = re.findall(r"^\d+\. \*\*", file.read(), re.M)
            with open(os.path.join(self.site, page + ".html"), encoding="utf-8") as file:
                shown = re.findall(r"<li>\s*(?:<p>)?<strong>", file.read())
            self.assertGreater(len(written), 10)
            self.assertEqual(len(shown), len(written), page)

    def test_columns_of_comments_stay_columns(self):
        with open(os.path.join(self.site, "api", "classtensorloom_1_1triada_1_1cell.html"), encoding="utf-8") as file:
            self.assertIn("register_write       coefficient latched, accumulator updated\n", file.read())

    def test_an_earlier_site_is_replaced_as_a_whole(self):
        self.assertNotIn("old.html", os.listdir(self.site))
        self.assertEqual(os.listdir(self.scratch.name), ["the site"])


class BrokenLinks(unittest.TestCase):
    """That the checker finds them."""

    def test_each_kind(self):
        with tempfile.TemporaryDirectory() as site:
            os.mkdir(os.path.join(site, "folder"))
            for name, text in (("a.html", '<p id="here"><a name=there></a>'), ("style.css", ""), ("folder/index.html", "")):
                with open(os.path.join(site, name), "w", encoding="utf-8") as file:
                    file.write(text)
            for text, wrong in (('<a href="a.html#here">', None), ('<a href="a.html#there">', None), ('<a href="folder/">', None),
                                ('<link rel="stylesheet" href="style.css">', None), ('<a href="https://example.org">', None),
                                ('<img src="data:image/png;base64,AA">', None), ('<a href="#top" id="top">', None),
                                ('<a href="b.html">', "no file"), ('<a href="a.html#nowhere">', "no place"),
                                ('<a href="#nowhere">', "no place"), ('<a href="../a.html">', "out of the site"),
                                ('<a href="/a.html">', "out of the site"), ('<img src="x.png">', "no file"),
                                ('<script src="https://example.org/x.js">', "network"), ('<link rel="icon" href="//e.org/x">', "network")):
                with open(os.path.join(site, "page.html"), "w", encoding="utf-8") as file:
                    file.write(text)
                found = list(site_links.broken_links(site, site_links.pages_of(site)))
                with self.subTest(text):
                    self.assertEqual(len(found), 0 if wrong is None else 1, found)
                    self.assertIn(wrong or "", "".join(found))


if __name__ == "__main__":
    unittest.main()
