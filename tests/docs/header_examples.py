#!/usr/bin/env python3
"""The usage examples in comments of headers: extracts them, and writes one source file that compiles all of them.

An example is the word `Example` alone, an empty comment line, and an indented block of at most 5 lines:

    /// Example
    ///
    ///     memory::sram<> memory("memory", {});
    ///     initiator.bind(memory.in);

Each becomes the body of a member function of a class that derives from example_context (example_context.h), which
declares the objects around it: initiator, target, sink, ... Names are looked up from namespace tensorloom."""
import glob
import os
import re
import sys

MOST_LINES = 5
FOLDERS = ("models", "tlm")
CLASS = re.compile(r"\b(?:class|struct)\s+(\w+)(?:\s+final)?\s*:([^:{;](?:[^{;])*)\{")
WORDS_OF_BASES = {"public", "protected", "private", "virtual"}


def headers(root):
    """Paths of all headers below the folders of the models, relative to the root."""
    found = []
    for folder in FOLDERS:
        found += glob.glob(os.path.join(root, folder, "**", "*.h"), recursive=True)
    return sorted(os.path.relpath(path, root) for path in found)


def read(root, header):
    with open(os.path.join(root, header), encoding="utf-8") as file:
        return file.read()


def examples(text):
    """Pairs of the line number of the first line of code, and the lines of code."""
    lines = [line.strip() for line in text.split("\n")]
    found = []
    for number, line in enumerate(lines):
        if line != "/// Example":
            continue
        code = []
        first = number + 2
        if lines[number + 1] == "///":
            for following in lines[first:]:
                if not following.startswith("///     "):
                    break
                code.append(following[len("///     "):])
        found.append((first + 1, code))
    return found


def classes(text):
    """Pairs of the name of a class with bases, and the last names of its bases."""
    text = re.sub(r"//[^\n]*", "", text)
    found = []
    for match in CLASS.finditer(text):
        bases = match.group(2)
        while re.search(r"<[^<>]*>", bases):
            bases = re.sub(r"<[^<>]*>", "", bases)
        names = [base.split("::")[-1] for base in re.findall(r"[\w:]+", bases)]
        found.append((match.group(1), [name for name in names if name not in WORDS_OF_BASES]))
    return found


def module_headers(texts):
    """Headers, of a dictionary with their texts, that declare a class deriving from sc_module, directly or not."""
    declared = {header: classes(text) for header, text in texts.items()}
    modules = {"sc_module"}
    grown = True
    while grown:
        grown = False
        for pairs in declared.values():
            for name, bases in pairs:
                if name not in modules and modules.intersection(bases):
                    modules.add(name)
                    grown = True
    return sorted(header for header, pairs in declared.items()
                  if any(modules.intersection(bases) for _, bases in pairs))


def without_example(root):
    texts = {header: read(root, header) for header in headers(root)}
    return [header for header in module_headers(texts) if not examples(texts[header])]


def source(root):
    """A C++ file with a function for each example."""
    with_examples = [(header, examples(read(root, header))) for header in headers(root)]
    with_examples = [(header, found) for header, found in with_examples if found]
    lines = ["// Written by tests/docs/header_examples.py from the comments of headers.",
             '#include "docs/example_context.h"']
    lines += [f"#include <tensorloom/{header}>" for header, _ in with_examples]
    lines += ["", "namespace tensorloom {", ""]
    for header, found in with_examples:
        for line, code in found:
            name = re.sub(r"\W", "_", header[:-2]) + f"_{line}"
            lines += [f"struct {name} : example_context {{", "    void example();", "};", f"void {name}::example()", "{",
                      f'#line {line} "{os.path.join(root, header)}"', *code, "}", ""]
    return "\n".join(lines + ["} // namespace tensorloom", ""])


def main(arguments):
    if len(arguments) == 3 and arguments[1] == "--write":
        text = source(arguments[0])
        with open(arguments[2], "w", encoding="utf-8") as file:
            file.write(text)
    elif len(arguments) == 2 and arguments[1] == "--missing":
        print("\n".join(without_example(arguments[0])))
    else:
        sys.exit("usage: header_examples.py ROOT --write FILE | --missing")


if __name__ == "__main__":
    main(sys.argv[1:])
