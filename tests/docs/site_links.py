"""The links of a site: what its pages refer to, and what of that is not there."""
import collections
import html.parser
import os
import urllib.parse

# Attributes whose files a browser loads by itself, and those that a reader follows.
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data")}
FOLLOWED = {("a", "href"), ("area", "href")}
NOT_LOADED = {"canonical", "prev", "next"}  # relations of <link> that only say where something is

Page = collections.namedtuple("Page", "anchors links")  # links: (tag, target, whether it is loaded)


class _Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.page = Page(set(), [])

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.page.anchors.update(value for name, value in attrs if name == "id" or (name == "name" and tag == "a"))
        for name, value in attrs:
            if value and ((tag, name) in FOLLOWED or (tag, name) in LOADED):
                loaded = (tag, name) in LOADED and values.get("rel") not in NOT_LOADED
                self.page.links.append((tag, value, loaded))


def read_page(text):
    reader = _Reader()
    reader.feed(text)
    return reader.page


def pages_of(site):
    """path -> Page, of every HTML file."""
    found = {}
    for directory, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(directory, name)
                with open(path, encoding="utf-8") as file:
                    found[os.path.relpath(path, site)] = read_page(file.read())
    return found


def complaint(site, pages, path, target, loaded):
    """Why this link of this page leads nowhere, or None."""
    parts = urllib.parse.urlsplit(target)
    if parts.scheme or parts.netloc:
        return "is loaded from a network" if loaded and parts.scheme not in ("data", "javascript") else None
    found = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
    if found.startswith("..") or os.path.isabs(found):
        return "leads out of the site"
    if parts.path.endswith("/") or os.path.isdir(os.path.join(site, found)):
        found = os.path.normpath(os.path.join(found, "index.html"))
    if not os.path.isfile(os.path.join(site, found)):
        return "leads to no file"
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and found in pages and anchor not in pages[found].anchors:
        return "leads to no place of its page"
    return None


def broken_links(site, pages):
    for path, page in sorted(pages.items()):
        for tag, target, loaded in page.links:
            why = complaint(site, pages, path, target, loaded)
            if why:
                yield f"{path}: <{tag}> {target} {why}"
