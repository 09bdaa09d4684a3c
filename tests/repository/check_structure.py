#!/usr/bin/env python3
"""Checks that the tree is built as docs/architecture.md says: which folders there are, who may include whom, how wide
comments and prose are.

Usage: check_structure.py ROOT              one line per violation; exit status 0 none, 1 some, 2 wrong use
       check_structure.py --plumbing ROOT   per device the lines of its plumbing; status 1 when a device has too many
       check_structure.py --files ROOT      how large files are; reported, not judged
"""
import collections
import dataclasses
import glob
import json
import os
import re
import statistics
import sys

# ---- the rules -------------------------------------------------------------------------------------------------------

HERE = os.path.dirname(os.path.abspath(__file__))
OWN_TREE = os.path.dirname(os.path.dirname(HERE))
# A device is a folder of models with a software view of its own.
DEVICES = tuple(sorted(path.split(os.sep)[-3] for path in glob.glob(os.path.join(OWN_TREE, "models", "*", "isa", "driver.h"))))

FOLDERS = {
    "": {"models", "tlm", "workloads", "testbenches", "scripts", "tests", "docs", "cmake", "data", ".ci", ".devcontainer"},
    "models": {"base", "isa", "costs", "arithmetic", "activity", "memory", "shell", "blocks", "rtl", "plugin", *DEVICES},
    "models/base": {"values", "files"},
    "models/isa": {"program", "tiles", "vector", "export", "firmware"},
    "testbenches/platform": {"process", "options", "system", "run", "report", *DEVICES},
    "tests": {"models", "tlm", "workloads", "testbenches", "scripts", "docs",
              "conformance", "fuzz", "integration", "benchmarks", "install", "repository", "support", "data"},
}
IGNORED = {".git", "build", "demo", "packages", "__pycache__"}

# Folder -> the folders it may include, besides itself. "x" is the folder alone, "x/" whatever lies below it. An
# entry that no file needs is a violation; for devices, one that no device needs.
SUBDIVIDED = ("models/isa", "testbenches/platform")  # each folder in them has a rule of its own

BASE, COSTS, PROGRAM, TILES, VECTOR = "models/base", "models/costs", "models/isa/program", "models/isa/tiles", "models/isa/vector"


def isa_of(device):
    return f"models/{device}/isa"


def isa_for(device):
    """What a device and its isa may include of models/isa, which is what the library of its isa links; and base."""
    with open(os.path.join(OWN_TREE, isa_of(device), "CMakeLists.txt"), encoding="utf-8") as file:
        linked = re.findall(r"\bTensorLoom::isa_(\w+)", file.read())
    return {BASE, PROGRAM, *("models/isa/" + name for name in linked)}


# The floors of testbenches/platform, from the lowest: a floor includes those below it, and no device.
FLOORS = ("process", "options", "system", "run", "report")


def floors_up_to(floor):
    return {"testbenches/platform/" + name for name in FLOORS[:FLOORS.index(floor)]}


ALLOWED = {
    # plain C++ for every device: values and files; what software sees of a device; costs
    "models/base": set(),
    "models/costs": {BASE},
    "models/isa/program": {BASE},
    "models/isa/tiles": {BASE, PROGRAM},
    "models/isa/vector": {BASE, PROGRAM},
    "models/isa/export": {"models/isa/", BASE},  # its table of devices is written by the build
    "models/isa/firmware": set(),
    **{isa_of(device): {*isa_for(device), COSTS} for device in DEVICES},
    # connections between modules
    "tlm": {BASE, PROGRAM},
    # hardware: parts that devices share, then the devices
    "models/arithmetic": set(),
    "models/rtl": {BASE},
    "models/activity": {BASE, COSTS, "tlm"},
    "models/memory": {BASE, COSTS, "tlm"},
    "models/shell": {BASE, PROGRAM, "tlm"},
    "models/blocks": {BASE, PROGRAM, TILES, VECTOR, "models/arithmetic", "models/rtl", "models/memory", "models/shell",
                      "tlm"},
    **{"models/" + device: {*isa_for(device), isa_of(device), "models/arithmetic", "models/memory",
                            "models/blocks", "models/rtl", "models/shell", "tlm"} for device in DEVICES},
    # modules by name, for platforms that choose them at run time
    "models/plugin": {BASE, "models/isa/export", "models/memory", "tlm"},  # its table of devices is written by the build
    # workloads: the folder itself is of no device; below it the programs for one
    "workloads": {BASE, PROGRAM, "models/arithmetic"},
    "workloads/tensor_network": {BASE},
    "workloads/contraction_search": {BASE, "workloads/tensor_network"},
    "workloads/tensor_formats": {BASE, "workloads", "workloads/tensor_network", "workloads/contraction_search",
                                 "workloads/tucker"},
    "workloads/tucker": {BASE, "workloads"},
    "workloads/mmv": {BASE, PROGRAM, VECTOR, isa_of("mmv"), "workloads"},
    "workloads/segmented": {BASE, VECTOR, isa_of("mmv"), "workloads", "workloads/mmv"},
    "workloads/tensor_unit": {BASE, VECTOR, isa_of("mmv"), "workloads", "workloads/mmv"},
    "workloads/fetta": {isa_of("fetta"), "workloads"},
    "workloads/contraction": {BASE, PROGRAM, VECTOR, COSTS, isa_of("fetta"), "models/arithmetic", "workloads",
                              "workloads/fetta", "workloads/tensor_network"},
    "workloads/step_planner": {BASE, PROGRAM, VECTOR, isa_of("fetta"), "models/arithmetic", "workloads",
                               "workloads/fetta", "workloads/contraction", "workloads/contraction_search",
                               "workloads/tensor_network"},
    "workloads/accelerators": {BASE, COSTS, isa_of("fetta"), "workloads/contraction", "workloads/contraction_search",
                               "workloads/step_planner", "workloads/tensor_network"},
    "workloads/orbital": {BASE, isa_of("torus"), "models/arithmetic", "workloads"},
    "workloads/training": {BASE, VECTOR, isa_of("fetta"), "models/arithmetic", "workloads", "workloads/fetta",
                           "workloads/contraction_search", "workloads/step_planner", "workloads/tensor_formats",
                           "workloads/tensor_network"},
    # programs: what testbenches share, in floors without devices; a folder per device on top of them
    "testbenches/platform/process": {BASE, "workloads"},
    "testbenches/platform/options": {BASE, COSTS, "models/activity", "models/blocks", *floors_up_to("options")},
    "testbenches/platform/system": {BASE, "models/memory", "models/shell", "tlm", "testbenches/platform/process"},
    "testbenches/platform/run": {BASE, PROGRAM, TILES, COSTS, "models/activity", "models/arithmetic", "tlm", "workloads",
                                 *floors_up_to("run")},
    "testbenches/platform/report": {BASE, COSTS, "models/activity", "workloads",
                                    *floors_up_to("report") - {"testbenches/platform/system"}},
    **{"testbenches/platform/" + device: {BASE, COSTS, PROGRAM, TILES, isa_of(device), "models/" + device, "models/activity", "tlm",
                                          "workloads", "workloads/", *floors_up_to("report"), "testbenches/platform/report"}
       for device in DEVICES},
    "testbenches": {"models/", "tlm", "workloads", "workloads/", "testbenches/platform/"},
}
# (who, whom): breaks of these rules that are to go. One that no file needs any more is a violation.
EXCEPTIONS = set()
CODE_FOLDERS = ("models", "tlm", "workloads", "testbenches", "tests")
LIBRARY_FOLDERS = ("models", "tlm", "workloads")
PLAIN_FOLDERS = ("models/base", "models/isa", "models/costs", *(isa_of(device) for device in DEVICES), "models/arithmetic",
                 "workloads")
C_FOLDERS = ("models/isa/firmware",)  # portable C99: include guards, for compilers that know no #pragma once

GENERATED = {"models/isa/firmware/tensorloom_registers.h"}  # its comments are as wide as they come


@dataclasses.dataclass(frozen=True)
class Part:
    """A file, or some of the functions and classes that it defines at the outermost level."""
    path: str
    only: tuple = ()     # these alone
    without: tuple = ()  # all but these, because they check, count or time


# What is written anew for every device and has no arithmetic, timing or check of its own: construction, binding,
# registration, the driver's interface, the names of events, options and their way into a config and a summary, the glue
# to testbed and session. The functions named `without` are not that: units and memories of the device, checks (a
# configuration's table says what may be, the reading of options refuses the rest), the decoding of CAPS, closed forms.
# docs/architecture.md says so to readers.
# plumbing/<device>.json has the parts, and how many lines they may have: what is reached, which may shrink.
def _described_plumbing(device):
    path = os.path.join(HERE, "plumbing", device + ".json")
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


_DESCRIBED = {device: _described_plumbing(device) for device in DEVICES}
PLUMBING = {device: described and [Part(part["path"], tuple(part.get("only", ())), tuple(part.get("without", ())))
                                   for part in described["parts"]] for device, described in _DESCRIBED.items()}
WANTED_PLUMBING = 200  # lines of a device; 150 of the next one
MOST_PLUMBING = {device: described["most_lines"] for device, described in _DESCRIBED.items() if described}

FEW_LINES = 40
WHERE_FILES_MAY_BE_SHORT = "models/arithmetic/kernels"  # a translation unit per instruction set

SYSTEMC = re.compile(r"(systemc|tlm)(\.h)?$|(sysc|tlm_utils|tlm_core)/")
HEAVY = re.compile(r"(xtensor|xtl|nlohmann|spdlog|fmt|yaml-cpp|Eigen|eigen3)(/|$)")
REPORT_MACRO = re.compile(r"\bSC_REPORT_(INFO(?:_VERB)?|WARNING|ERROR|FATAL)\b")
REPORTING_FOLDERS = ("models", "tlm")  # tlm/instance_report.h names the instance, the macros a path of the build
WIDEST = 120  # columns, of comments and of pages
VAGUE_NAME = re.compile(r"(^|_)(common|utils?|misc|managers?|helpers?)(_|$)")

# ---- reading ---------------------------------------------------------------------------------------------------------

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
COMMENT_OR_LITERAL = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.DOTALL)
COMMENT_MARK = re.compile(r"^\s*(//[/!]?<?|/?\*+|#+)?\s*")
LINK = re.compile(r"\bhttps?://\S+")
USING_NAMESPACE = re.compile(r"\busing\s+namespace\b")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    """The text without comments; literals stay, lines keep their numbers."""
    return COMMENT_OR_LITERAL.sub(
        lambda m: " " + "\n" * m[0].count("\n") if m[0].startswith("/") else m[0], text)


def is_inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def unit_of(path):
    """The folder whose rules hold for a file: 'models/isa/program', 'models/mmv', 'models/mmv/isa', 'tlm', ..."""
    parts = path.split("/")
    deep = any(is_inside(path, folder) for folder in (*SUBDIVIDED, *(isa_of(device) for device in DEVICES)))
    depth = 3 if deep else 2 if parts[0] in ("models", "testbenches", "workloads") else 1
    return "/".join(parts[:min(depth, len(parts) - 1)])


def rule_of(unit):
    """The entry of ALLOWED that holds for a folder; None: it may include nothing."""
    return next((folder for folder in sorted(ALLOWED, key=len, reverse=True) if is_inside(unit, folder)), None)


def of_any_device(folder):
    """The same name for the folders of all devices."""
    return re.sub(rf"^(models/|testbenches/platform/)(?:{'|'.join(DEVICES)})\b", r"\1*", folder)


def covers(allowed, unit):
    """Whether an entry of ALLOWED stands for this unit."""
    return unit.startswith(allowed) if allowed.endswith("/") else unit == allowed


def target_of(root, path, bracket, name):
    """The path in the tree that an include names, or None for a library's header."""
    if name.startswith("tensorloom/"):
        return name[len("tensorloom/"):]
    if bracket == "<":
        return None
    for base in (os.path.dirname(path), "testbenches", "tests"):
        candidate = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return None


# ---- the checks ------------------------------------------------------------------------------------------------------

def check_folders(root):
    for parent, known in FOLDERS.items():
        if not os.path.isdir(os.path.join(root, parent)):
            continue
        for name in sorted(os.listdir(os.path.join(root, parent))):
            path = os.path.join(parent, name)
            if os.path.isdir(os.path.join(root, path)) and name not in known | IGNORED:
                yield f"{path}: not a folder of the architecture"


def check_dependency(path, line, target):
    unit, other = unit_of(path), unit_of(target)
    if path.startswith("tests/") or unit == other or (unit, other) in EXCEPTIONS:
        return
    if not any(covers(folder, other) for folder in ALLOWED.get(rule_of(unit), ())):
        yield f"{path}:{line}: {unit} may not include {other} ({target})"


def check_rules(root):
    """Exceptions that no file needs, and what a folder may include but does not."""
    needed = {(unit_of(path), unit_of(target)) for path, target in targets_of(root)}
    if not needed:
        return  # a tree without sources
    for who, whom in sorted(EXCEPTIONS - needed):
        yield f"{who} includes nothing of {whom}, expected no exception for it"
    by_rule = {(of_any_device(rule_of(unit)), of_any_device(other)) for unit, other in needed if rule_of(unit)}
    for rule, folders in ALLOWED.items():
        for folder in sorted(folders):
            if not any(of_any_device(rule) == who and covers(of_any_device(folder), whom) for who, whom in by_rule):
                yield f"{rule} includes nothing of {folder}, expected no entry for it in ALLOWED"


def check_includes(root, path, text):
    is_header = path.endswith(".h")
    for found in INCLUDE.finditer(text):
        bracket, name = found.groups()
        line = text.count("\n", 0, found.start(1)) + 1
        target = target_of(root, path, bracket, name)
        if target is not None:
            yield from check_dependency(path, line, target)
        if name == "systemc.h":
            yield f"{path}:{line}: <systemc.h> instead of <systemc>"
        if SYSTEMC.match(name) and any(is_inside(path, folder) for folder in PLAIN_FOLDERS):
            yield f"{path}:{line}: {unit_of(path)} knows no SystemC ({name})"
        if is_header and HEAVY.match(name) and any(is_inside(path, folder) for folder in LIBRARY_FOLDERS):
            yield f"{path}:{line}: heavy header in a public header ({name})"


def check_header(path, text):
    if any(is_inside(path, folder) for folder in C_FOLDERS):
        if not re.match(r"\s*#ifndef (\w+)\n#define \1\n", text):
            yield f"{path}: no include guard"
    elif not re.search(r"^#pragma once$", text, re.MULTILINE):
        yield f"{path}: no #pragma once"
    for found in USING_NAMESPACE.finditer(text):
        yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: using namespace in a header"


def check_reports(path, text):
    if any(is_inside(path, folder) for folder in REPORTING_FOLDERS):
        for found in REPORT_MACRO.finditer(text):
            yield (f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]} names no instance, expected a function "
                   "of tlm/instance_report.h")


def check_name(path):
    stem = os.path.basename(path).split(".")[0]
    if any(is_inside(path, folder) for folder in LIBRARY_FOLDERS) and VAGUE_NAME.search(stem):
        yield f"{path}: a name that says nothing"


def too_wide(text):
    """Wider than WIDEST, and some of its words could stand on the next line."""
    return len(text) > WIDEST and " " in COMMENT_MARK.sub("", text[:WIDEST])


def check_comments(path, text):
    """Of C and C++: the ends of comments; clang-format sees to the code."""
    lines = text.split("\n")
    for found in COMMENT_OR_LITERAL.finditer(text):
        if not found[0].startswith("/"):
            continue
        first = text.count("\n", 0, found.start())
        for number in range(first, first + found[0].count("\n") + 1):
            if too_wide(lines[number]) and not LINK.search(lines[number]):
                yield f"{path}:{number + 1}: a comment of {len(lines[number])} columns, expected at most {WIDEST}"


def check_script_comments(path, text):
    """Of Python, CMake and shells: lines that are a comment and nothing else."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#") and too_wide(line) and not LINK.search(line):
            yield f"{path}:{number}: a comment of {len(line)} columns, expected at most {WIDEST}"


def check_page(path, text):
    """Prose of Markdown; not tables, code, generated sections, nor what a link's address adds."""
    code = generated = False
    before = ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif line.startswith("<!-- generated"):
            generated = True
        elif line.startswith("<!-- end of generated"):
            generated = False
        indented_code = line.startswith("    ") and (not before.strip() or before.startswith("    "))
        list_item = re.match(r"\s*([-*]|\d+\.) ", line)
        prose = LINK.sub("", re.sub(r"\]\([^)]*\)", "]", line))
        exempt = code or generated or line.lstrip().startswith("|") or (indented_code and not list_item)
        if not exempt and too_wide(prose):
            yield f"{path}:{number}: prose of {len(prose)} columns, expected at most {WIDEST}"
        before = line


def text_files_of(root):
    """Every file with comments or prose, with its check."""
    for directory, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in IGNORED and not name.startswith("."))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(directory, name), root)
            if path in GENERATED:
                continue
            if name.endswith((".h", ".c", ".cpp")):
                yield path, check_comments
            elif name.endswith((".py", ".cmake")) or name == "CMakeLists.txt":
                yield path, check_script_comments
            elif os.path.dirname(path) == "scripts" and "." not in name:
                yield path, check_script_comments
            elif name.endswith(".md"):
                yield path, check_page


def check_width(root):
    for path, check in text_files_of(root):
        yield from check(path, read(root, path))


def files_of(root):
    for folder in CODE_FOLDERS:
        for directory, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(set(folders) - IGNORED)
            for name in sorted(names):
                yield os.path.relpath(os.path.join(directory, name), root)


def targets_of(root):
    """(path, path of what it includes) of every include of the product's own headers by its sources."""
    for path in files_of(root):
        if path.endswith((".h", ".c", ".cpp")) and not path.startswith("tests/"):
            for bracket, name in INCLUDE.findall(without_comments(read(root, path))):
                target = target_of(root, path, bracket, name)
                if target is not None:
                    yield path, target


# ---- the figures -----------------------------------------------------------------------------------------------------

def code_lines(text):
    """Lines with something besides comments."""
    return sum(1 for line in without_comments(text).split("\n") if line.strip())


def definition_of(text, name):
    """The text of a function or class at the outermost level, as .clang-format lays it out; None when it is not there."""
    starts = re.compile(rf"^(?!#|//)(?=[^\s}}])(?!.*;$).*\b{re.escape(name)}\b.*$", re.MULTILINE)
    found = starts.search(text)
    if not found:
        return None
    if found[0].endswith("}"):
        return found[0]
    end = re.compile(r"^\};?.*$", re.MULTILINE).search(text, found.end())
    return text[found.start():end.end()] if end else None


def plumbing_lines(root, part):
    """Code lines of a part; a LookupError says what is not there."""
    if not os.path.isfile(os.path.join(root, part.path)):
        raise LookupError(f"{part.path}: not there")
    text = read(root, part.path)

    def lines_of(names):
        lines = 0
        for name in names:
            definition = definition_of(text, name)
            if definition is None:
                raise LookupError(f"{part.path}: no {name}")
            lines += code_lines(definition)
        return lines
    return lines_of(part.only) if part.only else code_lines(text) - lines_of(part.without)


def plumbing(root):
    """Prints the lines of every device; True when none has too many and all parts are there."""
    right = True
    for device, parts in PLUMBING.items():
        if parts is None:
            print(f"{device}: no file tests/repository/plumbing/{device}.json")
            right = False
            continue
        counted = []
        for part in parts:
            try:
                counted.append((plumbing_lines(root, part), part))
            except LookupError as missing:
                print(f"{device}: {missing}")
                right = False
        total = sum(lines for lines, _ in counted)
        most = MOST_PLUMBING.get(device, WANTED_PLUMBING)
        right = right and total <= most
        print(f"{device}: {total} lines of plumbing, at most {most} allowed, {WANTED_PLUMBING} wanted")
        for lines, part in counted:
            named = f": {', '.join(part.only)}" if part.only else ""
            named += f", without {', '.join(part.without)}" if part.without else ""
            print(f"  {lines:5} {part.path}{named}")
    return right


def sizes_of(root):
    """Lines of every source and header of the product, by path."""
    sizes = {}
    for path in files_of(root):
        if path.endswith((".h", ".cpp")) and not path.startswith("tests/"):
            sizes[path] = read(root, path).count("\n")
    return sizes


def print_files(root):
    sizes = sizes_of(root)
    by_folder = collections.defaultdict(list)
    for path, lines in sizes.items():
        by_folder[path.split("/")[0]].append(lines)
    for folder, lines in by_folder.items():
        print(f"{folder:12} {len(lines):4} files, {sum(lines):6} lines, median {statistics.median(lines):g}")
    judged = [lines for path, lines in sizes.items() if not is_inside(path, WHERE_FILES_MAY_BE_SHORT)]
    short = sum(1 for lines in judged if lines < FEW_LINES)
    print(f"{'all':12} {len(sizes):4} files, {sum(sizes.values()):6} lines")
    print(f"below {FEW_LINES} lines: {short} of {len(judged)} files outside of {WHERE_FILES_MAY_BE_SHORT}, "
          f"{100 * short / max(1, len(judged)):.1f} %")


def violations(root):
    yield from check_folders(root)
    yield from check_width(root)
    for path in files_of(root):
        yield from check_name(path)
        if not path.endswith((".h", ".c", ".cpp")):
            continue
        text = without_comments(read(root, path))
        yield from check_includes(root, path, text)
        yield from check_reports(path, text)
        if path.endswith(".h"):
            yield from check_header(path, text)


def main(arguments):
    *options, root = arguments or [None]
    known = root is not None and options in ([], ["--plumbing"], ["--files"])
    if not known or not os.path.isfile(os.path.join(root, "CMakeLists.txt")):
        print("usage: check_structure.py [--plumbing | --files] ROOT (the folder of the project's CMakeLists.txt)",
              file=sys.stderr)
        return 2
    if options == ["--plumbing"]:
        return 0 if plumbing(root) else 1
    if options == ["--files"]:
        print_files(root)
        return 0
    found = [*violations(root), *check_rules(root)]
    print("\n".join(found + [f"{len(found)} violations"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
