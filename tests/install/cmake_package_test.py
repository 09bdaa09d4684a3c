"""find_package(TensorLoom)"""
import os
import re
import shutil
import subprocess

import integration_page
from consumer import BUILD, CONFIG, CXX, CXX_FLAGS, PREFIX, SOURCE, Consumer

PLAIN_PROGRAM = """
#include <cstdio>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/workloads/transform.h>
using namespace tensorloom;
int main()
{
    std::printf("%s %s\\n", costs::load_technology("45nm").process().c_str(),
                workloads::transform_name(workloads::parse_transform("dct")).c_str());
}
"""


class CmakePackage(Consumer):
    def test_platform_of_the_page_builds_and_runs(self):
        self.write_platform("find_package")
        line = integration_page.block("sh", "CMAKE_PREFIX_PATH")
        self.assertIn("=/opt/tensorloom ", line)
        self.assertIn("--prefix /opt/tensorloom\n", integration_page.block("sh", "--install"))
        self.check_platform(self.succeeds(line.replace("/opt/tensorloom", PREFIX), CXX=CXX, CXXFLAGS=CXX_FLAGS))

    def test_state_of_one_process_goes_on_in_another(self):
        self.write("state.cpp", integration_page.block("cpp", "sc_main", page="state"))
        self.write_project("find_package(TensorLoom REQUIRED COMPONENTS triada memory)\n"
                           "add_executable(platform state.cpp)\n"
                           "target_link_libraries(platform TensorLoom::triada TensorLoom::memory)\n")
        self.succeeds(self.cmake_line())
        self.succeeds(self.build_line())
        first = self.succeeds("build/platform save here.state")
        self.assertTrue(first.endswith(integration_page.block("text", page="state")), first)
        again = self.succeeds("build/platform restore here.state")
        self.assertEqual(again.splitlines()[-1], first.splitlines()[-1])

    def test_clock_page_builds_and_prints_what_it_says(self):
        self.write("clock.cpp", integration_page.block("cpp", "sc_main", page="clock"))
        self.write_project("find_package(TensorLoom REQUIRED COMPONENTS triada memory activity)\n"
                           "add_executable(platform clock.cpp)\n"
                           "target_link_libraries(platform TensorLoom::triada TensorLoom::memory "
                           "TensorLoom::activity)\n")
        self.succeeds(self.cmake_line())
        self.succeeds(self.build_line())
        printed = self.succeeds("build/platform")
        self.assertTrue(printed.endswith(integration_page.block("text", page="clock")), printed)

    def test_state_for_a_debugger_is_what_its_page_shows(self):
        self.write("platform.cpp", integration_page.platform())
        self.write("show.cpp", integration_page.block("cpp", "show_registers", page="debugging"))
        self.write("look.gdb", integration_page.block("text", "show_time", page="debugging"))
        self.write_project("find_package(TensorLoom REQUIRED COMPONENTS triada memory)\n"
                           "add_executable(platform platform.cpp show.cpp)\n"
                           "target_link_libraries(platform TensorLoom::triada TensorLoom::memory)\n")
        self.succeeds(self.cmake_line("-DCMAKE_BUILD_TYPE=RelWithDebInfo"))
        self.succeeds(self.build_line())
        if shutil.which("gdb") is None:  # optional
            self.skipTest("no gdb")
        shown = integration_page.block("console", "360 ns", page="debugging")
        self.assertTrue(self.succeeds("gdb -q -batch -x look.gdb build/platform").endswith(shown))

    def test_works_after_its_prefix_was_staged_and_moved(self):
        stage = self.path("stage")
        self.succeeds(["cmake", "--install", BUILD, "--config", CONFIG, "--prefix", "/opt/tensorloom"], DESTDIR=stage)
        self.assertEqual(os.listdir(stage), ["opt"])
        moved = self.path("elsewhere")
        shutil.move(os.path.join(stage, "opt/tensorloom"), moved)
        self.write_platform("find_package")
        said = self.succeeds(self.cmake_line(prefix=moved))
        self.assertNotIn("warning", said.lower())
        with open(self.path("build/CMakeCache.txt"), encoding="utf-8") as cache:
            self.assertIn(f"TensorLoom_DIR:PATH={moved}/lib/cmake/TensorLoom\n", cache.read())
        self.succeeds(self.build_line())
        self.check_platform(self.succeeds(["build/platform"]))

    def test_plain_components_need_no_systemc(self):
        self.write("plain.cpp", PLAIN_PROGRAM)
        self.write_project("find_package(TensorLoom REQUIRED COMPONENTS isa workloads)\n"
                           "add_executable(platform plain.cpp)\n"
                           "target_link_libraries(platform TensorLoom::isa TensorLoom::workloads)\n")
        self.succeeds(self.cmake_line("-DCMAKE_DISABLE_FIND_PACKAGE_SystemC=ON", "-DCMAKE_CXX_STANDARD=20"))
        self.succeeds(self.build_line())
        self.assertEqual(self.succeeds(["build/platform"]), "45 nm, 0.9 V dct\n")
        self.assertNotIn("systemc", subprocess.check_output(["ldd", self.path("build/platform")], encoding="utf-8"))

    def test_all_components_are_found_when_none_is_named(self):
        self.write_project("find_package(TensorLoom 0.2.0 REQUIRED)\n"
                           "foreach(name base isa arithmetic activity blocks fetta memory mmv shell tlm triada workloads)\n"
                           "  if(NOT TARGET TensorLoom::${name} OR NOT TensorLoom_${name}_FOUND)\n"
                           "    message(FATAL_ERROR ${name})\n"
                           "  endif()\n"
                           "endforeach()\n"
                           "if(NOT EXISTS ${TensorLoom_TECHNOLOGIES_DIR}/45nm.yaml)\n"
                           "  message(FATAL_ERROR \"technologies: ${TensorLoom_TECHNOLOGIES_DIR}\")\n"
                           "endif()\n")
        self.succeeds(self.cmake_line())

    def test_unknown_component_is_named_with_those_that_exist(self):
        self.write_project("find_package(TensorLoom REQUIRED COMPONENTS triada tpu)\n")
        said = self.fails(self.cmake_line(), "TensorLoom has no component 'tpu'; there are: ")
        named = re.search(r"there are: ([a-z_ ]+)", said)[1].split()
        self.assertLess({"isa_program", "memory", "tlm", "triada"}, set(named))
        self.assertEqual(sorted(integration_page.first_column("component, target `TensorLoom::`")), sorted(named),
                         "docs/integration.md lists the components")

    def test_unknown_optional_component_is_not_found_and_no_error(self):
        self.write_project("find_package(TensorLoom REQUIRED COMPONENTS isa OPTIONAL_COMPONENTS tpu)\n"
                           "if(TensorLoom_tpu_FOUND OR NOT TensorLoom_isa_FOUND)\n"
                           "  message(FATAL_ERROR wrong)\n"
                           "endif()\n")
        self.succeeds(self.cmake_line())

    def test_other_minor_versions_are_refused(self):
        for version in ("0.3", "1.0", "0.1.9"):
            self.write_project(f"find_package(TensorLoom {version} REQUIRED)\n")
            self.fails(self.cmake_line(), f'compatible with requested version "{version}"', "version: 0.2.0")

    def test_without_systemc_it_says_which_version_it_needs(self):
        self.write_project("find_package(TensorLoom REQUIRED COMPONENTS memory)\n")
        self.fails(self.cmake_line("-DCMAKE_DISABLE_FIND_PACKAGE_SystemC=ON"), "was built with SystemC 2.3.4 and needs it")

    def test_leaves_the_module_path_of_its_user_alone(self):
        for option in ("OFF", "ON"):
            self.write_project("set(CMAKE_MODULE_PATH /first /second)\n"
                               "find_package(TensorLoom COMPONENTS tlm)\n"
                               f"if({option} AND TensorLoom_FOUND OR NOT CMAKE_MODULE_PATH STREQUAL \"/first;/second\")\n"
                               "  message(FATAL_ERROR \"module path: ${CMAKE_MODULE_PATH}\")\n"
                               "endif()\n")
            self.succeeds(self.cmake_line(f"-DCMAKE_DISABLE_FIND_PACKAGE_SystemC={option}"))

    def test_takes_the_systemc_that_its_user_has_found(self):
        self.write_project("add_library(SystemC::systemc INTERFACE IMPORTED)\n"
                           "set_target_properties(SystemC::systemc PROPERTIES INTERFACE_INCLUDE_DIRECTORIES /usr/include)\n"
                           "find_package(TensorLoom REQUIRED COMPONENTS triada)\n"
                           "find_package(TensorLoom REQUIRED)\n"
                           "get_target_property(kind SystemC::systemc TYPE)\n"
                           "if(NOT kind STREQUAL INTERFACE_LIBRARY)\n"
                           "  message(FATAL_ERROR ${kind})\n"
                           "endif()\n")
        self.succeeds(self.cmake_line())

    def test_refuses_a_systemc_of_another_version(self):
        self.write("include/sysc/kernel/sc_ver.h", "#define SC_VERSION_MAJOR 2\n#define SC_VERSION_MINOR 3\n"
                                                   "#define SC_VERSION_PATCH 3\n")
        self.write_project("add_library(SystemC::systemc INTERFACE IMPORTED)\n"
                           "set_target_properties(SystemC::systemc PROPERTIES INTERFACE_INCLUDE_DIRECTORIES\n"
                           "                      ${CMAKE_CURRENT_SOURCE_DIR}/include)\n"
                           "find_package(TensorLoom REQUIRED COMPONENTS triada)\n")
        self.fails(self.cmake_line(), "was built with SystemC 2.3.4 and needs it")

    def test_another_cxx_standard_is_a_clear_error(self):
        self.write_platform("find_package")
        self.succeeds(self.cmake_line("-DCMAKE_CXX_STANDARD=20"))
        self.fails(self.build_line(), "TensorLoom needs C++17 (-std=c++17; in CMake: CMAKE_CXX_STANDARD 17)")

    def test_the_cxx_standard_is_that_of_the_systemc_library(self):
        self.write("libsystemc.a", "\0sc_core::sc_api_version_3_0_2_cxx202002L\0")
        self.write("old/libsystemc.a", "\0sc_core::sc_api_version_2_3_3_cxx\0")
        self.write("include/systemc", "")
        for library, standard in (("libsystemc.a", "202002L, 20"), ("old/libsystemc.a", "201703L, 17")):
            self.write_project(f"include({SOURCE}/cmake/FindSystemC.cmake)\n"
                               'message(FATAL_ERROR "found: ${SystemC_CXX_VERSION}, ${SystemC_CXX_STANDARD}.")\n')
            self.fails(self.cmake_line(f"-DSystemC_LIBRARY={self.path(library)}",
                                       f"-DSystemC_INCLUDE_DIR={self.path('include')}"), f"found: {standard}.")

    def test_an_older_cxx_standard_is_raised(self):
        self.write("plain.cpp", "#include <tensorloom/tlm/stop_request.h>\nint sc_main(int, char**) { return 0; }\n")
        self.write_project("find_package(TensorLoom REQUIRED COMPONENTS tlm)\n"
                           "add_executable(platform plain.cpp)\n"
                           "target_link_libraries(platform TensorLoom::tlm)\n")
        self.succeeds(self.cmake_line("-DCMAKE_CXX_STANDARD=14"))
        self.succeeds(self.build_line())
