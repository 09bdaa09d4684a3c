"""Every installed header stands by itself."""
import concurrent.futures
import os
import re
import subprocess
import tempfile
import unittest

from consumer import CXX, PREFIX

INCLUDE = os.path.join(PREFIX, "include")
RULE = "tensorloom/tlm/cxx_standard.h"


def headers():
    return sorted(os.path.relpath(os.path.join(directory, name), INCLUDE)
                  for directory, _, names in os.walk(INCLUDE) for name in names)


def compile_alone(header):
    """(header, what the compiler complains about, the headers that it brings)"""
    with tempfile.TemporaryDirectory() as directory:
        dependencies = os.path.join(directory, "dependencies")
        done = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror",
                               f"-I{INCLUDE}", "-MD", "-MF", dependencies, "-x", "c++", "-"],
                              input=f"#include <{header}>\n#include <{header}>\n", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, encoding="utf-8")
        text = ""
        if os.path.exists(dependencies):
            with open(dependencies, encoding="utf-8") as file:
                text = file.read()
        return header, done.stdout if done.returncode != 0 else "", text


class Headers(unittest.TestCase):
    maxDiff = None

    def test_each_compiles_alone_and_one_with_systemc_says_its_cxx_standard(self):
        self.assertGreater(len(headers()), 60)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            results = list(pool.map(compile_alone, headers()))
        self.assertEqual([(header, said) for header, said, _ in results if said], [])
        with_systemc = [(header, brought) for header, _, brought in results if re.search(r"/(sysc|tlm_core)/", brought)]
        self.assertGreater(len(with_systemc), 20)
        self.assertEqual([header for header, brought in with_systemc if RULE not in brought], [],
                         f"these bring SystemC and must include <{RULE}>, themselves or through another")

    def test_all_compile_together(self):
        done = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", f"-I{INCLUDE}", "-x", "c++", "-"],
                              input="".join(f"#include <{header}>\n" for header in headers()), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, encoding="utf-8")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
