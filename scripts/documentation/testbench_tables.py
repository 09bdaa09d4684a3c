#!/usr/bin/env python3
"""Writes the tables of testbenches on pages from the manifests testbenches/NAME/testbench.json; scripts/generate calls it.

Usage: testbench_tables.py [--check]

--check writes nothing and names the pages that are out of date. Exit status: 0 all written, or with --check all up to
date; 1 a page is out of date; 2 bad input: a page without its section, a device without a page.
"""
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
END = "<!-- end of generated -->"


class BadInput(Exception):
    """An error, in one line."""


def text_of(path):
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None


def testbenches():
    """Name -> manifest, in the order of the tables."""
    found = {os.path.basename(os.path.dirname(path)): json.loads(text_of(os.path.relpath(path, ROOT)))
             for path in glob.glob(os.path.join(glob.escape(ROOT), "testbenches", "*", "testbench.json"))}
    return dict(sorted(found.items(), key=lambda item: (item[1]["place"], item[0])))


def link(text, page, beside):
    """A link from a page in the folder `beside`."""
    return f"[{text}]({os.path.relpath(page, beside or '.')})"


def device_links(devices, beside):
    """Links to the pages of devices, with the headings of these pages as text."""
    if devices == "all":
        return devices
    links = []
    for device in devices:
        page = f"docs/{device}.md"
        heading = re.match(r"# (?:The )?(.*)\n", text_of(page))
        if not heading:
            raise BadInput(f"{page} does not begin with a heading, expected the name of the device")
        links.append(link(heading[1], page, beside))
    return ", ".join(links)


def line(cells):
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def table(titles, rows):
    return [line(titles), "|" + "---|" * len(titles), *map(line, rows)]


# ---- tables of the manifests, for a page in the folder `beside` ------------------------------------------------------

def question_table(manifests, beside):
    rows = [(entry["question"], device_links(entry.get("devices", manifest["devices"]), beside), entry["paper"],
             entry["measured"], link(name, manifest["page"] + ("#" + entry["anchor"] if "anchor" in entry else ""), beside))
            for name, manifest in manifests.items() for entry in manifest["questions"]]
    return table(("question", "device", "paper", "measured", "testbench"), rows)


def page_table(manifests, beside):
    return table(("page", ""), ((link(name, manifest["page"], beside), manifest["title"])
                                for name, manifest in manifests.items()))


def function_table(manifests, beside):
    rows = []
    for name, manifest in manifests.items():
        python = manifest["python"]
        rows.append((f"`{name}({', '.join(python['arguments'])})` ({link('page', manifest['page'], beside)})",
                     python.get("arrays", ""), python["result"]))
    return table(("function", "arrays in", "result"), rows)


def job_table(manifests, beside):
    rows = [(link(name, manifest["page"], beside), f"`{manifest['programs'][0]} {manifest['jobs'][0]}`")
            for name, manifest in manifests.items()]
    return table(("testbench", "a small run"), rows)


# Page -> name of its section -> the table in it.
PAGES = {
    "README.md": {"testbench_questions": question_table},
    "docs/index.md": {"testbench_pages": page_table},
    "docs/python.md": {"testbench_functions": function_table},
    "docs/runs.md": {"testbench_jobs": job_table},
}


def updated(page, manifests):
    """The page's text with regenerated sections."""
    text = text_of(page)
    for name, made in PAGES[page].items():
        begin = f"<!-- generated: {name} -->"
        head, found, rest = text.partition(begin)
        _, closed, tail = rest.partition(END)
        if not found or not closed:
            raise BadInput(f"{page} has no section from '{begin}' to '{END}'")
        lines = made(manifests, os.path.dirname(page))
        text = "\n".join([head + begin, "", *lines, "", END]) + tail
    return text


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(f"testbench_tables: '{' '.join(arguments)}' is not understood, expected nothing or --check", file=sys.stderr)
        return 2
    status = 0
    try:
        manifests = testbenches()
        for page in PAGES:
            text = updated(page, manifests)
            if text == text_of(page):
                continue
            if arguments:
                print(f"testbench_tables: {page} is out of date; run scripts/generate", file=sys.stderr)
                status = 1
            else:
                with open(os.path.join(ROOT, page), "w", encoding="utf-8") as file:
                    file.write(text)
                print(page)
    except (BadInput, ValueError, KeyError) as error:
        print(f"testbench_tables: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
