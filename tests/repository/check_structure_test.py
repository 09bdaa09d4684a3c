#!/usr/bin/env python3
"""The structure check finds what is planted into a small tree, and nothing in a clean one."""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import check_structure  # noqa: E402

HEADER = "#pragma once\n"
CLEAN = {
    "CMakeLists.txt": "",
    "models/base/values/bytes.h": HEADER + "#include <vector>\n",
    "models/isa/program/command.h": HEADER + "#include <tensorloom/models/base/values/bytes.h>\n",
    "models/base/files/file.h": HEADER,
    "models/costs/energy.h": HEADER + "#include <vector>\n",
    "models/costs/energy.cpp": "#include <tensorloom/models/costs/energy.h>\n#include <yaml-cpp/yaml.h>\n",
    "models/costs/dram/dram.h": HEADER + "#include <tensorloom/models/costs/energy.h>\n",
    "models/isa/vector/opcode.h": HEADER + "#include <tensorloom/models/isa/program/command.h>\n",
    "models/triada/isa/gemt.h": HEADER + "#include <tensorloom/models/isa/program/command.h>\n",
    "models/mmv/isa/matmul.h": HEADER + "#include <tensorloom/models/isa/vector/opcode.h>\n",
    "models/fetta/isa/contract.h": HEADER + "#include <tensorloom/models/isa/vector/opcode.h>\n",
    "models/isa/export/svd.cpp": "#include <tensorloom/models/isa/vector/opcode.h>\n",
    "models/isa/export/svd.h": HEADER,
    "models/isa/firmware/registers.h": "/* generated */\n#ifndef REGISTERS_H\n#define REGISTERS_H\n#endif\n",
    "models/isa/firmware/driver.c": '#include "registers.h"\n',
    "models/arithmetic/mac.h": HEADER,
    "models/memory/sram.h": HEADER + "#include <tensorloom/tlm/router.h>\n",
    "models/shell/device_shell.h": HEADER + "#include <tensorloom/tlm/router.h>\n",
    "models/activity/log.h": HEADER + "#include <tensorloom/tlm/router.h>\n",
    "models/triada/cell.h": HEADER + "#include <systemc>\n#include <tensorloom/models/shell/device_shell.h>\n",
    "models/triada/cell.cpp": '#include "cell.h"\n#include <tensorloom/models/arithmetic/mac.h>\n',
    "models/torus/node.h": HEADER,
    "models/blocks/vector_unit.h": HEADER + "#include <tensorloom/models/isa/vector/opcode.h>\n",
    "models/mmv/device.h": HEADER + "#include <tensorloom/models/blocks/vector_unit.h>\n"
                           "#include <tensorloom/models/mmv/isa/matmul.h>\n",
    "tlm/router.h": HEADER + "#include <tlm>\n#include <tensorloom/models/isa/program/command.h>\n",
    "workloads/tensor.h": HEADER + "#include <tensorloom/models/arithmetic/mac.h>\n",
    "workloads/npy.cpp": "#include <xtensor/xnpy.hpp>\n",
    "workloads/mmv/session.h": HEADER + "#include <tensorloom/models/mmv/isa/matmul.h>\n",
    "workloads/segmented/scans.h": HEADER + "#include <tensorloom/workloads/mmv/session.h>\n"
                                   "#include <tensorloom/workloads/tensor.h>\n",
    "workloads/fetta/session.h": HEADER,
    "workloads/contraction/plan.h": HEADER + "#include <tensorloom/workloads/fetta/session.h>\n",
    "workloads/tucker/tucker.h": HEADER,
    "testbenches/platform/options/options.h": HEADER,
    "testbenches/dxt/job.h": HEADER,
    "testbenches/dxt/dxt.cpp": '#include "job.h"\n#include "dxt/job.h"\n#include "platform/options/options.h"\n'
                               "#include <tensorloom/models/triada/cell.h>\n"
                               "#include <tensorloom/models/isa/export/svd.h>\n"
                               "#include <tensorloom/workloads/segmented/scans.h>\n",
    "tests/models/costs/energy_test.cpp": "#include <tensorloom/workloads/tensor.h>\n#include <tlm>\n",
}


class CheckStructureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.root = directory.name
        for path, text in CLEAN.items():
            cls.write(path, text)

    @classmethod
    def write(cls, path, text):
        full = os.path.join(cls.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def remove(self, path):
        os.remove(os.path.join(self.root, path))
        while (path := os.path.dirname(path)) and not os.listdir(os.path.join(self.root, path)):
            os.rmdir(os.path.join(self.root, path))

    def found(self, *planted):
        """What is found in the clean tree with these files planted into it."""
        for path, text in planted:
            self.write(path, text)
        try:
            return list(check_structure.violations(self.root))
        finally:
            for path, _ in planted:
                self.remove(path)

    def assert_only(self, expected, path, text):
        self.assertEqual(self.found((path, text)), [expected])

    def assert_forbidden(self, path, include):
        """The include, planted at the end of a source or of a header, is the one violation."""
        found = self.found((path, (HEADER if path.endswith(".h") else "") + f"#include {include}\n"))
        self.assertEqual(len(found), 1, (path, include, found))
        self.assertIn(path, found[0])

    def test_clean_tree(self):
        self.assertEqual(self.found(), [])

    def test_dependency_direction(self):
        forbidden = [
            ("models/base/values/x.cpp", "<tensorloom/models/arithmetic/mac.h>"),
            ("models/isa/program/x.cpp", "<tensorloom/tlm/router.h>"),
            ("models/costs/x.cpp", "<tensorloom/workloads/tensor.h>"),
            ("models/arithmetic/x.cpp", "<tensorloom/workloads/tensor.h>"),
            ("models/activity/x.cpp", "<tensorloom/models/triada/cell.h>"),
            ("models/memory/x.cpp", "<tensorloom/models/shell/device_shell.h>"),
            ("models/shell/x.cpp", "<tensorloom/models/triada/cell.h>"),
            ("models/triada/x.cpp", "<tensorloom/models/torus/node.h>"),
            ("models/triada/x.cpp", "<tensorloom/workloads/tensor.h>"),
            ("models/triada/x.cpp", '"../torus/node.h"'),
            ("models/triada/sub/x.cpp", '"../../torus/node.h"'),
            ("tlm/x.cpp", "<tensorloom/models/activity/log.h>"),
            ("tlm/x.cpp", "<tensorloom/models/memory/sram.h>"),
            ("workloads/x.cpp", "<tensorloom/tlm/router.h>"),
            ("workloads/x.cpp", "<tensorloom/models/activity/log.h>"),
            ("workloads/x.cpp", '"platform/options/options.h"'),
            ("testbenches/gemm/x.cpp", '"dxt/job.h"'),
            ("testbenches/gemm/x.cpp", '"../dxt/job.h"'),
            ("testbenches/platform/run/x.cpp", '"dxt/job.h"'),
        ]
        for path, include in forbidden:
            with self.subTest(path=path, include=include):
                self.assert_forbidden(path, include)

    def test_plain_folders_below_the_hardware(self):
        header_of = {"base": "values/bytes", "costs": "energy", "isa/program": "command", "isa/tiles": "plan",
                     "isa/vector": "opcode", "triada/isa": "gemt", "mmv/isa": "matmul", "fetta/isa": "contract",
                     "isa/export": "svd"}
        device = "base isa/program costs"
        allowed = {"base": "", "costs": "base", "isa/program": "base", "isa/tiles": "base isa/program",
                   "isa/vector": "base isa/program", "triada/isa": f"{device} isa/tiles", "mmv/isa": f"{device} isa/vector",
                   "fetta/isa": f"{device} isa/vector", "isa/firmware": "",
                   "isa/export": "base isa/program isa/tiles isa/vector"}
        for folder, may in allowed.items():
            for other, header in header_of.items():
                if other == folder:
                    continue
                with self.subTest(folder=folder, other=other):
                    path, include = f"models/{folder}/x.cpp", f"<tensorloom/models/{other}/{header}.h>"
                    if other in may.split():
                        self.assertEqual(self.found((path, f"#include {include}\n")), [])
                    else:
                        self.assert_forbidden(path, include)

    def test_what_is_of_no_device(self):
        for folder in ("models/shell", "models/memory", "models/activity", "models/arithmetic", "tlm", "workloads",
                       "workloads/tucker"):
            for header in ("triada/isa/gemt", "mmv/isa/matmul", "fetta/isa/contract", "isa/vector/opcode",
                           "isa/export/svd"):
                with self.subTest(folder=folder, header=header):
                    self.assert_forbidden(f"{folder}/x.cpp", f"<tensorloom/models/{header}.h>")
        self.assert_forbidden("models/blocks/x.cpp", "<tensorloom/models/fetta/isa/contract.h>")
        for header in ("costs/energy", "costs/dram/dram", "isa/tiles/plan"):
            self.assert_forbidden("tlm/x.cpp", f"<tensorloom/models/{header}.h>")

    def test_devices_know_their_own_isa_alone(self):
        for device, header in (("triada", "mmv/isa/matmul"), ("triada", "isa/vector/opcode"), ("mmv", "fetta/isa/contract"),
                               ("fetta", "mmv/isa/matmul"), ("torus", "triada/isa/gemt"), ("mmv", "isa/export/svd"),
                               ("mmv", "isa/tiles/plan")):
            with self.subTest(device=device, header=header):
                self.assert_forbidden(f"models/{device}/x.cpp", f"<tensorloom/models/{header}.h>")

    def test_isa_of_a_device_does_not_know_its_hardware(self):
        self.assert_forbidden("models/triada/isa/x.cpp", "<tensorloom/models/triada/cell.h>")

    def test_floors_of_the_platform(self):
        floors = ("process", "options", "run", "report")
        for above, floor in enumerate(floors):
            path = f"testbenches/platform/{floor}/x.cpp"
            for below, other in enumerate(floors):
                with self.subTest(floor=floor, other=other):
                    include = f'"platform/{other}/y.h"'
                    files = (path, f"#include {include}\n"), (f"testbenches/platform/{other}/y.h", HEADER)
                    if below <= above:
                        self.assertEqual(self.found(*files), [])
                    else:
                        self.assertNotEqual(self.found(*files), [])
            self.assert_forbidden(path, "<tensorloom/models/triada/device.h>")
            self.assert_forbidden(path, "<tensorloom/models/mmv/isa/matmul.h>")

    def test_platform_of_a_device_does_not_know_another(self):
        self.assert_forbidden("testbenches/platform/mmv/x.cpp", "<tensorloom/models/fetta/device.h>")

    def test_inside_workloads(self):
        for path, include in (("workloads/x.cpp", "segmented/scans"), ("workloads/x.cpp", "mmv/session"),
                              ("workloads/mmv/x.cpp", "segmented/scans"), ("workloads/tucker/x.cpp", "mmv/session"),
                              ("workloads/segmented/x.cpp", "fetta/machine"),
                              ("workloads/contraction/x.cpp", "segmented/scans"),
                              ("workloads/contraction/x.cpp", "mmv/session"),
                              ("workloads/fetta/x.cpp", "contraction/plan")):
            with self.subTest(path=path, include=include):
                self.assert_forbidden(path, f"<tensorloom/workloads/{include}.h>")
        self.assert_forbidden("workloads/segmented/x.cpp", "<tensorloom/models/fetta/isa/contract.h>")
        self.assert_forbidden("workloads/contraction/x.cpp", "<tensorloom/models/mmv/isa/matmul.h>")

    def test_exceptions(self):
        planted = ("models/blocks/x.cpp", "#include <tensorloom/models/mmv/isa/matmul.h>\n")
        self.assert_forbidden(planted[0], "<tensorloom/models/mmv/isa/matmul.h>")
        with mock.patch.object(check_structure, "EXCEPTIONS", {("models/blocks", "models/mmv/isa")}):
            self.assertEqual(self.found(planted), [])

    def test_rules_that_no_file_needs(self):
        rules = {"tlm": {"models/isa/program", "models/base"}, "models/blocks": {"models/"},
                 "workloads": {"workloads/", "tlm"},
                 **{f"models/{device}": {"models/shell", "models/memory"} for device in check_structure.DEVICES}}
        exceptions = {("models/blocks", "models/isa/vector"), ("models/blocks", "models/mmv/isa")}
        with mock.patch.multiple(check_structure, ALLOWED=rules, EXCEPTIONS=exceptions):
            self.assertEqual(list(check_structure.check_rules(self.root)), [
                "models/blocks includes nothing of models/mmv/isa, expected no exception for it",
                "tlm includes nothing of models/base, expected no entry for it in ALLOWED",
                "workloads includes nothing of tlm, expected no entry for it in ALLOWED",
                *(f"models/{device} includes nothing of models/memory, expected no entry for it in ALLOWED"
                  for device in check_structure.DEVICES)])

    def test_message_names_file_and_line(self):
        self.assert_only("models/triada/x.h:4: models/triada may not include models/torus (models/torus/node.h)",
                         "models/triada/x.h", HEADER + "/* two\nlines */\n#include <tensorloom/models/torus/node.h>\n")

    def test_no_systemc_in_plain_folders(self):
        for folder in ("workloads", "models/base", "models/mmv/isa", "models/arithmetic"):
            for header in ("systemc", "tlm", "tlm.h", "tlm_utils/simple_target_socket.h", "sysc/kernel/sc_time.h"):
                with self.subTest(folder=folder, header=header):
                    self.assert_forbidden(f"{folder}/x.cpp", f"<{header}>")
                    self.assert_forbidden(f"{folder}/x.h", f"<{header}>")

    def test_old_systemc_header(self):
        self.assert_forbidden("models/triada/x.cpp", "<systemc.h>")
        self.assert_forbidden("tests/tlm/x.cpp", "<systemc.h>")

    def test_heavy_headers_only_in_sources(self):
        for header in ("xtensor/xarray.hpp", "nlohmann/json.hpp", "spdlog/spdlog.h", "yaml-cpp/yaml.h", "Eigen/Dense"):
            for folder in ("models/triada", "models/base", "tlm", "workloads"):
                with self.subTest(header=header, folder=folder):
                    self.assert_forbidden(f"{folder}/x.h", f"<{header}>")
                    self.assertEqual(self.found((f"{folder}/x.cpp", f"#include <{header}>\n")), [])

    def test_spaces_do_not_hide_an_include(self):
        self.assert_only("workloads/x.cpp:2: workloads knows no SystemC (systemc)",
                         "workloads/x.cpp", "\n  #  include  <systemc>\n")

    def test_comments_do_not_count(self):
        self.assertEqual(self.found(("workloads/x.h", HEADER + "// #include <systemc>\n/*\n#include <tlm>\n*/\n"
                                     "/// never write using namespace std\n")), [])

    def test_literals_are_no_comments(self):
        self.assert_only("tlm/x.h:4: using namespace in a header", "tlm/x.h",
                         HEADER + "inline char quote = '\"';  // \"\ninline auto url = \"/*\";\nusing namespace std;\n")

    def test_pragma_once(self):
        self.assert_only("tlm/x.h: no #pragma once", "tlm/x.h", "// #pragma once\n")

    def test_include_guards_of_c_headers(self):
        for text in (HEADER, "#ifndef A_H\n#define B_H\n#endif\n", "int x;\n#ifndef A_H\n#define A_H\n#endif\n"):
            self.assert_only("models/isa/firmware/x.h: no include guard", "models/isa/firmware/x.h", text)

    def test_c_sources_are_checked(self):
        self.assert_forbidden("models/isa/firmware/x.c", "<tensorloom/tlm/router.h>")

    def test_using_namespace(self):
        self.assert_only("tlm/x.h:3: using namespace in a header", "tlm/x.h", HEADER + "\nusing  namespace std;\n")
        self.assertEqual(self.found(("tlm/x.cpp", "using namespace std;\n")), [])

    def test_reports_name_their_instance(self):
        for macro in ("SC_REPORT_INFO", "SC_REPORT_INFO_VERB", "SC_REPORT_WARNING", "SC_REPORT_ERROR", "SC_REPORT_FATAL"):
            for folder in ("models/triada", "tlm"):
                with self.subTest(macro=macro, folder=folder):
                    path = f"{folder}/x.cpp"
                    self.assert_only(f"{path}:2: {macro} names no instance, expected a function of "
                                     "tlm/instance_report.h", path, f'\n{macro}("/a", "b");\n')
        self.assertEqual(self.found(("tlm/x.cpp", "// not SC_REPORT_ERROR\n"), ("tests/x.cpp", "SC_REPORT_ERROR(a, b);\n")),
                         [])

    def test_vague_names(self):
        for name in ("common.h", "string_utils.h", "misc.cpp", "job_manager.h", "util.h", "helpers.py"):
            for folder in ("models/triada", "tlm", "workloads"):
                with self.subTest(name=name, folder=folder):
                    path = f"{folder}/{name}"
                    self.assert_only(f"{path}: a name that says nothing", path, HEADER)
        self.assertEqual(self.found(("tlm/commonality.h", HEADER), ("tests/support/common.h", HEADER)), [])

    def test_folders(self):
        for folder in ("src", "models/gpu", "models/arch", "testbenches/platform/transform", "tests/unit", "tlm_models"):
            with self.subTest(folder=folder):
                self.assert_only(f"{folder}: not a folder of the architecture", f"{folder}/x.txt", "")
        self.assertEqual(self.found(("build/release/x.h", ""), (".git/config", ""), ("demo/a.png", "")), [])

    WIDE = "word " * 23 + "sixth."  # 121 columns
    FULL = WIDE.replace("sixth.", "fifth")

    def assert_wide(self, path, text, line):
        found = self.found((path, text))
        self.assertEqual(len(found), 1, (path, text, found))
        self.assertTrue(found[0].startswith(f"{path}:{line}: "), found)

    def test_width_of_comments(self):
        wide, full = self.WIDE, self.FULL
        self.assert_wide("tlm/x.cpp", f"int x;\n// {wide[3:]}\n", 2)
        self.assert_wide("tlm/x.cpp", f"/* short\n{wide}\n*/\n", 2)
        self.assert_wide("tlm/x.cpp", f"int number = 5; {'// ' + wide[19:]}\n", 1)
        self.assert_wide("tests/x.py", f"x = 1\n    # {wide[6:]}\n", 2)
        self.assert_wide("cmake/x.cmake", f"# {wide[2:]}\n", 1)
        self.assert_wide("scripts/x", f"#!/bin/sh\n# {wide[2:]}\n", 2)
        for path, text in (("tlm/x.cpp", f"// {full[3:]}\n"), ("tlm/x.cpp", f'auto s = "{wide}";\n'),
                           ("tlm/x.cpp", "// " + "x" * 130 + "\n"), ("tlm/x.cpp", f"// https://a.b/{'c' * 110} d\n"),
                           ("tests/x.py", f'x = "{wide}"\n'), ("cmake/x.cmake", f"# {full[2:]}\n"),
                           ("models/isa/firmware/tensorloom_registers.h",
                            f"#ifndef A\n#define A\n/* {wide} */\n#endif\n")):
            with self.subTest(path=path, text=text):
                self.assertEqual(self.found((path, text)), [])

    def test_width_of_pages(self):
        wide, full = self.WIDE, self.FULL
        for text, line in ((wide, 1), ("short\n" + wide, 2), ("- " + wide[2:], 1), ("- item\n\n    - " + wide[6:], 3),
                           ("```\ncode\n```\n" + wide, 4), ("text\n    " + wide[4:], 2),
                           ("<!-- generated: x -->\nx\n<!-- end of generated -->\n" + wide, 4)):
            with self.subTest(text=text):
                self.assert_wide("docs/x.md", text + "\n", line)
        for text in (full, "| " + wide + " |", "```\n" + wide + "\n```", "text\n\n    " + wide,
                     "<!-- generated: x -->\n" + wide + "\n<!-- end of generated -->",
                     full[:-6] + "[page](https://example.org/long)", full[:-30] + "see https://example.org/" + "x" * 30):
            with self.subTest(text=text):
                self.assertEqual(self.found(("docs/x.md", text + "\n")), [])
        self.assert_wide("README.md", wide + "\n", 1)

    # ---- figures

    SOURCE = ("#include <a>\n\n// a comment\nnamespace a {\n\nint one() { return 1; }\n\n/* two\nlines */\n"
              "int two(int x) // of x\n{\n    return one();\n}\n\nclass three {\n    int m_x;\n};\n\n} // namespace a\n")

    def test_code_lines(self):
        self.assertEqual(check_structure.code_lines("a\n\n // b\n/* c\nd */\ne; // f\n\"//\"\n"), 3)
        self.assertEqual(check_structure.code_lines(self.SOURCE), 11)

    def plumbing_lines(self, **keywords):
        with tempfile.TemporaryDirectory() as root:
            with open(os.path.join(root, "x.cpp"), "w", encoding="utf-8") as file:
                file.write(self.SOURCE)
            return check_structure.plumbing_lines(root, check_structure.Part(**{"path": "x.cpp", **keywords}))

    def test_parts_of_files(self):
        self.assertEqual(self.plumbing_lines(), 11)
        self.assertEqual(self.plumbing_lines(only=("one",)), 1)
        self.assertEqual(self.plumbing_lines(only=("two",)), 4)
        self.assertEqual(self.plumbing_lines(only=("one", "three")), 4)
        self.assertEqual(self.plumbing_lines(without=("two", "three")), 4)

    def test_definition_whose_name_begins_the_line(self):
        self.assertEqual(check_structure.definition_of("x;\na::a()\n{\n    y;\n}\nz;\n", "a::a"), "a::a()\n{\n    y;\n}")

    def test_parts_that_are_not_there(self):
        for keywords in ({"path": "y.cpp"}, {"only": ("four",)}, {"without": ("four",)}):
            with self.subTest(**keywords), self.assertRaises(LookupError):
                self.plumbing_lines(**keywords)

    def test_sizes_of_files(self):
        with tempfile.TemporaryDirectory() as root:
            for path, lines in (("models/a/x.h", 10), ("models/a/x.cpp", 50), ("tlm/y.h", 40), ("tests/z.cpp", 7),
                                ("models/arithmetic/kernels/k.cpp", 5), ("models/a/CMakeLists.txt", 3)):
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write("x\n" * lines)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                check_structure.print_files(root)
        self.assertRegex(out.getvalue(), r"models +3 files, +65 lines, median 10\n")
        self.assertRegex(out.getvalue(), r"tlm +1 files, +40 lines, median 40\n")
        self.assertRegex(out.getvalue(), r"all +4 files, +105 lines\n")
        self.assertIn("below 40 lines: 1 of 3 files outside of models/arithmetic/kernels, 33.3 %", out.getvalue())

    def test_plumbing_is_judged(self):
        def judged(lines):
            with tempfile.TemporaryDirectory() as root, mock.patch.object(
                    check_structure, "PLUMBING", {"next": [check_structure.Part("device.h")]}):
                with open(os.path.join(root, "device.h"), "w", encoding="utf-8") as file:
                    file.write("x;\n" * lines)
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    right = check_structure.plumbing(root)
                self.assertIn(f"next: {lines} lines", out.getvalue())
                return right
        self.assertTrue(judged(200))
        self.assertFalse(judged(201))
        with mock.patch.object(check_structure, "MOST_PLUMBING", {"next": 300}):
            self.assertTrue(judged(300))
            self.assertFalse(judged(301))

    # ---- the command

    def test_command_line(self):
        script = os.path.join(HERE, "check_structure.py")
        with tempfile.TemporaryDirectory() as root:
            for arguments in ([root], [], ["--lines", root], ["--files"], ["--files", "--plumbing", root]):
                self.assertEqual(subprocess.run([sys.executable, script, *arguments],
                                                stderr=subprocess.DEVNULL).returncode, 2)
            open(os.path.join(root, "CMakeLists.txt"), "w").close()
            self.assertEqual(subprocess.run([sys.executable, script, root], stdout=subprocess.DEVNULL).returncode, 0)
            self.assertEqual(subprocess.run([sys.executable, script, "--files", root],
                                            stdout=subprocess.DEVNULL).returncode, 0)
            self.assertEqual(subprocess.run([sys.executable, script, "--plumbing", root],  # no part is there
                                            stdout=subprocess.DEVNULL).returncode, 1)
            os.mkdir(os.path.join(root, "src"))
            self.assertEqual(subprocess.run([sys.executable, script, root], stdout=subprocess.DEVNULL).returncode, 1)


if __name__ == "__main__":
    unittest.main()
