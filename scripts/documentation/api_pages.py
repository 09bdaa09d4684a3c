"""API pages of the installed public headers, generated with Doxygen, under the paths by which they are included."""
import glob
import os
import re
import subprocess
import xml.etree.ElementTree

FOLDERS = ("models", "tlm", "workloads")
NOT_PUBLIC = ("models/arithmetic/kernels",)  # compiled per instruction set
NAMESPACE = "tensorloom::"
COLUMNS = re.compile(r"\s*\S.*?\S {2,}\S| {3,}\S")  # lines with columns, without the ///
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

Include paths are those of the tree: `#include <tensorloom/models/triada/device.h>`. Where to begin:

| for | |
|---|---|
| devices | {device} |
| their drivers | {driver} |
| memories | tensorloom::memory::sram, tensorloom::memory::dram |
| connections | tensorloom::bus::router, tensorloom::bus::host_thread, tensorloom::bus::width_adapter, \
tensorloom::bus::protocol_checker |
| a device of your own | tensorloom::shell::device_shell, tensorloom::shell::command_unit |
| energy and traces | tensorloom::costs::technology, tensorloom::bus::activity_sink |
"""


class Problem(Exception):
    """An error: found and expected, in one line."""


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
    """Escapes text such as <format>, which Doxygen would take for a tag."""
    return re.sub(r"<(?=[A-Za-z/])", "&lt;", line)


def _laid_out(lines):
    """The lines of a comment without ///. Lines from one with columns to the end of its paragraph become verbatim."""
    inside = False
    for place, line in enumerate(lines):
        first = not inside and COLUMNS.match(line)
        inside = inside or first
        last = inside and not "".join(lines[place + 1:place + 2]).strip()
        yield ("@verbatim" if first else "") + (line if inside else _escaped(line)) + (" @endverbatim" if last else "")
        inside = inside and not last


def prepared(text):
    """The header with comments prepared for Doxygen: columns keep their lines and blanks. Line numbers do not
    change."""
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
    """Writes pages to scratch/html and names to scratch/names.tag; a Problem lists all warnings of Doxygen."""
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
    """Removes Doxygen's references to lists of nested classes that do not exist because all of these classes are
    private."""
    for name in os.listdir(pages):
        if name.startswith(("class", "struct")) and name.endswith(".html"):
            with open(os.path.join(pages, name), encoding="utf-8") as file:
                text = file.read()
            if 'href="#nested-classes"' in text and 'name="nested-classes"' not in text:
                with open(os.path.join(pages, name), "w", encoding="utf-8") as file:
                    file.write(re.sub(r'<a href="#nested-classes">[^<]*</a>(?: &#124;)?', "", text))


class Names:
    """Index of the API pages: headers by path, and classes, functions and other names by qualified name -> page."""

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
        """The API page of a name on a page of docs/: a header, also without `models/` or ending, or a qualified name;
        or None."""
        for path in (text, text + ".h", "models/" + text, f"models/{text}.h"):
            if path.removeprefix("tensorloom/") in self.headers:
                return self.headers[path.removeprefix("tensorloom/")]
        name = re.sub(r"<.*>|\(\)$", "", text).removeprefix(NAMESPACE)
        return self.entities.get(name) if "::" in name else None
