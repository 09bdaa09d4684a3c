#!/usr/bin/env python3
"""The structure check finds what is planted into a small tree, and nothing in a clean one."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import check_structure  # noqa: E402

HEADER = "#pragma once\n"
CLEAN = {
    "CMakeLists.txt": "",
    "models/arch/energy.h": HEADER + "#include <vector>\n",
    "models/arch/energy.cpp": "#include <tensorloom/models/arch/costs/energy.h>\n#include <yaml-cpp/yaml.h>\n",
    "models/arch/firmware/registers.h": "/* generated */\n#ifndef REGISTERS_H\n#define REGISTERS_H\n#endif\n",
    "models/arch/firmware/driver.c": '#include "registers.h"\n',
    "models/arithmetic/mac.h": HEADER,
    "models/memory/sram.h": HEADER + "#include <tensorloom/tlm/router.h>\n",
    "models/shell/device_shell.h": HEADER + "#include <tensorloom/models/memory/sram.h>\n",
    "models/activity/log.h": HEADER + "#include <tensorloom/tlm/router.h>\n",
    "models/triada/cell.h": HEADER + "#include <systemc>\n#include <tensorloom/models/shell/device_shell.h>\n",
    "models/triada/cell.cpp": '#include "cell.h"\n#include <tensorloom/models/arithmetic/mac.h>\n',
    "models/torus/node.h": HEADER,
    "tlm/router.h": HEADER + "#include <tlm>\n#include <tensorloom/models/arch/costs/energy.h>\n",
    "workloads/tensor.h": HEADER + "#include <tensorloom/models/arithmetic/mac.h>\n",
    "workloads/npy.cpp": "#include <xtensor/xnpy.hpp>\n",
    "testbenches/platform/options.h": HEADER,
    "testbenches/dxt/job.h": HEADER,
    "testbenches/dxt/dxt.cpp": '#include "job.h"\n#include "dxt/job.h"\n#include "platform/options.h"\n'
                               "#include <tensorloom/models/triada/cell.h>\n",
    "tests/models/arch/energy_test.cpp": "#include <tensorloom/workloads/tensor.h>\n#include <tlm>\n",
}


class CheckStructureTest(unittest.TestCase):
    def found(self, *planted):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**CLEAN, **dict(planted)}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            return list(check_structure.violations(root))

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
            ("models/arch/x.cpp", "<tensorloom/models/arithmetic/mac.h>"),
            ("models/arch/x.cpp", "<tensorloom/tlm/router.h>"),
            ("models/arch/x.cpp", "<tensorloom/workloads/tensor.h>"),
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
            ("workloads/x.cpp", '"platform/options.h"'),
            ("testbenches/gemm/x.cpp", '"dxt/job.h"'),
            ("testbenches/gemm/x.cpp", '"../dxt/job.h"'),
            ("testbenches/platform/x.cpp", '"dxt/job.h"'),
        ]
        for path, include in forbidden:
            with self.subTest(path=path, include=include):
                self.assert_forbidden(path, include)

    def test_message_names_file_and_line(self):
        self.assert_only("models/triada/x.h:4: models/triada may not include models/torus (models/torus/node.h)",
                         "models/triada/x.h", HEADER + "/* two\nlines */\n#include <tensorloom/models/torus/node.h>\n")

    def test_no_systemc_in_plain_folders(self):
        for folder in ("workloads", "models/arch", "models/arithmetic"):
            for header in ("systemc", "tlm", "tlm.h", "tlm_utils/simple_target_socket.h", "sysc/kernel/sc_time.h"):
                with self.subTest(folder=folder, header=header):
                    self.assert_forbidden(f"{folder}/x.cpp", f"<{header}>")
                    self.assert_forbidden(f"{folder}/x.h", f"<{header}>")

    def test_old_systemc_header(self):
        self.assert_forbidden("models/triada/x.cpp", "<systemc.h>")
        self.assert_forbidden("tests/tlm/x.cpp", "<systemc.h>")

    def test_heavy_headers_only_in_sources(self):
        for header in ("xtensor/xarray.hpp", "nlohmann/json.hpp", "spdlog/spdlog.h", "yaml-cpp/yaml.h", "Eigen/Dense"):
            for folder in ("models/triada", "models/arch", "tlm", "workloads"):
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
            self.assert_only("models/arch/firmware/x.h: no include guard", "models/arch/firmware/x.h", text)

    def test_c_sources_are_checked(self):
        self.assert_forbidden("models/arch/firmware/x.c", "<tensorloom/tlm/router.h>")

    def test_using_namespace(self):
        self.assert_only("tlm/x.h:3: using namespace in a header", "tlm/x.h", HEADER + "\nusing  namespace std;\n")
        self.assertEqual(self.found(("tlm/x.cpp", "using namespace std;\n")), [])

    def test_vague_names(self):
        for name in ("common.h", "string_utils.h", "misc.cpp", "job_manager.h", "util.h", "helpers.py"):
            for folder in ("models/triada", "tlm", "workloads"):
                with self.subTest(name=name, folder=folder):
                    path = f"{folder}/{name}"
                    self.assert_only(f"{path}: a name that says nothing", path, HEADER)
        self.assertEqual(self.found(("tlm/commonality.h", HEADER), ("tests/support/common.h", HEADER)), [])

    def test_folders(self):
        for folder in ("src", "models/gpu", "tests/unit", "tlm_models"):
            with self.subTest(folder=folder):
                self.assert_only(f"{folder}: not a folder of the architecture", f"{folder}/x.txt", "")
        self.assertEqual(self.found(("build/release/x.h", ""), (".git/config", ""), ("demo/a.png", "")), [])

    def test_command_line(self):
        script = os.path.join(HERE, "check_structure.py")
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(subprocess.run([sys.executable, script, root], stderr=subprocess.DEVNULL).returncode, 2)
            open(os.path.join(root, "CMakeLists.txt"), "w").close()
            self.assertEqual(subprocess.run([sys.executable, script, root], stdout=subprocess.DEVNULL).returncode, 0)
            os.mkdir(os.path.join(root, "src"))
            self.assertEqual(subprocess.run([sys.executable, script, root], stdout=subprocess.DEVNULL).returncode, 1)


if __name__ == "__main__":
    unittest.main()
