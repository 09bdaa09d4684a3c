#!/usr/bin/env python3
"""Headers of modules have a usage example of at most 5 lines, and the build compiles every one of them."""
import os
import sys
import unittest

import header_examples

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class HeaderExamples(unittest.TestCase):
    def test_are_in_every_header_of_a_module(self):
        self.assertEqual(header_examples.without_example(ROOT), [])

    def test_are_short(self):
        for header in header_examples.headers(ROOT):
            for line, code in header_examples.examples(header_examples.read(ROOT, header)):
                self.assertIn(len(code), range(1, header_examples.MOST_LINES + 1), f"{header}:{line}")

    def test_are_all_in_the_file_that_the_build_compiles(self):
        with open(GENERATED, encoding="utf-8") as file:
            self.assertEqual(file.read(), header_examples.source(ROOT))


class Extraction(unittest.TestCase):
    def test_takes_the_block_after_the_word(self):
        text = "/// A bus.\n///\n/// Example\n///\n///     bus b;\n///     b.go();\n///\n/// Source: none\nclass bus {};\n"
        self.assertEqual(header_examples.examples(text), [(5, ["bus b;", "b.go();"])])

    def test_takes_a_block_inside_a_class(self):
        self.assertEqual(header_examples.examples("    /// Example\n    ///\n    ///     go();\n    void go();\n"),
                         [(3, ["go();"])])

    def test_finds_no_lines_where_the_block_is_not_indented(self):
        self.assertEqual(header_examples.examples("/// Example\n/// bus b;\n"), [(3, [])])

    def test_names_headers_of_modules_directly_or_through_bases(self):
        texts = {"a.h": "class base : public sc_core::sc_module {",
                 "b.h": "template <class T> class derived : private other, public a::base {",
                 "c.h": "class plain : public other {",
                 "d.h": "struct last : derived<std::vector<int>> {",
                 "e.h": "class base;\n// class quoted : public sc_core::sc_module {\nenum class kind : unsigned { a };"}
        self.assertEqual(header_examples.module_headers(texts), ["a.h", "b.h", "d.h"])


if __name__ == "__main__":
    GENERATED = sys.argv.pop()
    unittest.main()
