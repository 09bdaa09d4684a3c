"""MkDocs hooks of the site, named in mkdocs.yml.

The navigation follows docs/index.md: its headings are sections, the links in the first cells of its tables are pages.
Headers and names on a page link to their API pages; other files of the tree that a page links to are copied to the
site. The API pages are in the folder TENSORLOOM_API, filled by api_pages.build(); scripts/site copies them to the site.
"""
import html
import json
import os
import posixpath
import re
import sys

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import api_pages  # pylint: disable=wrong-import-position

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
API = os.environ.get("TENSORLOOM_API")
LINK = re.compile(r"\[([^\]]+)\]\(([^)#]+)\)")
OUTSIDE = re.compile(r"\]\(\.\./([^)#]+)(?=[)#])")  # link to a file of the tree that is not a page
NO_NAMES = re.compile(r"(<a\b.*?</a>|<pre\b.*?</pre>|<h\d\b.*?</h\d>)", re.S)
CODE = re.compile(r"<code>([^<]+)</code>")
names = api_pages.Names(API) if API else None


def navigation(index):
    """The navigation in MkDocs' form, from the text of docs/index.md."""
    sections = []
    for line in index.split("\n"):
        if line.startswith("## "):
            sections.append((line[3:], []))
            pages = sections[-1][1]
        elif line.startswith("### "):
            pages = []
            sections[-1][1].append({line[4:]: pages})
        elif line.startswith("| ") and sections:
            pages.extend({title: page.removeprefix("../")} for title, page in LINK.findall(line.split(" | ")[0]))
    return [{"All pages": "index.md"}] + [{title: pages} for title, pages in sections]


def on_config(config):
    with open(os.path.join(config["docs_dir"], "index.md"), encoding="utf-8") as file:
        config["nav"] = navigation(file.read())
    config["theme"].static_templates.discard("404.html")  # its links work at one address of a site only
    return config


def linked_files(config):
    """Files of the tree that pages link to."""
    found = set()
    for name in os.listdir(config["docs_dir"]):
        if name.endswith(".md"):
            with open(os.path.join(config["docs_dir"], name), encoding="utf-8") as file:
                found.update(OUTSIDE.findall(file.read()))
    return sorted(found)


def on_files(files, config):
    def append(path, folder, at=""):
        file = File(path, folder, config["site_dir"], use_directory_urls=False)
        file.src_uri, file.dest_uri, file.url = at + file.src_uri, at + file.dest_uri, at + file.url
        file.abs_dest_path = os.path.join(config["site_dir"], file.dest_uri)
        files.append(file)

    for path in linked_files(config):
        if names and path in names.headers:
            append(names.headers[path], os.path.join(API, "html"), "api/")
        else:
            append(path, ROOT)
    append("site.css", os.path.dirname(os.path.abspath(__file__)))
    return files


def on_nav(nav, config, files):
    if API:
        next(item for item in nav.items if item.title == "Reference").children.append(Link("API of the headers", "api/index.html"))
    return nav


def indented_items(markdown):
    """Indents the content of list items by four columns and ends items of several blocks with an empty line: MkDocs
    requires this, code hosts do not."""
    lines, column, blocks, code = [], 0, False, False  # column: of the text of the current item
    for line in markdown.split("\n"):
        marker = re.match(r"(\d+\.|[-*]) +", line)
        indent = len(line) - len(line.lstrip(" "))
        if line.startswith("```"):
            code, column = not code, 0
        elif marker and not code:
            lines += [""] if column and blocks and lines[-1] else []
            column, blocks = marker.end(), False
        elif line and indent < column:
            column = 0
        elif line and column:
            blocks = blocks or not lines[-1]
            line = " " * max(4 - column, 0) + line
        lines.append(line)
    return "\n".join(lines)


def on_page_markdown(markdown, page, config, files):
    def inside(found):
        return "](" + ("api/" + names.headers[found[1]] if names and found[1] in names.headers else found[1])

    markdown = OUTSIDE.sub(inside, markdown)
    if os.path.dirname(page.file.abs_src_path) != config["docs_dir"]:  # the change log
        markdown = markdown.replace("](docs/", "](")
    markdown = indented_items(markdown)
    # A bar in code of a table cell: code hosts require an escape, MkDocs does not.
    return re.sub(r"^\|.*$", lambda row: re.sub(r"`[^`]*`", lambda code: code[0].replace(r"\|", "|"), row[0]), markdown,
                  flags=re.M)


def on_page_content(content, page, config, files):
    if not names:
        return content

    def linked(found):
        target = names.page_of(html.unescape(found[1]))
        start = posixpath.relpath("api", posixpath.dirname(page.url) or ".")
        return f'<a href="{start}/{target}">{found[0]}</a>' if target else found[0]

    return "".join(piece if NO_NAMES.match(piece) else CODE.sub(linked, piece) for piece in NO_NAMES.split(content))


def on_post_build(config):
    """Adds the names of the headers to the search index of the pages. An empty file marks the folder as a generated
    site."""
    with open(os.path.join(config["site_dir"], ".tensorloom-site"), "w", encoding="utf-8"):
        pass
    if not names:
        return
    path = os.path.join(config["site_dir"], "search", "search_index.json")
    with open(path, encoding="utf-8") as file:
        index = json.load(file)
    for name, page in sorted({**names.entities, **names.headers}.items()):
        within, mark, last = name.rpartition("::" if "::" in name else "/")
        index["docs"].append({"location": "api/" + page, "title": f"{last} ({within})" if mark else name, "text": "API"})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(index, file, ensure_ascii=False, separators=(",", ":"))
