"""BUILD_SHARED_LIBS=ON, and static libraries inside a plug-in"""
import os
import re
import shutil
import subprocess

import integration_page
from consumer import CXX, CXX_FLAGS, GENERATOR, PREFIX, SOURCE, Consumer

SHARED = os.path.join(os.environ["TENSORLOOM_SCRATCH"], "shared")  # one build for all tests here

PLUGIN = """
#include <tensorloom/models/triada/device.h>
int sc_main(int, char**) { return 0; }
extern "C" const char* kind_of_a_device()
{
    static tensorloom::triada::device<32> device("device");
    return device.kind();
}
"""

LOADER = """
#include <cstdio>
#include <dlfcn.h>
int main()
{
    void* const plugin = dlopen("./plugin.so", RTLD_NOW);
    if (plugin == nullptr) { std::puts(dlerror()); return 1; }
    std::puts(reinterpret_cast<const char* (*)()>(dlsym(plugin, "kind_of_a_device"))());
}
"""


class PlugIn(Consumer):
    def test_static_libraries_fit_into_a_plug_in(self):
        self.write("plugin.cpp", PLUGIN)
        self.write("loader.cpp", LOADER)
        self.succeeds(f"{CXX} {CXX_FLAGS} -shared -fPIC $(pkg-config --cflags tensorloom) plugin.cpp -o plugin.so "
                      "$(pkg-config --libs tensorloom)", PKG_CONFIG_PATH=os.path.join(PREFIX, "lib/pkgconfig"))
        self.succeeds(f"{CXX} {CXX_FLAGS} loader.cpp -o loader -ldl")
        self.assertEqual(self.succeeds("./loader"), "triada_device\n")


class SharedLibraries(Consumer):
    prefix = os.path.join(SHARED, "prefix")

    @classmethod
    def setUpClass(cls):
        shutil.rmtree(cls.prefix, ignore_errors=True)
        build = os.path.join(SHARED, "build")
        # The libraries are linked anew, of the objects that they are tested with.
        launcher = os.path.join(SOURCE, "tests/install/reuse_object")
        environment = {**os.environ, "TENSORLOOM_REUSED_IN": build}
        subprocess.run(["cmake", "-S", SOURCE, "-B", build, "-G", GENERATOR, f"-DCMAKE_CXX_COMPILER={CXX}",
                        f"-DCMAKE_CXX_FLAGS={CXX_FLAGS}", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0",
                        f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}", "-DTENSORLOOM_PCH=OFF",
                        f"-DTENSORLOOM_UNITY={os.environ['TENSORLOOM_UNITY']}", "-DBUILD_SHARED_LIBS=ON",
                        "-DTENSORLOOM_TESTS=OFF", "-DTENSORLOOM_TESTBENCHES=OFF"], check=True)
        subprocess.run(["cmake", "--build", build, "--parallel", "2"], check=True, env=environment)
        subprocess.run(["cmake", "--install", build, "--prefix", cls.prefix], check=True)

    def test_libraries_are_shared_and_carry_the_version_of_their_abi(self):
        names = os.listdir(os.path.join(self.prefix, "lib"))
        self.assertEqual([name for name in names if name.endswith(".a")], ["libtensorloom_firmware.a"])
        libraries = [name for name in names if name.endswith(".so")]
        self.assertGreater(len(libraries), 15)
        for name in libraries:
            said = self.succeeds(["readelf", "-d", os.path.join(self.prefix, "lib", name)])
            self.assertEqual(re.search(r"soname: \[(.*)\]", said)[1], name + ".0.2")
            self.assertIn(name + ".0.2", names)

    def test_program_finds_them_wherever_the_prefix_is(self):
        moved = self.path("elsewhere")
        shutil.copytree(self.prefix, moved, symlinks=True)
        self.assertIn("Usage", self.succeeds([os.path.join(moved, "bin/tensorloom-asm"), "--help"]))

    def test_platform_of_the_page_with_the_package(self):
        self.write_platform("find_package")
        self.succeeds(self.cmake_line(prefix=self.prefix))
        self.succeeds(self.build_line())
        self.check_platform(self.succeeds(["build/platform"]))
        self.assertIn("libtensorloom_triada.so.0.2", self.succeeds(["ldd", "build/platform"]))

    def test_platform_of_the_page_with_pkg_config(self):
        self.write("platform.cpp", integration_page.platform())
        library = os.path.join(self.prefix, "lib")
        line = integration_page.block("sh", "g++").split(" && ")[0]
        self.succeeds(f"{CXX} {CXX_FLAGS}" + line[len("g++"):], PKG_CONFIG_PATH=os.path.join(library, "pkgconfig"))
        self.check_platform(self.succeeds("./platform", LD_LIBRARY_PATH=library))
