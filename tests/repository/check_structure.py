#!/usr/bin/env python3
"""Checks that the tree is built as docs/architecture.md says: which folders there are, and who may include whom.

Usage: check_structure.py ROOT. Prints one line per violation; exit status 0 none, 1 some, 2 wrong use.
"""
import os
import re
import sys

# ---- the rules -------------------------------------------------------------------------------------------------------

FOLDERS = {
    "": {"models", "tlm", "workloads", "testbenches", "scripts", "tests", "docs", "cmake", "data", ".ci"},
    "models": {"triada", "torus", "mmv", "fetta", "blocks", "shell", "memory", "arithmetic", "activity", "arch"},
    "tests": {"models", "tlm", "workloads", "testbenches", "scripts", "docs",
              "conformance", "integration", "benchmarks", "install", "repository", "support", "data"},
}
IGNORED = {".git", "build", "demo", "__pycache__"}

DEVICES = ("models/triada", "models/torus", "models/mmv", "models/fetta")
PARTS = {"models/arch", "models/arithmetic", "models/activity", "models/memory", "models/blocks", "models/shell", "tlm"}

# Folder -> the folders it may include, besides itself. The longest prefix counts.
ALLOWED = {
    "models/arch": set(),
    "models/arithmetic": {"models/arch"},
    "models/activity": {"models/arch", "tlm"},
    "models/memory": {"models/arch", "models/arithmetic", "tlm"},
    "models/blocks": {"models/arch", "models/arithmetic", "models/memory", "tlm"},
    "models/shell": {"models/arch", "models/memory", "tlm"},
    "tlm": {"models/arch"},
    "workloads": {"models/arch", "models/arithmetic"},
    "testbenches/platform": {"models", "tlm", "workloads"},
    "testbenches": {"models", "tlm", "workloads", "testbenches/platform"},
    **{device: PARTS for device in DEVICES},
}
CODE_FOLDERS = ("models", "tlm", "workloads", "testbenches", "tests")
LIBRARY_FOLDERS = ("models", "tlm", "workloads")
PLAIN_FOLDERS = ("models/arch", "models/arithmetic", "workloads")
C_FOLDERS = ("models/arch/firmware",)  # portable C99: include guards, for compilers that know no #pragma once

SYSTEMC = re.compile(r"(systemc|tlm)(\.h)?$|(sysc|tlm_utils|tlm_core)/")
HEAVY = re.compile(r"(xtensor|xtl|nlohmann|spdlog|fmt|yaml-cpp|Eigen|eigen3)(/|$)")
VAGUE_NAME = re.compile(r"(^|_)(common|utils?|misc|managers?|helpers?)(_|$)")

# ---- reading ---------------------------------------------------------------------------------------------------------

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
COMMENT_OR_LITERAL = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.DOTALL)
USING_NAMESPACE = re.compile(r"\busing\s+namespace\b")


def without_comments(text):
    """The text without comments; literals stay, lines keep their numbers."""
    return COMMENT_OR_LITERAL.sub(
        lambda m: " " + "\n" * m[0].count("\n") if m[0].startswith("/") else m[0], text)


def is_inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def unit_of(path):
    """The folder whose rules hold for a file: 'models/arch', 'tlm', 'testbenches/dxt', ..."""
    parts = path.split("/")
    depth = 2 if parts[0] in ("models", "testbenches") else 1
    return "/".join(parts[:min(depth, len(parts) - 1)])


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
    unit = unit_of(path)
    if path.startswith("tests/") or is_inside(target, unit):
        return
    allowed = next((ALLOWED[p] for p in sorted(ALLOWED, key=len, reverse=True) if is_inside(unit, p)), set())
    if not any(is_inside(target, folder) for folder in allowed):
        yield f"{path}:{line}: {unit} may not include {unit_of(target)} ({target})"


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


def check_name(path):
    stem = os.path.basename(path).split(".")[0]
    if any(is_inside(path, folder) for folder in LIBRARY_FOLDERS) and VAGUE_NAME.search(stem):
        yield f"{path}: a name that says nothing"


def files_of(root):
    for folder in CODE_FOLDERS:
        for directory, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(set(folders) - IGNORED)
            for name in sorted(names):
                yield os.path.relpath(os.path.join(directory, name), root)


def violations(root):
    yield from check_folders(root)
    for path in files_of(root):
        yield from check_name(path)
        if not path.endswith((".h", ".c", ".cpp")):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = without_comments(file.read())
        yield from check_includes(root, path, text)
        if path.endswith(".h"):
            yield from check_header(path, text)


def main(arguments):
    if len(arguments) != 1 or not os.path.isfile(os.path.join(arguments[0], "CMakeLists.txt")):
        print("usage: check_structure.py ROOT (the folder of the project's CMakeLists.txt)", file=sys.stderr)
        return 2
    found = list(violations(arguments[0]))
    print("\n".join(found + [f"{len(found)} violations"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
