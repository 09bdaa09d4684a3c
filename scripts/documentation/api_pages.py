"""API pages of the public headers, made with Doxygen: those that are installed, under the paths by which they are included."""
import glob
import os
import re
import subprocess
import xml.etree.ElementTree

FOLDERS = ("models", "tlm", "workloads")
NOT_PUBLIC = ("models/arithmetic/kernels",)  # for their instruction sets alone
NAMESPACE = "tensorloom::"
COLUMNS = re.compile(r"\s*\S.*?\S {2,}\S| {3,}\S")  # of what stands behind the ///
COMMENT = re.compile(r"([ \t]*)///(?!<)(.*)")
SETTINGS = {
    "PROJECT_NAME": "TensorLoom", "PROJECT_BRIEF": "the public headers",
    "RECURSIVE": "YES", "FILE_PATTERNS": "*.h *.md", "FULL_PATH_NAMES": "YES",
    "EXTRACT_ALL": "YES", "JAVADOC_AUTOBRIEF": "YES", "SORT_MEMBER_DOCS": "NO", "SORT_BRIEF_DOCS": "NO",
    "BUILTIN_STL_SUPPORT": "YES", "TYPEDEF_HIDES_STRUCT": "NO", "SHOW_USED_FILES": "NO",
    "HAVE_DOT": "NO", "CLASS_GRAPH": "NO", "GENERATE_LATEX": "NO", "GENERATE_TREEVIEW": "NO", "HTML_TIMESTAMP": "NO",
    "HTML_DYNAMIC_MENUS": "NO", "SEARCHENGINE": "YES", "SERVER_BASED_SEARCH": "NO",
    "QUIET": "YES", "WARN_IF_UNDOCUMENTED": "NO", "WARN_FORMAT": '"$file:$line: $text"',
}


# {device} and {driver}: those of every device.
FIRST_PAGE = """# The public headers

They are included as they lie in the tree: `#include <tensorloom/models/triada/device.h>`. Where to begin:

| for | |
|---|---|
| devices | {device} |
| their drivers | {driver} |
| memories | tensorloom::memory::sram, tensorloom::memory::dram |
| what connects them | tensorloom::bus::router, tensorloom::bus::host_thread, tensorloom::bus::width_adapter, \
tensorloom::bus::protocol_checker |
| a device of your own | tensorloom::shell::device_shell, tensorloom::shell::command_unit |
| energy and traces | tensorloom::costs::technology, tensorloom::bus::activity_sink |
"""


class Problem(Exception):
    """What was found and what was expected, in one line."""


def public_headers(root):
    for folder in FOLDERS:
        for directory, folders, names in os.walk(os.path.join(root, folder)):
            inside = os.path.relpath(directory, root)
            folders[:] = sorted(name for name in folders if os.path.join(inside, name) not in NOT_PUBLIC)
            yield from (os.path.join(inside, name) for name in sorted(names) if name.endswith(".h"))


def _first_page(root):
    devices = sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(root, "models", "*", "device.h")))
    return FIRST_PAGE.format(**{kind: ", ".join(f"{NAMESPACE}{device}::{kind}" for device in devices)
                                for kind in ("device", "driver")})


def _escaped(line):
    """Doxygen would take <format> for a tag."""
    return re.sub(r"<(?=[A-Za-z/])", "&lt;", line)


def _laid_out(lines):
    """A comment's lines, without their ///: from a line with columns to the end of its paragraph they are verbatim."""
    inside = False
    for place, line in enumerate(lines):
        first = not inside and COLUMNS.match(line)
        inside = inside or first
        last = inside and not "".join(lines[place + 1:place + 2]).strip()
        yield ("@verbatim" if first else "") + (line if inside else _escaped(line)) + (" @endverbatim" if last else "")
        inside = inside and not last


def prepared(text):
    """A header whose comments come out as they stand: columns keep their lines and blanks. Line numbers stay."""
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        end = place
        while end < len(lines) and COMMENT.match(lines[end]):
            end += 1
        if end == place:
            lines[place] = re.sub(r"(?<=///<).*", lambda rest: _escaped(rest[0]), lines[place])
            place += 1
            continue
        lines[place:end] = _laid_out([COMMENT.match(line)[2] for line in lines[place:end]])
        lines[place] = "/**" + lines[place]
        lines[end - 1] += " */"
        place = end
    return "\n".join(lines)


def build(root, scratch):
    """Pages in scratch/html, names in scratch/names.tag; a Problem names every warning of Doxygen."""
    headers = os.path.join(scratch, "headers")
    for path in public_headers(root):
        copy = os.path.join(headers, "tensorloom", path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(os.path.join(root, path), encoding="utf-8") as source, open(copy, "w", encoding="utf-8") as file:
            file.write(prepared(source.read()))
    with open(os.path.join(headers, "first_page.md"), "w", encoding="utf-8") as file:
        file.write(_first_page(root))
    layout = os.path.join(scratch, "layout.xml")
    subprocess.run(["doxygen", "-l", layout], check=True, stdout=subprocess.DEVNULL)
    with open(layout, encoding="utf-8") as file:
        text = file.read()
    with open(layout, "w", encoding="utf-8") as file:
        file.write(text.replace("<navindex>", '<navindex>\n    <tab type="user" url="../index.html" title="All pages"/>', 1))
    paths = {"INPUT": headers, "STRIP_FROM_PATH": headers, "STRIP_FROM_INC_PATH": headers, "OUTPUT_DIRECTORY": scratch,
             "USE_MDFILE_AS_MAINPAGE": os.path.join(headers, "first_page.md"), "LAYOUT_FILE": layout,
             "GENERATE_TAGFILE": os.path.join(scratch, "names.tag")}
    settings = {**SETTINGS, **{name: f'"{path}"' for name, path in paths.items()}}
    done = subprocess.run(["doxygen", "-"], input="".join(f"{name} = {value}\n" for name, value in settings.items()),
                          stderr=subprocess.PIPE, check=False, encoding="utf-8")
    if done.returncode != 0 or done.stderr:
        warnings = sorted(set(done.stderr.replace(os.path.join(headers, "tensorloom", ""), "").splitlines()))
        raise Problem("Doxygen: expected no warning of the headers, found:\n" + "\n".join(warnings))


    _mend_summaries(os.path.join(scratch, "html"))


def _mend_summaries(pages):
    """Doxygen refers to a list of nested classes also where all of them are private, and no list is there."""
    for name in os.listdir(pages):
        if name.startswith(("class", "struct")) and name.endswith(".html"):
            with open(os.path.join(pages, name), encoding="utf-8") as file:
                text = file.read()
            if 'href="#nested-classes"' in text and 'name="nested-classes"' not in text:
                with open(os.path.join(pages, name), "w", encoding="utf-8") as file:
                    file.write(re.sub(r'<a href="#nested-classes">[^<]*</a>(?: &#124;)?', "", text))


class Names:
    """What the API pages tell about: headers by path, classes, functions and other names by qualified name -> page."""

    def __init__(self, scratch):
        self.headers, self.entities = {}, {}
        clashing = set()
        for compound in xml.etree.ElementTree.parse(os.path.join(scratch, "names.tag")).getroot():
            kind, name, page = compound.get("kind"), compound.findtext("name"), compound.findtext("filename")
            if kind == "file":
                folder = compound.findtext("path").partition("/headers/tensorloom/")[2]
                if folder:
                    self.headers[folder + name] = page if page.endswith(".html") else page + ".html"
            elif kind in ("class", "struct", "namespace"):
                self.entities[name.removeprefix(NAMESPACE)] = page
                if kind == "namespace":
                    self._add_members(compound, name.removeprefix(NAMESPACE), clashing)
        for name in clashing:
            del self.entities[name]

    def _add_members(self, namespace, prefix, clashing):
        for member in namespace.findall("member"):
            name = f"{prefix}::{member.findtext('name')}"
            page = member.findtext("anchorfile") + "#" + member.findtext("anchor")
            if self.entities.setdefault(name, page) != page:
                clashing.add(name)

    def page_of(self, text):
        """Of what a page of docs/ names: a header, also without `models/` or its ending, or a qualified name; or None."""
        for path in (text, text + ".h", "models/" + text, f"models/{text}.h"):
            if path.removeprefix("tensorloom/") in self.headers:
                return self.headers[path.removeprefix("tensorloom/")]
        name = re.sub(r"<.*>|\(\)$", "", text).removeprefix(NAMESPACE)
        return self.entities.get(name) if "::" in name else None
