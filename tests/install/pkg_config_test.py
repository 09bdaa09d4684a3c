"""pkg-config --cflags --libs tensorloom, and a compiler"""
import os
import shutil

import integration_page
from consumer import CXX, CXX_FLAGS, PREFIX, SOURCE, Consumer

SEARCH_PATH = {"PKG_CONFIG_PATH": os.path.join(PREFIX, "lib/pkgconfig")}


class PkgConfig(Consumer):
    def test_line_of_the_page_builds_and_runs_its_platform(self):
        self.write("platform.cpp", integration_page.platform())
        line = integration_page.block("sh", "g++")
        self.assertTrue(line.startswith("g++ "))
        self.check_platform(self.succeeds(f"{CXX} {CXX_FLAGS} -Wall -Wextra -Werror" + line[len("g++"):], **SEARCH_PATH))

    def test_another_cxx_standard_is_a_clear_error(self):
        self.write("platform.cpp", "#include <tensorloom/models/triada/device.h>\n")
        for standard in ("c++14", "c++20"):
            self.fails(f"{CXX} -fsyntax-only $(pkg-config --cflags tensorloom) -std={standard} platform.cpp",
                       "TensorLoom needs C++17 (-std=c++17;", **SEARCH_PATH)

    def test_names_the_folder_of_the_technologies(self):
        folder = self.succeeds("pkg-config --variable=technologies tensorloom", **SEARCH_PATH).strip()
        self.assertTrue(os.path.samefile(folder, os.path.join(PREFIX, "share/tensorloom/technologies")), folder)

    def test_version_is_that_of_the_project(self):
        self.assertEqual(self.succeeds("pkg-config --modversion tensorloom", **SEARCH_PATH), "0.2.0\n")


class LibraryFolder(Consumer):
    """CMAKE_INSTALL_LIBDIR: where distributions put libraries"""

    def variables_of(self, folder):
        """What the file says when the libraries go to this folder, and it lies below the prefix there."""
        self.succeeds(["cmake", "-S", SOURCE, "-B", "build", f"-DCMAKE_CXX_COMPILER={CXX}", "-DTENSORLOOM_TESTS=OFF",
                       "-DTENSORLOOM_TESTBENCHES=OFF", f"-DCMAKE_INSTALL_LIBDIR={folder}", "-DCMAKE_INSTALL_PREFIX=/usr/local"])
        place = os.path.join(self.directory, "prefix", folder, "pkgconfig") if not os.path.isabs(folder) else self.directory
        os.makedirs(place, exist_ok=True)
        shutil.copy(self.path("build/tensorloom.pc"), place)
        return [os.path.normpath(self.succeeds(f"pkg-config --variable={name} tensorloom", PKG_CONFIG_PATH=place).strip())
                for name in ("prefix", "libdir", "includedir")]

    def test_may_be_deeper(self):
        prefix = self.path("prefix")
        self.assertEqual(self.variables_of("lib/x86_64-linux-gnu"),
                         [prefix, prefix + "/lib/x86_64-linux-gnu", prefix + "/include"])

    def test_may_be_absolute_and_then_nothing_moves(self):
        self.assertEqual(self.variables_of("/opt/libraries"), ["/usr/local", "/opt/libraries", "/usr/local/include"])
