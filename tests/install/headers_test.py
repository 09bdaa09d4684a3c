"""Every installed header stands by itself."""
import concurrent.futures
import functools
import os
import re
import subprocess
import tempfile
import unittest

from consumer import CXX, PREFIX, SOURCE

INCLUDE = os.path.join(PREFIX, "include")
RULE = "tensorloom/tlm/cxx_standard.h"
# tlm/cci_fields.h includes the CCI library, which few machines have.
COMPILE = [CXX, "-std=c++17", f"-I{INCLUDE}", "-idirafter", os.path.join(SOURCE, "tests/tlm/cci_stand_in")]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def headers():
    return sorted(os.path.relpath(os.path.join(directory, name), INCLUDE)
                  for directory, _, names in os.walk(INCLUDE) for name in names)


@functools.lru_cache(maxsize=None)
def brought_by(header):
    """The header and all that it includes, itself or through another of ours."""
    found = {header}
    if os.path.exists(os.path.join(INCLUDE, header)):
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as file:
            for included in re.findall(r'^#\s*include [<"]([^>"]+)[>"]', file.read(), re.M):
                found |= brought_by(included)
    return frozenset(found)


def systemc_part(brought):
    """The larger of SystemC's two headers that is among these."""
    if any(re.match(r"tlm(_utils/.*)?$", name) for name in brought):
        return "tlm"
    return "systemc" if "systemc" in brought else None


def runs():
    """Lists of headers to be compiled together. Before a header come only such as it brings itself: they hide nothing."""
    found = []
    for header in sorted(headers(), key=lambda header: (len(brought_by(header)), header)):
        fitting = [run for run in found if brought_by(run[-1]) < brought_by(header)]
        if fitting:
            max(fitting, key=lambda run: len(brought_by(run[-1]))).append(header)
        else:
            found.append([header])
    return found


def complaints(source, *options):
    """What the compiler says; empty when it accepts the source in silence."""
    done = subprocess.run([*COMPILE, "-fsyntax-only", *options, "-x", "c++", "-"], input=source, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, encoding="utf-8")
    return done.stdout or ("" if done.returncode == 0 else f"status {done.returncode}")


class Headers(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def precompiled(self, name):
        """Options that begin a source with this header of SystemC, which every header of the source includes anyway."""
        path = os.path.join(self.directory, name + ".h")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#include <{name}>\n")
        subprocess.run([*COMPILE, *WARNINGS, "-x", "c++-header", path, "-o", path + ".gch"], check=True)
        return ["-Winvalid-pch", "-include", path]

    def test_each_compiles_alone(self):
        self.assertGreater(len(headers()), 60)
        begin = {None: [], "systemc": self.precompiled("systemc"), "tlm": self.precompiled("tlm")}

        def said_about(run):
            # What the first one brings, all of them bring.
            return complaints("".join(f"#include <{header}>\n" * 2 for header in run), *WARNINGS,
                              *begin[systemc_part(brought_by(run[0]))])

        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            self.assertEqual([said for said in pool.map(said_about, runs()) if said], [])

    def test_runs_hold_every_header_once_and_hide_nothing(self):
        self.assertEqual(sorted(header for run in runs() for header in run), headers())
        for run in runs():
            for before, after in zip(run, run[1:]):
                self.assertLess(brought_by(before), brought_by(after))

    def test_one_with_systemc_says_its_cxx_standard(self):
        with_systemc = [header for header in headers() if systemc_part(brought_by(header))]
        self.assertGreater(len(with_systemc), 20)
        self.assertEqual([header for header in with_systemc if RULE not in brought_by(header)], [],
                         f"these bring SystemC and must include <{RULE}>, themselves or through another")

    def test_all_compile_together(self):
        self.assertEqual(complaints("".join(f"#include <{header}>\n" for header in headers())), "")
